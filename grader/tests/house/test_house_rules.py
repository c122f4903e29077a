#!/usr/bin/env python3
"""What holds for every file of the project, and which part may include which."""
import re
import unittest

import tree

TEXT_SUFFIXES = {".cpp", ".h", ".hpp", ".cu", ".cuh", ".py", ".sh", ".md", ".build", ".txt", ".json",
                 ".yml", ".toml", ".S", ".in", ""}
CODE_SUFFIXES = {".cpp", ".h", ".hpp", ".cu", ".cuh"}
LARGEST_FILE = 512 * 1024

PATH_OF_A_MACHINE = re.compile(r"(?<![\w.}~$)*-])/(?:work|root)/\w")
PACKAGE_REGISTRY = re.compile(r"\b(?:pypi|pythonhosted|debian|ubuntu|mesonbuild)\.(?:org|com|net)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

# Arrows point down: what the files below a folder may not include.
FORBIDDEN_INCLUDES = {
    "grader/json/": ("grader/virtual_gpu/", "grader/runtime/", "grader/checks/", "grader/proctor/",
                     "grader/protocol/", "labs/", "solutions/", "gtest/"),
    "grader/settings/": ("grader/virtual_gpu/", "grader/runtime/", "grader/checks/",
                         "grader/proctor/", "grader/protocol/", "labs/", "solutions/", "gtest/"),
    "grader/virtual_gpu/": ("grader/runtime/", "grader/checks/", "grader/proctor/",
                            "grader/protocol/", "labs/", "solutions/", "gtest/"),
    "grader/runtime/": ("grader/checks/", "grader/proctor/", "labs/", "solutions/", "gtest/"),
    "grader/checks/": ("grader/proctor/",),
    "grader/proctor/": ("grader/checks/", "grader/runtime/", "grader/virtual_gpu/"),
    "labs/": ("grader/", "solutions/"),
    "solutions/": ("grader/",),
}


def text_of(path):
    return (tree.ROOT / path).read_text(errors="replace")


class EveryFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = [path for path in tree.own_files() if not tree.is_changed_by_learner(path)]

    def test_there_are_files(self):
        self.assertGreater(len(self.files), 20)

    def test_is_text_and_not_large(self):
        for path in self.files:
            contents = (tree.ROOT / path).read_bytes()
            self.assertNotIn(b"\0", contents, f"{path} is binary")
            self.assertLess(len(contents), LARGEST_FILE, f"{path} is large")

    def test_names_no_folder_of_one_machine(self):
        self.assert_nowhere(PATH_OF_A_MACHINE)

    def test_names_no_package_registry(self):
        self.assert_nowhere(PACKAGE_REGISTRY)

    def test_ends_with_a_newline_and_has_no_trailing_space(self):
        for path in self.files:
            text = text_of(path)
            if path.suffix not in TEXT_SUFFIXES or not text:
                continue
            self.assertTrue(text.endswith("\n"), f"{path} does not end with a newline")
            if path.suffix == ".md":
                continue
            for number, line in enumerate(text.splitlines(), 1):
                self.assertEqual(line, line.rstrip(), f"{path}:{number} ends with spaces")

    def assert_nowhere(self, pattern):
        for path in self.files:
            found = pattern.search(text_of(path))
            self.assertIsNone(found, f"{path} contains {found and found.group()!r}")


class Arrows(unittest.TestCase):
    def test_point_down(self):
        for path in tree.own_files():
            if path.suffix not in CODE_SUFFIXES or tree.is_changed_by_learner(path):
                continue
            for folder, forbidden in FORBIDDEN_INCLUDES.items():
                if not str(path).startswith(folder):
                    continue
                for included in INCLUDE.findall(text_of(path)):
                    self.assertFalse(included.startswith(forbidden), f"{path} includes {included}")


if __name__ == "__main__":
    unittest.main()
