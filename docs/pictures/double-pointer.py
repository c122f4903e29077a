"""Where cudaMalloc writes, and what the address of a variable has to do with it."""
from svg import Picture

picture = Picture(
    760, 320, "Why cudaMalloc takes the address of a pointer",
    "On the left, host memory holds the variable image, which lies at the host address 0x7ffd10. "
    "cudaMalloc(&image, 4096) gets that host address and writes the device address 0x20000400 into "
    "the variable. The device address leads to a block of 4096 bytes in device memory on the right.")

picture.text(40, 36, "cudaMalloc(&image, 4096)", size=17, code=True)
picture.text(330, 36, "writes the new address into the variable", "host", 14)

picture.box(24, 60, 350, 240, "host", 8)
picture.text(40, 88, "host memory", "host", 15, strong=True)
picture.text(40, 124, "image", size=15, code=True)
picture.text(40, 143, "at 0x7ffd10", "host", 13, code=True)
picture.labelled_box(150, 108, 130, 38, "0x20000400", "free", 15, code=True)
picture.lines(40, 190, ["image    is a variable on the host", "&image   is where it lies: 0x7ffd10",
                        "*image   lies on the device"], step=25, size=14, code=True)
picture.text(40, 280, "Only the value in the box is a device address.", "host", 14)

picture.box(500, 60, 236, 240, "device", 8)
picture.text(516, 88, "device memory", "device", 15, strong=True)
picture.labelled_box(540, 108, 160, 64, "4096 bytes", "used", 15)
picture.text(540, 194, "at 0x20000400", "device", 13, code=True)
picture.lines(516, 234, ["The host may copy to it", "and free it, but not read", "or write it."],
              size=14, role="device")

picture.arrow([(190, 46), (190, 106)], "host")
picture.arrow([(280, 127), (538, 127)], "device")
picture.text(437, 119, "leads to", "note", 13, "middle")

print(picture)
