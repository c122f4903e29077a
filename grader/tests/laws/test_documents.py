#!/usr/bin/env python3
"""What the pages quote, draw and state is what stands in its source; every link leads somewhere."""
import os
import re
import sys
import unittest

import labs
import pages

sys.path.insert(0, os.path.join(labs.ROOT, "docs", "pictures"))
import draw  # noqa: E402

KNOWN_MARKERS = {"from:", "output:", "says:", "fact:", "computed:", "told:", "spoilers"}


def stems(folder, suffix):
    found = []
    for parent, _, names in sorted(os.walk(os.path.join(labs.ROOT, folder))):
        found += [os.path.relpath(os.path.join(parent, name), labs.ROOT)
                  for name in sorted(names) if name.endswith(suffix)]
    return found


class Quotes(unittest.TestCase):
    def test_quoted_code_stands_in_its_source(self):
        quotes = 0
        for page in pages.PAGES:
            for kind, source, quoted in pages.quotes(labs.read(page)):
                with self.subTest(page=page, source=source, quoted=quoted[:60]):
                    stands = {"from": pages.is_region, "output": pages.is_excerpt,
                              "says": pages.is_said}[kind]
                    self.assertTrue(stands(quoted, labs.read(source)))
                    quotes += 1
        self.assertGreater(quotes, 0)

    def test_every_marker_is_known_and_complete(self):
        for page in pages.PAGES:
            text = labs.read(page)
            with self.subTest(page=page):
                bare = pages.without_fences(text)
                found = set(pages.MARKER.findall(pages.INLINE_CODE.sub("", bare)))
                self.assertLessEqual(found, KNOWN_MARKERS)
                marked = len(re.findall(r"^<!-- (?:from|output|says): ", text, re.MULTILINE))
                self.assertEqual(marked, len(list(pages.quotes(text))))

    def test_what_looks_like_our_output_is_a_quote(self):
        for page in pages.BOOK:
            text = pages.QUOTE.sub("", labs.read(page))
            for block in pages.FENCE.findall(text):
                with self.subTest(page=page, block=block[3][:60]):
                    self.assertNotRegex(block[3], r"(?m)^  FAIL  |^vram: on the virtual GPU|^Score: ")

    def test_every_example_and_every_report_is_quoted(self):
        quoted = {source for page in pages.PAGES
                  for _, source, _ in pages.quotes(labs.read(page))}
        for kept in stems("docs/examples", ".txt") + stems("docs/gradings", ".txt"):
            with self.subTest(kept=kept):
                self.assertIn(kept, quoted)
        for source in stems("docs/examples", ".cu"):
            with self.subTest(example=source):
                self.assertTrue(os.path.exists(os.path.join(labs.ROOT, source[:-3] + ".txt")))

    def test_an_excerpt_keeps_the_order(self):
        source = "one\ntwo\nthree\nfour\n"
        self.assertTrue(pages.is_excerpt("one\n...\nthree\nfour", source))
        self.assertTrue(pages.is_excerpt("two\n...", source))
        self.assertFalse(pages.is_excerpt("three\n...\none", source))
        self.assertFalse(pages.is_excerpt("one\nthree", source))
        self.assertFalse(pages.is_excerpt("hree", source))
        self.assertFalse(pages.is_region("two\nfour", source))

    def test_a_long_line_may_be_a_paragraph(self):
        text = "<!-- says: a.txt -->\n> one two\n> three\n\n"
        self.assertEqual(list(pages.quotes(text)), [("says", "a.txt", "one two three")])
        self.assertTrue(pages.is_said("one two three", "zero\n  one two  three\n"))
        self.assertFalse(pages.is_said("one two", "zero\n  one two  three\n"))

    def test_a_quote_may_be_shifted_to_the_left_as_a_whole(self):
        source = "void f() {\n    if (x)\n        g();\n}\n"
        self.assertTrue(pages.is_region("if (x)\n    g();", source))
        self.assertFalse(pages.is_region("if (x)\ng();", source))


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        checked = 0
        for page in pages.PAGES:
            for target in pages.links(labs.read(page)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, fragment = target.partition("#")
                full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, target=target):
                    self.assertFalse(full.startswith(".."))
                    self.assertTrue(os.path.exists(os.path.join(labs.ROOT, full)))
                    if fragment:
                        self.assertIn(fragment, pages.anchors(labs.read(full)))
                    checked += 1
        self.assertGreater(checked, 0)

    def test_every_page_of_the_book_is_reached_from_its_index(self):
        seen = set()
        waiting = [os.path.join("docs", "README.md")]
        while waiting:
            page = waiting.pop()
            if page in seen or not page.endswith(".md"):
                continue
            seen.add(page)
            for target in pages.links(labs.read(page)):
                path = target.partition("#")[0]
                full = os.path.normpath(os.path.join(os.path.dirname(page), path))
                if path and not re.match(r"[a-z]+:", target) and full.startswith("docs" + os.sep):
                    waiting.append(full)
        for page in pages.PAGES:
            if page.startswith("docs" + os.sep):
                with self.subTest(page=page):
                    self.assertIn(page, seen)

    def test_anchors_are_made_as_they_are_when_rendered(self):
        text = "# A & B: `c_d`\n```\n# no heading\n```\n## Same\n## Same\n"
        self.assertEqual(pages.anchors(text), {"a--b-c_d", "same", "same-1"})


