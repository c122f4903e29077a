#!/usr/bin/env python3
"""Prints the end of `vram test` from Meson's logs: the TAP lines that failed, which Meson keeps to
itself, and as the last line `N passed, N failed, N skipped`.

Usage: count_tests.py BUILD_FOLDER [PROGRAM...]

Counts the named test programs, or all.
Every GoogleTest case and TAP line counts as one test, and so does a test program that has neither.
What did not run counts as failed: a program that Meson lists and whose result is missing, and one
that ended badly without a failed case of its own (a crash, a time-out, no output).
Exit status 0 if nothing failed and something passed.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SUITE = "selftest"
GOOD_RESULTS = {"OK", "EXPECTEDFAIL", "SKIP", "IGNORED"}
NOT_ALLOWED_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Count:
    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def listed_programs(build):
    """The names of the test programs of the suite, as Meson registered them."""
    path = build / "meson-info" / "intro-tests.json"
    if not path.exists():
        return []
    tests = json.loads(path.read_text())
    return [test["name"] for test in tests
            if any(suite.split(":")[-1] == SUITE for suite in test["suite"])]


def without_suite(name):
    """Meson writes `PROJECT:SUITE / NAME`, newer ones `SUITE - PROJECT:NAME`."""
    return re.sub(r"^(\S+ / |\S+ - [^\s:]+:)", "", name)


def records_by_program(build):
    """Program name -> what Meson logged of it: result (OK, FAIL, SKIP, TIMEOUT, ...), stdout, ..."""
    path = build / "meson-logs" / "testlog.json"
    records = {}
    if path.exists():
        for line in path.read_text(errors="replace").splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:  # cut off by an interruption; counts as never run
                continue
            records[without_suite(record["name"])] = record
    return records


def failed_tap_lines(output):
    """The `not ok` lines, each with the comments that belong to it."""
    failed = []
    belongs_to_failed = False
    for line in output.splitlines():
        if line.startswith("not ok"):
            belongs_to_failed = True
        elif not line.startswith("#"):
            belongs_to_failed = False
        if belongs_to_failed:
            failed.append(line)
    return failed


def count_cases(suite):
    count = Count()
    for case in suite.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            count.skipped += 1
        else:
            count.passed += 1
    return count


def cases_by_program(build, programs):
    """Program name -> the count of its cases; only for programs that reported cases."""
    path = build / "meson-logs" / "testlog.junit.xml"
    counts = {}
    if not path.exists():
        return counts
    try:
        root = ElementTree.fromstring(NOT_ALLOWED_IN_XML.sub("", path.read_text(errors="replace")))
    except ElementTree.ParseError as error:
        print(f"{path} cannot be read ({error}); counting programs, not cases", file=sys.stderr)
        return counts
    for suite in root.iter("testsuite"):
        program = program_of(suite.get("name"), programs)
        if program:
            counts.setdefault(program, Count()).add(count_cases(suite))
    return counts


def program_of(suite_name, programs):
    """A suite is named PROJECT.PROGRAM.SUITE (GoogleTest) or PROJECT.PROGRAM (TAP)."""
    rest = without_suite(suite_name.partition(".")[2])
    fitting = [name for name in programs if rest == name or rest.startswith(name + ".")]
    return max(fitting, key=len, default=None)


def count_program(result, cases):
    """What one program adds to the count; result is None if it did not run."""
    if result not in GOOD_RESULTS:
        count = cases or Count()
        if count.failed == 0:
            count.failed = 1
        return count
    if cases:
        return cases
    return Count(skipped=1) if result in {"SKIP", "IGNORED"} else Count(passed=1)


def main(build, names):
    programs = [name for name in listed_programs(build) if not names or name in names]
    records = records_by_program(build)
    cases = cases_by_program(build, set(programs))
    total = Count()
    for program in programs:
        record = records.get(program, {})
        total.add(count_program(record.get("result"), cases.get(program)))
        failed = failed_tap_lines(record.get("stdout") or "")
        if failed:
            print(f"{program}:", *failed, sep="\n  ")
    if not programs:
        print("there is no such test" if names else "no test is registered", file=sys.stderr)
        total.failed += 1
    print(total)
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
