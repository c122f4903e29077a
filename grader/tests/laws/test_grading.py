#!/usr/bin/env python3
"""Untouched labs fail in every check; the solutions get full marks."""
import os
import subprocess
import unittest

import labs


class Nonsense(unittest.TestCase):
    """What nobody can have meant is a usage error, and costs the learner no point."""

    def refused(self, *words, **variables):
        finished = subprocess.run([os.path.join(labs.BUILD, "vram"), *words], capture_output=True,
                                  text=True, check=False, env={**os.environ, **variables})
        self.assertEqual(finished.returncode, 2, finished.stderr)
        self.assertEqual(finished.stdout, "")
        return finished.stderr

    def test_in_a_variable_is_refused(self):
        for command in (["grade", "06"], ["corpus", "--lab", "06"], ["run", "/bin/true"]):
            with self.subTest(command=command):
                self.assertEqual(self.refused(*command, VRAM_MEMORY="10XB"),
                                 'vram: VRAM_MEMORY is "10XB"; it can be a size from 4 MiB to 1 TiB, '
                                 "for example 10GiB.\n")

    def test_in_the_place_of_the_compiled_files_is_refused(self):
        self.assertIn('VRAM_CACHE is "/dev/null"', self.refused("grade", "06", VRAM_CACHE="/dev/null"))

    def test_in_an_option_is_refused(self):
        for words in (["--seed", "1x"], ["--json", "/nowhere/results.json"], ["--device", "cpu"],
                      ["--submission", "/nowhere"]):
            with self.subTest(words=words):
                self.assertIn(words[1], self.refused("grade", "06", *words))

    def test_too_small_a_card_is_refused(self):
        self.assertIn("at least 8GiB", self.refused("grade", "06", VRAM_MEMORY="1GiB"))


class Grading(unittest.TestCase):
    def test_untouched_labs_fail_in_every_check(self):
        status, results = labs.grade("labs")
        self.assertEqual(status, 1)
        self.assertGreater(len(results["tests"]), 0)
        for test in results["tests"]:
            with self.subTest(check=test["name"]):
                self.assertEqual(test["status"], "failed")
                self.assertLess(test["score"], test["max_score"])

    def test_solutions_get_full_marks(self):
        status, results = labs.grade("solutions")
        self.assertEqual(status, 0, [test for test in results["tests"] if test["status"] != "passed"])
        total = sum(manifest["points"] for manifest in labs.manifests())
        self.assertEqual(results["score"], total)
        self.assertEqual(sum(test["max_score"] for test in results["tests"]), total)


if __name__ == "__main__":
    unittest.main(verbosity=1)