class Pictures(unittest.TestCase):
    def test_are_what_their_source_draws(self):
        self.assertGreater(len(draw.names()), 0)
        for name in draw.names():
            with self.subTest(picture=name):
                kept = labs.read("docs", "pictures", name + ".svg")
                self.assertTrue(kept == draw.drawn(name), f"run: docs/pictures/draw.py {name}")

    def test_have_a_source_a_title_and_a_description(self):
        for path in stems("docs/pictures", ".svg"):
            with self.subTest(picture=path):
                self.assertIn(os.path.basename(path)[:-4], draw.names())
                self.assertRegex(labs.read(path), r"<title[^>]*>[^<]+</title>\n<desc[^>]*>[^<]+</desc>")

    def test_have_words_that_are_large_enough_and_stay_on_the_card(self):
        for path in stems("docs/pictures", ".svg"):
            picture = labs.read(path)
            width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups())
            for classes, x, y, size, side, words in re.findall(
                    r'<text(?: class="([^"]*)")? x="(\S+)" y="(\S+)" font-size="(\S+)" '
                    r'text-anchor="(\w+)">([^<]*)</text>', picture):
                with self.subTest(picture=path, words=words):
                    # Half an em for a letter, a little more where all have the width of a digit.
                    length = len(words) * float(size) * (0.6 if "code" in classes else 0.5)
                    left = float(x) - length * {"start": 0, "middle": 0.5, "end": 1}[side]
                    self.assertGreaterEqual(float(size), 12)
                    self.assertGreaterEqual(left, 0)
                    self.assertLessEqual(left + length, width)
                    self.assertLessEqual(float(y), height - 4)

    def test_stand_on_a_page_with_words_for_who_cannot_see_them(self):
        shown = set()
        for page in pages.PAGES:
            for words, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", labs.read(page)):
                with self.subTest(page=page, target=target):
                    self.assertGreater(len(words), 10)
                shown.add(os.path.normpath(os.path.join(os.path.dirname(page), target)))
        for path in stems("docs/pictures", ".svg"):
            with self.subTest(picture=path):
                self.assertIn(path, shown)


class Figures(unittest.TestCase):
    def test_are_what_the_facts_say(self):
        known = pages.facts()
        stated = 0
        for page in pages.PAGES:
            text = labs.read(page)
            figures = list(pages.stated_figures(text))
            markers = len(re.findall(r"<!-- (?:fact|computed|told): ", pages.without_fences(text)))
            with self.subTest(page=page):
                self.assertEqual(markers, len(figures), "a marker without its figure before it")
            for figure in figures:
                with self.subTest(page=page, figure=figure):
                    self.assertTrue(pages.agrees(*figure, known))
                    stated += 1
        self.assertGreater(stated, 0)

    def test_every_time_and_bandwidth_has_a_source(self):
        for page in pages.BOOK:
            with self.subTest(page=page):
                self.assertEqual(pages.unsourced_measures(labs.read(page)), [])

    def test_a_wrong_figure_is_found(self):
        known = {"call": ("1.7", "us"), "chunk": ("2", "MiB")}

        def agree(text):
            return [pages.agrees(*figure, known) for figure in pages.stated_figures(text)]

        self.assertEqual(agree("it took 1.7 µs<!-- fact: call --> and **2 MiB**<!-- fact: chunk -->"),
                         [True, True])
        self.assertEqual(agree("1.8 µs<!-- fact: call -->, 2 ms<!-- fact: chunk -->"), [False, False])
        self.assertEqual(agree("3.4<!-- computed: 2 * call -->, 3.5<!-- computed: 2 * call -->"),
                         [True, False])
        self.assertEqual(agree("1.7<!-- fact: unknown -->"), [False])
        self.assertEqual(pages.unsourced_measures("3 µs and 4 ms<!-- told: by many --> `5 us`"), ["3 µs"])


class TheFirstPage(unittest.TestCase):
    def test_is_one_screen_with_real_output_and_the_way_to_the_first_lab(self):
        text = labs.read("README.md")
        self.assertLessEqual(len(text.splitlines()), 60)
        self.assertTrue(any(kind == "output" for kind, _, _ in pages.quotes(text)))
        self.assertIn("./vram grade 01", pages.commands(text))
        self.assertIn("labs/01-device-pointer/README.md", set(pages.links(text)))
        self.assertIn("docs/README.md", set(pages.links(text)))


class Walkthroughs(unittest.TestCase):
    def text_of(self, manifest):
        return labs.read("docs", manifest["lab"] + ".md")

    def test_mark_where_they_begin_to_give_away(self):
        for manifest in labs.manifests():
            with self.subTest(lab=manifest["lab"]):
                text = self.text_of(manifest)
                self.assertEqual(text.count("<!-- spoilers below"), 1)
                before = text[:text.find("<!-- spoilers below")]
                self.assertFalse("<!-- from: solutions/" in before)

    def test_have_a_picture_a_report_and_a_solution(self):
        for manifest in labs.manifests():
            with self.subTest(lab=manifest["lab"]):
                text = self.text_of(manifest)
                sources = [source for _, source, _ in pages.quotes(text)]
                self.assertRegex(text, r"!\[[^\]]*\]\(pictures/")
                self.assertTrue(any(source.startswith("docs/gradings/") for source in sources))
                self.assertTrue(any(source.startswith("solutions/") for source in sources))
                self.assertTrue(any(kind == "fact" for _, _, kind, _ in pages.stated_figures(text)))

    def test_end_with_what_to_try_and_the_sources(self):
        for manifest in labs.manifests():
            with self.subTest(lab=manifest["lab"]):
                headings = re.findall(r"^## (.*)$", self.text_of(manifest), re.MULTILINE)
                self.assertEqual(headings[-2:], ["What to try next", "Sources"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
