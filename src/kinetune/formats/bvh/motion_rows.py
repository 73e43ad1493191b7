"""The MOTION part of a BVH file: its frame rate, how many rows there really are, and what is wrong with bad ones."""

from __future__ import annotations

import io
import math
import re
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import FASTEST_FPS
from kinetune.errors import MalformedFileError, quoted
from kinetune.findings import Finding, guessed
from kinetune.formats.bvh.channels import Channels
from kinetune.formats.bvh.hierarchy import BvhHeader
from kinetune.formats.file_limits import check_poses
from kinetune.formats.text.number_text import MOST_DECIMALS, ParsedNumbers, count_numbers, parse_numbers, usable
from kinetune.rotations import Floats

_WORD = re.compile(rb"[^\x00-\x20]+")
RATES = (12, 15, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 400, 480, 500, 1000)
BROADCAST_RATES = (23.976, 29.97, 59.94, 119.88, 239.76)
"""Rates of colour television, as people write them."""

ASSUMED_RATE = 30.0
_LONGEST = 10.0  # seconds; a larger "frame time" must be a rate
_LONGEST_NUMBER = 60
_NUMBER = re.compile(r"[+]?(\d*)[.,]?(\d*)(?:[eE]([+-]?\d+))?")


@dataclass(frozen=True)
class BvhRows:
    """Values (frames, channels), the most decimals that a number has, and what was repaired."""

    values: Floats
    decimals: int
    findings: tuple[Finding, ...]


