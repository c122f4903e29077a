"""The whole subject on one page: six questions about a piece of device memory."""
from svg import Picture, fact

CARDS = [
    ("1  Where is it?", "host", ["a device address in a host variable", "void**: where to put the address",
                                 "which side may touch what", "host, pinned, managed, device"],
     "labs 01, 02"),
    ("2  What shape has it?", "device", ["bytes, not elements", f"{fact('alignment_documented'):.0f} bytes promised, {fact('alignment'):.0f} seen",
                                         "rows with a pitch", "32-byte sectors"], "labs 01, 02, 04"),
    ("3  Did it work?", "bad", ["the result of each call", "the last-error slot",
                                "errors that come late", "errors that stay"], "lab 03"),
    ("4  Whose is it?", "second", ["one owner, one free", "free and forget in one step",
                                   "error paths", "leak: grows from run to run"], "labs 06, 07"),
    ("5  What does it cost?", "used", [f"{fact('malloc_in_chunk')} or {fact('malloc_new_chunk'):.0f} µs to allocate", "freeing waits",
                                       "allocate before the loop", "stream-ordered, with a threshold"],
     "lab 07, strategies"),
    ("6  How is it shared out?", "good", ["blocks of one size", "any size: split, merge, grow",
                                          "pages of 2 MiB, arenas, holes", "which stream still uses it"],
     "labs 12, 13, fragmentation"),
]

width, height, gap = 230, 196, 24
picture = Picture(
    2 * 24 + 3 * width + 2 * gap, 2 * height + gap + 88, "The whole subject on one page",
    "Six cards, to be read in order. "
    + " ".join(f"{title.strip()} {'; '.join(lines)} ({place})." for title, _, lines, place in CARDS))
picture.text(24, 40, "Six questions about a piece of device memory", size=17, strong=True)

for index, (title, role, lines, place) in enumerate(CARDS):
    row, column = divmod(index, 3)
    x, y = 24 + column * (width + gap), 60 + row * (height + gap)
    picture.box(x, y, width, height, role, 8)
    picture.text(x + 16, y + 32, title, role, 16, strong=True)
    picture.lines(x + 16, y + 64, lines, step=25, size=13)
    picture.text(x + 16, y + height - 18, place, role, 13, strong=True)
    if column < 2:
        picture.arrow([(x + width + 3, y + height / 2), (x + width + gap - 3, y + height / 2)])

print(picture)
