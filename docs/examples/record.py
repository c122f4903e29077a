#!/usr/bin/env python3
"""Builds each example, runs it under `vram run`, and keeps what a terminal shows in NAME.txt.

    python3 docs/examples/record.py            every example
    python3 docs/examples/record.py leak_loop  only the named ones

A line `// memory: 10GiB` in an example is the size of the card that it runs on (VRAM_MEMORY).

Host addresses differ from run to run, so their digits are left out: 0x7f..........
A test compares the kept text with a fresh run.
"""
import concurrent.futures
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("VRAM_BUILD", ROOT / "build"))

# What the pages tell the reader to type. Line numbers in reports come from -lineinfo.
COMPILE = ["nvcc", "-g", "-lineinfo", "-cudart", "shared"]

HOST_ADDRESS = re.compile(r"0x7[0-9a-f]{11}\b")


def names():
    return sorted(path.stem for path in HERE.glob("*.cu"))


def nvcc():
    """The compiler that the grader was set up with."""
    config = (BUILD / "grader" / "proctor" / "config.h").read_text(encoding="utf-8")
    return re.search(r'^#define VRAM_NVCC "(.*)"$', config, re.MULTILINE).group(1)


def clean_environment():
    return {key: value for key, value in os.environ.items()
            if not key.startswith("VRAM_") and key != "LD_LIBRARY_PATH"}


def memory_of_card(name):
    """What the example's header asks for; None: the usual card."""
    match = re.search(r"^// memory: (\S+)$", (HERE / f"{name}.cu").read_text(encoding="utf-8"),
                      re.MULTILINE)
    return match and match.group(1)


def run_in_terminal(command, folder, environment):
    """What the command writes to a terminal, and its exit status."""
    reader, writer = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdout=writer, stderr=writer,
                          stdin=subprocess.DEVNULL, env=environment) as process:
        os.close(writer)
        written = b""
        while True:
            try:
                block = os.read(reader, 65536)
            except OSError:  # the terminal's last writer is gone
                break
            if not block:
                break
            written += block
        os.close(reader)
    return written.decode("utf-8").replace("\r\n", "\n"), process.returncode


def transcript(name):
    """What the page shows: the command, what it printed, and how it ended if that was not well."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([nvcc(), *COMPILE[1:], f"{name}.cu", "-o", os.path.join(folder, name)],
                       cwd=HERE, check=True, env=clean_environment())
        environment = clean_environment()
        memory = memory_of_card(name)
        if memory:
            environment["VRAM_MEMORY"] = memory
        written, status = run_in_terminal([BUILD / "vram", "run", f"./{name}"], folder, environment)
    setting = f"VRAM_MEMORY={memory} " if memory else ""
    text = f"$ {setting}./vram run ./{name}\n" + HOST_ADDRESS.sub("0x7f" + 10 * ".", written)
    if status < 0:
        text += signal.strsignal(-status) + "\n"
    elif status > 0:
        text += f"(exit status {status})\n"
    return text


def transcripts(chosen):
    """Yields (name, text), two at a time."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as workers:
        yield from zip(chosen, workers.map(transcript, chosen))


def main():
    for name, text in transcripts(sys.argv[1:] or names()):
        (HERE / f"{name}.txt").write_text(text, encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
