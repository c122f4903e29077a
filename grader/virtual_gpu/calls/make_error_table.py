"""Writes the table of runtime error codes from the toolkit's driver_types.h.

usage: make_error_table.py DRIVER_TYPES_H OUTPUT
"""
import re
import sys


def main():
    header, output = sys.argv[1:3]
    with open(header, encoding="utf-8") as source:
        text = source.read()
    enum = re.search(r"enum\s+__device_builtin__\s+cudaError\s*\{(.*?)\n\s*\};", text, re.S)
    if not enum:
        sys.exit(f"{header}: no enum cudaError")
    body = re.sub(r"/\*.*?\*/", "", enum.group(1), flags=re.S)
    codes = re.findall(r"\b(cuda\w+)\s*=\s*(\d+)", body)
    with open(output, "w", encoding="utf-8") as table:
        for name, value in codes:
            table.write(f'{{{value}, "{name}"}},\n')


if __name__ == "__main__":
    main()
