#!/usr/bin/env python3
"""Grades a small class with grade_class.sh and keeps what the page for instructors shows.

    python3 docs/classroom/record.py

class.txt is what the script prints, chen.json the results of one student, without the seconds that
the grading took. A test compares both with a fresh run.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("VRAM_BUILD", ROOT / "build"))
FILE = "frame_store.cu"


def hand_in(folder):
    """Five students: done, untouched, one bug left, not compiling, an empty folder."""
    solution = ROOT / "solutions" / "06-double-free" / FILE
    for student in ("ada", "ben", "chen", "dora", "eli"):
        (folder / student).mkdir(parents=True)
    shutil.copyfile(solution, folder / "ada" / FILE)
    (folder / "ben" / "labs" / "06-double-free").mkdir(parents=True)
    shutil.copyfile(ROOT / "labs" / "06-double-free" / FILE,
                    folder / "ben" / "labs" / "06-double-free" / FILE)
    shutil.copyfile(ROOT / "grader/corpus/wrong/06-double-free/slot_nulled_first.cu",
                    folder / "chen" / FILE)
    text = solution.read_text(encoding="utf-8").replace("#include", "#inlcude", 1)
    (folder / "dora" / FILE).write_text(text, encoding="utf-8")


def grade_class():
    """What the script prints, and the results of chen."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("VRAM_")}
    environment.update(VRAM=str(BUILD / "vram"), VRAM_DEVICE="virtual")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        hand_in(folder / "class")
        finished = subprocess.run([HERE / "grade_class.sh", "class", "results", "06"], cwd=folder,
                                  env=environment, check=True, capture_output=True, text=True)
        results = json.loads((folder / "results" / "chen.json").read_text(encoding="utf-8"))
    del results["execution_time"]
    return ("$ docs/classroom/grade_class.sh class results 06\n" + finished.stdout,
            json.dumps(results, indent=2) + "\n")


def main():
    printed, results = grade_class()
    (HERE / "class.txt").write_text(printed, encoding="utf-8")
    (HERE / "chen.json").write_text(results, encoding="utf-8")


if __name__ == "__main__":
    main()
