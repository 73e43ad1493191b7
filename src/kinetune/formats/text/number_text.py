"""Text files and their columns of numbers, in and out: exact, and as fast as the bytes can be read.

Reading rounds every number as ``float()`` does. Writing prints every number as ``"%.6f"`` does, ties and ``-0.0``
included. Both have a plain Python body and a compiled one that give the same answer to the last bit.

A text of numbers is what motion files hold: numbers between blanks (any byte up to 32), one row to a line. Numbers that
touch (``0.0-7.5``) are separated by the sign. ``nan``, ``inf`` and numbers beyond the range of doubles are no numbers.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import MalformedFileError
from kinetune.input_files import read_input
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

CHUNK = 1 << 19
"""Bytes that are read at a time: they stay in the processor's cache while they are parsed."""

LARGEST_NUMBER = 1e12
"""A larger number in a file cannot be meant."""

MOST_DECIMALS = 17
_PAD = 64
_USUAL_DECIMALS = 6
_TINY = 1e-12
_LONGEST_EXPONENT = 9  # digits; a number with more is 0 or has zeros in front
_LARGEST = 2.0**53
_PYTHON_S_PER_BYTE = 4e-8
_PYTHON_S_PER_NUMBER = 2.5e-7

_TO_BLANKS = bytes(c if c > 32 or c == 10 else 32 for c in range(256))
_NUMBER = rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_ONE = re.compile(_NUMBER)
_GLUED = re.compile(rb"%s(?:(?=[+-])%s)*" % (_NUMBER, _NUMBER))
_FRACTION = re.compile(rb"\.(\d*)")
_WORD = re.compile(rb"[^\x00-\x20]+")

_reading = Kernels("kinetune.formats.text.number_kernels")
_writing = Kernels("kinetune.formats.text.digit_kernels")


@dataclass(frozen=True)
class ParsedNumbers:
    """What a text of numbers holds.

    values : (numbers,) in the order of the text, up to the first word that is no number.
    decimals : the most digits after a point, exponents taken into account (numbers below 1e-12 that have one do not
        count).
    glued : how many numbers touch the one before them.
    irregular : whether some row does not end with its line, or the last one is not complete.
    bad : where the first word that is no number begins, counted from the start of the text; None when all are.
    """

    values: Floats
    decimals: int
    glued: int
    irregular: bool
    bad: int | None


def parse_numbers(stream: BinaryIO, size: int, width: int, expected: int | None = None) -> ParsedNumbers:
    """Parse the numbers from where a stream stands to its end.

    Parameters
    ----------
    stream : binary file
        Best without a buffer of its own.
    size : int
        Bytes from here to the end, which bound the memory that is taken.
    width : int
        How many numbers a row should have.
    expected : int, optional
        How many numbers the file declares.
    """
    fast = _reading.get(size * _PYTHON_S_PER_BYTE)
    if fast is None:
        return _parse_python(stream.read(), width)
    chunk = min(CHUNK, max(size + 1, 256))
    bound = _most_numbers(size)
    parser = _Parser(fast, width, _most_numbers(chunk) + (bound if expected is None else min(expected, bound)))
    return parser.parse(stream, chunk)


def _most_numbers(size: int) -> int:
    """How many numbers so many bytes can hold: a digit and a blank are the least, and some are written in advance."""
    return size // 2 + 16


