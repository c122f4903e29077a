"""A table of row pointers: its entries lie on the device, so they get there by a copy."""
from svg import Picture

ROWS = 3

picture = Picture(
    760, 300, "A table of row pointers",
    "The host computes the address of each row into a vector of its own and copies the vector once. "
    "On the device lie the table and one block with all rows; each entry of the table leads to the "
    "start of its row.")

picture.box(24, 24, 236, 252, "host", 8)
picture.text(40, 52, "host memory", "host", 15, strong=True)
picture.text(40, 84, "std::vector<float*>", size=14, code=True)
for row in range(ROWS):
    picture.labelled_box(60, 98 + 36 * row, 160, 32, f"data + {row} * columns", "free", 13, code=True)
picture.lines(40, 236, ["Adding to an address is", "arithmetic: the host may."], size=14, role="host")

picture.box(330, 24, 406, 252, "device", 8)
picture.text(346, 52, "device memory", "device", 15, strong=True)
picture.text(346, 84, "table", size=14, code=True)
picture.text(512, 84, "data", size=14, code=True)
for row in range(ROWS):
    y = 98 + 36 * row
    picture.labelled_box(346, y, 76, 32, "float*", "second", 13, code=True)
    picture.labelled_box(512, y, 200, 32, f"row {row}", "used", 14)
    picture.arrow([(422, y + 16), (510, y + 16)], "device")
picture.lines(346, 236, ["Storing an entry is an access:", "only a copy or a kernel can."], size=14,
              role="device")

picture.arrow([(220, 150), (344, 150)])
picture.lines(295, 112, ["one", "copy"], step=17, size=13, anchor="middle", role="note")

print(picture)
