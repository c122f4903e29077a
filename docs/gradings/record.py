#!/usr/bin/env python3
"""Grades a known file and keeps the report, for the pages to quote.

    python3 docs/gradings/record.py                              every report
    python3 docs/gradings/record.py 06-double-free/slot_nulled_first   only the named ones

LAB/NAME.txt is the report on grader/corpus/wrong/LAB/NAME.cu; LAB/untouched.txt is the report on the
lab's own file as it is handed out, LAB/solution.txt the one on the reference. To add a report, name it
on the command line. LAB/NAME.Check.txt keeps only what is said of that check: for reports that hold
a measured time elsewhere. A test compares the kept text with a fresh grading.

Host addresses differ from run to run, so their digits are left out: 0x7f..........
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("VRAM_BUILD", ROOT / "build"))


HOST_ADDRESS = re.compile(r"0x7[0-9a-f]{11}\b")


def names():
    return sorted(str(path.relative_to(HERE))[:-len(".txt")] for path in HERE.glob("*/*.txt"))


def graded_file(lab, name):
    manifest = json.loads((ROOT / "grader" / "checks" / f"{lab}.json").read_text(encoding="utf-8"))
    if name == "untouched":
        return ROOT / "labs" / lab / manifest["file"], manifest["file"]
    if name == "solution":
        return ROOT / "solutions" / lab / manifest["file"], manifest["file"]
    return ROOT / "grader" / "corpus" / "wrong" / lab / f"{name}.cu", manifest["file"]


def part_about(check, text):
    """The lines about one check, without what is said of the others."""
    begins = r"(?m)^  (?:FAIL|CRASH|HUNG|ok)  ?"
    part = re.search(begins + r" *\w+\." + check + r"\b.*\n(?:.*\n)*?(?=" + begins[4:] + r"|^Score)",
                     text)
    return part.group().rstrip() + "\n"


def report(path):
    """The report of `vram grade` on the virtual GPU, after the command that a learner types."""
    lab, _, name = path.partition("/")
    name, _, check = name.partition(".")
    source, file_name = graded_file(lab, name)
    number = lab.split("-")[0]
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("VRAM_") and key != "LD_LIBRARY_PATH"}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(source, os.path.join(folder, file_name))
        finished = subprocess.run(
            [BUILD / "vram", "grade", number, "--plain", "--device", "virtual",
             "--submission", folder],
            capture_output=True, text=True, check=False, env=environment)
    if finished.returncode not in (0, 1):
        raise RuntimeError(f"{path}: {finished.stdout}{finished.stderr}")
    shown = HOST_ADDRESS.sub("0x7f" + 10 * ".", finished.stdout)
    shown = part_about(check, shown) if check else shown.lstrip()
    return f"$ ./vram grade {number}\n{shown}"


def main():
    for path in sys.argv[1:] or names():
        text = report(path)
        target = HERE / f"{path}.txt"
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
