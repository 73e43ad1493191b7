"""Nothing is compiled in the foreground: reading and writing use only what warming up has compiled."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.formats.angles import euler_kernels
from kinetune.formats.text import digit_kernels, number_kernels
from tests.formats.bvh.bvh_text import SMALL

KERNELS = (number_kernels.parse, digit_kernels.print_rows, euler_kernels.quaternions)


@pytest.mark.parametrize("kernel", KERNELS, ids=["parse", "print", "turn"])
def test_one_signature_serves_all(tmp_path, monkeypatch, kernel):
    for module in (number_kernels, digit_kernels, euler_kernels):
        module.warm_up()
    monkeypatch.setenv("KINETUNE_COMPILED", "always")
    path = tmp_path / "a.bvh"
    path.write_text(SMALL)
    clip = kt.read(path)
    for part in (clip, clip[::2], clip[1:], clip.replace(rotations=np.array(clip.rotations[::-1]))):
        kt.read(kt.write(part, tmp_path / "b.bvh"))
    assert len(kernel.signatures) == 1
