#!/usr/bin/env python3
"""Draws each picture anew: NAME.svg is what NAME.py prints.

    python3 docs/pictures/draw.py           every picture
    python3 docs/pictures/draw.py arena     only the named ones

Standard library only, and the same bytes every time; a test compares.
"""
import contextlib
import io
import pathlib
import runpy
import sys

HERE = pathlib.Path(__file__).resolve().parent
NO_PICTURE = {"draw", "svg"}

sys.path.insert(0, str(HERE))  # where the pictures find their drawing board


def names():
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NO_PICTURE)


def drawn(name):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(HERE / f"{name}.py"))
    return printed.getvalue()


def main():
    for name in sys.argv[1:] or names():
        (HERE / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
