"""What rounding sizes up costs, from docs/facts/padding.csv."""
from svg import Picture, facts

TRACES = ["inference", "batches", "etl", "uniform", "comb", "training"]
CLASSES = [("powers of two", "bad", "powers of two"), ("4 for each doubling", "second", "4 classes"),
           ("32 for each doubling", "good", "32 classes")]

rows = {(row["trace"], row["size_classes"]): float(row["times_as_much"]) for row in facts("padding")}
told = "; ".join(
    f"{trace}: " + ", ".join(f"{words} {rows[trace, name]:.2f}" for name, _, words in CLASSES)
    for trace in TRACES)

left, top, scale, height, step = 130, 96, 540 / 0.5, 16, 68
picture = Picture(
    760, top + len(TRACES) * step + 40, "What rounding sizes up costs",
    "Bytes held at the busiest moment, as a multiple of those asked for, for six kinds of programs and "
    f"three sets of size classes for each doubling of the size. {told}.")

picture.text(24, 36, "Memory held, as a multiple of the bytes asked for", size=16, strong=True)
x = left
for name, role, words in CLASSES:
    picture.box(x, 54, 14, 14, role, 2)
    picture.text(x + 22, 66, words if words == "powers of two" else f"{words} a doubling", size=13)
    x += 40 + 8.2 * len(words if words == "powers of two" else f"{words} a doubling")

bottom = top + len(TRACES) * step
for value in (1.0, 1.1, 1.2, 1.3, 1.4, 1.5):
    at = left + (value - 1) * scale
    picture.path([(at, top - 8), (at, bottom - 8)], "note", dashed=value > 1)
    picture.text(at, bottom + 12, f"{value:.1f}", "note", 13, "middle")

for index, trace in enumerate(TRACES):
    y = top + index * step
    picture.text(left - 14, y + 32, trace, size=14, anchor="end")
    for line, (name, role, _) in enumerate(CLASSES):
        value = rows[trace, name]
        width = (value - 1) * scale
        picture.box(left, y + line * (height + 2), max(width, 1.5), height, role, 2)
        picture.text(left + max(width, 1.5) + 8, y + line * (height + 2) + 13, f"{value:.2f}", role, 13)

print(picture)
