#!/usr/bin/env python3
"""What the pages show of programs, gradings and commands is what a fresh run of them gives."""
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import labs
import pages

# Commands that are shown but not run here, each with the reason.
NOT_RUN = {
    r"./vram test\b.*": "runs this test again",
    r"./vram setup\b.*": "installs packages",
    r"./vram bench\b.*": "takes minutes, and its figures are this machine's",
    r"./vram corpus( --lab \d\d)?": "takes minutes; every lab's corpus is a test of its own",
    r"./vram run \./\w+": "the examples' transcripts hold its output",
    r".*\b[A-Z]{2,}\b.*": "a word in capitals stands for something of the reader's",
    r".*\.\.\.": "three dots stand for something of the reader's",
    r".*--device gpu.*": "there may be no GPU here",
}


def recorder(folder):
    path = os.path.join(labs.ROOT, "docs", folder, "record.py")
    spec = importlib.util.spec_from_file_location(f"record_{folder}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reason_not_to_run(command):
    for pattern, reason in NOT_RUN.items():
        if re.fullmatch(pattern, command):
            return reason
    return None


class Examples(unittest.TestCase):
    def test_print_what_is_kept(self):
        record = recorder("examples")
        names = record.names()
        self.assertGreater(len(names), 0)
        for name, text in record.transcripts(names):
            with self.subTest(example=name):
                self.assertEqual(labs.read("docs", "examples", name + ".txt"), text)


    def test_built_with_the_static_runtime_are_refused_with_the_cure(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            source = os.path.join(labs.ROOT, "docs", "examples", "first_4_kb.cu")
            subprocess.run([recorder("examples").nvcc(), source, "-o", program], check=True)
            finished = subprocess.run([os.path.join(labs.BUILD, "vram"), "run", program],
                                      capture_output=True, text=True, check=False)
        self.assertEqual((finished.returncode, finished.stdout), (2, ""))
        self.assertIn("nvcc -cudart shared", finished.stderr)


class Reports(unittest.TestCase):
    def test_are_what_the_grader_says(self):
        record = recorder("gradings")
        names = record.names()
        self.assertGreater(len(names), 0)
        for name in names:
            with self.subTest(report=name):
                self.assertEqual(labs.read("docs", "gradings", name + ".txt"), record.report(name))


class Classroom(unittest.TestCase):
    def test_is_graded_as_the_page_for_instructors_shows(self):
        printed, results = recorder("classroom").grade_class()
        self.assertEqual(labs.read("docs", "classroom", "class.txt"), printed)
        self.assertEqual(labs.read("docs", "classroom", "chen.json"), results)


class Commands(unittest.TestCase):
    """`./vram` builds and then runs build/vram; what it builds is there already when tests run."""

    progress = os.path.join(labs.BUILD, "progress.json")

    def setUp(self):
        if os.path.exists(self.progress):
            shutil.copyfile(self.progress, self.progress + ".kept")

    def tearDown(self):
        if os.path.exists(self.progress + ".kept"):
            os.replace(self.progress + ".kept", self.progress)
        elif os.path.exists(self.progress):
            os.remove(self.progress)

    def test_run(self):
        shown = {}
        for page in pages.PAGES:
            for command in pages.commands(labs.read(page)):
                shown.setdefault(command, page)
        self.assertGreater(len(shown), 0)
        for command, page in sorted(shown.items()):
            if reason_not_to_run(command):
                continue
            with self.subTest(command=command, page=page):
                status, output = self.run_command(command)
                # 1 is a lab that is not solved; 2 a command that does not exist.
                self.assertIn(status, (0, 1), output)

    def run_command(self, command):
        words = shlex.split(command)
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("VRAM_") and key != "LD_LIBRARY_PATH"}
        environment["VRAM_DEVICE"] = "virtual"
        finished = subprocess.run([os.path.join(labs.BUILD, "vram"), *words[1:]], cwd=labs.ROOT,
                                  env=environment, capture_output=True, text=True, check=False)
        return finished.returncode, finished.stdout + finished.stderr

    def test_a_command_that_does_not_exist_is_found(self):
        self.assertNotIn(self.run_command("./vram grate 01")[0], (0, 1))
        self.assertNotIn(self.run_command("./vram hint 01 NoSuchCheck")[0], (0, 1))
        self.assertIsNone(reason_not_to_run("./vram grade 01"))
        self.assertIsNotNone(reason_not_to_run("./vram run PROGRAM"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
