"""The two orders that a pool keeps: by place and by size."""
from svg import Picture

picture = Picture(
    760, 316, "Two orders over the same blocks",
    "Above, the blocks of an arena in the order of their addresses, each linked to its neighbours. "
    "Below, bins by size; each free block hangs in the bin of its size. A freed block finds its "
    "neighbours by place, a request finds a block by size.")

picture.text(24, 34, "by place: who are my neighbours?", size=15, strong=True)
BLOCKS = [("A", 90, "used"), ("B", 60, "free"), ("C", 150, "used"), ("D", 200, "free"), ("E", 70, "used"),
          ("F", 142, "free")]
x = 24
centres = {}
for name, width, role in BLOCKS:
    picture.labelled_box(x, 50, width, 44, name, role, 15, radius=0)
    centres[name] = x + width / 2
    x += width
x = 24
for name, width, role in BLOCKS[:-1]:
    x += width
    picture.arrow([(x - 14, 108), (x + 14, 108)])
    picture.arrow([(x + 14, 118), (x - 14, 118)])

picture.text(142, 246, "by size: which free place fits?", size=15, strong=True)
BINS = [("64 KiB bin", 64, "B", 176), ("128 KiB bin", 330, "F", 192), ("256 KiB bin", 596, "D", 208)]
for words, left, name, bend in BINS:
    picture.labelled_box(left, 262, 120, 40, words, "second", 14)
    picture.arrow([(left + 60, 262), (left + 60, bend), (centres[name], bend), (centres[name], 126)],
                  "good", dashed=True)

print(picture)
