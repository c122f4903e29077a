#!/usr/bin/env python3
"""Solving a lab only adds lines to its file, except between TODO marks; bug hunts may change any."""
import re
import unittest

import labs


def fixed_lines(source):
    """The lines that stay when a learner solves the lab: all outside `// TODO` ... `// end of TODO`."""
    kept = []
    inside = False
    for line in source.splitlines():
        if re.search(r"//\s*TODO\b", line):
            inside = True
        if not inside and line.strip():
            kept.append(line.strip())
        if re.search(r"//\s*end of TODO\b", line):
            inside = False
    if inside:
        raise AssertionError("a TODO mark without its 'end of TODO'")
    return kept


def missing_from(lines, solution):
    """The lines that the solution does not have, in order."""
    remaining = iter(line.strip() for line in solution.splitlines())
    return [line for line in lines if line not in remaining]


class Solving(unittest.TestCase):
    def test_only_adds_lines(self):
        checked = 0
        for manifest in labs.manifests():
            if manifest.get("bug_hunt"):
                continue
            with self.subTest(lab=manifest["lab"]):
                skeleton = labs.read("labs", manifest["lab"], manifest["file"])
                solution = labs.read("solutions", manifest["lab"], manifest["file"])
                self.assertEqual(missing_from(fixed_lines(skeleton), solution), [])
                checked += 1
        self.assertGreater(checked, 0)

    def test_a_changed_line_is_found(self):
        skeleton = "int f();\n// TODO: g\nint g();\n// end of TODO\nint h();\n"
        self.assertEqual(missing_from(fixed_lines(skeleton), "int f();\nint x();\nint h();\n"), [])
        self.assertEqual(missing_from(fixed_lines(skeleton), "int f();\nint h(int);\n"), ["int h();"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
