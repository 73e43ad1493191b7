"""The figures with fingers, of a child and of a studio, and the clips that play on them."""

import numpy as np
import pytest
from tools.samples.figure import HEIGHT, LEG, figure
from tools.samples.hands import FINGERS, Hand, finger_joints, together
from tools.samples.rich_figures import CHILD_HEIGHT, CHILD_LEG, child_figure, finger_figure, studio_figure

from kinetune import rotations as rot
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.quality.measures import measure
from kinetune.body.roles.joint_roles import group_joints
from kinetune.body.skeleton import Skeleton
from kinetune.formats import read, write
from kinetune.samples import sample
from tests.samples.soles import slides

FIGURES = {"fingers": finger_figure, "child": child_figure, "studio": studio_figure}
WITH_FINGERS = ("wave-fingers", "count", "take-glass")

# Active ranges of adult fingers in degrees (American Academy of Orthopaedic Surgeons and similar tables).
KNUCKLE, MIDDLE, LAST = (-30, 92), (0, 110), (0, 80)
SIDEWAYS = 22


def tip(clip, name):
    """The path of an end site, (frames, 3)."""
    site = next(s for s in clip.skeleton.end_sites if s.name == name)
    return clip.positions()[:, site.parent] + rot.rotate(clip.world_rotations()[:, site.parent], np.array(site.offset))


def closing(clip, side, finger):
    """How far the three joints of a long finger are bent, and how far it leans sideways, (frames, 4) in degrees."""
    sign = 1.0 if side == "Left" else -1.0
    at = [clip.skeleton.index(name) for name in finger_joints(side, finger)]
    lean, first = np.degrees(rot.to_euler(clip.rotations[:, at[0]], "YZ")).T * -sign
    rest = [np.degrees(rot.to_euler(clip.rotations[:, j], "YZ"))[:, 1] * -sign for j in at[1:]]
    return np.stack([first, *rest, lean], axis=-1)


@pytest.mark.parametrize(("figure_name", "joints"), [("fingers", 52), ("child", 22), ("studio", 31)])
def test_how_many_joints(figure_name, joints):
    made = FIGURES[figure_name]()
    assert len(made) == joints
    assert len(set(made.names)) == joints
    assert made is FIGURES[figure_name]()


@pytest.mark.parametrize("name", FIGURES)
def test_left_mirrors_right_and_all_stand_on_the_floor(name):
    made: Skeleton = FIGURES[name]()
    leg = made.offsets[0, 1]
    joints = made.rest_positions - made.rest_positions[0] + [0.0, leg, 0.0]
    tips = {site.name: joints[site.parent] + site.offset for site in made.end_sites}
    places = {**dict(zip(made.names, joints, strict=True)), **tips}
    twins = [(a, "Right" + a[4:]) for a in places if a.startswith("Left")] + [
        (a, "R" + a[1:]) for a in places if a in ("LHipJoint", "LThumb")
    ]
    assert len(twins) >= 10
    for left, right in twins:
        assert np.allclose(places[left], places[right] * [-1, 1, 1], atol=1e-15)
    assert np.isclose(tips["HeadTop"][1], CHILD_HEIGHT if name == "child" else HEIGHT)
    for side in ("Left", "Right"):
        assert abs(tips[f"{side}Heel"][1]) < 1e-12
        assert abs(tips[f"{side}ToeTip"][1]) < 1e-12


@pytest.mark.parametrize("name", FIGURES)
def test_roles_are_found_and_fingers_are_no_hands(name):
    made, plain = FIGURES[name](), figure()
    assert set(made.roles) == set(plain.roles)
    for role, joint in made.roles.items():
        if role.startswith(("left", "right")) or role in ("hips", "head"):
            assert made.names[joint] == plain.names[plain.roles[role]]
    assert made.names[made.roles["chest"]] == ("Spine1" if name == "studio" else "Spine2")


def test_the_fingers_are_a_group():
    made = finger_figure()
    names = {made.names[j] for j in group_joints(made, "left fingers")}
    assert names == {part for finger in FINGERS for part in finger_joints("Left", finger)}
    assert len(group_joints(made, "hands")) == 32
    assert "LeftHandPinky3" in {made.names[j] for j in group_joints(made, "left arm")}


