import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.samples.figure import figure

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_ik import (
    bend_limb,
    bring_limb,
    find_limbs,
    hinge_axis,
    limb_of,
    nudge_limb,
    place_limb,
    soften_reach,
    solve_limb,
)
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.formats import read
from tests.operations import making

SEEDS = st.integers(0, 10_000)
AWAY = np.array([1.0, 2.0, 3.0])


def random_limb(rng, frames=50, bend=(0.1, 2.5)):
    """Hip, knee and ankle of limbs with bones of 0.4 and 0.5 m, and the axes about which they flex."""
    along = rng.standard_normal((frames, 3))
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    hinge = np.cross(along, rng.standard_normal((frames, 3)))
    hinge /= np.linalg.norm(hinge, axis=-1, keepdims=True)
    root = rng.standard_normal((frames, 3))
    middle = root + 0.4 * along
    end = middle + 0.5 * rot.rotate(rot.from_axis_angle(hinge, rng.uniform(*bend, frames)), along)
    return root, middle, end, hinge


def random_goals(rng, root, nearest=0.15, farthest=0.89):
    direction = rng.standard_normal(root.shape)
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    return root + direction * rng.uniform(nearest, farthest, (len(root), 1))


def length(vectors):
    return np.linalg.norm(vectors, axis=-1)


@pytest.mark.slow
@given(SEEDS)
def test_a_goal_within_reach_is_met_and_bones_keep_their_lengths(seed):
    rng = np.random.default_rng(seed)
    root, middle, end, hinge = random_limb(rng)
    goal = random_goals(rng, root)
    for given_hinge in (None, hinge):
        found = solve_limb(root, middle, end, goal, hinge=given_hinge)
        assert np.max(found.miss) < 1e-12
        assert np.allclose(length(found.middle - root), 0.4)
        assert np.allclose(length(found.end - found.middle), 0.5)
        assert np.allclose(root + rot.rotate(found.upper, middle - root), found.middle)
        assert np.allclose(found.middle + rot.rotate(found.lower, end - middle), found.end)


@pytest.mark.slow
@given(SEEDS)
def test_a_goal_that_is_met_already_changes_nothing(seed):
    root, middle, end, hinge = random_limb(np.random.default_rng(seed), bend=(-0.15, 2.8))
    for given_hinge in (None, hinge):
        found = solve_limb(root, middle, end, end, hinge=given_hinge)
        assert np.max(rot.angle(found.upper)) < 1e-6
        assert np.max(rot.angle(found.lower)) < 1e-6


@pytest.mark.slow
@given(SEEDS)
def test_the_answer_turns_and_moves_with_the_scene(seed):
    rng = np.random.default_rng(seed)
    root, middle, end, hinge = random_limb(rng)
    goal = random_goals(rng, root, farthest=1.2)
    turn = rot.normalize(rng.standard_normal(4))
    moved = [rot.rotate(turn, points) + AWAY for points in (root, middle, end, goal)]
    here = solve_limb(root, middle, end, goal, hinge=hinge)
    there = solve_limb(*moved, hinge=rot.rotate(turn, hinge))
    assert np.allclose(there.middle, rot.rotate(turn, here.middle) + AWAY)
    assert np.allclose(there.end, rot.rotate(turn, here.end) + AWAY)


@pytest.mark.slow
@given(SEEDS)
def test_the_knee_points_where_the_pole_says(seed):
    rng = np.random.default_rng(seed)
    root, middle, end, _ = random_limb(rng)
    goal = random_goals(rng, root)
    pole = rng.standard_normal(root.shape)
    found = solve_limb(root, middle, end, goal, pole=pole)
    along = goal - root
    knee = found.middle - root
    assert np.allclose(np.cross(along, knee) / length(np.cross(along, knee))[:, None],
                       np.cross(along, pole) / length(np.cross(along, pole))[:, None], atol=1e-6)  # fmt: skip
    assert np.max(found.miss) < 1e-12
    knee_alone, end_alone = bend_limb(root, goal, pole, 0.4, 0.5)
    assert np.allclose(knee_alone, found.middle)
    assert np.allclose(end_alone, found.end)


