#!/usr/bin/env python3
"""What the pages say of padding is what the benchmark computes."""
import csv
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "fragmentation.md"
TRACES = ("inference", "batches", "etl", "uniform", "comb", "training")


def kept(name):
    """The lines of docs/facts/NAME.csv without those that tell the source."""
    text = (ROOT / "docs" / "facts" / f"{name}.csv").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def table_rows(name, key, value):
    """The rows of the page's table: {first cell: figures in the order of the traces}."""
    figures = {(row["trace"], row[key]): row[value] for row in csv.DictReader(kept(name))}
    return {first: [figures[trace, first] for trace in TRACES]
            for first in sorted({first for _, first in figures})}


class Padding(unittest.TestCase):
    def test_is_what_the_benchmark_computes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "padding.csv")
            subprocess.run([os.environ["VRAM_BENCH_POOL"], "--padding", "--csv", file], check=True,
                           stdout=subprocess.DEVNULL)
            self.assertEqual(kept("padding"), file.read_text(encoding="utf-8").splitlines())

    def test_stands_in_the_page_as_in_the_facts(self):
        page = PAGE.read_text(encoding="utf-8")
        rows = table_rows("padding", "size_classes", "times_as_much")
        self.assertEqual(len(rows), 6)
        for classes, figures in rows.items():
            self.assertIn(f"| {classes} | {' | '.join(figures)} |\n", page)


class Utilisation(unittest.TestCase):
    def test_stands_in_the_page_as_in_the_facts(self):
        page = PAGE.read_text(encoding="utf-8")
        rows = table_rows("pool-utilisation", "allocator", "utilisation_percent")
        self.assertEqual(len(rows), 3)
        for figures in rows.values():
            self.assertIn(f" | {' | '.join(figures)} |\n", page)


if __name__ == "__main__":
    unittest.main()
