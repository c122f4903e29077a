"""The ways on which the last address of a block gets lost."""
from svg import Picture

picture = Picture(
    760, 306, "Where the last address of a block gets lost",
    "A block is allocated, used and freed on the straight path. On the way its address can be lost by an "
    "early return, by a call that fails and a macro that returns, by an assignment over the variable, by "
    "a container that is cleared, and by a destructor that frees only the struct.")

STRAIGHT = [("allocate", 24), ("use", 284), ("free", 566)]
for words, x in STRAIGHT:
    picture.labelled_box(x, 40, 170, 48, words, "good", 16, strong=True)
picture.arrow([(194, 64), (282, 64)], "good")
picture.arrow([(454, 64), (564, 64)], "good")

WAYS = [
    (["an early", "way out"], ["return before", "the free"]),
    (["a failure"], ["a macro", "that returns"]),
    (["an assignment"], ["p = q over the", "only copy"]),
    (["a container", "forgets"], ["list.clear()"]),
    (["half a", "destructor"], ["frees the struct", "only"]),
]
picture.path([(369, 88), (369, 130)], "bad", dashed=True)
picture.path([(92, 130), (668, 130)], "bad", dashed=True)
picture.text(384, 118, "Each of these leaves here, and the address stays behind", "bad", 13)
for index, (title, remark) in enumerate(WAYS):
    centre = 92 + 144 * index
    picture.box(centre - 66, 172, 132, 70, "bad", 8)
    picture.lines(centre, 203 if len(title) == 2 else 212, title, size=14, step=19, anchor="middle",
                  role="bad", strong=True)
    picture.lines(centre, 266, remark, size=13, step=18, anchor="middle", role="note")
    picture.arrow([(centre, 130), (centre, 170)], "bad", dashed=True)

print(picture)
