#!/usr/bin/env python3
"""Compares the facts that the probes see here with those that were recorded on a GPU.

usage: compare.py PROGRAM RECORDED EXPLAINED [--seen FILE]

PROGRAM is run on the device that VRAM_DEVICE names, unless --seen gives its output. Exit status 1
when a fact differs and no explanation says so, when a recorded fact is not seen, or when an explanation
says what is not so. Facts of probes that are younger than the recording are counted, not judged.
"""
import subprocess
import sys


def read_facts(text):
    """{name: value} of the lines "name: value"; lines that begin with # are comments."""
    facts = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition(": ")
            facts[name] = value
    return facts


def read_explanations(text):
    """{name: (value here, reason)}. A reason stands in the comment lines above its facts."""
    explanations = {}
    reason = []
    in_reason = False
    for line in text.splitlines():
        if line.startswith("#"):
            reason = reason + [line[1:].strip()] if in_reason else [line[1:].strip()]
            in_reason = True
        elif line.strip():
            in_reason = False
            name, _, value = line.partition(": ")
            explanations[name] = (value, " ".join(reason))
    return explanations


def differences(recorded, seen, explanations):
    """Lines that say what differs without an explanation, or is explained and not so."""
    lines = []
    for name in recorded.keys() | explanations.keys():
        there = recorded.get(name, "(not recorded)")
        here = seen.get(name, "(not seen)")
        if name in explanations:
            expected, reason = explanations[name]
            if not reason:
                lines.append(f"{name}\n    an explanation without a reason")
            elif here == there:
                lines.append(f"{name}\n    is explained, yet there is no difference: {here}")
            elif here != expected:
                lines.append(f"{name}\n    explained: {expected}\n    here:      {here}")
        elif here != there:
            lines.append(f"{name}\n    recorded: {there}\n    here:     {here}")
    return sorted(lines)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(arguments):
    if len(arguments) not in (3, 5) or (len(arguments) == 5 and arguments[3] != "--seen"):
        print(__doc__.strip())
        return 2
    program, recorded_file, explained_file = arguments[:3]
    if len(arguments) == 5:
        output = read(arguments[4])
    else:
        run = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             check=False)
        if run.returncode != 0:
            print(f"{program} ended with status {run.returncode}")
            return 1
        output = run.stdout.decode(errors="replace")
    recorded = read_facts(read(recorded_file))
    seen = read_facts(output)
    explanations = read_explanations(read(explained_file))
    found = differences(recorded, seen, explanations)
    for line in found:
        print(line)
    unjudged = len(seen.keys() - recorded.keys() - explanations.keys())
    print(f"{len(recorded)} facts recorded, {len(seen)} seen, {unjudged} of them not recorded yet; "
          f"{len(explanations)} explained differences, {len(found)} others")
    return 1 if found or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
