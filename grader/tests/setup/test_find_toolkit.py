#!/usr/bin/env python3
"""Which CUDA Toolkit is used."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "setup" / "find_toolkit.py"


class FindToolkit(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name).resolve()

    def make_toolkit(self, name, runtime=True):
        folder = self.root / name
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "nvcc").write_text("#!/bin/sh\n")
        (folder / "bin" / "nvcc").chmod(0o755)
        if runtime:
            (folder / "lib64").mkdir()
            (folder / "lib64" / "libcudart.so.13").touch()
        return folder

    def find(self, path="", **environment):
        found = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True,
                               env={"PATH": path, **environment})
        return found.stdout.strip()

    def test_cuda_home_comes_before_path_and_tree(self):
        home, on_path, tree = map(self.make_toolkit, ("home", "on_path", "tree"))
        self.assertEqual(self.find(str(on_path / "bin"), CUDA_HOME=str(home),
                                   VRAM_TOOLKIT=str(tree)), str(home))

    def test_path_comes_before_tree(self):
        on_path, tree = map(self.make_toolkit, ("on_path", "tree"))
        self.assertEqual(self.find(str(on_path / "bin"), VRAM_TOOLKIT=str(tree)), str(on_path))

    def test_nvcc_on_path_may_be_a_link(self):
        toolkit = self.make_toolkit("toolkit")
        (self.root / "bin").mkdir()
        os.symlink(toolkit / "bin" / "nvcc", self.root / "bin" / "nvcc")
        self.assertEqual(self.find(str(self.root / "bin")), str(toolkit))

    def test_toolkit_of_the_tree_comes_before_the_usual_places(self):
        tree = self.make_toolkit("tree")
        self.assertEqual(self.find(VRAM_TOOLKIT=str(tree)), str(tree))

    def test_a_folder_without_runtime_library_is_passed_over(self):
        broken = self.make_toolkit("broken", runtime=False)
        tree = self.make_toolkit("tree")
        self.assertEqual(self.find(CUDA_HOME=str(broken), VRAM_TOOLKIT=str(tree)), str(tree))

    def test_a_folder_that_does_not_exist_is_passed_over(self):
        tree = self.make_toolkit("tree")
        self.assertEqual(self.find(CUDA_HOME="/does/not/exist", VRAM_TOOLKIT=str(tree)), str(tree))


if __name__ == "__main__":
    unittest.main()
