#!/usr/bin/env python3
"""What the documents quote is what stands in the source, and every link leads somewhere."""
import glob
import os
import re
import unittest

import labs

PAGES = sorted(
    os.path.relpath(path, labs.ROOT)
    for pattern in ("*.md", "docs/*.md", "labs/*/*.md", "grader/**/*.md")
    for path in glob.glob(os.path.join(labs.ROOT, pattern), recursive=True))

QUOTE = re.compile(r"<!-- from: (\S+) -->\n```\w*\n(.*?)\n```", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchor(heading):
    """The anchor that a heading gets when the page is rendered."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def anchors(page):
    return {anchor(match) for match in re.findall(r"^#+\s+(.*)$", labs.read(page), re.MULTILINE)}


class Documents(unittest.TestCase):
    def test_quoted_code_stands_in_its_source(self):
        quotes = 0
        for page in PAGES:
            text = labs.read(page)
            self.assertEqual(text.count("<!-- from:"), len(QUOTE.findall(text)), page)
            for source, code in QUOTE.findall(text):
                with self.subTest(page=page, source=source, code=code[:60]):
                    self.assertTrue(code + "\n" in labs.read(source))
                    quotes += 1
        self.assertGreater(quotes, 0)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in LINK.findall(labs.read(page)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, fragment = target.partition("#")
                full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(labs.ROOT, full)))
                    if fragment:
                        self.assertIn(fragment, anchors(full))

    def test_a_walkthrough_marks_where_it_begins_to_give_away(self):
        for manifest in labs.manifests():
            with self.subTest(lab=manifest["lab"]):
                text = labs.read("docs", manifest["lab"] + ".md")
                mark = text.find("<!-- spoilers below")
                self.assertGreater(mark, 0)
                before = text[:mark]
                self.assertFalse("<!-- from: solutions/" in before)


if __name__ == "__main__":
    unittest.main(verbosity=1)