def test_a_hinge_stays_a_hinge():
    rng = np.random.default_rng(5)
    root, middle, end, hinge = random_limb(rng, bend=(0.3, 2.0))
    found = solve_limb(root, middle, end, random_goals(rng, root), hinge=hinge)
    between = rot.multiply(rot.inverse(found.upper), found.lower)
    assert np.max(length(np.cross(rot.log(between), hinge))) < 1e-6


def test_a_straight_leg_bends_about_its_hinge():
    root, middle, end = np.array([[0, 1.0, 0]]), np.array([[0, 0.6, 0]]), np.array([[0, 0.1, 0]])
    found = solve_limb(root, middle, end, np.array([[0.0, 0.3, 0.0]]), hinge=(1.0, 0, 0))
    assert found.middle[0, 2] > 0.1
    assert abs(found.middle[0, 0]) < 1e-9
    assert found.miss[0] < 1e-12


def test_an_overstretched_knee_comes_back_without_a_jump():
    root = np.zeros((200, 3))
    middle = np.tile([0.0, -0.4, 0.0], (200, 1))
    end = middle + rot.rotate(rot.from_axis_angle((1.0, 0, 0), np.full(200, -0.06)), [0.0, -0.5, 0.0])
    goal = end * np.linspace(1.0, 0.97, 200)[:, None]
    found = solve_limb(root, middle, end, goal, hinge=(1.0, 0, 0))
    assert np.max(rot.angle(found.upper[:1])) < 1e-6
    flexion = np.cross(found.middle, found.end - found.middle)[:, 0]
    assert flexion[0] < 0
    assert flexion[-1] > 0.05
    assert np.max(length(np.diff(found.middle, axis=0))) < 0.006
    assert np.max(found.miss) < 0.0015


def test_knees_do_not_pop_as_the_goal_leaves_the_reach():
    """The knee's speed stays bounded with the soft limit; without it the knee snaps (the negative control)."""
    frames = 400
    root = np.zeros((frames, 3))
    middle, end = np.tile([0.0, -0.4, 0.1], (frames, 1)), np.tile([0.0, -0.8, 0.0], (frames, 1))
    total = 2 * np.hypot(0.4, 0.1)
    goal = np.array([0.0, -1.0, 0.0]) * np.linspace(0.9 * total, 1.1 * total, frames)[:, None]
    fastest = {}
    for softness in (0.0, 0.02):
        found = solve_limb(root, middle, end, goal, softness=softness)
        knee = rot.angle_between(found.upper, found.lower)
        fastest[softness] = np.max(np.abs(np.diff(knee)))
        assert np.all(length(found.end) <= total + 1e-12)
    assert fastest[0.02] < 0.4 * fastest[0.0]


@given(st.floats(0, 3), st.floats(0, 0.5))
def test_softened_reach_is_never_longer_than_the_limb_or_the_goal(distance, softness):
    reach = soften_reach(distance, 1.0, softness)
    assert reach <= min(distance, 1.0) + 1e-12
    if distance <= 1.0 - softness:
        assert reach == distance


def test_softened_reach_has_no_corner():
    reach = soften_reach(np.linspace(0.8, 1.2, 4001), 1.0, 0.05)
    slope = np.diff(reach) / 1e-4
    assert np.max(np.abs(np.diff(slope))) < 0.003
    assert np.all(slope > 0)


def bent_clip(frames=30):
    """A standing figure whose legs and arms bend by varying amounts."""
    skeleton = figure()
    rotations = rot.identity(frames, len(skeleton))
    wave = 0.6 + 0.4 * np.sin(np.linspace(0, 6, frames))
    rotations[:, skeleton.index("LeftLeg")] = rot.from_axis_angle((1.0, 0, 0), wave)
    rotations[:, skeleton.index("LeftUpLeg")] = rot.from_axis_angle((-1.0, 0.2, 0), 0.5 * wave)
    rotations[:, skeleton.index("RightForeArm")] = rot.from_axis_angle((0, 1.0, 0), wave)
    rotations[:, 0] = rot.about_y(np.linspace(0, 2, frames))
    root = np.tile([0.3, 0.9, -0.2], (frames, 1))
    return Clip(skeleton, 60.0, root, rotations)


