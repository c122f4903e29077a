#!/usr/bin/env python3
"""Each lab has all that a lab needs, and its parts agree with each other."""
import os
import re
import unittest

import labs


def hint_steps(lab):
    """Maps each check of the lab's hints.md to its number of steps."""
    steps = {}
    check = None
    for line in labs.read("labs", lab, "hints.md").splitlines():
        heading = re.match(r"##\s+(\S+)", line)
        if heading:
            check = heading.group(1)
            steps[check] = 0
        elif check and re.match(r"\d+\.\s", line):
            steps[check] += 1
    return steps


class EachLab(unittest.TestCase):
    def test_there_are_labs(self):
        self.assertGreaterEqual(len(labs.manifests()), 4)

    def test_has_its_files(self):
        for manifest in labs.manifests():
            lab = manifest["lab"]
            for path in (
                os.path.join("labs", lab, "README.md"),
                os.path.join("labs", lab, "hints.md"),
                os.path.join("labs", lab, manifest["header"]),
                os.path.join("labs", lab, manifest["file"]),
                os.path.join("solutions", lab, manifest["file"]),
                os.path.join("docs", lab + ".md"),
            ):
                with self.subTest(lab=lab, path=path):
                    self.assertTrue(os.path.isfile(os.path.join(labs.ROOT, path)), path)

    def test_points_add_up(self):
        for manifest in labs.manifests():
            with self.subTest(lab=manifest["lab"]):
                total = sum(check["points"] for check in manifest["checks"])
                self.assertEqual(total, manifest["points"])

    def test_every_check_has_hints_in_steps(self):
        for manifest in labs.manifests():
            steps = hint_steps(manifest["lab"])
            names = [check["name"] for check in manifest["checks"]]
            with self.subTest(lab=manifest["lab"]):
                self.assertEqual(sorted(steps), sorted(names))
                self.assertTrue(all(count >= 2 for count in steps.values()), steps)

    def test_every_check_names_its_devices_and_diagnoses(self):
        for manifest in labs.manifests():
            for check in manifest["checks"]:
                with self.subTest(lab=manifest["lab"], check=check["name"]):
                    self.assertTrue(check["devices"])
                    self.assertLessEqual(set(check["devices"]), {"virtual", "gpu"})
                    self.assertTrue(check["diagnoses"])

    def test_file_names_are_unique(self):
        names = [manifest["file"] for manifest in labs.manifests()]
        self.assertEqual(len(names), len(set(names)))

    def test_every_check_is_mentioned_in_the_walkthrough(self):
        for manifest in labs.manifests():
            page = labs.read("docs", manifest["lab"] + ".md")
            for check in manifest["checks"]:
                with self.subTest(lab=manifest["lab"], check=check["name"]):
                    self.assertTrue(check["name"] in page)

    def test_the_manifest_lists_the_checks_of_the_source(self):
        for manifest in labs.manifests():
            source = labs.read("grader", "checks", manifest["lab"].replace("-", "_") + ".cpp")
            tests = re.findall(r"^TEST\((\w+),\s*(\w+)\)", source, re.MULTILINE)
            with self.subTest(lab=manifest["lab"]):
                self.assertEqual([f"{suite}.{name}" for suite, name in tests],
                                 [check["name"] for check in manifest["checks"]])


class TheCorpus(unittest.TestCase):
    def test_has_three_right_solutions_of_each_lab(self):
        files = [path for path, _ in labs.corpus("right")]
        for manifest in labs.manifests():
            with self.subTest(lab=manifest["lab"]):
                mine = [path for path in files if f"/{manifest['lab']}/" in path]
                self.assertGreaterEqual(len(mine), 3)

    def test_has_eight_wrong_solutions_with_distinct_diagnoses_of_each_lab(self):
        files = list(labs.corpus("wrong"))
        for manifest in labs.manifests():
            with self.subTest(lab=manifest["lab"]):
                mine = [header for path, header in files if f"/{manifest['lab']}/" in path]
                self.assertGreaterEqual(len(mine), 8)
                distinct = {(header["fails"], header["diagnosis"]) for header in mine}
                self.assertGreaterEqual(len(distinct), 8)

    def test_every_wrong_solution_names_a_check_and_a_diagnosis(self):
        checks = {check["name"] for manifest in labs.manifests() for check in manifest["checks"]}
        for path, header in labs.corpus("wrong"):
            with self.subTest(path=path):
                self.assertIn(header.get("fails"), checks)
                self.assertIn("diagnosis", header)

    def test_every_diagnosis_has_a_wrong_solution_that_triggers_it(self):
        triggered = {}
        for path, header in labs.corpus("wrong"):
            triggered.setdefault(path.split(os.sep)[3], set()).add(header["diagnosis"])
        for manifest in labs.manifests():
            for check in manifest["checks"]:
                for diagnosis in check["diagnoses"]:
                    with self.subTest(lab=manifest["lab"], check=check["name"]):
                        self.assertIn(diagnosis, triggered.get(manifest["lab"], set()))

    def test_every_check_of_a_lab_has_a_wrong_solution_that_breaks_it(self):
        broken = {header.get("fails") for _, header in labs.corpus("wrong")}
        for manifest in labs.manifests():
            for check in manifest["checks"]:
                with self.subTest(lab=manifest["lab"], check=check["name"]):
                    self.assertIn(check["name"], broken)

    def test_has_eight_exploits_that_say_what_they_attack(self):
        files = list(labs.corpus("exploits"))
        self.assertGreaterEqual(len(files), 8)
        for path, header in files:
            with self.subTest(path=path):
                self.assertIn("strategy", header)
                self.assertIn("surface", header)


if __name__ == "__main__":
    unittest.main(verbosity=1)
