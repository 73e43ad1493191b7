"""InverseBlend as a user has it."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.errors import ParameterError, SkeletonMismatchError, UnknownNameError
from kinetune.inverse.blend import inverse_blend as blending
from kinetune.inverse.blend.constraints import AtPoint, Custom, Facing, Heading, LookAt, OnLine
from kinetune.inverse.blend.inverse_blend import InverseBlend
from kinetune.samples import sample
from tests.inverse.sets import blend, clips, mixtures

HAND = 13
TARGET = (-0.25, 1.25, 0.42)


def inside(kind, count, seed=0):
    """Hand positions and turns of random blends, which can be reached for certain."""
    found = [blend(kind).blend(w) for w in mixtures(kind, count, seed)]
    return np.array([c.positions()[-1, HAND] for c in found]), np.array([c.world_rotations()[-1, HAND] for c in found])


def test_the_hand_is_where_it_was_aimed():
    found = blend().solve([AtPoint("RightHand", TARGET)])
    assert found.reachable
    assert found.distance == 0.0
    assert found.errors[0] < 0.01
    assert np.linalg.norm(found.clip.positions()[-1, HAND] - TARGET) < 1e-5
    assert len(found.clip) == len(clips("reach")[0])


def test_places_are_told_as_another_joint_sees_them():
    chest = clips("reach")[0].skeleton.index("Spine2")
    told = blend().places("RightHand", relative_to="Spine2")
    for seen, clip in zip(told, blend().examples, strict=True):
        world = clip.positions()[-1, chest] + rot.rotate(clip.world_rotations()[-1, chest], seen)
        np.testing.assert_allclose(world, clip.positions()[-1, HAND], atol=1e-12)


def test_weights_lie_on_the_simplex():
    for point in inside("reach", 5)[0]:
        weights = blend().solve(AtPoint("RightHand", point)).weights
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("rotations", ["quaternion", "expmap"])
def test_what_blends_reach_is_found(rotations):
    of = blend("reach", rotations)
    points = np.array([of.blend(w).positions()[-1, HAND] for w in mixtures("reach", 100, seed=2)])
    found = of.solve_batch(AtPoint("RightHand", points))
    assert found.reachable.all()
    assert found.errors.max() < 0.01


def test_an_examples_own_place_is_reached():
    for number, clip in enumerate(clips("reach")):
        found = blend().solve(AtPoint("RightHand", clip.positions()[-1, HAND]))
        assert found.reachable, number
        assert np.abs(found.clip.positions()[-1, HAND] - clip.positions()[-1, HAND]).max() < 1e-5


def test_weight_one_is_the_example():
    for rotations in ("quaternion", "expmap"):
        assert blend("reach", rotations).blend(np.eye(16)[4]).same_motion(clips("reach")[4], 1e-9)


@pytest.mark.parametrize("kind", ["point", "grasp", "pour"])
def test_place_and_turn_together(kind):
    places, turns = inside(kind, 60, seed=4)
    found = blend(kind).solve_batch([AtPoint("RightHand", places), Facing("RightHand", rotation=turns)])
    assert found.reachable.mean() > 0.98
    best = found[int(np.argmax(found.reachable))]
    assert best.errors[0] < 0.01
    assert best.errors[1] < 0.01
    assert best.units == ("mm", "deg")


def test_several_frames_at_once():
    w = mixtures("reach", 1, seed=9)[0]
    clip = blend().blend(w)
    middle, end = clip.positions()[33, HAND], clip.positions()[-1, HAND]
    found = blend().solve([AtPoint("RightHand", middle, frame=33), AtPoint("RightHand", end)])
    assert found.reachable
    assert np.linalg.norm(found.clip.positions()[33, HAND] - middle) < 1e-5
    one = OnLine("RightHand", end, (0.0, 1.0, 0.0), frame=(-1, -2))
    off = blend().solve(one).clip.positions()[-2:, HAND] - end
    assert blend().solve(one).errors[0] == pytest.approx(1e3 * np.hypot(off[:, 0], off[:, 2]).max(), abs=1e-6)


def test_a_line_leaves_the_height_free():
    found = blend().solve(OnLine("RightHand", (-0.3, 0.0, 0.4), (0.0, 1.0, 0.0)))
    place_ = found.clip.positions()[-1, HAND]
    assert found.reachable
    assert np.allclose(place_[[0, 2]], (-0.3, 0.4), atol=1e-5)


def test_heading_and_gaze():
    w = mixtures("reach", 1, seed=11)[0]
    clip = blend().blend(w)
    head = clip.world_rotations()[-1, 5]
    ahead = rot.rotate(head, np.array([0.0, 0.0, 1.0]))
    lamp = clip.positions()[-1, 5] + 2.0 * ahead
    found = blend().solve([LookAt("Head", lamp), Heading("Hips", np.degrees(rot.heading(clip.rotations[-1, 0])))])
    assert found.reachable
    seen = rot.rotate(found.clip.world_rotations()[-1, 5], np.array([0.0, 0.0, 1.0]))
    way = lamp - found.clip.positions()[-1, 5]
    assert np.degrees(np.arccos(seen @ way / np.linalg.norm(way))) < 0.02


def test_turning_the_scene_turns_the_motion():
    turn, shift = rot.about_y(1.1), np.array([2.0, 0.0, -1.0])
    moved = InverseBlend([place(clip, turn, shift) for clip in clips("reach")])
    point = rot.rotate(turn, np.array(TARGET)) + shift
    here, there = blend().solve(AtPoint("RightHand", TARGET)), moved.solve(AtPoint("RightHand", point))
    assert np.abs(here.weights - there.weights).max() < 1e-6
    expected = rot.rotate(turn, here.clip.positions()) + shift
    assert np.abs(there.clip.positions() - expected).max() < 1e-5


@pytest.mark.slow
def test_out_of_reach_says_by_how_much():
    found = blend().solve(AtPoint("RightHand", (0.0, 1.3, 3.0)))
    assert not found.reachable
    assert found.distance == pytest.approx(found.errors[0], rel=1e-9)
    assert found.distance > 1500.0
    hand = found.clip.positions()[-1, HAND]
    assert np.linalg.norm(hand - (0.0, 1.3, 3.0)) == pytest.approx(1e-3 * found.distance, abs=1e-9)
    # Nearer than any example, and than many blends.
    own = np.array([c.positions()[-1, HAND] for c in clips("reach")])
    assert np.linalg.norm(own - (0.0, 1.3, 3.0), axis=1).min() >= 1e-3 * found.distance - 1e-9


@pytest.mark.slow
def test_contradictory_constraints_meet_halfway_or_take_sides():
    a, b = np.array([-0.35, 1.25, 0.40]), np.array([-0.15, 1.25, 0.40])
    asked = [AtPoint("RightHand", a), AtPoint("RightHand", b)]
    found = blend().solve(asked)
    assert not found.reachable
    assert np.allclose(found.errors, 100.0, atol=0.1)
    # Norms act as an exact penalty: the one with the higher priority is met.
    asked = [AtPoint("RightHand", a), AtPoint("RightHand", b, priority=0.6)]
    norms, squares = (blend().solve(asked, combine=how) for how in ("norms", "squares"))
    assert norms.errors[0] < 0.1
    assert norms.errors[1] == pytest.approx(200.0, abs=0.2)
    assert squares.errors[0] == pytest.approx(200.0 * 0.6 / 1.6, abs=0.2)


def test_priority_zero_only_measures():
    found = blend().solve([AtPoint("RightHand", TARGET), AtPoint("LeftHand", (5.0, 5.0, 5.0), priority=0.0)])
    assert found.reachable
    assert found.errors[1] > 1000.0


def test_a_custom_constraint_measures_anything():
    """The elbow's height, as a function of the clip, beside a plain constraint."""

    def elbow(clip):
        return clip.positions()[-1, 12, 1] - 1.2

    of = InverseBlend(clips("reach")[::2])
    hand = blend().blend(np.tile([1.0, 0.0], 8)).positions()[-1, HAND]
    found = of.solve([Custom(elbow, name="elbow"), OnLine("RightHand", hand, (0.0, 1.0, 0.0))])
    assert found.reachable
    assert found.units == ("", "mm")
    assert found.clip.positions()[-1, 12, 1] == pytest.approx(1.2, abs=1e-4)
    alone = of.solve(Custom(lambda clip: clip.positions()[-1, HAND] - hand))
    assert np.linalg.norm(alone.clip.positions()[-1, HAND] - hand) < 1e-4
    with pytest.raises(ParameterError, match='"broken" returned'):
        of.solve(Custom(lambda clip: np.nan, name="broken"))


