"""Binary frames."""

import json
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kinetune.studio.protocol.wire import pack, plain_json, unpack


@given(st.text(max_size=40), st.lists(st.integers(0, 7), max_size=3))
def test_a_frame_gives_its_header_and_arrays_back(word, counts):
    arrays = {f"a{n}": np.arange(count * 3, dtype=float).reshape(count, 3) for n, count in enumerate(counts)}
    header, found = unpack(pack({"type": word}, arrays))
    assert header["type"] == word
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_arrays_begin_at_multiples_of_eight_bytes():
    frame = pack({"type": "motion"}, {"a": np.ones(3), "b": np.ones((1, 1))})
    (length,) = struct.unpack_from("<I", frame)
    header = json.loads(frame[4 : 4 + length])
    start = -(-(4 + length) // 8) * 8
    for listed in header["arrays"]:
        assert (start + listed["offset"]) % 8 == 0
    assert len(frame) == start + 16 + 8


def test_what_is_not_a_number_becomes_null():
    assert json.loads(plain_json({"a": [float("nan"), float("inf"), 1.5]})) == {"a": [None, None, 1.5]}
