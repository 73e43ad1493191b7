import numpy as np
import pytest

from kinetune import figures
from kinetune.errors import ParameterError
from kinetune.figures import palette
from kinetune.operations.equalize import Equalize
from kinetune.signals.bands.pyramid import join_bands, split_bands
from kinetune.signals.displacement import displacement
from kinetune.signals.shaping.shaping_curve import ShapingCurve, shape_signal
from tests.figures.test_figures import ink_share
from tests.operations import making

WALK = making.walker(241)


def lines(axes, colour):
    return [line.get_ydata() for line in axes.get_lines() if line.get_color() == colour]


def test_a_channel_of_a_joint():
    angle = figures.channel(WALK, "LeftArm")
    assert np.ptp(angle) == pytest.approx(np.degrees(0.8), abs=0.5)
    assert np.allclose(np.abs(figures.channel(WALK, "LeftArm", "x")), np.abs(angle), atol=1e-6)
    wider = Equalize(preset="exaggerate")(WALK)
    assert np.ptp(figures.channel(wider, "LeftArm", like=WALK)) > 1.2 * np.ptp(angle)


@pytest.mark.slow
def test_bands_are_drawn_with_their_gains(tmp_path):
    knee = figures.channel(WALK, "LeftLeg")
    gains = [1.0, 1.0, 0.0, 1.5, -0.5]
    picture = figures.draw_bands(knee, WALK.fps, gains=gains, title="knee")
    assert ink_share(figures.save(picture, tmp_path / "bands.png")) > 0.01
    bands = split_bands(knee)
    rows, columns = bands.count + 2, 3
    assert len(picture.axes) == rows * columns
    top = picture.axes[1]
    assert np.allclose(lines(top, palette.EDITED)[0], join_bands(bands, gains))
    third = picture.axes[3 * columns + 1]
    assert np.allclose(lines(third, palette.GHOST)[0], bands.details[2])
    assert np.allclose(lines(third, palette.EDITED)[0], 0.0)


def test_bands_without_gains_and_without_the_low_passes(tmp_path):
    picture = figures.draw_bands(np.sin(np.arange(40) / 3.0), 30.0, lowpass=False)
    assert ink_share(figures.save(picture, tmp_path / "bands.png")) > 0.005


def test_a_shaping_curve_and_its_signal(tmp_path):
    elbow = figures.channel(WALK, "LeftArm")
    curve = ShapingCurve.cap(-0.5, 0.3)
    picture = figures.draw_shaping(curve, elbow, WALK.fps, title="capped")
    assert ink_share(figures.save(picture, tmp_path / "shaping.png")) > 0.005
    assert np.allclose(lines(picture.axes[1], palette.EDITED)[0], shape_signal(elbow, curve))
    in_degrees = figures.draw_shaping(ShapingCurve.undulate(), elbow, WALK.fps, normalise="degrees")
    assert ink_share(figures.save(in_degrees, tmp_path / "degrees.png")) > 0.005


def test_a_displacement_step_by_step(tmp_path):
    arm = figures.channel(WALK, "RightArm")
    picture = figures.draw_displacement(arm, WALK.fps, [40, 150], [10.0, -5.0], title="arm", window=60)
    assert ink_share(figures.save(picture, tmp_path / "displacement.png")) > 0.005
    change = displacement(len(arm), [40, 150], [10.0, -5.0], window=60)
    assert np.allclose(lines(picture.axes[1], palette.EDITED)[0], change)
    assert np.allclose(lines(picture.axes[2], palette.EDITED)[0], arm + change)


def test_constant_and_tiny_signals(tmp_path):
    flat = np.zeros(2)
    for number, picture in enumerate(
        (
            figures.draw_bands(flat, 30.0),
            figures.draw_shaping(ShapingCurve.cosine(), flat, 30.0),
            figures.draw_displacement(flat, 30.0, [1], [0.0]),
        )
    ):
        figures.save(picture, tmp_path / f"{number}.png")


def test_several_channels_at_once_are_refused():
    for draw in (
        lambda x: figures.draw_bands(x, 30.0),
        lambda x: figures.draw_shaping(ShapingCurve.identity(), x, 30.0),
        lambda x: figures.draw_displacement(x, 30.0, [1], [0.0]),
    ):
        with pytest.raises(ParameterError, match="One channel"):
            draw(np.zeros((5, 2)))
    with pytest.raises(ParameterError, match="2 to"):
        figures.draw_bands(np.zeros(1), 30.0)