def test_a_drag_follows_its_target():
    of = InverseBlend(clips("reach"))
    way = np.linspace([-0.40, 1.2, 0.38], [-0.1, 1.32, 0.46], 40)
    before = None
    for point in way:
        found = of.drag(AtPoint("RightHand", point))
        assert found.reachable
        if before is not None:
            assert np.abs(found.weights - before).max() < 0.2
        before = found.weights
    cold = of.solve(AtPoint("RightHand", way[-1]))
    assert np.abs(cold.weights - before).max() < 0.02  # the way there does not matter


def test_a_batch_is_its_problems_one_by_one():
    points = inside("reach", 4, seed=6)[0]
    batch = blend().solve_batch(AtPoint("RightHand", points))
    assert len(batch) == 4
    for found, point in zip(batch, points, strict=True):
        alone = blend().solve(AtPoint("RightHand", point))
        assert np.abs(found.weights - alone.weights).max() < 1e-9
        assert found.reachable == alone.reachable
        assert found.clip.same_motion(alone.clip, 1e-6)


def test_examples_come_and_go():
    of = InverseBlend(clips("reach")[:6])
    assert not of.solve(AtPoint("RightHand", clips("reach")[14].positions()[-1, HAND]), exact=False).reachable
    of.add(*clips("reach")[6:])
    assert len(of) == 16
    assert of.solve(AtPoint("RightHand", clips("reach")[14].positions()[-1, HAND])).reachable
    of.remove(14, 0)
    assert len(of) == 14
    assert of.solve(AtPoint("RightHand", TARGET)).weights.shape == (14,)
    with pytest.raises(ParameterError, match="examples 0 to 13"):
        of.remove(20)
    with pytest.raises(ParameterError, match="must stay"):
        of.remove(*range(14))


