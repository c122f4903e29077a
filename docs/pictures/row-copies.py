"""Packed against pitched rows: what the measurement says for each width."""
from svg import Picture, facts

rows = facts("row-copies")
picture = Picture(
    760, 420, "When a pitch pays: time of packed rows divided by time of pitched rows",
    "A bar for each row width. " + "; ".join(
        f"{row['width']} floats: {float(row['ratio']):.3f}" for row in rows) +
    ". Above 1 the pitched copy was faster, below 1 the packed one.")

TOP, BOTTOM, LEFT, STEP, BAR = 80, 360, 66, 76, 44
LOW, HIGH = 0.5, 1.3


def height_of(ratio):
    return BOTTOM - (ratio - LOW) / (HIGH - LOW) * (BOTTOM - TOP)


picture.text(24, 34, "Time of packed rows / time of pitched rows, by floats in a row", size=16,
             strong=True)
picture.text(24, 56, "One warp copies a row; NVIDIA H200", "note", 13)
for mark in (0.6, 0.8, 1.0, 1.2):
    y = height_of(mark)
    picture.path([(LEFT - 6, y), (742, y)], "" if mark == 1.0 else "note", dashed=mark != 1.0)
    picture.text(LEFT - 12, y + 5, f"{mark:.1f}", "note", 13, "end")

for index, row in enumerate(rows):
    ratio = float(row["ratio"])
    x = LEFT + 8 + STEP * index
    top, base = sorted((height_of(ratio), height_of(1.0)))
    if abs(ratio - 1) < 0.01:
        role = "note"
    else:
        role = "good" if ratio > 1 else "bad"
    picture.box(x, top, BAR, max(base - top, 2), role, 0)
    label_y = top - 7 if ratio >= 1 else base + 18
    picture.text(x + BAR / 2, label_y, f"{ratio:.2f}", role, 14, "middle", strong=True, halo=True)
    picture.text(x + BAR / 2, BOTTOM + 20, row["width"], size=14, anchor="middle")
picture.text(24, 406, "Above the line the pitch wins, below it loses. 1000 and 1024 floats are whole "
             "sectors without any padding.", "note", 13)

print(picture)
