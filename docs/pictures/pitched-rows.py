"""Rows with padding: width in pixels, bytes with pixels, pitch."""
from svg import Picture

PITCH = 512
PIXEL_BYTES = 300
SCALE = 1.2

picture = Picture(
    760, 300, "An image with a pitch",
    "Three rows lie one after the other in memory. Each begins with 300 bytes of pixels, that is 100 "
    "pixels of 3 bytes, followed by padding up to the pitch of 512 bytes. Row 1 begins at byte 512, "
    "row 2 at byte 1024.")

left = 100
for row in range(3):
    y = 84 + 52 * row
    picture.text(left - 12, y + 26, f"row {row}", size=14, anchor="end")
    picture.labelled_box(left, y, PIXEL_BYTES * SCALE, 40, "100 pixels of 3 bytes", "used", 14, radius=0)
    picture.labelled_box(left + PIXEL_BYTES * SCALE, y, (PITCH - PIXEL_BYTES) * SCALE, 40, "padding",
                         "padding", 14, radius=0)

picture.path([(left, 60), (left + PITCH * SCALE, 60)])
for x in (left, left + PITCH * SCALE):
    picture.path([(x, 54), (x, 66)])
picture.text(left + PITCH * SCALE / 2, 50, "pitch: 512 bytes, from one row to the next", size=14,
             anchor="middle", strong=True)

picture.path([(left, 246), (left + PIXEL_BYTES * SCALE, 246)], "host")
for x in (left, left + PIXEL_BYTES * SCALE):
    picture.path([(x, 240), (x, 252)], "host")
picture.text(left + PIXEL_BYTES * SCALE / 2, 270, "width: 100 pixels, 300 bytes", "host", 14, "middle",
             strong=True)
picture.lines(left + PIXEL_BYTES * SCALE + 22, 258,
              ["row r begins at byte r * 512", "of the address, as bytes"], size=13, role="note")

print(picture)