class MotionReader:
    """Reads the rows of one file; ``partial`` keeps the frames before the first bad one instead of raising."""

    def __init__(self, header: BvhHeader, channels: Channels, path: str, partial: bool) -> None:
        self.header = header
        self.channels = channels
        self.path = path
        self.partial = partial
        self.findings: list[Finding] = []

    def read(self, stream: BinaryIO, size: int) -> BvhRows:
        """The motion in a file of ``size`` bytes; one frame in the rest pose when there is none."""
        width = self.channels.width
        if not self.header.complete and not self.partial:
            raise MalformedFileError(
                self.path,
                "the file ends inside the hierarchy or before the word MOTION.",
                advice="Is it cut off? Read it with partial=True (--partial) to get its rest pose.",
            )
        if width == 0:
            self._repair("No joint has a channel, so nothing moves; one frame in the rest pose is read.")
            return BvhRows(np.zeros((1, 0)), 6, tuple(self.findings))
        declared = self.header.frames
        expected = None if declared is None else declared * width
        stream.seek(self.header.numbers_at)
        parsed = parse_numbers(stream, max(size - self.header.numbers_at, 0), width, expected)
        values = parsed.values
        if parsed.bad is not None or parsed.irregular or parsed.glued or len(values) % width:
            stream.seek(self.header.numbers_at)
            values, parsed = self._read_irregular(stream.read(), parsed)
        rows = self._before_far(values.reshape(-1, width))
        check_poses(self.path, len(rows), len(self.header.names), size)
        if len(rows) == 0:
            rows = self._rest_pose()
        elif declared is not None and declared != len(rows):
            self._repair(f"The file declares {declared} frames and has {len(rows)}; all of them are read.")
        return BvhRows(rows, min(parsed.decimals, MOST_DECIMALS), tuple(self.findings))

    def _before_far(self, rows: Floats) -> Floats:
        """The frames before one with a position so large that arithmetic would overflow; any angle is one."""
        columns = [column for joint in self.channels.position_columns for column in joint.values()]
        good = usable(rows[:, columns]).all(axis=1)
        if good.all():
            return rows
        frame = int(np.argmin(good))
        usable_rows = self._keep_before(
            rows.reshape(-1), frame, f"frame {frame} has a position far too large.", None, "Correct it"
        )
        return usable_rows.reshape(-1, self.channels.width)

    def _repair(self, message: str) -> None:
        self.findings.append(Finding("repaired-rows", message))

    def _rest_pose(self) -> Floats:
        """One frame without any rotation, every joint at its offset."""
        if self.header.frames != 0 and not self.partial:
            if self.header.frames is None:
                problem = "the file has no rows of motion."
            else:
                problem = f"the file declares {self.header.frames} frames but has no rows of motion."
            raise MalformedFileError(
                self.path, problem, advice="Is it cut off? Read it with partial=True (--partial) to get its rest pose."
            )
        self._repair("The file has no frames; one frame in the rest pose is read.")
        row = np.zeros((1, self.channels.width))
        for offset, columns in zip(self.header.offsets, self.channels.position_columns, strict=True):
            for axis, column in columns.items():
                row[0, column] = float(offset[axis])
        return row

    def _read_irregular(self, text: bytes, parsed: ParsedNumbers) -> tuple[Floats, ParsedNumbers]:
        """The values of a text that is not one regular row to a line."""
        width = self.channels.width
        if parsed.bad is not None and (mended := self._without_commas(text, parsed.bad)) is not None:
            text = mended
            parsed = parse_numbers(io.BytesIO(text), len(text), width)
        values = parsed.values
        if parsed.glued:
            self._repair(f"{parsed.glued} numbers touch the one before them; their signs separate them.")
        if parsed.bad is not None:
            return self._before_bad_word(text, parsed), parsed
        breaks = b"\n" if b"\n" in text else b"\r"
        lines = text.split(breaks)
        counts = np.array([count_numbers(line, bool(parsed.glued)) for line in lines], dtype=np.intp)
        full = np.flatnonzero(counts)
        if np.all(counts[full] == width):
            return values, parsed
        if 2 * np.count_nonzero(counts[full] == width) >= len(full) and len(full) > 1:
            frame = int(np.argmax(counts[full] != width))
            return self._before_bad_row(values, frame, full, counts), parsed
        if len(values) % width == 0:
            lines_text = "one line" if len(full) == 1 else f"{len(full)} lines"
            self.findings.append(
                Finding("wrapped-rows", f"The {len(values) // width} frames are written on {lines_text}.")
            )
            return values, parsed
        frame = len(values) // width
        if len(full) > 1 and len(set(counts[full].tolist())) == 1:
            frame = 0
        return self._before_bad_row(values, frame, full, counts), parsed

    def _without_commas(self, text: bytes, bad: int) -> bytes | None:
        """The text without its commas, when a comma is what is wrong with a word."""
        word = _WORD.match(text, bad)
        if word is None or not re.search(rb"[,;]", word.group()):
            return None
        if b"." in text[: bad + len(word.group())]:
            self._repair("Commas between the numbers of the motion are read as spaces.")
            return text.replace(b",", b" ").replace(b";", b" ")
        self._repair("Decimal commas in the motion are read as points.")
        return text.replace(b",", b".").replace(b";", b" ")

    def _line_of(self, text: bytes, at: int) -> int:
        """The line of a position in the rows, counted from the start of the file."""
        breaks = b"\n" if b"\n" in text else b"\r"
        return self.header.lines_before + text.count(breaks, 0, at) + 1

    def _before_bad_word(self, text: bytes, parsed: ParsedNumbers) -> Floats:
        assert parsed.bad is not None
        width = self.channels.width
        frame, column = divmod(len(parsed.values), width)
        word = _WORD.match(text, parsed.bad)
        assert word is not None
        shown = word.group()[:40].decode("latin-1")
        if column == 0 and self.header.frames is not None and 0 < self.header.frames <= frame:
            self.findings.append(Finding("trailing-text", f'The text after the last frame is skipped: "{shown}" ...'))
            return parsed.values
        joint, channel = self.channels.channel_at(column)
        problem = (
            f'frame {frame}: {channel} of joint {quoted(self.header.names[joint])} is "{shown}", which is not a number.'
        )
        return self._keep_before(parsed.values, frame, problem, self._line_of(text, parsed.bad), "Correct that line")

    def _before_bad_row(self, values: Floats, frame: int, full: NDArray[np.intp], counts: NDArray[np.intp]) -> Floats:
        """The frames before one whose row has a wrong number of values; ``full`` are the lines that have any."""
        width = self.channels.width
        by_row = frame < len(full) and bool(np.all(counts[full[:frame]] == width))
        line = int(full[frame if by_row else -1])
        count = int(counts[line]) if by_row else len(values) - frame * width
        problem = f"frame {frame} has {count} numbers but the hierarchy declares {width} channels."
        last = frame == len(full) - 1 or not by_row
        question = "Is the last line cut off?" if last else "Correct that line"
        return self._keep_before(values, frame, problem, self.header.lines_before + line + 1, question)

    def _keep_before(self, values: Floats, frame: int, problem: str, line: int | None, advice: str) -> Floats:
        """The frames before a bad one where that is allowed; else the error."""
        if self.partial and frame > 0:
            where = "" if line is None else f"Line {line}: "
            self._repair(f"{where}{problem} Only {_frames_before(frame)} kept.")
            return values[: frame * self.channels.width]
        if not advice.endswith("?"):
            advice += "." if frame == 0 else ","
        if frame > 0:
            remedy = f"read it with partial=True (--partial) to keep {_frames_before(frame).rpartition(' ')[0]}."
            advice += f" or {remedy}" if advice.endswith(",") else f" {remedy[0].upper()}{remedy[1:]}"
        raise MalformedFileError(self.path, problem, line=line, advice=advice)


