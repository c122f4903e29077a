"""What a pair of allocation and free costs, by strategy and size, from the measured facts."""
import math

from svg import Picture, fact, facts

own = {int(row["bytes"]): float(row["malloc_us"]) + float(row["free_us"])
       for row in facts("allocation-cost") if row["case"] == "own"}

BARS = [
    ("cudaMalloc + cudaFree, 8 GiB", own[8 << 30], "bad"),
    ("cudaMalloc + cudaFree, 1 GiB", own[1 << 30], "bad"),
    ("cudaMalloc + cudaFree, 32 MiB", own[32 << 20], "bad"),
    ("cudaMalloc + cudaFree, 4 KB, alone in its page", own[4096], "bad"),
    ("cudaMalloc + cudaFree, 4 KB, page stays mapped",
     fact("malloc_in_chunk") + fact("free_in_chunk"), "second"),
    ("stream-ordered, 1 GiB, default threshold, with a wait",
     fact("async_1g_0_malloc") + fact("async_1g_0_free") + fact("async_1g_0_wait"), "bad"),
    ("stream-ordered, 4 KB, default threshold, with a wait",
     fact("async_pair_sync_0_malloc") + fact("async_pair_sync_0_free")
     + fact("async_pair_sync_0_wait"), "bad"),
    ("stream-ordered, 1 GiB, high threshold, with a wait",
     fact("async_1g_kept_malloc") + fact("async_1g_kept_free") + fact("async_1g_kept_wait"), "good"),
    ("a caching pool (cub), block at hand", fact("cub_allocate") + fact("cub_free"), "good"),
]


def shown(value):
    return f"{value:.0f} µs" if value >= 10 else f"{value:.1f} µs"


left, top, step, decade = 400, 78, 34, 96
picture = Picture(
    860, top + len(BARS) * step + 44, "What a pair of allocation and free costs",
    "Microseconds on a logarithmic scale. "
    + "; ".join(f"{words}: {shown(value)}" for words, value, _ in BARS) + ".")
picture.text(24, 36, "A pair of allocation and free, in microseconds (each line: ten times more)", size=16,
             strong=True)
for power in range(0, 5):
    x = left + power * decade
    picture.path([(x, top - 12), (x, top + len(BARS) * step)], "note", dashed=power > 0)
    picture.text(x, top + len(BARS) * step + 18, f"{10 ** power}", "note", 13, "middle")
for index, (words, value, role) in enumerate(BARS):
    y = top + index * step
    width = max(math.log10(value) * decade, 3)
    picture.text(left - 14, y + 15, words, size=13, anchor="end")
    picture.box(left, y, width, 21, role, 3)
    picture.text(left + width + 8, y + 15, shown(value), role, 13)

print(picture)