def test_a_clip_puts_its_foot_on_the_path_and_nothing_else_moves():
    clip = bent_clip()
    foot = clip.joint("LeftFoot")
    goal = foot.positions + np.array([0.02, 0.05, -0.03])
    placed, miss = place_limb(clip, "LeftUpLeg", "LeftLeg", "LeftFoot", goal)
    assert np.max(miss) < 1e-9
    assert np.allclose(placed.joint("LeftFoot").positions, goal)
    assert np.allclose(placed.world_rotations()[:, foot], clip.world_rotations()[:, foot])
    others = [j for j in range(len(clip.skeleton)) if j not in clip.skeleton.subtree(clip.skeleton.index("LeftUpLeg"))]
    assert np.allclose(placed.positions()[:, others], clip.positions()[:, others])
    loose, _ = place_limb(clip, "LeftUpLeg", "LeftLeg", "LeftFoot", goal, keep="local")
    assert np.allclose(loose.rotations[:, foot], clip.rotations[:, foot])


def test_joints_between_the_bones_are_carried_along():
    names = ("Hips", "UpLeg", "UpLegTwist", "Leg", "LegTwist", "Foot")
    offsets = [[0, 1, 0], [0.1, 0, 0], [0, -0.2, 0.01], [0, -0.2, 0], [0, -0.2, 0], [0.01, -0.25, 0]]
    skeleton = Skeleton(names, np.arange(-1, 5), np.array(offsets))
    rng = np.random.default_rng(3)
    turns = 0.2 * rng.standard_normal((20, 6, 3)) + [[0, 0, 0], [0, 0, 0], [0, 0, 0], [1.0, 0, 0], [0, 0, 0], [0, 0, 0]]
    clip = Clip(skeleton, 30.0, np.zeros((20, 3)), rot.exp(turns))
    goal = clip.joint("Foot").positions + 0.05 * rng.standard_normal((20, 3))
    hip = clip.joint("UpLeg").positions
    goal = hip + (goal - hip) * 0.95
    placed, miss = place_limb(clip, "UpLeg", "Leg", "Foot", goal)
    assert np.max(miss) < 1e-9
    assert np.allclose(placed.rotations[:, [2, 4]], clip.rotations[:, [2, 4]])


def test_the_hinge_is_found_from_how_the_limb_bends_or_from_its_role():
    clip = bent_clip()
    at = clip.skeleton.index
    assert np.allclose(hinge_axis(clip, at("LeftUpLeg"), at("LeftLeg"), at("LeftFoot")), [1, 0, 0], atol=1e-6)
    assert np.allclose(hinge_axis(clip, at("RightArm"), at("RightForeArm"), at("RightHand")), [0, 1, 0], atol=1e-6)
    # the left arm and the right leg never bend here
    assert np.allclose(hinge_axis(clip, at("LeftArm"), at("LeftForeArm"), at("LeftHand")), [0, -1, 0], atol=1e-6)
    assert np.allclose(hinge_axis(clip, at("RightUpLeg"), at("RightLeg"), at("RightFoot")), [1, 0, 0], atol=1e-6)


def test_joints_of_two_limbs_are_refused():
    with pytest.raises(ParameterError, match="do not follow each other down one limb"):
        place_limb(bent_clip(3), "LeftUpLeg", "RightLeg", "LeftFoot", (0, 0, 0))


def test_a_softness_of_one_is_refused():
    with pytest.raises(ParameterError, match="softness must lie in"):
        soften_reach(1.0, 1.0, 1.0)


def test_no_goal_makes_a_number_that_is_not_one():
    """The goal at the root, a limb folded flat, a pole along the limb, bones of no length."""
    z = np.zeros((1, 3))
    down = np.array([[0.0, -0.4, 0.0]])
    cases = [
        {"root": z, "middle": down, "end": 2 * down, "goal": z},
        {"root": z, "middle": down, "end": z, "goal": down},
        {"root": z, "middle": down, "end": 2 * down, "goal": down, "pole": (0.0, 1.0, 0.0)},
        {"root": z, "middle": z, "end": z, "goal": down},
    ]
    for case in cases:
        found = solve_limb(**case)
        for value in (found.upper, found.lower, found.middle, found.end, found.miss):
            assert np.all(np.isfinite(value))


