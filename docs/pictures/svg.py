"""A small drawing board: boxes, arrows and words on a card that reads well on light and dark pages.

Coordinates are pixels, from the top left corner. Colours are roles, not values: the style sheet maps
them for a light and for a dark page.

    host      host memory                      used    bytes in use
    device    device memory                    free    free bytes
    bad       what goes wrong                  padding bytes that belong to nobody
    good      what goes right                  note    everything quiet
"""
import csv
import pathlib
from xml.sax.saxutils import escape

FACTS = pathlib.Path(__file__).resolve().parents[1] / "facts"

ROLES = ("host", "device", "bad", "good", "used", "free", "padding", "note", "second", "amber")

# role: (fill, stroke, words) for a light page, then for a dark one
COLOURS = {
    "host": (("#e3edfb", "#3b6fb6", "#1d4478"), ("#1c2f4a", "#6d9fe6", "#b9d3f8")),
    "device": (("#e2f3e4", "#3d8b4a", "#1f5a2a"), ("#183322", "#63b877", "#b5e3bf")),
    "bad": (("#fbe3e1", "#c2413a", "#9a2a24"), ("#45201e", "#ee7a72", "#f9b9b4")),
    "good": (("#e2f3e4", "#3d8b4a", "#1f5a2a"), ("#183322", "#63b877", "#b5e3bf")),
    "used": (("#c9dcf5", "#3b6fb6", "#1d4478"), ("#28466f", "#6d9fe6", "#d3e3fa")),
    "second": (("#f9e6c4", "#b77a1a", "#7a4d08"), ("#4a3512", "#dca44a", "#f4d9a5")),
    "amber": (("#c98516", "#c98516", "#7a4d08"), ("#e8b456", "#e8b456", "#f4d9a5")),
    "free": (("#ffffff", "#8a8f98", "#5a606a"), ("#1b1e24", "#848b96", "#b3bac4")),
    "padding": (("#ececef", "#a5a9b1", "#6a7078"), ("#2b2f37", "#747b86", "#a4abb6")),
    "note": (("#f4f4f1", "#b9bcc2", "#4c525b"), ("#23272e", "#5a616c", "#c2c8d1")),
}
PAGE = (("#fdfdfb", "#d5d7db", "#22262c"), ("#14171c", "#3a4049", "#e4e7eb"))


def facts(name):
    """The rows of docs/facts/NAME.csv as dictionaries; lines that begin with # tell the source."""
    with open(FACTS / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def fact(identifier, name="h200"):
    """One figure of docs/facts/h200.csv as a number."""
    for row in facts(name):
        if row["id"] == identifier:
            return float(row["value"])
    raise KeyError(identifier)


def style_sheet():
    def rules(which):
        fill, stroke, words = PAGE[which]
        lines = [f".card{{fill:{fill};stroke:{stroke}}}", f"text{{fill:{words}}}",
                 f".halo{{stroke:{fill}}}",
                 f".line{{stroke:{words}}}", f".tip{{fill:{words}}}"]
        for role in ROLES:
            fill, stroke, words = COLOURS[role][which]
            lines += [f".box.{role}{{fill:{fill};stroke:{stroke}}}", f"text.{role}{{fill:{words}}}",
                      f".line.{role}{{stroke:{stroke}}}", f".tip.{role}{{fill:{stroke}}}"]
        return "\n".join(lines)

    return "\n".join([
        "text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif}",
        ".code{font-family:ui-monospace,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace;"
        "white-space:pre}",
        ".strong{font-weight:600}",
        ".line{fill:none;stroke-width:1.6}",
        ".dashed{stroke-dasharray:5 4}",
        ".box{stroke-width:1.4}",
        ".plain{stroke:none}",
        ".halo{paint-order:stroke;stroke-width:5px;stroke-linejoin:round}",
        rules(0),
        "@media(prefers-color-scheme:dark){",
        rules(1),
        "}",
    ])


def number(value):
    """A coordinate: as short as it can be, and the same on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Picture:
    """Collects shapes; print(picture) writes the SVG."""

    def __init__(self, width, height, title, description):
        self.width = width
        self.height = height
        self.title = title
        self.description = description
        self.shapes = []

    def box(self, x, y, width, height, role="note", radius=4, dashed=False, plain=False):
        dash = (" dashed" if dashed else "") + (" plain" if plain else "")
        self.shapes.append(
            f'<rect class="box {role}{dash}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
            f'height="{number(height)}" rx="{number(radius)}"/>')

    def text(self, x, y, words, role="", size=14, anchor="start", code=False, strong=False,
             halo=False):
        """One line of words; y is the base line. A halo keeps it readable on top of lines."""
        classes = " ".join(filter(None, [role, "code" if code else "", "strong" if strong else "",
                                         "halo" if halo else ""]))
        classes = f' class="{classes}"' if classes else ""
        self.shapes.append(
            f'<text{classes} x="{number(x)}" y="{number(y)}" font-size="{size}" '
            f'text-anchor="{anchor}">{escape(words)}</text>')

    def lines(self, x, y, rows, step=19, **options):
        for index, row in enumerate(rows):
            self.text(x, y + index * step, row, **options)

    def labelled_box(self, x, y, width, height, words, role="note", size=14, **options):
        """A box with one or more lines in its middle."""
        box_options = {key: options.pop(key) for key in ("radius", "dashed") if key in options}
        self.box(x, y, width, height, role, **box_options)
        rows = [words] if isinstance(words, str) else words
        step = size + 5
        first = y + height / 2 - (len(rows) - 1) * step / 2 + size * 0.36
        for index, row in enumerate(rows):
            self.text(x + width / 2, first + index * step, row, role, size, "middle", **options)

    def path(self, points, role="", dashed=False):
        joined = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        dash = " dashed" if dashed else ""
        space = f" {role}" if role else ""
        self.shapes.append(f'<polyline class="line{space}{dash}" points="{joined}"/>')

    def arrow(self, points, role="", dashed=False):
        """A line through the points with a tip at the last one."""
        (x0, y0), (x1, y1) = points[-2], points[-1]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
        back_x, back_y = x1 - 9 * along_x, y1 - 9 * along_y
        self.path([*points[:-1], (back_x, back_y)], role, dashed)
        left = (back_x - 4.5 * along_y, back_y + 4.5 * along_x)
        right = (back_x + 4.5 * along_y, back_y - 4.5 * along_x)
        joined = " ".join(f"{number(x)},{number(y)}" for x, y in ((x1, y1), left, right))
        space = f" {role}" if role else ""
        self.shapes.append(f'<polygon class="tip{space}" points="{joined}"/>')

    def cross(self, x, y, size=9, role="bad"):
        self.path([(x - size, y - size), (x + size, y + size)], role)
        self.path([(x - size, y + size), (x + size, y - size)], role)

    def __str__(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" '
            'aria-labelledby="title description">',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="description">{escape(self.description)}</desc>',
            f"<style>{style_sheet()}</style>",
            f'<rect class="card" x="0.5" y="0.5" width="{self.width - 1}" '
            f'height="{self.height - 1}" rx="10"/>',
            *self.shapes,
            "</svg>",
        ])
