"""One block, two names: what the second free hits."""
from svg import Picture

picture = Picture(
    760, 330, "One block under two names",
    "Three moments. First, a and b hold the same address. Second, a is freed and set to null; b still "
    "holds the address. Third, the runtime has given the address to somebody else's variable c; freeing "
    "b now frees the block of c.")

MOMENTS = [("1. b = a", "one block, two names"), ("2. free(a), a = null", "b still has the address"),
           ("3. somebody allocates c", "free(b) would free c's block")]

for index, (title, remark) in enumerate(MOMENTS):
    x = 24 + 242 * index
    picture.box(x, 24, 228, 282, "note", 8)
    picture.text(x + 16, 52, title, size=15, strong=True)
    picture.text(x + 16, 74, remark, "note", 13)
    names = ["a", "b"] if index < 2 else ["a", "b", "c"]
    for place, name in enumerate(names):
        y = 96 + 44 * place
        empty = name == "a" and index > 0
        picture.text(x + 18, y + 22, name, size=15, code=True)
        picture.labelled_box(x + 38, y, 70, 32, "null" if empty else "0x..400", "free", 13, code=True)
        if not empty:
            dangling = index > 0 and name == "b"
            bend = x + 128 + 14 * place
            picture.arrow([(x + 108, y + 16), (bend, y + 16), (bend, 246)],
                          "bad" if dangling else "device", dashed=dangling)
    words, role = [("the block", "used"), ("freed", "free"), ("c's block", "used")][index]
    picture.labelled_box(x + 38, 248, 174, 40, words, role, 14, dashed=index == 1)

print(picture)
