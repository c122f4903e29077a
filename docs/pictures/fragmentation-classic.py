"""The classic story of fragmentation, with its arithmetic, and what the driver does instead."""
from svg import Picture

picture = Picture(
    860, 500, "The classic story, and what a driver does",
    "First bar: a card of 10 GB can't hold three blocks of 4 GB, 12 in sum. Second bar: three blocks of "
    "30 percent, the middle one freed: a hole of 30 and a tail of 10 percent. A request of 37 percent is "
    "larger than each. Below: the driver gives it new addresses, in one piece, and puts the free pages of "
    "the hole and of the tail behind them.")

left, width = 40, 780


def bar(y, parts, total, height=44):
    x = left
    for size, words, role in parts:
        picture.labelled_box(x, y, size / total * width, height, words, role, 14)
        x += size / total * width


picture.text(left, 40, "As it is told: 10 GB, three blocks of 4 GB, the middle one freed", size=15,
             strong=True)
bar(54, [(4, "A: 4 GB", "used"), (4, "B: 4 GB", "used"), (2, "2 GB left", "free")], 10)
picture.labelled_box(left + 0.8 * width + 4, 104, 0.4 * width - 160, 34, "C: 4 GB?", "bad", 14,
                     dashed=True)
picture.text(left, 126, "4 + 4 + 4 = 12: the third block is never allocated.", "bad", 14)

picture.text(left, 186, "With blocks that fit: three of 30 % each, B freed, then a request of 37 %",
             size=15, strong=True)
bar(200, [(30, "A: 30 %", "used"), (30, "hole: 30 %", "free"), (30, "C: 30 %", "used"),
          (10, "10 %", "free")], 100)
picture.text(left, 268, "37 % is more than the hole, and more than the tail. In one line of addresses it "
             "would not fit.", "note", 14)

picture.text(left, 318, "What the driver does: addresses are one thing, memory is another", size=15,
             strong=True)
picture.text(left, 348, "addresses", "note", 13)
picture.labelled_box(left + 120, 328, 0.37 * width, 36, "D: 37 %, in one piece, at new addresses",
                     "device", 13)
picture.text(left, 446, "memory", "note", 13)
y, memory, offset = 424, width - 120, left + 120
x = offset
for size, words, role in [(30, "A", "used"), (30, "D", "device"), (30, "C", "used"), (7, "D", "device"),
                          (3, "", "free")]:
    picture.labelled_box(x, y, size / 100 * memory, 36, words, role, 14)
    x += size / 100 * memory
d_left, d_width = left + 120, 0.37 * width
picture.arrow([(d_left + d_width * 0.4, 364), (offset + 0.45 * memory, 422)], "device")
picture.arrow([(d_left + d_width * 0.9, 364), (offset + 0.935 * memory, 422)], "device")
picture.text(left + 120, 482, "The free pages of 2 MiB need not be neighbours.", "note", 13)

print(picture)
