"""The loop that leaks: free memory falls in steps of one chunk."""
from svg import Picture, fact

BLOCK = 4096
CHUNK_MIB = fact("chunk")
PER_CHUNK = int(CHUNK_MIB * 1024 * 1024 // BLOCK)
SHOWN = 3200
TOTAL = fact("loop_of_4k_cost")

picture = Picture(
    760, 380, "A loop that leaks 4 KB a turn",
    f"Memory in use against the number of lost blocks of 4 KB. It rises by {CHUNK_MIB:.0f} MiB at the first "
    f"block and then at every {PER_CHUNK}th; in between nothing changes. After 100000 blocks it is "
    f"{TOTAL:.0f} MiB.")

LEFT, RIGHT, TOP, BOTTOM = 96, 730, 78, 316
STEPS = 7


def x_of(blocks):
    return LEFT + blocks / SHOWN * (RIGHT - LEFT)


def y_of(mib):
    return BOTTOM - mib / (STEPS * CHUNK_MIB + 1) * (BOTTOM - TOP)


picture.text(24, 34, "Memory that a loop of lost 4 KB blocks takes from the device", size=16, strong=True)
picture.text(24, 56, "in MiB, as cudaMemGetInfo tells it", "note", 13)
for step in range(STEPS + 1):
    y = y_of(step * CHUNK_MIB)
    picture.path([(LEFT, y), (RIGHT, y)], "note", dashed=step > 0)
    picture.text(LEFT - 10, y + 5, f"{step * CHUNK_MIB:.0f}", "note", 13, "end")
points = [(x_of(0), y_of(0))]
for step in range(STEPS):
    points += [(x_of(step * PER_CHUNK), y_of((step + 1) * CHUNK_MIB)),
               (x_of(min((step + 1) * PER_CHUNK, SHOWN)), y_of((step + 1) * CHUNK_MIB))]
picture.path(points, "bad")
for blocks in range(0, SHOWN, PER_CHUNK):
    picture.path([(x_of(blocks), BOTTOM), (x_of(blocks), BOTTOM + 6)])
    picture.text(x_of(blocks), BOTTOM + 23, str(blocks), "note", 13, "middle")
picture.text(RIGHT, BOTTOM + 46, "lost blocks of 4 KB", "note", 13, "end")
picture.text(LEFT, BOTTOM + 46, f"After 100,000 blocks: {TOTAL:.0f} MiB", "bad", 15, strong=True)

print(picture)
