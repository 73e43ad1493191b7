import struct

import numpy as np

from kinetune.kernels import words as word_kernels


def test_the_instructions_say_what_python_says():
    text = np.frombuffer(b"12 .5\n-7\x00\t" * 20, np.uint8).copy()
    for place in (0, 3, 17):
        raw = text.tobytes()
        *found, double = word_kernels.describe(text, np.int64(place))
        assert struct.pack("<d", double) == raw[place : place + 8]
        word = int.from_bytes(raw[place : place + 8], "little")
        block = raw[place : place + 64]
        assert [int(x) for x in found] == [
            word,
            sum((byte <= 32) << k for k, byte in enumerate(block)),
            (word & -word).bit_length() - 1,
            word.bit_count(),
            64 - word.bit_length(),
            word * word >> 64,
        ]
        assert text.tobytes()[place + 8 : place + 16] == raw[place : place + 8]


def test_no_bit_is_set():
    found = word_kernels.describe(np.zeros(128, np.uint8), np.int64(0))
    assert [int(x) for x in found[2:5]] == [64, 0, 64]