def test_the_hand_has_human_proportions():
    """From wrist to fingertip 0.108 of the height (Drillis and Contini); the middle finger is the longest."""
    made = finger_figure()
    wrist = made.rest_positions[made.index("LeftHand")]
    reach = {s.name: np.linalg.norm(made.rest_positions[s.parent] + s.offset - wrist) for s in made.end_sites}
    assert np.isclose(reach["LeftMiddleTip"], 0.108 * HEIGHT, atol=0.008)
    order = [reach[f"Left{finger}Tip"] for finger in ("Middle", "Index", "Ring", "Pinky", "Thumb")]
    assert order == sorted(order, reverse=True)


def test_the_child_has_a_large_head_and_short_legs():
    made, plain = child_figure(), figure()

    def head(skeleton):
        return next(np.linalg.norm(s.offset) for s in skeleton.end_sites if s.name == "HeadTop")

    assert head(made) / CHILD_HEIGHT > 1.3 * head(plain) / HEIGHT
    assert CHILD_LEG / CHILD_HEIGHT < 0.93 * LEG / HEIGHT


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_a_fist_brings_the_fingertips_to_the_palm(side):
    """Both hands close the way their palms look, downwards in the T-pose; a straight hand stays flat."""
    made = finger_figure()
    still = sample("count")[:1].replace(rotations=rot.identity(1, len(made)))

    def posed(hand):
        rotations = rot.identity(1, len(made))
        for name, turned in hand.rotations(side, 1, 60.0).items():
            rotations[:, made.index(name)] = turned
        return still.replace(rotations=rotations)

    fist = posed(Hand(curl=np.ones(4), spread=0.0, thumb=0.9, opposed=46.0))
    flat = posed(Hand(curl=np.zeros(4), spread=0.0, thumb=0.0, opposed=0.0))
    palm = fist.positions()[0, made.index(f"{side}Hand")]
    for finger in FINGERS[1:]:
        knuckle = fist.positions()[0, made.index(f"{side}Hand{finger}1")]
        end = tip(fist, f"{side}{finger}Tip")[0]
        assert end[1] < knuckle[1] - 0.01
        assert abs(end[0] - palm[0]) < abs(knuckle[0] - palm[0])
        straight = tip(flat, f"{side}{finger}Tip")[0]
        assert abs(straight[1] - knuckle[1]) < 0.01
    assert tip(fist, f"{side}ThumbTip")[0, 2] < tip(flat, f"{side}ThumbTip")[0, 2] - 0.03
    lowest = min(fist.positions()[0, made.index(f"{side}Hand{finger}{k}"), 1] for finger in FINGERS[1:] for k in (2, 3))
    assert tip(fist, f"{side}ThumbTip")[0, 1] < lowest - 0.01  # over the fingers, not through them


@pytest.mark.parametrize("name", WITH_FINGERS)
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_fingers_stay_within_what_fingers_can_do(name, side):
    clip = sample(name)
    for finger in FINGERS[1:]:
        curves = closing(clip, side, finger)
        for column, (low, high) in enumerate((KNUCKLE, MIDDLE, LAST)):
            assert curves[:, column].min() >= low, finger
            assert curves[:, column].max() <= high, finger
        assert np.abs(curves[:, 3]).max() <= SIDEWAYS, finger
        # hinges do not twist, and nothing pops
        assert np.abs(np.diff(curves, 2, axis=0)).max() * clip.fps**2 < 60_000
        assert np.ptp(curves[:, 0]) > 0.5


def test_a_finger_takes_its_neighbours_along():
    assert np.allclose(together(np.full((3, 4), 0.4)), 0.4)
    moved = together(np.array([[1.0, 1.0, 0.0, 1.0]]))[0]
    assert 0.0 < moved[2] < 0.3
    assert 0.8 < moved[1] < 1.0


def test_the_waving_fingers_open_trail_and_close():
    clip = sample("wave-fingers")
    assert np.array_equal(clip.root, sample("wave").root)
    hand = clip.joint("RightHand").positions
    knuckles = closing(clip, "Right", "Middle")
    swings = [m.frame for m in clip.markers]
    busy = slice(swings[0], swings[-1])
    rising = np.flatnonzero((hand[:, 1] > hand[0, 1] + 0.1) & (np.arange(len(clip)) < swings[0]))
    assert knuckles[rising, 1].max() > knuckles[0, 1] + 15
    assert knuckles[busy, 1].max() < 15
    assert np.ptp(knuckles[busy, 3]) > 4
    # the lean of the fingers follows the turn of the hand that it trails behind
    turned = clip.world_rotations()[:, clip.skeleton.index("RightHand")]
    across = rot.rotate(turned, np.array([-1.0, 0.0, 0.0]))[:, 0]
    to_the_thumb = np.gradient(across)[busy]
    assert np.corrcoef(to_the_thumb, knuckles[busy, 3])[0, 1] < -0.5
    assert abs(knuckles[-1, 0] - knuckles[0, 0]) < 5


