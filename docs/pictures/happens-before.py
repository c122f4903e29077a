"""Two streams, one block: what puts the second kernel after the first."""
from svg import Picture

picture = Picture(
    760, 470, "What is ordered, and what only happened to be so",
    "Above: stream 1 runs a kernel that writes a block, stream 2 a kernel that reads it. Nothing leads "
    "from the one to the other, so either may come first, and the report says race, on every run. "
    "Below: stream 1 records an event behind its kernel, stream 2 waits for the event, and an arrow "
    "leads from the write to the read.")


def stream(y, name, role="note"):
    picture.text(24, y + 24, name, role, 14)
    picture.path([(110, y + 18), (736, y + 18)], role, dashed=True)


picture.text(24, 36, "No edge: a race", size=16, strong=True)
stream(60, "stream 1")
stream(124, "stream 2")
picture.labelled_box(140, 58, 170, 38, "kernel writes block", "used", 14)
picture.labelled_box(420, 122, 170, 38, "kernel reads block", "bad", 14)
picture.path([(225, 96), (225, 141), (418, 141)], "bad", dashed=True)
picture.text(240, 122, "nothing leads here", "bad", 14)
picture.text(24, 192, "That the first kernel was done in time is luck. The virtual GPU does not ask when "
             "things ran,", "note", 14)
picture.text(24, 212, "only what leads where. So it reports this on every run.", "note", 14)

picture.text(24, 266, "An event: ordered", size=16, strong=True)
stream(290, "stream 1")
stream(368, "stream 2")
picture.labelled_box(140, 288, 170, 38, "kernel writes block", "used", 14)
picture.labelled_box(330, 288, 130, 38, "record event", "second", 14)
picture.labelled_box(380, 366, 150, 38, "wait for event", "second", 14)
picture.labelled_box(550, 366, 170, 38, "kernel reads block", "good", 14)
picture.arrow([(310, 307), (328, 307)], "good")
picture.arrow([(430, 326), (430, 364)], "good")
picture.arrow([(530, 385), (548, 385)], "good")
picture.text(24, 444, "Edges: the order within a stream, events, waits, synchronisation, the rules of the "
             "default stream.", "note", 14)

print(picture)
