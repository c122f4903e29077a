#!/usr/bin/env python3
"""Fails if a C++ or CUDA file of ours is not as clang-format leaves it; names the files.

Versions of clang-format differ in taste, so only version 14 decides; without it the test is skipped.
"""
import re
import shutil
import subprocess
import sys

import tree

DECIDING_VERSION = 14
SUFFIXES = {".cpp", ".h", ".hpp", ".cu", ".cuh"}
SKIPPED = 77


def find_clang_format():
    for name in (f"clang-format-{DECIDING_VERSION}", "clang-format"):
        program = shutil.which(name)
        if not program:
            continue
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        if re.search(rf"version {DECIDING_VERSION}\.", version):
            return program
    return None


def main():
    program = find_clang_format()
    if program is None:
        print(f"skipped: there is no clang-format {DECIDING_VERSION}")
        return SKIPPED
    files = [str(path) for path in tree.own_files()
             if path.suffix in SUFFIXES and not tree.is_changed_by_learner(path)]
    if not files:
        print("no file to check was found")
        return 1
    checked = subprocess.run([program, "--dry-run", "--Werror", "--ferror-limit=1", *files],
                             cwd=tree.ROOT, capture_output=True, text=True)
    print(checked.stderr, end="")
    if checked.returncode != 0:
        print(f"To format them: {program} -i FILE...")
        return 1
    print(f"{len(files)} files are formatted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
