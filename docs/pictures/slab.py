"""One slab: the first aligned address, the stride, and a free list beside it."""
from svg import Picture

picture = Picture(
    760, 330, "One slab cut into equal blocks",
    "A slab from one cudaMalloc begins at an address that is a multiple of 256. The first block begins at "
    "the first address that has the alignment of a block, a little later. Blocks follow each other at the "
    "distance of the block size rounded up to the alignment. The list of free blocks, 4, 1, 3, lies in "
    "host memory beside the slab.")

picture.text(24, 34, "device memory: one slab from one cudaMalloc", "device", 15, strong=True)
LEFT, TOP, BLOCK, GAP = 60, 60, 100, 22
picture.labelled_box(24, TOP, LEFT - 24, 60, "", "padding", 13, radius=0)
for number in range(5):
    x = LEFT + number * (BLOCK + GAP)
    out = number in (0, 2)
    picture.labelled_box(x, TOP, BLOCK, 60, [f"block {number}", "out" if out else "free"],
                         "used" if out else "free", 14, radius=0)
    picture.box(x + BLOCK, TOP, GAP, 60, "padding", 0)
picture.path([(LEFT, 142), (LEFT + BLOCK + GAP, 142)])
for x in (LEFT, LEFT + BLOCK + GAP):
    picture.path([(x, 136), (x, 148)])
picture.text(LEFT + BLOCK + GAP + 12, 147, "stride: the block's size, rounded up to the alignment", size=14)
picture.arrow([(24, 190), (24, 122)], "host")
picture.text(24, 208, "the slab: aligned to 256", "host", 13)
picture.arrow([(60, 176), (60, 124)], "good")
picture.text(70, 180, "the first block: the first address that has the block's alignment", "good", 13)

picture.box(24, 228, 712, 82, "host", 8)
picture.text(40, 254, "host memory: the books", "host", 15, strong=True)
picture.text(40, 288, "free blocks, a stack", "host", 14)
for index, number in enumerate((4, 1, 3)):
    picture.labelled_box(180 + 40 * index, 268, 36, 30, str(number), "free", 14, code=True)
picture.text(306, 288, "next one out", "host", 13)
picture.text(436, 288, "out", "host", 14)
for number, mark in enumerate("10100"):
    picture.labelled_box(470 + 40 * number, 268, 36, 30, mark, "free", 14, code=True)

print(picture)
