import json

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.errors import FileError, ParameterError, UnknownNameError
from kinetune.formats import read, write
from kinetune.operations.shape import Shape
from kinetune.recipes import Recipe
from kinetune.signals.shaping.curve_files import save_curve
from kinetune.signals.shaping.shaping_curve import ShapingCurve
from tests.operations import making


def test_the_public_contract():
    clip = making.walker()
    result = Shape(curve=ShapingCurve.cap(-0.5, 0.8), joints="right arm")(clip)
    arm = list(clip.skeleton.select("right arm"))
    others = [j for j in range(len(clip.skeleton)) if j not in arm]
    assert np.allclose(result.rotations[:, others], clip.rotations[:, others], atol=1e-12)
    swing = clip.skeleton.index("RightArm")
    assert rot.angle_between(result.rotations[:, swing], clip.rotations[:, swing]).max() > 0.1


@pytest.mark.parametrize(
    "curve",
    [
        "cap(-0.5, 0.8)",
        {"cap": [-0.5, 0.8]},
        ShapingCurve.cap(-0.5, 0.8).to_plain(),
        ShapingCurve.cap(-0.5, 0.8).to_plain()["points"],
    ],
)
def test_a_curve_in_words_in_points_and_as_a_value(curve):
    step = Shape(curve=curve)
    again = json.loads(json.dumps(step.as_step()))
    again.pop("op")
    assert Shape(**again) == step
    wanted = Shape(curve=ShapingCurve.cap(-0.5, 0.8))(making.walker())
    if isinstance(curve, list):  # a bare list has natural ends; within its points it is the same
        assert np.allclose(step.curve(np.linspace(-0.9, 0.9, 50)), np.clip(np.linspace(-0.9, 0.9, 50), -0.5, 0.8))
    else:
        assert step(making.walker()).same_motion(wanted)


def test_a_recipe_carries_its_curve(tmp_path):
    file = tmp_path / "r.yaml"
    file.write_text("version: 1\nsteps:\n  - op: shape\n    curve: cap(-0.5, 0.8)\n    joints: right arm\n")
    wanted = Shape(curve=ShapingCurve.cap(-0.5, 0.8), joints="right arm", rounding=0.0)(making.walker())
    assert Recipe.read(file)(making.walker()).same_motion(wanted)
    own = ShapingCurve.identity().added(0.2, 0.6, tension=0.5)
    saved = Recipe(steps=[Shape(curve=own)])
    saved.write(tmp_path / "own.yaml")
    assert Recipe.read(tmp_path / "own.yaml").steps[0].curve == own


def test_a_curve_from_a_file_of_ones_own(tmp_path):
    own = ShapingCurve.identity().added(0.0, 0.5)
    file = save_curve(tmp_path / "mine.json", "lift", own)
    step = Shape(curve="lift", library=str(file))
    assert step.curve == own
    file.unlink()
    words = step.as_step()
    words.pop("op")
    assert Shape(**words).curve == own  # the step carries the points: the file is needed once only


def test_identity_changes_nothing():
    clip = making.walker()
    assert Shape()(clip) is clip
    assert Shape(curve="cosine", amount=0.0)(clip) is clip


def test_axes_and_degrees():
    clip = making.walker()
    knee = clip.skeleton.index("LeftLeg")
    result = Shape(keep_feet=False, curve="cap(-10, 35)", joints="LeftLeg", axes=["x"], normalise="degrees")(clip)
    assert np.degrees(rot.angle(result.rotations[:, knee])).max() == pytest.approx(35.0, abs=1e-6)


def test_degrees_of_a_files_own_channels(tmp_path):
    """Capping a channel at 20 degrees caps what the written file says."""
    clip = read(write(making.walker(61), tmp_path / "walk.bvh"))
    result = Shape(
        keep_feet=False, curve="cap(-20, 20)", normalise="degrees", representation="euler", joints="LeftUpLeg"
    )(clip)
    again = read(write(result, tmp_path / "capped.bvh"))
    layout = again.source.layout
    joint = again.skeleton.index("LeftUpLeg")
    angles = layout.values[:, list(layout.channels.rotation_columns[joint])]
    assert np.abs(angles).max() <= 20.0 + 1e-4
    assert np.abs(clip.source.layout.values[:, list(layout.channels.rotation_columns[joint])]).max() > 20.5


@pytest.mark.parametrize(
    ("knobs", "error", "words"),
    [
        ({"curve": "cosin"}, UnknownNameError, 'Did you mean "cosine"'),
        ({"curve": [[0, 0]]}, ParameterError, "2 to 10,000 control points"),
        ({"curve": 3}, ParameterError, "points is a list"),
        ({"curve": {"cap": [2, 1]}}, ParameterError, "must lie below"),
        ({"axes": ["w"]}, ParameterError, "axis 1 of axes is 'w'"),
        ({"axes": []}, ParameterError, "it needs at least 1"),
        ({"amount": 2}, ParameterError, "amount is 2"),
        ({"root": "all", "normalise": "degrees"}, ParameterError, "moves in metres"),
        ({"curve": "x", "library": "nowhere.json"}, FileError, "nowhere.json"),
    ],
)
def test_impossible_knobs_are_told(knobs, error, words):
    with pytest.raises(error, match=words):
        Shape(**knobs)


def jerk(clip):
    return float(np.linalg.norm(np.diff(clip.positions(), 3, axis=0), axis=2).mean())


def test_a_cap_makes_no_corners_unless_asked_to():
    clip = making.pendulums(300, 120.0)
    sharp, smooth = (Shape(curve="cap(-0.5, 0.5)", **how)(clip) for how in ({"rounding": 0.0}, {}))
    assert jerk(sharp) > 10.0 * jerk(clip)
    assert jerk(smooth) < 1.5 * jerk(clip)


def test_a_capped_capture_jerks_less(shared_data):
    clip = read(shared_data / "cmu" / "07_01.bvh")[1:]
    sharp, smooth = (Shape(curve="cap(-0.5, 0.5)", rounding=r, keep_feet=False)(clip) for r in (0.0, 1.0))
    assert jerk(smooth) < 1.4 * jerk(clip) < 0.8 * jerk(sharp)


def test_recipes_of_earlier_releases_keep_their_corners():
    old = Recipe.parse("version: 2\nsteps:\n  - {op: shape, curve: cosine}\n")
    assert old.steps[0].rounding == 0.0