class _Parser:
    """Feeds text to the compiled parser, piece by piece; no piece ends within a word."""

    def __init__(self, fast: Any, width: int, room: int) -> None:
        self.fast = fast
        self.width = width
        self.out = np.empty(room)
        self.filled = 0
        self.offset = 0  # bytes parsed so far
        self.bad: int | None = None
        self.tally = np.zeros(fast.SLOTS, np.int64)
        self.tally[fast.USUAL] = _USUAL_DECIMALS

    def feed(self, text: NDArray[np.uint8], start: int, stop: int) -> None:
        """Parse a piece of a text that goes on for some bytes on both sides."""
        room = _most_numbers(stop - start)
        if len(self.out) - self.filled < room:
            self.out = np.concatenate([self.out[: self.filled], np.empty(max(self.filled // 2, room))])
        undecided = np.empty(((stop - start) // 4 + 1, 3), np.int64)
        self.tally[self.fast.UNDECIDED] = 0
        self.filled, wrong = self.fast.parse(
            text, start, stop, self.width, self.out, self.filled, self.tally, undecided
        )
        for index, begin, end in undecided[: self.tally[self.fast.UNDECIDED]].tolist():
            self.out[index] = float(text[begin:end].tobytes())
        if wrong >= 0:
            self.bad = self.offset + wrong - start
        self.offset += stop - start

    def parse(self, stream: BinaryIO, chunk: int) -> ParsedNumbers:
        """Parse all that the stream has."""
        text = np.full(chunk + 2 * _PAD, 32, np.uint8)
        view = text.data
        carried = 0  # bytes of a word that goes on in the next piece
        while self.bad is None:
            got = stream.readinto(view[_PAD + carried : _PAD + chunk])  # type: ignore[attr-defined]
            end = _PAD + carried + got
            stop = _after_last_blank(view, _PAD, end) if got else end
            if stop == _PAD and got and end == _PAD + chunk:
                self.bad = self.offset  # a word as long as the chunk
                break
            self.feed(text, _PAD, stop)
            if got == 0:
                break
            carried = end - stop
            text[_PAD : _PAD + carried] = text[stop:end]
        tally = self.tally.tolist()
        return ParsedNumbers(
            self.out[: self.filled].copy() if len(self.out) > 1.25 * self.filled else self.out[: self.filled],
            tally[self.fast.DECIMALS],
            tally[self.fast.GLUED],
            tally[self.fast.IRREGULAR] > 0 or tally[self.fast.ROW] != 0,
            self.bad,
        )


def _after_last_blank(text: memoryview, start: int, end: int) -> int:
    """Where the last word before ``end`` begins, which may go on after it; ``end`` after a blank."""
    for length in (512, end - start):
        begin = max(start, end - length)
        blank = bytes(text[begin:end]).translate(_TO_BLANKS).replace(b"\n", b" ").rfind(b" ")
        if blank >= 0:
            return begin + blank + 1
    return start


def _parse_python(text: bytes, width: int) -> ParsedNumbers:
    text = text.translate(_TO_BLANKS)
    rows = [row.split() for row in text.split(b"\n")]
    count, irregular = 0, False
    for row in rows:
        irregular |= bool(row) and count % width + len(row) > width
        count += len(row)
    irregular |= count % width != 0
    try:
        values = np.array(list(map(float, itertools.chain.from_iterable(rows))), dtype=float)
    except ValueError:
        return _parse_one_by_one(text, irregular)
    if b"_" in text or b"e" in text or b"E" in text or not np.isfinite(values).all():
        return _parse_one_by_one(text, irregular)
    return ParsedNumbers(values, max(map(len, _FRACTION.findall(text)), default=0), 0, irregular, None)


def _parse_one_by_one(text: bytes, irregular: bool) -> ParsedNumbers:
    """Parse a text that has exponents, numbers that touch, or words that are no numbers."""
    values: list[float] = []
    decimals = glued = 0
    for word in _WORD.finditer(text):
        parts = _ONE.findall(word.group()) if _GLUED.fullmatch(word.group()) else []
        numbers = [float(part) for part in parts]
        if not numbers or not np.isfinite(numbers).all():
            return ParsedNumbers(np.array(values), decimals, glued, irregular, word.start())
        values.extend(numbers)
        glued += len(numbers) - 1
        decimals = max(decimals, *map(_count_decimals, parts))
    return ParsedNumbers(np.array(values), decimals, glued, irregular, None)


def _count_decimals(number: bytes) -> int:
    """How many digits after the point a number needs; ``1.5e-3`` needs four."""
    mantissa, _, exponent = number.lower().partition(b"e")
    printed = len(mantissa.partition(b".")[2])
    if not exponent.strip(b"+-0"):
        return printed
    if abs(float(number)) < _TINY or len(exponent) > _LONGEST_EXPONENT:
        return 0
    return max(0, printed - int(exponent))


def count_numbers(line: bytes, glued: bool) -> int:
    """How many numbers a line of good ones holds; slower where some may touch."""
    return len(_ONE.findall(line)) if glued else len(line.translate(_TO_BLANKS).split())


def print_numbers(values: Floats, decimals: int, newline: str = "\n") -> memoryview:
    r"""Rows of numbers as text: blanks between them, a line end after each row.

    Law: byte for byte what ``"%.*f" % (decimals, value)`` prints
    (``test_number_text.py::test_printing_is_what_percent_prints``).

    Parameters
    ----------
    values : array, shape (rows, columns)
        Finite.
    decimals : int
        Digits after the point, 0 to 17.
    newline : str
        What ends a row, ``"\n"`` or ``"\r\n"``.
    """
    values = np.ascontiguousarray(values, dtype=float)
    rows, columns = values.shape
    if columns == 0 or rows == 0:
        return memoryview(newline.encode() * rows)
    fast = _writing.get(values.size * _PYTHON_S_PER_NUMBER)
    largest = max(float(values.max()), -float(values.min()))
    if fast is None or largest >= _LARGEST:
        line = " ".join([f"%.{decimals}f"] * columns) + newline
        return memoryview("".join([line % tuple(row) for row in values.tolist()]).encode())
    ends = np.frombuffer(newline.encode(), np.uint8)
    longest = len(str(int(largest) + 1)) + decimals + 3  # sign, point and the blank after it
    text = np.empty(rows * (columns * longest + len(ends)) + _PAD, np.uint8)
    bits = values.view(np.uint64)
    bits.setflags(write=False)  # a kernel is compiled for each kind of array, so there is only one kind
    size = fast.print_rows(bits, decimals, ends, text)
    return text[:size].data


# --- any text and any numbers


def decode_text(data: bytes) -> tuple[str, str]:
    """Text and its encoding: UTF-8 with or without a byte order mark, else Latin-1."""
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def read_text(path: Path, kind: str) -> str:
    """The text of a file; ``kind`` names what it should be, such as "AMC", when it is binary instead."""
    data = read_input(path)
    if b"\0" in data[:65536]:
        raise MalformedFileError(path, f"this is a binary file, not {kind} text.", advice="Was it renamed by mistake?")
    return decode_text(data)[0]


def usable(values: Floats) -> NDArray[np.bool_]:
    """Whether each number is finite and so small (below :data:`LARGEST_NUMBER`) that arithmetic does not overflow."""
    return np.abs(values) < np.float64(LARGEST_NUMBER)  # NaN compares as False; a small type does not hold the limit
