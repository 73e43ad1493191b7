"""How a valid file is made hostile. Each mutation takes bytes and a source of randomness, and gives other bytes."""

from __future__ import annotations

import copy
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

Mutation = Callable[[bytes, Random], bytes]

NUMBERS = (
    *(b"0", b"-0", b"-1", b"1", b"2", b"255", b"65536", b"2147483648", b"4294967295", b"9223372036854775808"),
    *(b"1000000", b"1000000000", b"1e9", b"1e12", b"1e30", b"1e150", b"1e308", b"1e309", b"-1e308", b"1e-9", b"1e-320"),
    *(b"nan", b"inf", b"-inf", b"NaN", b"Infinity", b"1" * 30, b"9" * 400, b"0." + b"1" * 400, b"1e99999999999"),
    *(b".", b"-", b"+", b"e", b"1e", b"--1", b"0x10", b"1_000", b"1,5", b"1.2.3", "٣".encode(), "½".encode(), b""),
)
ODD = (
    *(
        b"\0",
        b"\x1b[31m",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        "\u2028".encode(),
        "\u202e".encode(),
        b"\r",
        b"\t",
        b"\\",
        b'"',
    ),
    *(b"'", b"%s%n", b"{", b"}", b"[", b"]", b"<", b">", b"&", b":", b",", b";", b"#", b"../../etc/passwd", b"x" * 300),
)
_LARGE = 200_000
"""Bytes that a line is repeated to at most: five seconds are the limit of a small file."""
_number = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+")
_word = re.compile(rb"[A-Za-z_:]+")


# --- bytes


def mutate_bytes(data: bytes, rng: Random) -> bytes:
    """Flip, delete, insert, repeat and cut bytes, knowing nothing of the format."""
    mutated = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(mutated) + 1)
        match rng.randrange(8):
            case 0:
                if at < len(mutated):
                    mutated[at] ^= 1 << rng.randrange(8)
            case 1:
                if at < len(mutated):
                    mutated[at] = rng.choice((0, 1, 127, 128, 255))
            case 2:
                del mutated[at : at + rng.choice((1, 4, 64))]
            case 3:
                mutated[at:at] = rng.choice(ODD)
            case 4:
                mutated[at:at] = mutated[at : at + rng.choice((1, 16, 256))] * rng.choice((1, 2, 50))
            case 5:
                width = rng.choice((2, 4, 8))
                mutated[at : at + width] = rng.choice((0, 1, 2**31 - 1, 2**16, 10**9, -1)).to_bytes(
                    8, "little", signed=True
                )[:width]
            case 6:
                other = rng.randrange(len(mutated) + 1)
                mutated[at : at + 32] = mutated[other : other + 32]
            case 7:
                del mutated[at:]
    return bytes(mutated)


# --- text


def mutate_text(*words: bytes, comment: bytes = b"#") -> Mutation:
    """Mutate lines, numbers and words of a text format; ``words`` are those that mean something in it."""

    def mutate(data: bytes, rng: Random) -> bytes:
        for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
            data = rng.choice(edits)(data, rng)
        return data

    def change_number(data: bytes, rng: Random) -> bytes:
        return _replace_one(_number, data, rng, rng.choice(NUMBERS))

    def change_word(data: bytes, rng: Random) -> bytes:
        return _replace_one(_word, data, rng, rng.choice((*words, *ODD, b"")))

    def insert(data: bytes, rng: Random) -> bytes:
        at = rng.randrange(len(data) + 1)
        return data[:at] + rng.choice((*words, *ODD, *NUMBERS, comment)) + data[at:]

    edits: Sequence[Mutation] = (
        *(change_number, change_number, change_number, change_word, change_word, insert, insert),
        *(_change_lines, _change_lines, _repeat_block, _cut, _recode, mutate_bytes),
    )
    return mutate


