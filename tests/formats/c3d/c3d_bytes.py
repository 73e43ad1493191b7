"""C3D files as three processors write them, made up for tests."""

import struct

import numpy as np

PROCESSORS = {"intel": 84, "dec": 85, "sgi": 86}


def c3d_bytes(
    labels, points, *, rate=100.0, unit="mm", up="+Z", processor="intel", floats=True, more=(), trial=False, events=()
):
    """The bytes of a file; points (frames, markers, 3) in its unit, NaN where a marker was not seen.

    ``events``: (side, label, minutes, seconds).
    """
    order = ">" if processor == "sgi" else "<"
    frames, count = points.shape[:2]

    def real(value):
        if processor != "dec":
            return struct.pack(f"{order}f", value)
        bits = np.array([value * 4.0], dtype="<f4").view("<u4")[0] if value else 0
        return struct.pack("<HH", bits >> 16, bits & 0xFFFF)

    def word(value):
        return struct.pack(f"{order}H", value % 65536)

    def group(number, name):
        body = bytes([0])
        return struct.pack("bb", len(name), -number) + name.encode() + word(2 + len(body)) + body

    def parameter(number, name, kind, sides, data):
        body = struct.pack("bB", kind, len(sides)) + bytes(sides) + data + bytes([0])
        return struct.pack("bb", len(name), number) + name.encode() + word(2 + len(body)) + body

    def texts(number, name, values):
        width = max(map(len, values))
        return parameter(number, name, -1, [width, len(values)], "".join(v.ljust(width) for v in values).encode())

    scale = -1.0 if floats else float(np.nanmax(np.abs(points)) / 32000.0)
    records = group(1, "POINT") + group(2, "TRIAL")
    records += parameter(1, "USED", 2, [], word(count)) + parameter(1, "SCALE", 4, [], real(scale))
    records += parameter(1, "RATE", 4, [], real(rate)) + texts(1, "UNITS", [unit])
    if up:
        records += texts(1, "X_SCREEN", ["+X"]) + texts(1, "Y_SCREEN", [up])
    for part in range(0, count, 255):
        name = "LABELS" if part == 0 else f"LABELS{part // 255 + 1}"
        records += texts(1, name, list(labels[part : part + 255]))
    if trial:
        records += parameter(2, "ACTUAL_START_FIELD", 2, [2], word(1) + word(0))
        records += parameter(2, "ACTUAL_END_FIELD", 2, [2], word(frames) + word(frames >> 16))
    if events:
        sides, names, minutes, seconds = zip(*events, strict=True)
        records += group(3, "EVENT") + texts(3, "CONTEXTS", sides) + texts(3, "LABELS", names)
        times = b"".join(real(m) + real(s) for m, s in zip(minutes, seconds, strict=True))
        records += parameter(3, "TIMES", 4, [2, len(events)], times)
    records = bytes([1, 0x50, 0, PROCESSORS[processor]]) + records + bytes([0, 0])
    blocks = -(-len(records) // 512)
    records = records[:2] + bytes([blocks]) + records[3:]
    start = 2 + blocks
    header = bytes([2, 0x50]) + word(count) + word(0) + word(1) + word(min(frames, 65535)) + word(0) + real(scale)
    header += word(start) + word(0) + real(rate)
    seen = np.isfinite(points[..., 0])
    table = np.concatenate([np.nan_to_num(points), np.where(seen, 0.0, -1.0)[..., None]], axis=2)
    if floats:
        values = table.astype("<f4")
        if processor == "dec":
            bits = (values * np.float32(4.0)).view("<u4")
            data = np.stack([bits >> 16, bits & 0xFFFF], axis=-1).astype("<u2").tobytes()
        else:
            data = values.astype(f"{order}f4").tobytes()
    else:
        table[..., :3] = np.round(table[..., :3] / scale)
        data = table.astype(f"{order}i2").tobytes()
    return header.ljust(512, b"\0") + records.ljust(blocks * 512, b"\0") + data
