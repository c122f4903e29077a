"""7 GiB free, 5 GiB wanted, refused: an arena that hands out parts of one block."""
from svg import Picture

# As docs/examples/oom_arena.cu makes them, in GiB: (size, in use).
PIECES = [(1, True), (3, False), (1, True), (4, False), (1, True)]
WANTED = 5

total = sum(size for size, _ in PIECES)
free = sum(size for size, used in PIECES if not used)
largest = max(size for size, used in PIECES if not used)

picture = Picture(
    860, 340, f"{free} GiB free, {WANTED} GiB wanted",
    f"An arena of {total} GiB holds three blocks of 1 GiB with gaps of 3 and 4 GiB between them. {free} GiB "
    f"are free, the largest piece has {largest} GiB, and a request of {WANTED} GiB is refused.")

left, width = 40, 780
unit = width / total
picture.text(left, 40, f"An arena of {total} GiB, one block from cudaMalloc", size=15, strong=True)
x = left
for size, used in PIECES:
    words = f"{size} GiB" if used else f"{size} GiB free"
    picture.labelled_box(x, 56, size * unit, 56, words, "used" if used else "free", 14)
    x += size * unit
picture.text(left, 152, f"wanted, in one piece:", "note", 14)
picture.labelled_box(left + 160, 130, WANTED * unit, 36, f"{WANTED} GiB", "bad", 14, dashed=True)
picture.text(left + 172 + WANTED * unit, 153, f"largest piece: {largest} GiB", "bad", 14)
picture.lines(left, 200, [
    f"{free} GiB free, {largest} of them in the largest piece. External fragmentation: "
    f"1 - {largest}/{free} = {(1 - largest / free) * 100:.0f} %.",
    "The driver can't help: to it, the arena is one block, all of it in use.",
], step=24, size=14, role="note")

picture.text(left, 274, f"The same {total - free} GiB in use, allocated next to each other", size=15,
             strong=True)
x = left
for size, used in sorted(PIECES, key=lambda piece: not piece[1]):
    if used:
        picture.labelled_box(x, 288, size * unit, 32, f"{size} GiB", "used", 13)
        x += size * unit
picture.labelled_box(x, 288, free * unit, 32, f"{free} GiB free, in one piece", "good", 13)

print(picture)
