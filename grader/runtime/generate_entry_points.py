#!/usr/bin/env python3
"""Writes the parts of the stand-in for libcudart that depend on the installed CUDA runtime.

    generate_entry_points.py --find TOOLKIT
    generate_entry_points.py --toolkit TOOLKIT --hooked hooked_calls.txt --machine x86_64 --out DIR

The first form prints N of libcudart.so.N and the library's path. The second writes into DIR:

    entry_points.cpp    a trampoline for each export, and the addresses of the virtual side
    entry_names.inc     the names, in the order of the table
    hooked_entries.inc  VRAM_HOOK(index, declared name) for each hooked call
    real_library.h      where NVIDIA's library lies
    libcudart.map       the linker's version script
"""
import argparse
import glob
import os
import re
import subprocess
import sys

PER_THREAD_SUFFIXES = ('_ptsz', '_ptds')


def find_library(toolkit):
    """The newest libcudart.so.N of a toolkit, as (path, N)."""
    folders = [os.path.join(toolkit, 'lib64'), os.path.join(toolkit, 'lib')]
    folders += sorted(glob.glob(os.path.join(toolkit, 'targets', '*-linux', 'lib')))
    found = []
    for folder in folders:
        for path in glob.glob(os.path.join(folder, 'libcudart.so.*')):
            match = re.fullmatch(r'libcudart\.so\.(\d+)', os.path.basename(path))
            if match:
                found.append((int(match.group(1)), path))
    if not found:
        sys.exit(f'no libcudart.so.N in {", ".join(folders)}')
    newest = max(version for version, _ in found)
    return next(path for version, path in found if version == newest), newest


def read_exports(library):
    """Exported functions and their version node, sorted by name."""
    listing = subprocess.run(['nm', '-D', '--defined-only', library], check=True,
                             capture_output=True, text=True).stdout
    exports, nodes = set(), set()
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) != 3 or fields[1] not in 'TWi':
            continue
        name, _, node = fields[2].partition('@')
        if name.startswith(('cuda', '__cuda')):
            exports.add(name)
            nodes.add(node.lstrip('@'))
    if not exports:
        sys.exit(f'{library} exports no CUDA runtime')
    if len(nodes) != 1:
        sys.exit(f'{library} has {len(nodes)} version nodes, expected one: {sorted(nodes)}')
    return sorted(exports), nodes.pop()


def read_hooked(path):
    """Pairs (exported name, name that a header declares with the same parameters)."""
    with open(path, encoding='utf-8') as file:
        lines = [line.split('#')[0].strip() for line in file]
    pairs = []
    for line in filter(None, lines):
        name, _, declared = line.partition('=')
        pairs.append((name.strip(), declared.strip() or name.strip()))
    return pairs


TRAMPOLINES = {
    'x86_64': ('endbr64', 'jmp *vram_entry_table+{offset}(%rip)'),
    'aarch64': ('bti c', 'adrp x16, vram_entry_table+{offset}',
                'ldr x16, [x16, :lo12:vram_entry_table+{offset}]', 'br x16'),
}


def assembly(lines):
    return ''.join(f'    "{line}\\n"\n' for line in lines)


def entry_points(exports, machine):
    function = '%function' if machine == 'aarch64' else '@function'
    code = ['.text']
    for index, name in enumerate(exports):
        code += [f'.globl {name}', f'.type {name}, {function}', '.p2align 4', f'{name}:']
        code += [line.format(offset=8 * index) for line in TRAMPOLINES[machine]]
        code.append(f'.size {name}, .-{name}')
    # Hidden weak references: 0 where the virtual side lacks the call, and never bound at run time.
    table = ['.section .data.rel.ro,\\"aw\\"', '.p2align 3', '.globl vram_virtual_table',
             '.hidden vram_virtual_table', 'vram_virtual_table:']
    for name in exports:
        table += [f'.weak vram_virtual_{name}', f'.hidden vram_virtual_{name}',
                  f'.quad vram_virtual_{name}']
    return ('// Generated. Each export jumps through vram_entry_table.\n'
            f'asm(\n{assembly(code)});\nasm(\n{assembly(table + [".text"])});\n')


def hooked_entries(exports, hooked):
    index = {name: position for position, name in enumerate(exports)}
    rows = []
    for name, declared in hooked:
        for suffix in ('',) + PER_THREAD_SUFFIXES:
            if name + suffix in index:
                rows.append(f'VRAM_HOOK({index[name + suffix]}, {declared})')
    return '\n'.join(rows) + '\n'


def version_script(exports, node):
    listed = ''.join(f'    {name};\n' for name in exports)
    return (f'{node} {{\n  global:\n{listed}  local:\n    *;\n}};\n'
            'VRAM {\n  global:\n    vram_claim_session;\n};\n')


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--find', metavar='TOOLKIT')
    parser.add_argument('--toolkit')
    parser.add_argument('--hooked')
    parser.add_argument('--machine', choices=sorted(TRAMPOLINES))
    parser.add_argument('--out')
    options = parser.parse_args()
    if options.find:
        library, version = find_library(options.find)
        print(version, library, sep='\n')
        return
    library, _ = find_library(options.toolkit)
    exports, node = read_exports(library)
    write(options.out, 'entry_points.cpp', entry_points(exports, options.machine))
    write(options.out, 'entry_names.inc', ''.join(f'"{name}",\n' for name in exports))
    write(options.out, 'hooked_entries.inc', hooked_entries(exports, read_hooked(options.hooked)))
    write(options.out, 'libcudart.map', version_script(exports, node))
    write(options.out, 'real_library.h',
          '// Generated.\n#pragma once\n'
          f'inline constexpr char real_library_path[] = "{os.path.abspath(library)}";\n')


if __name__ == '__main__':
    main()
