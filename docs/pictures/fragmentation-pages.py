"""Where fragmentation stayed: inside pages of 2 MiB."""
from svg import Picture

picture = Picture(
    860, 330, "One survivor holds a page",
    "Four pages of 2 MiB, each cut into blocks of 4 KB. Above, all blocks are in use. Below, one block in "
    "each page is left, all others are freed, and all four pages stay taken. A fifth page, without a "
    "survivor, went back to the driver.")

pages, blocks, page_width, gap = 5, 16, 148, 8


def row(y, is_used, is_taken):
    for page in range(pages):
        x = 40 + page * (page_width + gap)
        taken = is_taken(page)
        picture.box(x, y, page_width, 58, "note" if taken else "free", dashed=not taken)
        if not taken:
            picture.text(x + page_width / 2, y + 34, "given back", "free", 13, "middle")
            continue
        for block in range(blocks):
            picture.box(x + 6 + block * 8.6, y + 10, 7, 38,
                        "used" if is_used(page, block) else "free", 1)


survivors = {0: 5, 1: 12, 2: 2, 3: 9}
picture.text(40, 40, "Blocks of 4 KB, 512 of them in each page of 2 MiB (16 drawn)", size=15, strong=True)
row(56, lambda page, block: True, lambda page: True)
picture.text(40, 162, "All freed but one in 512", size=15, strong=True)
row(178, lambda page, block: survivors[page] == block, lambda page: page in survivors)
picture.lines(40, 270, [
    "In use: 4 blocks, 16 KB. Taken from the card: 4 pages, 8 MiB.",
    "A page goes back when nothing in it lives. The driver never moves a block: you hold its address."],
    step=24, size=14, role="note")

print(picture)
