"""Which sectors a warp touches: neighbours, shifted neighbours, and strides."""
from svg import Picture, facts

measured = {row["case"]: int(row["load_sectors"]) for row in facts("sectors")}
CASES = [("stride 1", "32 neighbours", 0, 4), ("shifted by one float", "shifted by one float", 4, 4),
         ("stride 2", "every second float", 0, 8), ("stride 4", "every fourth float", 0, 16)]

picture = Picture(
    760, 332, "The sectors that one warp touches",
    "Memory is drawn as sectors of 32 bytes. 32 threads that read 32 neighbouring floats touch 4 "
    "sectors; shifted by one float, 5; every second float, 8; every fourth float, 16. The useful "
    "bytes are 128 in every case.")

picture.text(24, 34, "A warp reads 32 floats: 128 useful bytes, whole sectors of 32 bytes move", size=16,
             strong=True)
LEFT, SECTOR = 190, 26
for index, (case, words, offset, step) in enumerate(CASES):
    y = 62 + 62 * index
    count = measured[case]
    picture.text(24, y + 24, words, size=14)
    for sector in range(16):
        touched = sector < count
        picture.box(LEFT + SECTOR * sector, y, SECTOR, 36, "used" if touched else "free", 0)
    for thread in range(32):
        byte = offset + thread * step
        picture.box(LEFT + SECTOR * byte / 32, y + 24, SECTOR / 8 - 0.8, 12, "amber", 0, plain=True)
    picture.text(LEFT + SECTOR * 16 + 16, y + 24, f"{count} sectors", size=15, strong=True)
picture.text(24, 316, "Blue: sectors that move. Amber: the floats that were asked for. Sectors as "
             "counted by the hardware of an H200.", "note", 13)

print(picture)
