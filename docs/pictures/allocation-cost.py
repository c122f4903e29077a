"""What cudaMalloc and cudaFree cost, by size and by whether the chunk is there already."""
import math

from svg import Picture, fact, facts

rows = facts("allocation-cost")


def size(count):
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >> power:
            return f"{count >> power} {unit}"
    return str(count)


def words(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


cases = [(size(int(row["bytes"])) + (", chunk in use" if row["case"] == "shared" else
                                     ", new chunk" if row["bytes"] == "4096" else ""),
          float(row["malloc_us"]), float(row["free_us"])) for row in rows]
picture = Picture(
    760, 426, "What cudaMalloc and cudaFree cost",
    "Bars on a logarithmic scale, in microseconds. " + "; ".join(
        f"{name}: cudaMalloc {words(malloc)}, cudaFree {words(free)}" for name, malloc, free in cases) +
    f". For comparison, an empty launch takes {fact('empty_launch')}.")

LEFT, RIGHT, TOP, ROW = 186, 690, 84, 48
LOW, HIGH = 1, 10000


def x_of(value):
    share = math.log10(value / LOW) / math.log10(HIGH / LOW)
    return LEFT + share * (RIGHT - LEFT)


picture.text(24, 34, "cudaMalloc and cudaFree, microseconds (each step is ten times more)", size=16,
             strong=True)
picture.text(24, 57, "NVIDIA H200, medians", "note", 13)
bottom = TOP + ROW * len(cases)
for mark in (1, 10, 100, 1000, 10000):
    picture.path([(x_of(mark), TOP - 8), (x_of(mark), bottom)], "note", dashed=True)
    picture.text(x_of(mark), bottom + 18, str(mark), "note", 13, "middle")
for index, (name, malloc, free) in enumerate(cases):
    y = TOP + ROW * index
    picture.text(LEFT - 12, y + 22, name, size=14, anchor="end")
    for line, (value, role) in enumerate(((malloc, "used"), (free, "second"))):
        top = y + 1 + 18 * line
        picture.box(LEFT, top, x_of(value) - LEFT, 15, role, 0)
        picture.text(x_of(value) + 6, top + 12, words(value), size=13, halo=True)
picture.box(24, bottom + 32, 14, 14, "used", 0)
picture.text(44, bottom + 44, "cudaMalloc", size=13)
picture.box(134, bottom + 32, 14, 14, "second", 0)
picture.text(154, bottom + 44, "cudaFree, with nothing to wait for", size=13)

print(picture)