def _replace_one(pattern: re.Pattern[bytes], data: bytes, rng: Random, new: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    match = pattern.search(data, start) or pattern.search(data)
    return data if match is None else data[: match.start()] + new + data[match.end() :]


def _change_lines(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at : at + rng.choice((1, 1, 2, 5))]
        case 1:
            lines.insert(at, rng.choice(lines) if lines else b"")
        case 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = b" ".join(lines[at : at + 3])
        case 4:
            lines[at] *= min(rng.choice((2, 3, 100)), max(1, _LARGE // max(1, len(lines[at]))))
    return b"\n".join(lines)


def _repeat_block(data: bytes, rng: Random) -> bytes:
    """Many copies of a part: counts, depths and sizes beyond what anybody writes."""
    start = rng.randrange(len(data) + 1)
    block = data[start : start + rng.choice((1, 8, 40, 200))]
    most = max(1, 40_000 // max(1, len(block)))
    return data[:start] + block * rng.randrange(1, most + 1) + data[start:]


def _cut(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] if rng.random() < 0.8 else data[at:]


def _recode(data: bytes, rng: Random) -> bytes:
    text = data.decode("latin-1")
    match rng.randrange(5):
        case 0:
            return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" ", b"\x85")))
        case 1:
            return text.encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7")))
        case 2:
            return data.upper() if rng.random() < 0.5 else data.lower()
        case 3:
            return data.replace(b".", b",")
        case _:
            return data.replace(
                rng.choice((b" ", b"\t", b",", b":", b"{", b"}")), rng.choice((b"", b"  ", b"\t", b";"))
            )


# --- JSON

_LARGEST = 1_000_000
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 3, 2**31, 2**63, 10**30, 1e308, 0.5, float("nan"), float("inf"), "", "x", "ä\ud800"),
    *([], {}, [[]], [None], [0] * 1000, {"a": {}}, "../../x", "data:,", "http://127.0.0.1:9/x", "x" * 500, [1e308] * 4),
)  # fmt: skip