def test_a_straight_leg_is_not_twisted_by_the_noise_of_its_plane():
    """Captured knees are straight for a while, bent this way and that by a hair: the thigh must not spin with it."""
    rng = np.random.default_rng(8)
    frames = 60
    root, down = np.zeros((frames, 3)), np.tile([0.0, -1.0, 0.0], (frames, 1))
    middle = 0.4 * down
    end = middle + 0.5 * rot.rotate(rot.exp(1e-4 * rng.standard_normal((frames, 3))), down)
    found = solve_limb(root, middle, end, end + np.array([0.0, 0.03, 0.0]), hinge=(1.0, 0.0, 0.0))
    for turn in (found.upper, found.lower):
        _, twist = rot.swing_twist(turn, (0.0, 1.0, 0.0))
        assert np.max(rot.angle(twist)) < 0.01
    assert np.max(length(np.diff(found.middle, axis=0))) < 1e-3
    assert np.max(found.miss) < 1e-9


@pytest.mark.external
@pytest.mark.parametrize("name", ["07_01", "08_01", "74_03"])
def test_captured_legs_follow_a_nudge_without_a_jump(shared_data, name):
    clip = read(shared_data / "cmu" / f"{name}.bvh")[1:]
    for side in ("Left", "Right"):
        joints = [side + part for part in ("UpLeg", "Leg", "Foot")]
        foot = clip.joint(joints[2]).positions
        same, _ = place_limb(clip, *joints, foot)
        assert np.degrees(rot.angle_between(same.rotations, clip.rotations)).max() < 1e-4
        moved, miss = place_limb(clip, *joints, foot + np.array([0.01, 0.02, -0.01]))
        assert miss.max() < 1e-3
        for joint in (clip.skeleton.index(n) for n in joints[:2]):
            before, after = (
                np.degrees(rot.angle_between(c.rotations[1:, joint], c.rotations[:-1, joint])).max()
                for c in (clip, moved)
            )
            assert after < before + 1.0


LEG = ("LeftUpLeg", "LeftLeg", "LeftFoot")


def joints(clip):
    return [clip.skeleton.index(name) for name in LEG]


def ankle(clip):
    return clip.joint("LeftFoot").positions


def test_a_goal_that_is_met_changes_nothing():
    clip = making.walker()
    result, miss = nudge_limb(clip, *joints(clip), ankle(clip))
    assert result.same_motion(clip, 1e-7)
    assert miss.max() < 1e-9


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.floats(-0.03, 0.03)] * 3))
def test_nudging_meets_a_goal_within_reach_and_keeps_bone_lengths(shift):
    clip = making.walker(61)
    goal = ankle(clip) + shift + [0.0, 0.06, 0.0]
    result, miss = nudge_limb(clip, *joints(clip), goal)
    assert miss.max() < 1e-9
    assert np.allclose(ankle(result), goal)
    assert rot.angle_between(result.world_rotations(), clip.world_rotations())[:, joints(clip)[2]].max() < 1e-7
    others = [j for j in range(len(clip.skeleton)) if j not in joints(clip)]
    assert np.allclose(result.rotations[:, others], clip.rotations[:, others])


def test_the_foot_turns_on_request():
    clip = making.walker(61)
    wanted = np.broadcast_to(rot.exp([0.1, 0.2, 0.0]), (61, 4))
    result, _ = nudge_limb(clip, *joints(clip), ankle(clip), end_turn=wanted)
    assert rot.angle_between(result.world_rotations()[:, joints(clip)[2]], wanted).max() < 1e-7


def stretching(lateral=1e-6):
    """A leg whose knee comes to 8 degrees beyond straight and goes back, bent sideways by next to nothing."""
    flexion = np.deg2rad(np.concatenate([np.linspace(30, -8, 40), np.linspace(-8, 30, 40)]))
    clip = making.walker(1)
    rotations = np.repeat(clip.rotations, 80, axis=0)
    rotations[:, clip.skeleton.index("LeftLeg")] = rot.multiply(
        rot.from_axis_angle((1.0, 0.0, 0.0), flexion), rot.exp([0.0, 0.0, lateral])
    )
    return Clip(clip.skeleton, 60.0, np.repeat(clip.root, 80, axis=0), rotations)