def _frames_before(frame: int) -> str:
    return "frame 0 is" if frame == 1 else f"frames 0-{frame - 1} are"


# --- frame time


def parse_frame_time(text: str | None) -> tuple[float, tuple[Finding, ...]]:
    """Frames per second that the text of a frame time means: ".0083333" is 120, "0.008342" is 119.88.

    Printed digits are few, so that a usual rate is taken whenever the text could be its frame time, rounded or cut off.
    """
    if not text:
        return ASSUMED_RATE, (guessed("fps", f"The file gives no frame time; {ASSUMED_RATE:g} fps is assumed."),)
    number = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    seconds = float(text.replace(",", ".")) if number and (number.group(1) or number.group(2)) else math.nan
    if number is None or not 1.0 / FASTEST_FPS <= seconds <= FASTEST_FPS:
        message = f'The frame time "{text[:20]}" makes no sense; {ASSUMED_RATE:g} fps is assumed.'
        return ASSUMED_RATE, (guessed("fps", message),)
    if seconds > _LONGEST:
        message = f'The frame time "{text[:20]}" is read as frames per second, since no frame lasts that long.'
        return seconds, (guessed("fps", message),)
    step = 10.0 ** (int(number.group(3) or 0) - len(number.group(2)))  # worth of the last digit
    return _snap_rate(seconds, step), ()


def _snap_rate(seconds: float, step: float) -> float:
    """The rate whose frame time, printed to multiples of ``step``, is ``seconds``."""
    rate = 1.0 / seconds
    whole = round(rate)
    if whole and abs(rate - whole) < 1e-9 * rate:
        return float(whole)
    television = [k * 1000.0 / 1001.0 for k in (24, 30, 60, 120, 240)]
    slack = 1e-12 * seconds
    for rates in (RATES, BROADCAST_RATES, television, (max(whole, 1),)):
        close = [r for r in rates if -slack <= 1.0 / r - seconds < step or abs(1.0 / r - seconds) <= 0.5 * step + slack]
        if close:
            return float(min(close, key=lambda r: abs(1.0 / r - seconds)))
    near = min(RATES, key=lambda r: abs(1.0 / r - seconds))
    if abs(1.0 / near - seconds) < step:  # rounded up
        return float(near)
    return rate


def print_frame_time(fps: float) -> str:
    """A frame time that is read back as this rate, in as few digits as are usual."""
    for digits in (6, 7, 9, 12):
        text = f"{1.0 / fps:.{digits}f}"
        if float(text) > 0 and parse_frame_time(text)[0] == fps:
            return text
    return repr(1.0 / fps) if fps < FASTEST_FPS else f"{1.0 / fps:.17f}"
