"""Four kinds of memory, and who may touch each."""
from svg import Picture

picture = Picture(
    760, 380, "Who may touch which memory",
    "A table with four kinds of memory. Plain host memory: host code yes, a kernel no, copies yes but by "
    "a detour. Pinned host memory: host code, kernels and copies all yes. Device memory: host code no, "
    "kernels yes, copies yes. Managed memory: all yes.")

KINDS = [
    ("plain host memory", "new, malloc, the stack", "host", (True, False, True), "copied by a detour"),
    ("pinned host memory", "cudaMallocHost", "host", (True, True, True), "copied directly"),
    ("device memory", "cudaMalloc", "device", (False, True, True), "what the labs are about"),
    ("managed memory", "cudaMallocManaged", "second", (True, True, True), "moves by itself"),
]

for column, words in enumerate(("host code", "a kernel", "copies")):
    picture.text(388 + 74 * column, 44, words, size=14, anchor="middle", strong=True)
for row, (name, call, role, allowed, remark) in enumerate(KINDS):
    y = 62 + 74 * row
    picture.box(24, y, 300, 62, role, 8)
    picture.text(40, y + 27, name, role, 16, strong=True)
    picture.text(40, y + 48, call, role, 13, code=True)
    for column, yes in enumerate(allowed):
        x = 388 + 74 * column
        if yes:
            picture.path([(x - 9, y + 32), (x - 2, y + 40), (x + 11, y + 21)], "good")
        else:
            picture.cross(x, y + 31)
    picture.text(580, y + 36, remark, "note", 14)

print(picture)
