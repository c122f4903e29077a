"""Which of five causes: the questions in the order in which they are cheapest to ask."""
from svg import Picture

picture = Picture(
    860, 600, "Out of memory: which of five causes is it?",
    "A column of questions. Is the request larger than the whole card, or absurd? Then it is simply too "
    "large. Did a pool of your own refuse? Then its arena is fragmented. Does what is live grow from step "
    "to step? Then it is a leak. Is much reserved by a pool and little of it in use? Then it is the "
    "pool's reserve. Are there many small blocks, most of them freed? Then survivors hold 2 MiB pages. "
    "Otherwise the sum is too large, or another process has the rest.")

QUESTIONS = [
    (["Is the request larger than the card,", "or no sensible number?"],
     "print the bytes you ask for", ["simply", "too large"], "bad"),
    (["Was it refused by a pool or an arena", "of your own, not by the driver?"],
     "its free bytes, its largest piece", ["the arena is", "fragmented"], "second"),
    (["Is more alive after step 200", "than after step 100?"],
     "./vram run: what was never freed", ["a leak"], "bad"),
    (["Has a pool reserved much more", "than is in use?"],
     "ReservedMemCurrent, UsedMemCurrent", ["the pool's", "reserve"], "second"),
    (["Many small blocks, most of them", "freed, and free memory unchanged?"],
     "cudaMemGetInfo before and after", ["2 MiB pages with", "a survivor each"], "second"),
]

top, step = 84, 88
picture.labelled_box(40, 20, 390, 40, "cudaErrorMemoryAllocation", "bad", 15, code=True)
for row, (question, look, cause, role) in enumerate(QUESTIONS):
    y = top + row * step
    picture.labelled_box(40, y, 390, 60, question, "note", 14)
    picture.labelled_box(690, y, 150, 60, cause, role, 14, strong=True)
    picture.arrow([(430, y + 30), (688, y + 30)])
    picture.text(442, y + 22, "yes", "", 13, strong=True)
    picture.text(559, y + 48, look, "note", 12, "middle")
    picture.arrow([(235, y - 24 if row == 0 else y - step + 60), (235, y - 2)])
    if row > 0:
        picture.text(244, y - 9, "no", "", 13, strong=True)

y = top + len(QUESTIONS) * step
picture.arrow([(235, y - step + 60), (235, y - 2)])
picture.text(244, y - 9, "no", "", 13, strong=True)
picture.labelled_box(40, y, 390, 56, ["Everything is in use and wanted, or another",
                                      "process has the rest: nvidia-smi names it"], "note", 14)
picture.labelled_box(690, y, 150, 56, ["too large", "in sum"], "bad", 14, strong=True)
picture.arrow([(430, y + 28), (688, y + 28)])

print(picture)