def test_examples_of_other_lengths_are_aligned_when_asked():
    from kinetune.body.timeline.retiming import at_times

    slow = [at_times(c, np.linspace(0.0, c.duration, 60 + 5 * k), c.fps) for k, c in enumerate(clips("reach")[:6])]
    with pytest.raises(ParameterError, match=r"60 frames and .* has 65.*align=True"):
        InverseBlend(slow)
    of = InverseBlend(slow, align=True)
    assert {len(clip) for clip in of.examples} == {60}
    end = of.blend([1.0, 2.0, 0.5, 1.0, 3.0, 0.0]).positions()[-1, HAND]
    assert of.solve(AtPoint("RightHand", end)).reachable


def test_examples_elsewhere_are_placed_when_asked():
    rng = np.random.default_rng(3)
    strewn = [
        clip if k == 0 else place(clip, rot.about_y(rng.uniform(-3, 3)), rng.normal(size=3) * [1, 0, 1])
        for k, clip in enumerate(clips("reach"))
    ]
    of = InverseBlend(strewn, place=True)
    assert of.solve(AtPoint("RightHand", TARGET)).reachable
    assert not InverseBlend(strewn).solve(AtPoint("RightHand", TARGET)).clip.same_motion(of.blend(np.ones(16)), 0.1)


