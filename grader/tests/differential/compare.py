#!/usr/bin/env python3
"""Runs the random sequences on two sides and reports the first difference of each seed.

usage: compare.py PROGRAM --here SIDE --there SIDE [--first N] [--last N] [--faults N] [--keep DIR]

SIDE is what to set in the environment, as NAME=VALUE,NAME=VALUE: VRAM_DEVICE=virtual, say, or
VRAM_DEVICE=virtual,VRAM_SEED=7, or LD_PRELOAD=/usr/local/cuda/lib64/libcudart.so.13 for NVIDIA's
library alone. Seeds 1 to 100 unless --first and --last say otherwise; --faults N adds N sequences that
spoil the context, each in a process of its own. --keep writes the transcripts to DIR.

Differences that are meant stand in explained.txt. Exit status 1 when there is another one.
"""
import argparse
import os
import re
import subprocess
import sys

EXPLAINED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explained.txt")
PATIENCE = 300  # seconds for a process
BATCH = 250  # seeds a process


def environment_of(side):
    environment = dict(os.environ)
    environment.update(setting.split("=", 1) for setting in side.split(",") if setting)
    return environment


def run(program, arguments, side):
    """The lines of a run, and how it ended if not well."""
    try:
        done = subprocess.run([program] + arguments, env=environment_of(side), timeout=PATIENCE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace").splitlines(), "does not end"
    end = "" if done.returncode == 0 else f"ends with status {done.returncode}"
    return done.stdout.decode(errors="replace").splitlines(), end


def transcripts(program, side, first, last, fault=False):
    """{seed: lines}. After a death, a new process goes on behind the seed that was under way."""
    found = {}
    while first <= last:
        until = first if fault else min(last, first + BATCH - 1)
        lines, end = run(program, ["--first", str(first), "--last", str(until)] +
                         (["--fault"] if fault else []), side)
        for line in lines:
            seed, _, rest = line.partition(" ")
            if seed.isdigit():
                found.setdefault(int(seed), []).append(rest)
        if end:
            under_way = max([first] + [seed for seed in found if seed <= until])
            found.setdefault(under_way, []).append(f"(the process {end})")
            until = under_way
        first = until + 1
    return found


def read_explanations():
    """[(call, here, there, reason)], the first three as regular expressions."""
    explanations = []
    reason = []
    if not os.path.exists(EXPLAINED):
        return []
    with open(EXPLAINED, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("#"):
                reason.append(line[1:].strip())
            elif line.strip():
                call, here, there = (part.strip() for part in line.split("|"))
                explanations.append((call, here, there, " ".join(reason)))
            else:
                reason = []
    return explanations


def is_explained(here, there, explanations):
    call_here, _, seen_here = here.partition(" -> ")
    call_there, _, seen_there = there.partition(" -> ")
    return call_here == call_there and any(
        re.fullmatch(call, call_here.partition(" ")[2]) and re.fullmatch(one, seen_here) and
        re.fullmatch(other, seen_there) for call, one, other, _ in explanations)


def first_difference(here, there, explanations):
    """(step, line here, line there, explained differences before it), or None in the first place."""
    explained = 0
    for step in range(max(len(here), len(there))):
        one = here[step] if step < len(here) else "(nothing more)"
        other = there[step] if step < len(there) else "(nothing more)"
        if one != other:
            if not is_explained(one, other, explanations):
                return step, one, other, explained
            explained += 1
    return None, "", "", explained


def keep(folder, name, found):
    if folder:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            for seed in sorted(found):
                file.writelines(f"{seed} {line}\n" for line in found[seed])


def compare(kind, here, there, explanations):
    differing = 0
    explained = 0
    calls = 0
    for seed in sorted(here.keys() | there.keys()):
        one = here.get(seed, [])
        other = there.get(seed, [])
        calls += len(one)
        step, line, counterpart, excused = first_difference(one, other, explanations)
        explained += excused
        if step is not None:
            differing += 1
            print(f"{kind} seed {seed}, line {step + 1}")
            for before in one[max(0, step - 2):step]:
                print(f"      {before}")
            print(f"    here  {line}\n    there {counterpart}")
    print(f"{kind}: {len(here)} sequences, {calls} lines, {differing} sequences differ, "
          f"{explained} explained differences")
    return differing


def main():
    parser = argparse.ArgumentParser(usage=__doc__.strip())
    parser.add_argument("program")
    parser.add_argument("--here", required=True)
    parser.add_argument("--there", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--last", type=int, default=100)
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    explanations = read_explanations()
    differing = 0
    sizes = {"plain": (options.first, options.last), "fault": (options.first, options.faults)}
    for kind, (first, last) in sizes.items():
        if last < first:
            continue
        found = {}
        for name, side in (("here", options.here), ("there", options.there)):
            found[name] = transcripts(options.program, side, first, last, kind == "fault")
            keep(options.keep, f"{kind}-{name}.txt", found[name])
        if not found["here"]:
            print(f"{kind}: nothing ran")
            return 1
        differing += compare(kind, found["here"], found["there"], explanations)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
