"""Working memory that is kept between calls."""

import threading

import numpy as np
import pytest

from kinetune.kernels.arena import Arena, Spare


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_spare_array_begins_at_a_cache_line_and_is_kept(kind):
    spare = Spare()
    first = spare.array(100, np.dtype(kind))
    assert first.dtype == kind
    assert first.size >= 100
    assert first.ctypes.data % 64 == 0
    assert spare.array(40, np.dtype(kind)) is first
    assert spare.array(200, np.dtype(kind)).size >= 200


def test_what_is_too_large_is_not_kept():
    spare = Spare()
    large = spare.array(3 << 20, np.dtype(float))
    assert spare.array(3 << 20, np.dtype(float)) is not large
    assert spare.array(10, np.dtype(float)).size < 1000


def test_each_thread_has_its_own():
    spare = Spare()
    here = spare.array(10, np.dtype(float))
    there = []
    thread = threading.Thread(target=lambda: there.append(spare.array(10, np.dtype(float))))
    thread.start()
    thread.join()
    assert not np.shares_memory(here, there[0])


def test_several_arrays_at_once_do_not_overlap():
    arena = Arena()
    for _ in range(2):  # fresh ones first, then from the memory that is kept
        with arena.session():
            arrays = arena.several(5, 16, 1)
            assert [array.size for array in arrays] == [5, 16, 1]
            for number, array in enumerate(arrays):
                array.fill(number)
            assert [set(array.tolist()) for array in arrays] == [{0.0}, {1.0}, {2.0}]
    assert all(array.ctypes.data % 64 == 0 for array in arrays)
    assert np.shares_memory(arrays[0].base, arrays[2].base)