def test_one_example_is_all_there_is():
    of = InverseBlend(clips("reach")[:1])
    found = of.solve(AtPoint("RightHand", TARGET), exact=False)
    assert found.weights.tolist() == [1.0]
    assert not found.reachable
    own = clips("reach")[0].positions()[-1, HAND]
    assert found.distance == pytest.approx(1e3 * np.linalg.norm(own - TARGET), rel=1e-9)
    assert of.solve(AtPoint("RightHand", own)).reachable


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: InverseBlend([]), "no examples"),
        (lambda: InverseBlend(["walk.bvh"]), "Examples are clips; number 1 is str"),
        (lambda: InverseBlend(clips("reach"), rotations="euler"), "quaternion"),
        (lambda: InverseBlend([clips("reach")[0], clips("pour")[0]]), "67 frames and .* has 85"),
        (lambda: AtPoint("RightHand", (np.nan, 0, 0)), "finite"),
        (lambda: AtPoint("RightHand", (1, 2)), "three numbers"),
        (lambda: AtPoint("RightHand", "here"), "three numbers"),
        (lambda: AtPoint("", (0, 0, 0)), "names its joint"),
        (lambda: AtPoint("RightHand", TARGET, priority=2.0), "from 0 to 1"),
        (lambda: AtPoint("RightHand", TARGET, frame="last"), "frame is a frame number"),
        (lambda: AtPoint("RightHand", TARGET, scale=0.0), "above 0"),
        (lambda: OnLine("RightHand", TARGET, (0, 0, 0)), "is none"),
        (lambda: OnLine("RightHand", np.zeros((3, 3)), np.ones((4, 3))), r"\[3, 4\] rows"),
        (lambda: Facing("RightHand"), "a rotation .* or a direction"),
        (lambda: Facing("RightHand", rotation=(1, 1, 0, 0)), "length 1"),
        (lambda: Facing("RightHand", rotation=(1, 0, 0, 0), angle_deg=3), "belongs to a direction"),
        (lambda: Facing("RightHand", toward=(0, 1, 0), angle_deg=200), "from 0 to 180"),
        (lambda: Facing("RightHand", toward=(0, 1, 0), axis="sideways"), "An axis is"),
        (lambda: Heading("Hips", np.inf), "finite number of degrees"),
        (lambda: Custom("elbow"), "a function of a clip"),
        (lambda: blend().solve([]), "nothing to aim at"),
        (lambda: blend().solve(AtPoint("RightHand", TARGET, frame=67)), "0 to 66.*no frame 67"),
        (lambda: blend().solve(AtPoint("RightHand", np.zeros((5, 3)))), "solve_batch"),
        (lambda: blend().solve(AtPoint("RightHand", TARGET), k=0), "1 or more"),
        (lambda: blend().solve(AtPoint("RightHand", TARGET), mode="firm"), "soft"),
        (lambda: blend().solve(["RightHand"]), "AtPoint, OnLine, Facing"),
        (lambda: blend().drag(AtPoint("RightHand", TARGET), start=[1.0]), "one weight for each of 16"),
    ],
)
def test_wrong_input_is_told_in_one_sentence(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_unknown_joints_and_other_skeletons_are_told():
    with pytest.raises(UnknownNameError, match=r'"RightHnd".*"RightHand"'):
        blend().solve(AtPoint("RightHnd", TARGET))
    with pytest.raises(UnknownNameError, match=r'"RightFingertip".*"RightFingertips"'):
        blend().solve(AtPoint("RightFingertip", TARGET))
    with pytest.raises(SkeletonMismatchError, match=r"Examples cannot be blended.*joints"):
        InverseBlend([clips("reach")[0], sample("wave-fingers")])


@pytest.mark.slow
def test_chains_are_packed_once_whatever_the_priority(monkeypatch):
    """A priority under the hand must not cost what a new set of joints does."""
    packed = []
    pack = blending.pack_chains
    monkeypatch.setattr(
        blending, "pack_chains", lambda examples, probes: packed.append(probes) or pack(examples, probes)
    )
    few = InverseBlend(clips("reach")[:6])
    for priority in (1.0, 0.5, 0.0):
        few.solve([AtPoint("RightHand", (-0.3, 1.2, 0.4)), LookAt("Head", (0, 1, 2), priority=priority)])
    assert len(packed) == 1
    few.remove(5)
    assert few.solve(AtPoint("RightHand", (-0.3, 1.2, 0.4))).weights.shape == (5,)
    assert len(packed) == 2
