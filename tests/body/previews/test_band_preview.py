"""The equalizer for the frames in view gives what the equalizer of the whole clip gives."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.previews.band_preview import BandPreview
from tests.operations import making


@pytest.mark.parametrize("ends", ["held", "mirror", "cycle"])
@pytest.mark.parametrize("window", [(0, 60), (40, 100), (91, 151)])
@pytest.mark.parametrize("root", ["none", "height", "all"])
def test_the_window_is_the_part_of_the_whole(ends, window, root):
    clip = making.walker(151, heading=0.7)
    op = kt.Equalize(
        keep_feet=False,
        limit_knees=False,
        gains=[0.5, 2.0, 1.7, 1.0, 0.2, -1.0],
        groups={"left arm": [3.0, 0.0]},
        ends=ends,
        root=root,
    )
    whole = op(clip)
    mixed = BandPreview(clip, *window, ends=ends).mix(op.parts(clip, clip.times), root=root)
    np.testing.assert_allclose(mixed.positions(), whole.positions()[slice(*window)], atol=1e-9)


def test_gains_that_change_over_time():
    clip = making.walker(151)
    op = kt.Equalize(
        keep_feet=False,
        limit_knees=False,
        gain_keys={"2": [(0.0, 1.0), (1.0, 3.0)], "all": [(0.0, 1.0), (2.0, 0.0)]},
        root="all",
    )
    mixed = BandPreview(clip, 30, 90).mix(op.parts(clip, clip.times), root="all")
    np.testing.assert_allclose(mixed.positions(), op(clip).positions()[30:90], atol=1e-9)


def test_euler_channels():
    clip = making.walker(91)
    op = kt.Equalize(keep_feet=False, limit_knees=False, gains=[2.0, 2.0, 0.5], representation="euler")
    orders = ["ZXY"] * len(clip.skeleton)
    mixed = BandPreview(clip, 10, 60, kind="euler", orders=orders).mix(op.parts(clip, clip.times))
    np.testing.assert_allclose(mixed.positions(), op(clip).positions()[10:60], atol=1e-9)


def test_it_suits_figures_whose_root_carries_them():
    assert BandPreview.suits(making.walker(91))
    assert not BandPreview.suits(making.still_root(91))
