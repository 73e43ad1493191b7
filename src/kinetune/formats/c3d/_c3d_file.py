"""Points of a C3D file: header, parameters and frames, from any of the three processors that wrote them.

A file is made of blocks of 512 bytes. The first one is a header of 16-bit words, which names the first block of the
parameters; these begin with the processor: 84 Intel, 85 DEC (VAX floats), 86 SGI (big-endian). Frames follow, four
numbers a point (x, y, z and a word for residual and cameras), then the analog samples of the frame. A negative scale
means floats, else 16-bit integers to be multiplied by it. A negative residual marks a point that was not seen.

Damaged files are common. Counts are checked against the bytes that stand behind them; parameters end at the first
record that cannot be one, and what is missing then is taken from the header.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import MalformedFileError
from kinetune.formats.text.number_text import LARGEST_NUMBER
from kinetune.input_files import read_input
from kinetune.rotations import Floats

BLOCK = 512
_KEY = 0x50
_INTEL, _DEC, _SGI = 84, 85, 86
_MOST_PARAMETERS = 20_000
_LONGEST_S = 1e7
_TYPES = {-1: 1, 1: 1, 2: 2, 4: 4}  # bytes of a value: text, byte, integer, float


@dataclass(frozen=True)
class C3dPoints:
    """What a C3D file says about its points.

    Parameters
    ----------
    labels : tuple of str
        One for each point; "point 3" where the file has none.
    positions : array, shape (frames, points, 3)
        In the unit and axes of the file; NaN where a point was not seen.
    rate : float
        Frames per second.
    unit : str
        Such as "mm"; empty where the file does not say.
    up : str
        The axis of the file that points up, such as "+Z"; empty where it does not say.
    first_frame : int
        The number of the first frame in the recording.
    notes : tuple of str
        What was damaged or unusual, one sentence each.
    events : tuple of (float, str)
        When something happened, in frames from the first one, and what: "left foot strike".
    analog : int
        How many samples of analog channels each frame has, which are not read.
    """

    labels: tuple[str, ...]
    positions: Floats
    rate: float
    unit: str
    up: str
    first_frame: int
    notes: tuple[str, ...] = ()
    events: tuple[tuple[float, str], ...] = ()
    analog: int = 0


@dataclass
class _Bytes:
    """Numbers as one processor writes them."""

    data: bytes
    processor: int = _INTEL
    notes: list[str] = field(default_factory=list)

    @property
    def order(self) -> str:
        return ">" if self.processor == _SGI else "<"

    def unsigned(self, at: int) -> int:
        return int(struct.unpack_from(f"{self.order}H", self.data, at)[0])

    def floats(self, raw: bytes) -> Floats:
        if self.processor != _DEC:
            return np.frombuffer(raw, f"{self.order}f4").astype(float)
        words = np.frombuffer(raw, "<u2").reshape(-1, 2)
        swapped = (words[:, 0].astype(np.uint32) << 16) | words[:, 1]
        values: Floats = swapped.view(np.float32).astype(float) / 4.0
        return values

    def integers(self, raw: bytes) -> NDArray[Any]:
        return np.frombuffer(raw, f"{self.order}i2")


def read_points(path: Path) -> C3dPoints:
    """The points of a C3D file."""
    data = read_input(path)
    if len(data) < 2 * BLOCK or data[1] != _KEY:
        raise MalformedFileError(path, "this is not a C3D file.", advice="Was it renamed by mistake?")
    reader = _Bytes(data)
    start = max(data[0], 2) - 1
    if start * BLOCK + 4 > len(data):
        start = 1
    reader.processor = data[start * BLOCK + 3]
    if reader.processor not in (_INTEL, _DEC, _SGI):
        reader.notes.append(f"The file states an unknown processor ({reader.processor}); it is read as Intel's.")
        reader.processor = _INTEL
    parameters = _read_parameters(reader, start * BLOCK)
    return _read_frames(path, reader, parameters)


# --- parameters

Parameters = dict[tuple[str, str], Any]


def _read_parameters(reader: _Bytes, start: int) -> Parameters:
    """Values by (group, name), both in capitals."""
    data = reader.data
    groups: dict[int, str] = {}
    values: dict[tuple[int, str], Any] = {}
    at = start + 4
    for _ in range(_MOST_PARAMETERS):
        if at + 4 > len(data):
            break
        length, group = struct.unpack_from("bb", data, at)
        length = abs(length)
        if length == 0 or group == 0:
            break
        name = data[at + 2 : at + 2 + length].decode("latin-1").strip().upper()
        body = at + 2 + length
        if body + 3 > len(data) or not name.isprintable():
            reader.notes.append("The parameters end in damaged records, which are left out.")
            break
        step = reader.unsigned(body)
        if group < 0:
            groups[-group] = name
            finish = body + 3 + data[body + 2]
        else:
            parsed = _value(reader, body + 2)
            if parsed is None:
                reader.notes.append(f"The parameter {name} is damaged; those after it are left out.")
                break
            values[group, name], finish = parsed
            finish += 1 + (data[finish] if finish < len(data) else 0)
        if step == 0:
            break
        at = body + step
        if at < finish - 1 or at > len(data):  # the distance to the next record is wrong
            reader.notes.append(f"The parameter {name} does not lead to the next one; its own length is used.")
            at = finish
    return {(groups.get(group, ""), name): value for (group, name), value in values.items()}


def _value(reader: _Bytes, at: int) -> tuple[Any, int] | None:
    """(value, where it ends): a list of texts, or an array of numbers."""
    data = reader.data
    if at + 2 > len(data):
        return None
    kind, count = struct.unpack_from("bB", data, at)
    sides = list(data[at + 2 : at + 2 + count])
    begin = at + 2 + count
    size = math.prod(sides) * _TYPES.get(kind, 0)
    if kind not in _TYPES or count > 7 or len(sides) != count or begin + size > len(data):
        return None
    raw = data[begin : begin + size]
    if kind == -1:
        width = sides[0] if sides else 1
        texts = [raw[k : k + width] for k in range(0, len(raw), width)] if width else []
        return [text.decode("latin-1").rstrip(" \0") for text in texts], begin + size
    if kind == 1:
        return np.frombuffer(raw, np.int8), begin + size
    return (reader.integers(raw) if kind == 2 else reader.floats(raw)), begin + size


def _number(parameters: Parameters, group: str, name: str) -> float | None:
    value = parameters.get((group, name))
    if isinstance(value, np.ndarray) and value.size >= 1 and np.isfinite(value[0]):
        return float(value[0])
    return None


def _text(parameters: Parameters, group: str, name: str) -> str:
    value = parameters.get((group, name))
    return value[0].strip() if isinstance(value, list) and value else ""


def _labels(parameters: Parameters, count: int) -> list[str]:
    """The labels of all points; those beyond 255 are in LABELS2, LABELS3 ..."""
    labels: list[str] = []
    for number in range(1, 300):
        more = parameters.get(("POINT", "LABELS" if number == 1 else f"LABELS{number}"))
        if not isinstance(more, list):
            break
        labels += more
    labels = [label.strip() for label in labels[:count]]
    labels += [""] * (count - len(labels))
    return [label or f"point {number}" for number, label in enumerate(labels, 1)]


# --- frames


def _read_frames(path: Path, reader: _Bytes, parameters: Parameters) -> C3dPoints:
    data = reader.data
    count = reader.unsigned(2)
    used = _number(parameters, "POINT", "USED")
    if used is not None and 0 <= used < 65536 and int(used) != count:
        count = int(used)
    analog = reader.unsigned(4)
    first, last = reader.unsigned(6), reader.unsigned(8)
    scale = float(reader.floats(data[12:16])[0])
    file_scale = _number(parameters, "POINT", "SCALE")
    scale = file_scale if file_scale is not None and file_scale != 0 else scale
    rate = _number(parameters, "POINT", "RATE") or float(reader.floats(data[20:24])[0])
    if count == 0:
        raise MalformedFileError(path, "it holds no points, only analog channels.", advice="Export the markers too.")
    if not (math.isfinite(rate) and 0 < rate < 1e6):
        raise MalformedFileError(path, "its frame rate is not a positive number.", advice="Give another with fps=.")
    if not math.isfinite(scale) or scale == 0:
        raise MalformedFileError(path, "its scale is not a number, so its points cannot be read.")
    start = reader.unsigned(16)
    noted = _number(parameters, "POINT", "DATA_START")
    if start < 2 and noted is not None:
        start = int(noted)
    if start < 2 or (start - 1) * BLOCK >= len(data):
        raise MalformedFileError(path, "the block at which its frames begin lies outside the file.")
    size = 4 if scale < 0 else 2
    row = size * (4 * count + analog)
    body = data[(start - 1) * BLOCK :]
    frames = _frame_count(parameters, first, last)
    there = len(body) // row
    if frames <= 0 or frames > there:
        if frames > there:
            reader.notes.append(f"The file declares {frames} frames but holds {there}.")
        frames = there
    if frames == 0:
        raise MalformedFileError(path, "it holds no complete frame.", advice="It may be cut off; copy it again.")
    table = _table(reader, body[: frames * row], frames, size)[:, : 4 * count].reshape(frames, count, 4)
    positions = table[..., :3] * (1.0 if scale < 0 else scale)
    seen = (table[..., 3] >= 0) & np.all(np.abs(positions) < LARGEST_NUMBER, axis=2)
    positions = np.where(seen[..., None], positions, np.nan)
    up = _text(parameters, "POINT", "Y_SCREEN").upper()
    labels = tuple(_labels(parameters, count))
    unit = _text(parameters, "POINT", "UNITS")
    events = _events(parameters, rate, first)
    return C3dPoints(labels, positions, rate, unit, up, first, tuple(reader.notes), events, analog)


def _events(parameters: Parameters, rate: float, first: int) -> tuple[tuple[float, str], ...]:
    """The group EVENT: labels, sides, and times in minutes and seconds since frame 1 of the recording."""
    labels, contexts, times = (parameters.get(("EVENT", name)) for name in ("LABELS", "CONTEXTS", "TIMES"))
    if not isinstance(labels, list) or not isinstance(times, np.ndarray) or times.dtype.kind != "f":
        return ()
    events = []
    for number, (label, (minutes, seconds)) in enumerate(
        zip(labels, times[: times.size // 2 * 2].reshape(-1, 2), strict=False)
    ):
        at = 60.0 * float(minutes) + float(seconds)
        side = contexts[number].strip() if isinstance(contexts, list) and number < len(contexts) else ""
        named = " ".join(word for word in (side if side.lower() in ("left", "right") else "", label.strip()) if word)
        if named and 0.0 <= at < _LONGEST_S:
            events.append((at * rate - max(0, first - 1), named.lower()))
    return tuple(sorted(events))


def _table(reader: _Bytes, raw: bytes, frames: int, size: int) -> Floats:
    if size == 2:
        return reader.integers(raw).reshape(frames, -1).astype(float)
    with np.errstate(invalid="ignore", over="ignore"):
        return reader.floats(raw).reshape(frames, -1)


def _frame_count(parameters: Parameters, first: int, last: int) -> int:
    """How many frames: 32 bits in TRIAL, where a recording is too long for the 16 of the header."""
    ends = [parameters.get(("TRIAL", f"ACTUAL_{end}_FIELD")) for end in ("START", "END")]
    if all(isinstance(end, np.ndarray) and end.size >= 2 and end.dtype.kind == "i" for end in ends):
        begin, finish = (int(end[0]) % 65536 + 65536 * (int(end[1]) % 65536) for end in ends)  # type: ignore[index]
        if finish >= begin > 0:
            return finish - begin + 1
    noted = _number(parameters, "POINT", "FRAMES")
    count = last - first + 1
    if last == 65535 and noted is not None and noted > count:
        return int(noted)
    return count
