"""An arena in four states: full, every other block freed, one more, all."""
from svg import Picture

picture = Picture(
    760, 326, "An arena from full to free",
    "An arena of 64 MiB drawn as 16 blocks. Full. Every other block freed: half is free, and the largest "
    "place is one block. One more freed: it joins both its neighbours, and the largest place is three "
    "blocks. All freed: one place, the whole arena.")

STATES = [
    ("all out", [1] * 16, "largest free: 0"),
    ("every other freed", [0, 1] * 8, "half is free, largest: 1 block"),
    ("one more freed", [0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1], "joined on both sides: 3 blocks"),
    ("all freed", [0] * 16, "one place: the arena"),
]

picture.text(24, 32, "Blue: handed out. White and green: free, each frame one place.", "note", 13)
LEFT, BLOCK = 170, 21
for index, (title, blocks, remark) in enumerate(STATES):
    y = 52 + 68 * index
    picture.text(24, y + 29, title, size=14, strong=True)
    start = 0
    while start < len(blocks):
        end = start + 1
        while blocks[start] == 0 and end < len(blocks) and blocks[end] == 0:
            end += 1
        role = "used" if blocks[start] else "free"
        if not blocks[start] and end - start == 3:
            role = "good"
        picture.box(LEFT + BLOCK * start, y, BLOCK * (end - start), 44, role, 2)
        start = end
    picture.text(LEFT + BLOCK * 16 + 16, y + 29, remark, "note", 13)

print(picture)
