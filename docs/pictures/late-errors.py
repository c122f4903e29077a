"""A kernel runs after its launch returned; so its error comes with a later call."""
from svg import Picture

picture = Picture(
    760, 360, "When an error can be seen",
    "Two time lines. On the host a launch returns at once; the last-error slot tells whether it was "
    "refused. On the device the kernel runs later and goes wrong. The next call that waits, here "
    "cudaDeviceSynchronize, is the messenger. In the meantime a cudaMalloc that fails tells it at once.")

picture.text(24, 92, "host", "host", 15, strong=True)
picture.text(24, 232, "device", "device", 15, strong=True)
picture.arrow([(90, 110), (740, 110)], "host")
picture.arrow([(90, 250), (740, 250)], "device")
picture.text(738, 134, "time", "note", 13, "end")

picture.labelled_box(104, 66, 122, 30, "kernel<<<>>>", "host", 14, code=True)
picture.labelled_box(280, 66, 136, 30, "cudaMalloc", "host", 14, code=True)
picture.labelled_box(500, 66, 220, 30, "cudaDeviceSynchronize", "host", 14, code=True)

picture.text(104, 30, "1. Was it refused?", size=14, strong=True)
picture.text(104, 50, "Ask the slot, at once.", "note", 13)
picture.text(280, 30, "2. Its own error", size=14, strong=True)
picture.text(280, 50, "is its own result.", "note", 13)
picture.text(500, 30, "3. The messenger", size=14, strong=True)
picture.text(500, 50, "returns what the kernel did.", "note", 13)

picture.labelled_box(250, 206, 220, 32, "the kernel runs", "device", 14)
picture.cross(430, 222)
picture.text(430, 276, "goes wrong here", "bad", 14, "middle")
picture.arrow([(165, 96), (165, 222), (248, 222)], "device", dashed=True)
picture.arrow([(470, 222), (610, 222), (610, 98)], "bad", dashed=True)

picture.box(24, 296, 712, 48, "note", 8)
picture.text(40, 326, "last-error slot", size=14, strong=True)
picture.text(156, 326, "keeps a code until somebody reads it with cudaGetLastError; a success does not "
             "empty it", size=13)

print(picture)
