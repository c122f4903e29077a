"""From allocation to free, and every place where it can go wrong."""
from svg import Picture

STEPS = [
    ("count the bytes", "size_t bytes = n * sizeof(T);", "host",
     ["elements taken for bytes; an int that overflows"], "labs 01, 02"),
    ("ask", "cudaMalloc(&p, bytes)", "device",
     ["the pointer by value; a cast in place of the &;", "in every frame"], "01, 07"),
    ("look at the answer", "if (status != cudaSuccess)", "host",
     ["ignored; an old error blamed on a good call;", "out of memory, for one of five causes"], "03"),
    ("fill it", "cudaMemcpy(p, h, bytes, ...)", "device",
     ["past the end; wrong direction; pitch and width;", "the source changed while the copy runs"],
     "02, 04"),
    ("compute", "kernel<<<grid, block, 0, s>>>(p)", "device",
     ["one element past the end, unseen by hardware;", "a refused launch; a host address in a kernel"],
     "03, 04"),
    ("wait", "cudaStreamSynchronize(s)", "host",
     ["left out: a race; errors show here, not before;", "errors that stay"], "03"),
    ("fetch", "cudaMemcpy(h, p, bytes, ...)", "device",
     ["the host reads p itself: segmentation fault;", "read before an asynchronous copy is over"], "02"),
    ("free", "cudaFree(p)", "device",
     ["never: a leak; twice; inside a block; a wrong call;", "while another stream still uses it"],
     "06, 07"),
    ("forget", "p = nullptr", "host",
     ["copies of p still know the address;", "forgotten before it was freed"], "06"),
]

top, step = 62, 66
picture = Picture(
    860, top + len(STEPS) * step + 12, "The life of a block, and where it can go wrong",
    "Nine steps, each with what can go wrong. "
    + " ".join(f"{words}: {' '.join(wrong)} ({place})." for words, _, _, wrong, place in STEPS))
picture.text(24, 36, "The life of a block", size=16, strong=True)
picture.text(432, 36, "what can go wrong", "bad", 14, strong=True)
picture.text(836, 36, "labs", "note", 14, "end", strong=True)

for index, (words, code, role, wrong, place) in enumerate(STEPS):
    y = top + index * step
    picture.box(24, y, 380, 44, role, 6)
    picture.text(36, y + 27, words, role, 14, strong=True)
    picture.text(392, y + 27, code, role, 13, "end", code=True)
    if index + 1 < len(STEPS):
        picture.arrow([(90, y + 44), (90, y + step - 2)])
    first = y + (27 if len(wrong) == 1 else 18)
    picture.lines(432, first, wrong, step=19, size=13, role="bad")
    picture.text(836, y + 27, place.replace("labs ", ""), "note", 13, "end")

print(picture)
