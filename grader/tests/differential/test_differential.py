#!/usr/bin/env python3
"""The random sequences give one transcript whatever the virtual GPU's seed, and a difference is found.

usage: test_differential.py PROGRAM
"""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import compare  # noqa: E402

PROGRAM = ""


def compared(here, there, *more):
    return subprocess.run(
        [sys.executable, os.path.join(HERE, "compare.py"), PROGRAM, "--here", here, "--there", there,
         *more], stdout=subprocess.PIPE, text=True, check=False)


class Sequences(unittest.TestCase):
    def test_do_not_depend_on_what_the_documentation_leaves_open(self):
        for seed in (1, 2, 3):
            run = compared("VRAM_DEVICE=virtual", f"VRAM_DEVICE=virtual,VRAM_SEED={seed}",
                           "--first", str(seed * 100), "--last", str(seed * 100 + 39))
            self.assertEqual(run.returncode, 0, run.stdout)
            self.assertIn("plain: 40 sequences", run.stdout)

    def test_do_not_depend_on_the_number_of_threads(self):
        run = compared("VRAM_DEVICE=virtual,VRAM_WORKERS=1", "VRAM_DEVICE=virtual,VRAM_WORKERS=4",
                       "--last", "40")
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_come_back_from_their_seed(self):
        arguments = [PROGRAM, "--first", "77"]
        environment = {**os.environ, "VRAM_DEVICE": "virtual"}
        alone = subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, check=True)
        among = subprocess.run([PROGRAM, "--first", "70", "--last", "77"], env=environment,
                               stdout=subprocess.PIPE, check=True)
        self.assertTrue(alone.stdout)
        self.assertTrue(among.stdout.endswith(alone.stdout))

    def test_with_a_fault_end_alike(self):
        run = compared("VRAM_DEVICE=virtual", "VRAM_DEVICE=virtual,VRAM_SEED=4", "--first", "1",
                       "--last", "0", "--faults", "10")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("fault: 10 sequences", run.stdout)

    def test_find_a_device_that_behaves_otherwise(self):
        # A card of 8 MiB runs out of memory where the other does not.
        run = compared("VRAM_DEVICE=virtual", "VRAM_DEVICE=virtual,VRAM_MEMORY=8M", "--last", "20")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("cudaErrorMemoryAllocation", run.stdout)


class Comparison(unittest.TestCase):
    def test_reports_the_first_difference(self):
        one = ["1 a -> ok", "2 b -> ok", "3 c -> ok"]
        other = ["1 a -> ok", "2 b -> cudaErrorInvalidValue", "3 c -> 7"]
        step, here, there, explained = compare.first_difference(one, other, [])
        self.assertEqual((step, here, there, explained),
                         (1, "2 b -> ok", "2 b -> cudaErrorInvalidValue", 0))

    def test_goes_on_behind_an_explained_difference(self):
        one = ["1 a -> ok", "2 b 5 -> ok", "3 c -> ok"]
        other = ["1 a -> ok", "2 b 5 -> cudaErrorInvalidValue", "3 c -> ok"]
        explanations = [(r"b \d+", "ok", "cudaErrorInvalidValue", "a reason")]
        self.assertEqual(compare.first_difference(one, other, explanations), (None, "", "", 1))

    def test_sees_that_a_side_ends_early(self):
        step, here, there, _ = compare.first_difference(["1 a -> ok", "end"], ["1 a -> ok"], [])
        self.assertEqual((step, here, there), (1, "end", "(nothing more)"))

    def test_needs_a_reason_for_each_explanation(self):
        for call, here, there, reason in compare.read_explanations():
            self.assertTrue(reason, f"{call} | {here} | {there}")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
