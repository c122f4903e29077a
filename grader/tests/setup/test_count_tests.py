#!/usr/bin/env python3
"""How the last line of `vram test` comes about."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "setup" / "count_tests.py"


class CountTests(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.build = pathlib.Path(self.temporary.name)
        (self.build / "meson-info").mkdir()
        (self.build / "meson-logs").mkdir()
        self.listed = []
        self.results = []
        self.suites = []

    def list_program(self, name, suite="labs:selftest"):
        self.listed.append({"name": name, "suite": [suite]})

    def finish_program(self, name, result, cases=None, name_of_suite=None, output=""):
        """cases: the inside of a testsuite element, or None for a program without cases."""
        self.results.append({"name": f"labs:selftest / {name}", "result": result, "stdout": output})
        if cases is not None:
            full_name = name_of_suite or f"labs.{name}.Suite"
            self.suites.append(f'<testsuite name="{full_name}">{cases}</testsuite>')

    def count(self):
        (self.build / "meson-info" / "intro-tests.json").write_text(json.dumps(self.listed))
        logs = self.build / "meson-logs"
        (logs / "testlog.json").write_text("".join(json.dumps(line) + "\n" for line in self.results))
        (logs / "testlog.junit.xml").write_text(f"<testsuites>{''.join(self.suites)}</testsuites>")
        return self.run_script()

    def run_script(self, *names):
        done = subprocess.run([sys.executable, str(SCRIPT), str(self.build), *names],
                              capture_output=True, text=True)
        *self.lines_before, last_line = done.stdout.splitlines()
        return last_line, done.returncode

    def test_every_case_counts(self):
        self.list_program("memory")
        self.finish_program("memory", "OK", '<testcase name="a"/><testcase name="b"/>')
        self.assertEqual(self.count(), ("2 passed, 0 failed, 0 skipped", 0))

    def test_a_program_without_cases_counts_once(self):
        self.list_program("format")
        self.finish_program("format", "OK")
        self.assertEqual(self.count(), ("1 passed, 0 failed, 0 skipped", 0))

    def test_skipped_is_neither_passed_nor_failed(self):
        self.list_program("memory")
        self.list_program("format")
        self.finish_program("format", "SKIP")
        self.finish_program("memory", "OK", '<testcase name="a"/><testcase name="b"><skipped/>'
                            '</testcase><testcase name="c" status="notrun"/>')
        self.assertEqual(self.count(), ("1 passed, 0 failed, 3 skipped", 0))

    def test_failed_cases_count_and_the_exit_status_tells(self):
        self.list_program("memory")
        self.finish_program("memory", "FAIL", '<testcase name="a"/><testcase name="b"><failure/>'
                            '</testcase>')
        self.assertEqual(self.count(), ("1 passed, 1 failed, 0 skipped", 1))

    def test_a_crash_counts_as_failed(self):
        self.list_program("memory")
        self.finish_program("memory", "FAIL")
        self.assertEqual(self.count(), ("0 passed, 1 failed, 0 skipped", 1))

    def test_a_bad_end_after_good_cases_counts_as_failed(self):
        self.list_program("memory")
        self.finish_program("memory", "TIMEOUT", '<testcase name="a"/>')
        self.assertEqual(self.count(), ("1 passed, 1 failed, 0 skipped", 1))

    def test_a_program_that_never_ran_counts_as_failed(self):
        self.list_program("memory")
        self.list_program("streams")
        self.finish_program("memory", "OK", '<testcase name="a"/>')
        self.assertEqual(self.count(), ("1 passed, 1 failed, 0 skipped", 1))

    def test_without_any_log_everything_listed_counts_as_failed(self):
        self.list_program("memory")
        self.list_program("streams")
        (self.build / "meson-info" / "intro-tests.json").write_text(json.dumps(self.listed))
        self.assertEqual(self.run_script(), ("0 passed, 2 failed, 0 skipped", 1))

    def test_nothing_listed_is_a_failure(self):
        self.assertEqual(self.count(), ("0 passed, 1 failed, 0 skipped", 1))

    def test_only_skipped_tests_are_no_success(self):
        self.list_program("format")
        self.finish_program("format", "SKIP")
        self.assertEqual(self.count(), ("0 passed, 0 failed, 1 skipped", 1))

    def test_programs_are_recognised_by_the_names_of_every_meson(self):
        self.list_program("corpus of 06 - all")
        self.list_program("memory")
        for prefix in ("", "labs:selftest / ", "selftest - labs:"):
            with self.subTest(prefix=prefix):
                self.results = [{"name": prefix + name, "result": "OK", "stdout": ""}
                                for name in ("corpus of 06 - all", "memory")]
                self.suites = [f'<testsuite name="labs.{prefix}corpus of 06 - all">'
                               '<testcase name="1"/><testcase name="2"/></testsuite>',
                               f'<testsuite name="labs.{prefix}memory.Copies">'
                               '<testcase name="a"/></testsuite>']
                self.assertEqual(self.count(), ("3 passed, 0 failed, 0 skipped", 0))

    def test_suites_are_recognised_when_meson_names_them_in_full(self):
        self.list_program("corpus of 06")
        self.list_program("memory")
        self.finish_program("corpus of 06", "OK", '<testcase name="1"/><testcase name="2"/>',
                            name_of_suite="labs.labs:selftest / corpus of 06")
        self.finish_program("memory", "OK", '<testcase name="a"/>',
                            name_of_suite="labs.labs:selftest / memory.Copies")
        self.assertEqual(self.count(), ("3 passed, 0 failed, 0 skipped", 0))

    def test_failed_tap_lines_are_shown_with_their_comments(self):
        self.list_program("corpus of 06")
        self.finish_program("corpus of 06", "FAIL", output="1..3\nok 1 - a.cu\n# fine\n"
                            "not ok 2 - b.cu\n# expected leak, came double-free\nok 3 - c.cu\n")
        self.count()
        self.assertEqual(self.lines_before, ["corpus of 06:", "  not ok 2 - b.cu",
                                             "  # expected leak, came double-free"])

    def test_only_named_programs_count_if_names_are_given(self):
        self.list_program("memory")
        self.list_program("streams")
        self.finish_program("memory", "OK")
        self.count()
        self.assertEqual(self.run_script("memory"), ("1 passed, 0 failed, 0 skipped", 0))
        self.assertEqual(self.run_script("memry"), ("0 passed, 1 failed, 0 skipped", 1))

    def test_other_suites_do_not_count(self):
        self.list_program("memory")
        self.list_program("01 on the virtual GPU", suite="labs:grading")
        self.finish_program("memory", "OK", '<testcase name="a"/>')
        self.assertEqual(self.count(), ("1 passed, 0 failed, 0 skipped", 0))

    def test_control_characters_in_the_output_do_no_harm(self):
        self.list_program("memory")
        self.finish_program("memory", "OK", '<testcase name="a"><system-out>\x01\x1b'
                            '</system-out></testcase>')
        self.assertEqual(self.count(), ("1 passed, 0 failed, 0 skipped", 0))

    def test_a_log_that_was_cut_off_counts_the_rest_as_failed(self):
        self.list_program("memory")
        self.list_program("streams")
        self.finish_program("memory", "OK")
        self.count()
        with (self.build / "meson-logs" / "testlog.json").open("a") as log:
            log.write('{"name": "labs:selftest / stre')
        (self.build / "meson-logs" / "testlog.junit.xml").write_text("<testsuites><testsu")
        self.assertEqual(self.run_script(), ("1 passed, 1 failed, 0 skipped", 1))

    def test_a_name_with_dots_is_recognised(self):
        self.list_program("memory.pools")
        self.finish_program("memory.pools", "OK", '<testcase name="a"/><testcase name="b"/>')
        self.assertEqual(self.count(), ("2 passed, 0 failed, 0 skipped", 0))


if __name__ == "__main__":
    unittest.main()
