#!/usr/bin/env python3
"""The script `vram`, in a copy of the tree with stand-ins for the tools it calls."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Each stand-in writes its name and arguments to $CALLS.
STAND_INS = {
    "meson": """
case $1 in
    --version) echo "${MESON_VERSION:-1.0.1}"; exit ;;
    setup) for folder in "$@"; do [[ $folder == */build ]] && touch "$folder/build.ninja"; done ;;
esac
exit "${MESON_STATUS:-0}"
""",
    "ninja": """
[[ $1 == --version ]] && { echo 1.11; exit; }
if [[ ${NINJA_STATUS_CODE:-0} != 0 ]]; then echo "memory.cpp:7: error: expected ';'"; exit 1; fi
printf '#!/bin/sh\\necho graded "$@"\\nexit 1\\n' >"$2/vram"  # ninja -C FOLDER TARGET
chmod +x "$2/vram"
""",
    "pkg-config": '[[ ! -e $LIBRARIES_AWAY/$2 ]]',
    "apt-get": """
[[ ${APT_STATUS:-0} == 0 ]] || exit "$APT_STATUS"
rm -rf "$LIBRARIES_AWAY"
cp "$(dirname "$0")/nm" "$(dirname "$0")/g++"
""",
    "nm": "",
}


class VramScript(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name).resolve()
        self.tree = self.root / "tree"
        (self.tree / "grader").mkdir(parents=True)
        shutil.copy(ROOT / "vram", self.tree)
        shutil.copytree(ROOT / "grader" / "setup", self.tree / "grader" / "setup")
        self.calls_file = self.root / "calls"
        self.libraries_away = self.root / "away"
        self.make_stand_ins()
        self.make_toolkit()

    def make_stand_ins(self):
        self.tools = self.root / "tools"
        self.tools.mkdir()
        for name, body in STAND_INS.items():
            tool = self.tools / name
            tool.write_text(f'#!/bin/bash\necho "{name} $*" >>"$CALLS"\n{body}\n')
            tool.chmod(0o755)

    def make_toolkit(self):
        self.toolkit = self.root / "toolkit"
        (self.toolkit / "bin").mkdir(parents=True)
        (self.toolkit / "lib64").mkdir()
        (self.toolkit / "lib64" / "libcudart.so.13").touch()
        nvcc = self.toolkit / "bin" / "nvcc"
        nvcc.write_text("#!/bin/sh\n")
        nvcc.chmod(0o755)

    def vram(self, *arguments, **environment):
        """Runs the script; returns exit status, standard output and error, and the tools it called."""
        self.calls_file.write_text("")
        done = subprocess.run(
            [str(self.tree / "vram"), *arguments], capture_output=True, text=True, cwd=self.root,
            env={"PATH": f"{self.tools}:/usr/bin:/bin", "CALLS": str(self.calls_file),
                 "LIBRARIES_AWAY": str(self.libraries_away), "CUDA_HOME": str(self.toolkit), **environment})
        self.calls = self.calls_file.read_text()
        self.status, self.output, self.messages = done.returncode, done.stdout, done.stderr

    def test_help_needs_no_set_up(self):
        self.vram("--help")
        self.assertEqual(self.status, 0)
        self.assertIn("Usage: ./vram", self.output)
        self.assertEqual(self.calls, "")
        self.assertFalse((self.tree / "build").exists())

    def test_help_of_its_own_commands_needs_no_set_up(self):
        for command in ["test", "setup"]:
            self.vram(command, "--help")
            self.assertEqual(self.status, 0)
            self.assertIn(f"usage: vram {command}", self.output)
            self.assertEqual(self.calls, "")

    def test_unknown_words_of_its_own_commands_are_refused_at_once(self):
        for words in [("test", "--fast"), ("setup", "everything")]:
            self.vram(*words)
            self.assertEqual(self.status, 2)
            self.assertIn(f'does not know "{words[1]}"', self.messages)
            self.assertEqual(self.calls, "")

    def test_first_run_sets_up_builds_and_hands_over(self):
        self.vram("grade", "06")
        self.assertIn("meson setup", self.calls)
        self.assertIn(f"-Dtoolkit={self.toolkit}", self.calls)
        self.assertEqual(self.output, "graded grade 06\n")
        self.assertEqual(self.status, 1, "the exit status is the grader's")

    def test_second_run_does_no_set_up_work(self):
        self.vram("grade")
        self.vram("grade")
        self.assertEqual(len(self.calls.splitlines()), 1, self.calls)
        self.assertTrue(self.calls.startswith("ninja -C"))
        self.assertEqual(self.messages, "")

    def test_another_toolkit_is_set_up_again(self):
        self.vram("grade")
        other = self.root / "other"
        shutil.copytree(self.toolkit, other)
        self.vram("grade", CUDA_HOME=str(other))
        self.assertIn(f"-Dtoolkit={other}", self.calls)

    def test_a_tool_that_went_away_is_looked_for_again(self):
        self.vram("grade")
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        shutil.move(self.tools / "meson", elsewhere / "meson")
        self.vram("grade", PATH=f"{elsewhere}:{self.tools}:/usr/bin:/bin")
        self.assertEqual(self.output, "graded grade\n")
        self.assertIn("meson setup", self.calls)

    def test_an_interrupted_configuration_is_done_again(self):
        self.vram("grade", MESON_STATUS="1")
        self.assertEqual(self.status, 3)
        self.assertIn("could not be configured", self.messages)
        self.vram("grade")
        self.assertIn("meson setup", self.calls)
        self.assertEqual(self.output, "graded grade\n")

    def test_a_build_that_fails_shows_the_error_and_is_a_grader_fault(self):
        self.vram("grade", NINJA_STATUS_CODE="1")
        self.assertEqual(self.status, 3)
        self.assertIn("memory.cpp:7: error", self.messages)
        self.assertEqual(self.output, "")

    def test_setup_alone_grades_nothing(self):
        self.vram("setup")
        self.assertEqual((self.status, self.output), (0, ""))

    def test_another_build_folder_leaves_the_tree_alone(self):
        self.vram("grade", VRAM_BUILD="another/build")
        self.assertEqual(self.output, "graded grade\n")
        self.assertTrue((self.root / "another" / "build" / "vram").exists())
        self.assertFalse((self.tree / "build").exists())

    def test_a_chosen_build_folder_that_cannot_be_one_is_a_usage_error(self):
        (self.root / "file").write_text("mine")
        for value in (str(self.root / "file" / "build"), str(self.root / "file"), str(self.tree)):
            with self.subTest(value=value):
                self.vram("grade", VRAM_BUILD=value)
                self.assertEqual(self.status, 2)
                self.assertEqual(self.messages, f'vram: VRAM_BUILD is "{value}"; it can be a folder '
                                                "that can be written, other than the tree itself\n")
                self.assertEqual(self.calls, "")
        self.assertEqual((self.root / "file").read_text(), "mine")
        self.assertFalse((self.tree / "vram.lock").exists())

    def test_a_build_folder_that_cannot_be_made_is_a_clear_message(self):
        (self.tree / "build").write_text("mine")
        self.vram("grade")
        self.assertEqual(self.status, 3)
        self.assertIn("cannot write to", self.messages)
        self.assertEqual((self.tree / "build").read_text(), "mine")

    def test_a_toolkit_that_is_none_is_passed_over_with_a_word(self):
        (self.root / "empty").mkdir()
        self.vram("grade", CUDA_HOME=str(self.root / "empty"),
                  PATH=f"{self.toolkit}/bin:{self.tools}:/usr/bin:/bin")
        self.assertIn(f'CUDA_HOME is "{self.root}/empty", which holds no CUDA Toolkit; another one is used',
                      self.messages)
        self.assertIn(f"-Dtoolkit={self.toolkit}", self.calls)

    def take_away(self, *libraries):
        self.libraries_away.mkdir()
        for library in libraries:
            (self.libraries_away / library).touch()

    @unittest.skipUnless(os.geteuid() == 0, "only root installs packages")
    def test_root_installs_what_is_missing(self):
        self.take_away("gtest", "libzstd")
        self.vram("grade")
        self.assertIn("missing: libgtest-dev libzstd-dev", self.messages)
        self.assertRegex(self.calls, "apt-get install .* libgtest-dev libzstd-dev")
        self.assertEqual(self.output, "graded grade\n")

    @unittest.skipUnless(os.geteuid() == 0, "only root installs packages")
    def test_what_was_installed_is_no_reason_to_set_up_again(self):
        self.take_away("gtest")
        self.vram("grade")
        self.vram("grade")
        self.assertEqual(len(self.calls.splitlines()), 1, self.calls)

    @unittest.skipUnless(os.geteuid() == 0, "only root installs packages")
    def test_an_installation_that_fails_is_a_clear_message(self):
        self.take_away("gtest")
        self.vram("grade", APT_STATUS="100")
        self.assertEqual(self.status, 3)
        self.assertIn("could not be installed", self.messages)


if __name__ == "__main__":
    unittest.main()
