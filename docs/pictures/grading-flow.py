"""From a learner's file to the verdict, and what can end on the way."""
from svg import Picture

picture = Picture(
    860, 470, "From the file to the verdict",
    "The learner's file is compiled by nvcc and checked for names that belong to others. The program is "
    "linked with the lab's checks and with the grader's own libcudart, and runs as a child process. Each "
    "runtime call passes the ledger and goes on to the virtual GPU or to NVIDIA's library. The checks "
    "read the ledger and send one record a check through a private channel to the proctor, which adds "
    "crashes, hangs and missing ends, and gives the verdict.")

# The proctor's side, on top.
picture.box(20, 24, 820, 130, "note", 8)
picture.text(36, 50, "the proctor: never runs your code", "note", 14, strong=True)
picture.labelled_box(36, 74, 140, 56, "frame_store.cu", "host", 14, code=True)
picture.labelled_box(230, 74, 150, 56, ["compile", "refuse what isn't yours"], "note", 12)
picture.labelled_box(440, 74, 150, 56, ["link with the checks", "and our libcudart"], "note", 12)
picture.labelled_box(674, 74, 146, 56, ["verdict, story,", "points"], "good", 14)
picture.arrow([(176, 102), (228, 102)])
picture.arrow([(380, 102), (438, 102)])

# The child process.
picture.box(20, 206, 820, 240, "free", 8)
picture.text(36, 232, "a child process: limited in time, memory, files, processes", "note", 14,
             strong=True)
picture.labelled_box(40, 262, 150, 60, ["the lab's checks"], "second", 14)
picture.labelled_box(40, 366, 150, 56, ["your functions"], "host", 14)
picture.labelled_box(314, 314, 196, 60, ["the ledger: every call,", "its result, its line"], "used", 14)
picture.labelled_box(600, 262, 200, 60, ["virtual GPU", "(no GPU needed)"], "device", 14)
picture.labelled_box(600, 366, 200, 56, ["NVIDIA's library", "and a real GPU"], "device", 14)

picture.arrow([(80, 322), (80, 364)])
picture.text(88, 348, "calls", "note", 12)
picture.arrow([(190, 394), (252, 394), (252, 360), (312, 360)], "host")
picture.text(200, 414, "cuda... calls", "note", 12)
picture.arrow([(314, 328), (252, 328), (252, 300), (192, 300)], "second")
picture.text(200, 290, "read it", "note", 12)
picture.arrow([(510, 332), (554, 332), (554, 292), (598, 292)], "device")
picture.arrow([(510, 356), (554, 356), (554, 394), (598, 394)], "device")

# Between them.
picture.arrow([(515, 130), (515, 204)])
picture.text(506, 186, "starts", "note", 12, "end")
picture.arrow([(130, 262), (130, 246), (747, 246), (747, 132)], "good")
picture.text(737, 186, "private channel: a record for each check,", "good", 12, "end")
picture.text(737, 202, "then the end record", "good", 12, "end")

print(picture)
