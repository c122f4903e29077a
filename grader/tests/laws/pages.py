"""Reads the pages: what they quote, link to, show as commands and state as figures."""
import ast
import csv
import glob
import operator
import os
import re

import labs

PAGES = sorted(
    os.path.relpath(path, labs.ROOT)
    for pattern in ("*.md", "docs/*.md", "labs/*/*.md", "grader/**/*.md")
    for path in glob.glob(os.path.join(labs.ROOT, pattern), recursive=True))
BOOK = [page for page in PAGES
        if page == "README.md" or page.startswith("docs" + os.sep)
        or re.fullmatch(r"labs/[^/]+/README\.md", page)]

FENCE = re.compile(r"^( *)(```+)(\w*)[^\n]*\n(.*?)^\1\2 *$", re.DOTALL | re.MULTILINE)
SAID = re.compile(r"<!-- (says): (\S+) -->\n((?:> .*\n)+)")
QUOTE = re.compile(r"<!-- (from|output): (\S+) -->\n```\w*\n(.*?)\n```", re.DOTALL)
MARKER = re.compile(r"<!-- *(\S*)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<(?:a|img)\s[^>]*(?:href|src)=\"([^\"]+)\"")
INLINE_CODE = re.compile(r"`[^`\n]+`")

UNITS = {"µs": "us", "microseconds": "us", "microsecond": "us", "milliseconds": "ms", "KB": "KB",
         "time": "times", "byte": "bytes"}
UNIT = r"(?:µs|us|ms|ns|GB/s|microseconds?|milliseconds?)"
MEASURE = re.compile(r"(?<![\w.])\d[\d,.]*\s?" + UNIT + r"(?!\w)")
STATED = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?)(?:[\s-]*(?P<unit>%|[^\W\d_][\w/]*(?: \d+)?))?\W{0,2}?"
                    r"<!-- (?P<kind>fact|computed|told): (?P<source>[^>]+?) -->")


def without_fences(text):
    return FENCE.sub("", text)


def prose(text):
    """The page without code, fenced or inline, and without the words that stand for a picture."""
    return re.sub(r"!\[[^\]]*\]", "", INLINE_CODE.sub("", without_fences(text)))


# ---- quotes -------------------------------------------------------------------------------------

def quotes(text):
    """Yields (kind, source, quoted text) for every marked quote.

    `from` is code, `output` are lines of a kept text; `says` is one of its lines as a paragraph, for
    lines that are too long for a page.
    """
    yield from QUOTE.findall(text)
    for kind, source, quoted in SAID.findall(text):
        yield kind, source, " ".join(line[2:].strip() for line in quoted.splitlines())


def indented(text, width):
    return re.sub(r"(?m)^(?=.)", " " * width, text)


def place_of(quoted, source):
    """Where the quoted lines stand in the source, whole and one after the other; -1 if nowhere.

    A page may shift all lines of a quote to the left by the same number of spaces.
    """
    places = (source.find("\n" + indented(quoted, width) + "\n") for width in range(0, 17))
    return next((place for place in places if place >= 0), -1)


def is_region(quoted, source):
    return place_of(quoted, "\n" + source) >= 0


def is_excerpt(quoted, source):
    """As is_region, but a line of three dots may stand for any lines left out."""
    rest = "\n" + source
    for piece in re.split(r"(?m)^ *\.\.\.$\n?", quoted):
        piece = piece.rstrip("\n")
        if not piece:
            continue
        place = place_of(piece, rest)
        if place < 0:
            return False
        rest = rest[place + len(piece) + 1:]
    return True


def is_said(quoted, source):
    """Whether the paragraph is a line of the source, but for the spaces."""
    return quoted in {" ".join(line.split()) for line in source.splitlines()}


# ---- links --------------------------------------------------------------------------------------

def anchor(heading):
    """The anchor that a heading gets when the page is rendered."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors(text):
    text = without_fences(text)
    found = set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text))
    times = {}
    for heading in re.findall(r"^#+\s+(.*)$", text, re.MULTILINE):
        base = anchor(heading)
        count = times.get(base, 0)
        found.add(base if count == 0 else f"{base}-{count}")
        times[base] = count + 1
    return found


def links(text):
    for pair in LINK.findall(INLINE_CODE.sub("", without_fences(text))):
        yield pair[0] or pair[1]


# ---- commands -----------------------------------------------------------------------------------

def commands(text):
    """Every `./vram ...` that a page shows, in a block or within a sentence."""
    found = []
    for _, _, _, block in FENCE.findall(text):
        for line in block.splitlines():
            match = re.match(r"\s*(?:\$ )?(\./vram\b[^#]*)", line)
            if match:
                found.append(match.group(1).strip())
    for code in INLINE_CODE.findall(without_fences(text)):
        match = re.match(r"`(?:\$ )?(\./vram\b.*)`$", code)
        if match:
            found.append(match.group(1).strip())
    return found


# ---- figures ------------------------------------------------------------------------------------

def facts():
    """Maps each id of docs/facts/h200.csv to (value as written, unit)."""
    with open(os.path.join(labs.ROOT, "docs", "facts", "h200.csv"), encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["id"]: (row["value"], row["unit"]) for row in rows}


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Div: operator.truediv}


def value_of(expression, known):
    """The value of an arithmetic expression over facts."""
    def value(node):
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Name):
            return float(known[node.id][0])
        if isinstance(node, ast.Constant):
            return float(node.value)
        raise ValueError(f"neither a number, a fact nor arithmetic: {ast.dump(node)}")

    return value(ast.parse(expression, mode="eval").body)


def stated_figures(text):
    """Yields (number as written, unit or None, kind, source) for every figure with a marker."""
    for match in STATED.finditer(without_fences(text)):
        unit = match["unit"]
        yield match["number"], UNITS.get(unit, unit), match["kind"], match["source"].strip()


def agrees(number, unit, kind, source, known):
    """Whether a stated figure is what its source says."""
    shown = number.replace(",", "")
    if kind == "told":
        return True
    if kind == "fact":
        if source not in known:
            return False
        value, its_unit = known[source]
        return float(shown) == float(value) and unit in (None, its_unit)
    decimals = len(shown.partition(".")[2])
    return abs(float(shown) - value_of(source, known)) <= 0.5 * 10 ** -decimals + 1e-9


def unsourced_measures(text):
    """Times and bandwidths in prose that no marker follows."""
    text = prose(text)
    return [match.group() for match in MEASURE.finditer(text)
            if not re.match(r"\W{0,4}?<!-- (fact|computed|told): ", text[match.end():])]