def mutate_json(data: bytes, rng: Random) -> bytes:
    """Put values of another type or size in the place of some, delete some, and repeat some."""
    content = json.loads(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        content = _change_value(content, rng)
    if len(str(content)) > _LARGEST:  # many copies of many copies
        return data
    text = json.dumps(content, ensure_ascii=rng.random() < 0.9).encode("utf-8", "surrogatepass")
    if rng.random() < 0.05:
        text = rng.choice((b"[" * 3000 + text, text[: len(text) // 2], text.replace(b'"', b"'"), text + text))
    return text


def _change_value(content: Any, rng: Random) -> Any:
    holders: list[tuple[Any, Any]] = []
    waiting = [content]
    while waiting:
        value = waiting.pop()
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in pairs:
            holders.append((value, key))
            if len(holders) < 20_000:
                waiting.append(inner)
    if not holders:
        return rng.choice(_VALUES)
    holder, key = rng.choice(holders)
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1:
            holder[key] = copy.deepcopy(rng.choice(holders)[0])
        case 2 if isinstance(holder[key], list) and len(holder[key]) < 100:
            holder[key] = holder[key] * rng.choice((2, 50, 500))
        case 3 if isinstance(holder[key], int | float):
            holder[key] = holder[key] * rng.choice((-1, 1.5, 1000, 10**9)) + rng.choice((0, 1, -1))
        case 4 if isinstance(holder, dict):
            holder[rng.choice(("", "x", "\ud800", *holder))] = rng.choice(_VALUES)
        case _:
            holder[key] = copy.deepcopy(rng.choice(_VALUES))
    return content


# --- containers


def mutate_glb(data: bytes, rng: Random) -> bytes:
    """Mutate the JSON or the numbers inside a GLB, with chunk lengths that still fit."""
    size = struct.unpack_from("<I", data, 12)[0]
    text, binary = data[20 : 20 + size], data[28 + size :]
    if rng.random() < 0.7:
        text = mutate_json(text, rng)
    if rng.random() < 0.4:
        binary = _mutate_floats(binary, rng)
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    glb = struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
    return mutate_bytes(glb, rng) if rng.random() < 0.1 else glb


def _mutate_floats(data: bytes, rng: Random) -> bytes:
    floats = np.frombuffer(data[: len(data) // 4 * 4], "<f4").copy()
    for _ in range(rng.choice((1, 2, 20))):
        if len(floats):
            start = rng.randrange(len(floats))
            floats[start : start + rng.choice((1, 3, 100))] = rng.choice(
                (np.nan, np.inf, 0.0, -1.0, 3e38, 1e-40, 1e11, 1e6, 1e3)
            )
    return floats.tobytes()


_DTYPES = ("<f8", "<f4", "<f2", "<i8", "<u1", "<c16", "<U3", "S5", "?", "<M8[s]", ">f8", "V4", "<U200")


def mutate_npz(data: bytes, rng: Random) -> bytes:
    """Mutate the arrays of an archive, their headers, or the archive itself."""
    if data[:2] != b"PK":
        return _mutate_array(data, rng) if rng.random() < 0.5 else _mutate_header(data, rng)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(list(members))
        match rng.randrange(6):
            case 0:
                del members[name]
            case 1:
                members[name] = _mutate_header(members[name], rng)
            case 2:
                members[rng.choice(list(members))] = members[name]
            case 3:
                members[name] = mutate_bytes(members[name], rng)
            case _:
                members[name] = _mutate_array(members[name], rng)
        if not members:
            break
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return mutate_bytes(packed.getvalue(), rng) if rng.random() < 0.15 else packed.getvalue()


def _mutate_header(member: bytes, rng: Random) -> bytes:
    old = re.search(rb"'shape': \([^)]*\)|'descr': '[^']*'|'fortran_order': \w+", member[:200])
    choices = (
        *(b"'shape': (1000000000,)", b"'shape': (-1,)", b"'shape': ()", b"'shape': (0, 3)", b"'shape': (1e9,)"),
        *(b"'shape': (3, 3, 3, 3)", b"'descr': '|O'", b"'descr': '<U99999999'", b"'descr': [('a', '<f8')]"),
        *(b"'fortran_order': True", b"'fortran_order': 7", b"'shape': ([],)", b"'shape': 99999999999999999999"),
    )  # fmt: skip
    if old is None:
        return member
    return member[: old.start()] + rng.choice(choices) + member[old.end() :]


def _mutate_array(member: bytes, rng: Random) -> bytes:
    try:
        array = np.lib.format.read_array(io.BytesIO(member), allow_pickle=False)
        match rng.randrange(6):
            case 0:
                array = array.astype(rng.choice(_DTYPES))
            case 1:
                array = array.reshape(-1)[: rng.randrange(array.size + 1)]
            case 2:
                array = np.repeat(np.atleast_1d(array), rng.choice((0, 2, 50)), axis=0)
            case 3:
                array = rng.choice((array.T, array[None], array.reshape(-1), np.zeros(0), np.float64(3.0)))
            case 4:
                array = np.zeros((rng.choice((10, 1_000, 300_000)), *array.shape[1:]), array.dtype)
            case _:
                flat = np.array(array).reshape(-1)
                if flat.size and flat.dtype.kind in "iuf":
                    odd = (
                        rng.choice((-1, 0, 127)) if flat.dtype.kind in "iu" else rng.choice((np.nan, np.inf, 1e300, 0))
                    )
                    flat[rng.randrange(flat.size)] = odd
                elif flat.size and flat.dtype.kind == "U":
                    text = str(flat[0])
                    flat = np.array([mutate_json(text.encode(), rng).decode("utf-8", "replace"), *flat[1:]])
                array = flat.reshape(np.shape(array)) if flat.size == np.size(array) else flat
    except Exception:  # an earlier mutation broke it
        return member
    if np.asarray(array).nbytes > 1 << 24:
        return member
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), allow_pickle=False)
    return out.getvalue()
