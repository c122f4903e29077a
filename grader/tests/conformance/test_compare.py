#!/usr/bin/env python3
"""What the comparison of facts reports."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import compare  # noqa: E402

REASON = "the virtual GPU sees more"


class Differences(unittest.TestCase):
    def test_are_none_between_equal_facts(self):
        facts = compare.read_facts("# device: any\na / b: ok, 1\n")
        self.assertEqual(facts, {"a / b": "ok, 1"})
        self.assertEqual(compare.differences(facts, facts, {}), [])

    def test_are_reported_with_both_values(self):
        found = compare.differences({"a": "1"}, {"a": "2"}, {})
        self.assertEqual(len(found), 1)
        self.assertIn("recorded: 1", found[0])
        self.assertIn("here:     2", found[0])

    def test_include_recorded_facts_that_are_not_seen(self):
        self.assertEqual(len(compare.differences({"a": "1"}, {}, {})), 1)

    def test_leave_out_facts_that_were_never_recorded(self):
        self.assertEqual(compare.differences({}, {"a": "1"}, {}), [])

    def test_may_be_explained(self):
        self.assertEqual(compare.differences({"a": "1"}, {"a": "2"}, {"a": ("2", REASON)}), [])

    def test_need_a_reason(self):
        self.assertEqual(len(compare.differences({"a": "1"}, {"a": "2"}, {"a": ("2", "")})), 1)

    def test_are_reported_when_the_explained_value_is_another(self):
        self.assertEqual(len(compare.differences({"a": "1"}, {"a": "3"}, {"a": ("2", REASON)})), 1)

    def test_are_reported_when_an_explanation_is_out_of_date(self):
        self.assertEqual(len(compare.differences({"a": "1"}, {"a": "1"}, {"a": ("1", REASON)})), 1)


class Explanations(unittest.TestCase):
    def test_take_the_comment_above_as_reason(self):
        read = compare.read_explanations("# one\n# reason\na: 1\nb: 2, 3\n\n# another\nc: 4\n")
        self.assertEqual(read, {"a": ("1", "one reason"), "b": ("2, 3", "one reason"),
                                "c": ("4", "another")})


if __name__ == "__main__":
    unittest.main()