@pytest.mark.parametrize("lateral", [0.0, 1e-9, 1e-3])
@pytest.mark.parametrize("up", [0.0, 0.003, 0.02])
def test_a_knee_that_passes_the_straight_line_does_not_jump(lateral, up):
    clip = stretching(lateral)
    result, miss = nudge_limb(clip, *joints(clip), ankle(clip) + np.array([0.0, up, 0.0]))
    steps = np.rad2deg(rot.angle_between(result.rotations[1:], result.rotations[:-1])).max(axis=0)
    assert steps[joints(clip)].max() < 6.0
    assert miss.max() < 0.006


def test_out_of_reach_it_stretches_towards_the_goal():
    clip = making.walker(30)
    goal = ankle(clip) + np.array([0.0, -0.5, 0.0])
    result, miss = nudge_limb(clip, *joints(clip), goal)
    hip = clip.joint("LeftUpLeg").positions
    reach = np.linalg.norm(ankle(result) - hip, axis=-1)
    assert np.all(reach > 0.99 * (making.THIGH + making.SHANK))
    assert np.allclose(miss, np.linalg.norm(goal - ankle(result), axis=-1))


def test_joints_in_another_order_are_refused():
    clip = making.walker(3)
    with pytest.raises(ParameterError, match='"LeftLeg", "LeftUpLeg", "LeftFoot" do not follow each other'):
        nudge_limb(clip, *(clip.skeleton.index(n) for n in ("LeftLeg", "LeftUpLeg", "LeftFoot")), ankle(clip))


def test_limbs_of_a_human_figure():
    figure = making.humanoid()
    named = [tuple(figure.names[j] for j in limb[:4]) for limb in find_limbs(figure)]
    assert named == [
        ("LeftArm", "LeftForeArm", "LeftHand", "Chest"),
        ("LeftUpLeg", "LeftLeg", "LeftFoot", "Hips"),
        ("RightArm", "RightForeArm", "RightHand", "Chest"),
        ("RightUpLeg", "RightLeg", "RightFoot", "Hips"),
    ]
    assert [limb.is_leg for limb in find_limbs(figure)] == [False, True, False, True]
    assert limb_of(figure, figure.index("RightFoot")).is_leg
    assert limb_of(figure, figure.index("Head")) is None


def test_a_chain_has_none():
    assert find_limbs(making.chain()) == ()


@pytest.mark.parametrize("keep", ["world", "local"])
def test_a_limb_follows_a_path(keep):
    clip = making.walker(61)
    limb = limb_of(clip.skeleton, clip.skeleton.index("LeftFoot"))
    path = clip.positions()[:, limb.end] + [0.02, 0.08, 0.0]
    result = bring_limb(clip, limb, path, keep=keep)
    assert np.abs(result.positions()[:, limb.end] - path).max() < 1e-6
    kept = clip.world_rotations() if keep == "world" else clip.rotations
    now = result.world_rotations() if keep == "world" else result.rotations
    assert rot.angle_between(now[:, limb.end], kept[:, limb.end]).max() < 1e-7


def test_at_full_stretch_a_soft_limb_gives_way_and_a_hard_one_does_not():
    clip = making.constant(3)
    limb = limb_of(clip.skeleton, clip.skeleton.index("LeftFoot"))
    hip = clip.positions()[:, limb.upper]
    down = clip.positions()[:, limb.end] - hip
    path = hip + 0.8599 * down / np.linalg.norm(down, axis=-1, keepdims=True)
    soft, hard = (bring_limb(clip, limb, path, keep="world", soft=s).positions()[:, limb.end] for s in (True, False))
    assert np.linalg.norm(hard - path, axis=-1).max() < 1e-6
    assert 1e-4 < np.linalg.norm(soft - path, axis=-1).max() < 5e-3
