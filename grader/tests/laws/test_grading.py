#!/usr/bin/env python3
"""Untouched labs fail in every check; the solutions get full marks."""
import unittest

import labs


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
