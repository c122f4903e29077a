"""Where cudaMalloc writes, and what the address of a variable has to do with it."""
from svg import Picture

picture = Picture(
    760, 330, "Why cudaMalloc takes the address of a pointer",
    "On the left, host memory holds the variable image, which lies at the host address 0x7ffd10. "
    "cudaMalloc(&image, 4096) gets that host address and writes the device address 0x20000400 into "
    "the variable. The device address leads to a block of 4096 bytes in device memory on the right.")

picture.box(24, 60, 330, 246, "host", 8)
picture.text(40, 88, "host memory", "host", 15, strong=True)
picture.box(500, 60, 236, 246, "device", 8)
picture.text(516, 88, "device memory", "device", 15, strong=True)

picture.text(40, 36, "cudaMalloc(&image, 4096)", size=17, code=True)

picture.text(48, 134, "0x7ffd10", "note", 13, code=True)
picture.labelled_box(128, 112, 120, 36, "0x20000400", "free", 14, code=True)
picture.text(260, 135, "image", size=15, code=True)
picture.lines(48, 182, ["image    is a host variable", "&image   is where it lies: 0x7ffd10",
                        "*image   lies on the device"], step=26, size=14, code=True)
picture.lines(48, 268, ["Only the value in the box", "is a device address."], size=14, role="host")

picture.labelled_box(540, 112, 160, 70, "4096 bytes", "used", 15)
picture.text(540, 204, "0x20000400", "device", 13, code=True)
picture.lines(516, 242, ["The host may copy to it", "and free it,", "but not read or write it."],
              size=14, role="device")

picture.arrow([(248, 124), (400, 124), (538, 124)], "device")
picture.text(376, 116, "leads to", "note", 13)
picture.arrow([(190, 42), (190, 110)], "host")
picture.text(200, 80, "writes the new address here", "host", 13)

print(picture)
