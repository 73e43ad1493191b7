import numpy as np
import pytest
from PIL import Image

from kinetune import figures
from kinetune import rotations as rot
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.operations.turn import Turn
from kinetune.samples import sample
from tests.operations import making


def ink_share(path):
    """The part of a picture that is not paper."""
    pixels = np.asarray(Image.open(path).convert("RGB"), dtype=int)
    return float((np.abs(pixels - 255).sum(axis=-1) > 60).mean())


@pytest.mark.parametrize("view", ["side", "front", "top"])
def test_a_strip_shows_something_in_every_view(tmp_path, view):
    path = figures.save(figures.draw_strip(making.walker(), views=(view,), poses=6), tmp_path / "strip.png")
    assert 0.003 < ink_share(path) < 0.5


def test_a_strip_of_one_frame_and_of_a_chain_without_roles(tmp_path):
    for clip in (making.walker(frames=1), making.pendulums()):
        strip = figures.draw_strip(clip, poses=5)
        assert ink_share(figures.save(strip, tmp_path / "strip.png")) > 0.001
        assert strip.get_figheight() < strip.get_figwidth()


@pytest.mark.parametrize("sunk", [0.0, 0.9])
def test_the_line_of_a_strip_is_the_floor_that_the_feet_stand_on(sunk):
    clip = sample("walk")
    strip = figures.draw_strip(clip.replace(root=clip.root - np.array([0.0, sunk, 0.0])), poses=4)
    (line,) = strip.axes[0].lines
    assert line.get_ydata()[0] == pytest.approx(-sunk, abs=0.01)


def test_the_ghost_adds_ink(tmp_path):
    clip = making.walker()
    other = clip.replace(root=clip.root + np.array([0.0, 0.05, 0.1]))
    alone = ink_share(figures.save(figures.draw_strip(clip, poses=4), tmp_path / "a.png"))
    both = ink_share(figures.save(figures.draw_strip(clip, before=other, poses=4), tmp_path / "b.png"))
    assert both > 1.15 * alone


def test_left_limbs_are_blue_and_right_limbs_yellow():
    skeleton = making.humanoid()
    colours = {skeleton.names[bone.end]: bone.colour for bone in sticks.bones(skeleton) if bone.end < len(skeleton)}
    assert colours["LeftLeg"] == colours["LeftHand"] == palette.LEFT
    assert colours["RightLeg"] == palette.RIGHT
    assert colours["Head"] == palette.INK


def test_the_side_view_follows_the_walk_wherever_it_goes():
    clip = making.walker()
    for degrees in (0, 70, 200):
        turned = Turn(angle_deg=degrees)(clip)
        ahead = sticks.travel_direction(turned)
        assert np.allclose(ahead, rot.rotate(rot.about_y(np.radians(degrees)), [0.0, 0.0, 1.0]), atol=1e-6)
        paper, _ = sticks.project(turned.positions(), ahead, "side")
        assert paper[-1, 0, 0] - paper[0, 0, 0] > 0.9 * (clip.root[-1] - clip.root[0])[2]


def test_curves_draw_every_quantity(tmp_path):
    clip = making.walker()
    for quantity in ("rotation", "height", "speed"):
        picture = figures.draw_curves(clip, ("LeftFoot", "Head"), before=clip, quantity=quantity)
        assert ink_share(figures.save(picture, tmp_path / f"{quantity}.png")) > 0.005