def test_it_counts_from_one_to_five():
    clip = sample("count")
    marks = {m.name: m.frame for m in clip.markers}
    assert list(marks) == ["one", "two", "three", "four", "five"]
    wrist = clip.joint("RightHand").positions

    def raised(frame):
        long = [f for f in FINGERS[1:] if closing(clip, "Right", f)[frame, 1] < 30]
        away = tip(clip, "RightThumbTip")[frame] - clip.joint("RightHandPinky1").positions[frame]
        return long + (["Thumb"] if np.linalg.norm(away) > 0.10 else [])

    assert raised(marks["one"] - 10) == []
    for number, frame in enumerate(marks.values(), start=1):
        assert len(raised(frame + 8)) == number
    assert raised(marks["one"] + 8) == ["Index"]
    assert "Thumb" not in raised(marks["four"] + 8)
    palm = rot.rotate(clip.world_rotations()[:, clip.skeleton.index("RightHand")], np.array([0.0, -1.0, 0.0]))
    assert palm[marks["three"], 2] > 0.7  # it is shown to whom the figure faces
    assert wrist[marks["three"], 1] > 1.2


def test_the_grasping_hand_opens_widest_at_two_thirds_of_the_way():
    clip = sample("take-glass")
    wrist = clip.joint("RightHand").positions
    away = np.linalg.norm(wrist - wrist[-1], axis=-1)
    start, arrive = np.argmax(away < 0.995 * away[0]), np.argmax(away < 0.005)
    gap = np.linalg.norm(tip(clip, "RightThumbTip") - tip(clip, "RightIndexTip"), axis=-1)
    widest = (int(np.argmax(gap)) - start) / (arrive - start)
    assert 0.55 < widest < 0.75
    assert gap.max() > 1.5 * gap[0]
    assert 0.035 < gap[-1] < 0.065
    assert clip.markers[0].name == "grasp"
    assert np.ptp(gap[clip.markers[0].frame + 4 :]) < 0.002


def test_the_child_walks_quickly_and_its_feet_stay():
    """At 1.1 to 1.2 m children take about 140 to 155 steps a minute at 1 m/s."""
    clip = sample("walk-child")
    assert max(max(slides(clip, side)) for side in ("Left", "Right")) < 0.002
    result = measure(clip)
    assert result["foot_slide_worst_mm"] < 5
    assert measure(clip, contacts="find")["foot_slide_mm"] < 5
    assert np.mean(find_contacts(clip).flags == clip.contacts.flags) > 0.92
    assert 140 <= 60 * 2 * 7 / clip.duration <= 155
    travelled = clip.root[-1, 2] - clip.root[0, 2]
    assert 0.9 < travelled / clip.duration < 1.2
    assert clip.markers[0].frame == 0
    assert clip.markers[-1].frame == len(clip) - 1


def test_the_studio_figure_moves_every_joint_as_the_plain_one_does():
    rig, plain = sample("wave-rig"), sample("wave")
    names = {"Spine": "LowerBack", "Spine1": "Spine", "Spine2": "Spine1", "Neck": "Neck1"}
    for joint, name in enumerate(plain.skeleton.names):
        there = rig.skeleton.index(names.get(name, name))
        assert np.allclose(rig.positions()[:, there], plain.positions()[:, joint], atol=1e-12)
        assert np.allclose(rig.world_rotations()[:, there], plain.world_rotations()[:, joint], atol=1e-12)
    still = [n for n in rig.skeleton.names if not np.any(rig.skeleton.offsets[rig.skeleton.index(n)])]
    assert {"LHipJoint", "RHipJoint", "Neck", "LeftFingerBase", "RightFingerBase"} <= set(still)
    finger = rig.rotations[:, rig.skeleton.index("RightHandIndex1")]
    assert np.degrees(rot.angle_between(finger, finger[:1])).max() > 10


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
@pytest.mark.parametrize("name", ["count", "walk-child", "wave-rig"])
def test_files_carry_them(tmp_path, name, suffix):
    clip = sample(name)[:40]
    again = read(write(clip, tmp_path / f"clip{suffix}"))
    for joint in ("LeftHand", "RightToeBase", "Head"):
        there, here = again.joint(joint).positions, clip.joint(joint).positions
        assert np.abs(there - here).max() < 1e-4
    assert set(again.skeleton.roles) == set(clip.skeleton.roles)
    assert len(again.skeleton) == len(clip.skeleton)
