#!/usr/bin/env python3
"""Prints the folder of the CUDA Toolkit to use: the first of CUDA_HOME, the one of the nvcc on PATH,
this tree's own (.toolkit), and the usual places that holds bin/nvcc. Exit status 1 if there is none.
"""
import glob
import os
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def candidates():
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield os.environ[name]
    found = shutil.which("nvcc")
    if found:
        yield os.path.dirname(os.path.dirname(os.path.realpath(found)))
    yield os.environ.get("VRAM_TOOLKIT") or os.path.join(ROOT, ".toolkit")
    yield "/usr/local/cuda"
    yield from sorted(glob.glob("/usr/local/cuda-*"), reverse=True)
    yield "/opt/cuda"
    yield "/usr/lib/nvidia-cuda-toolkit"


def main():
    for folder in candidates():
        nvcc = os.path.join(folder, "bin", "nvcc")
        runtime = glob.glob(os.path.join(folder, "lib*", "libcudart.so*")) + glob.glob(
            os.path.join(folder, "targets", "*", "lib", "libcudart.so*"))
        if os.access(nvcc, os.X_OK) and runtime:
            print(folder)
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
