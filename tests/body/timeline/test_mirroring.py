from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.kinematics.forward import tips
from kinetune.body.root_motion import facing, place
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.mirroring import mirror, mirror_at_start, mirror_pairs, swap_sides
from kinetune.errors import FileError
from kinetune.formats import read
from tests.body.people import adult, random_clip, random_rotations, random_tree, turned_frames
from tests.body.rigs import RIGS, tree
from tests.operations import making

IMAGE = np.array([-1.0, 1.0, 1.0])

REAL = [
    "cmu/16_17.bvh",
    "accad/Male1_B3_Walk.bvh",
    "accad/Male1_A5_PickUpBox.bvh",
    "hdm05/HDM_bd_kickLFront1Reps_001_120.amc",
    "odd_bvh/20tab_freebvh_mixamo-colon.bvh",
    "odd_bvh/makehuman_walk1_zup.bvh",
    "odd_bvh/bvhio_example.bvh",
    "gltf/Fox.glb",
    "gltf/RiggedFigure.glb",
]


def awkward(seed: int) -> Skeleton:
    """A symmetric figure whose joints have axes of their own, unrelated between left and right."""
    return turned_frames(adult(), random_rotations(21, seed=seed))


@pytest.mark.slow
@given(seed=st.integers(0, 500))
@settings(deadline=None, max_examples=25)
def test_twice_is_nothing(seed):
    for skeleton in (adult(), awkward(seed)):
        clip = random_clip(skeleton, seed=seed)
        again = mirror(mirror(clip))
        assert again.same_motion(clip, 1e-9)
        assert np.array_equal(again.root, clip.root)


@pytest.mark.slow
@given(seed=st.integers(0, 500))
@settings(deadline=None, max_examples=25)
def test_positions_are_mirror_images(seed):
    for skeleton in (adult(), awkward(seed)):
        clip = random_clip(skeleton, seed=seed, size=1.0)
        pairs = mirror_pairs(skeleton)
        image = mirror(clip)
        assert np.allclose(image.positions(), clip.positions()[:, pairs] * IMAGE, atol=1e-9)
        sites = [site.parent for site in skeleton.end_sites]
        order = [sites.index(pairs[parent]) for parent in sites]
        assert np.allclose(tips(image), tips(clip)[:, order] * IMAGE, atol=1e-9)


def asymmetric(seed: int) -> Skeleton:
    """A figure with a rest pose that is not its own, bones that differ from side to side, and axes of its own."""
    rng = np.random.default_rng(seed)
    skeleton = turned_frames(adult(), _AXES[rng.integers(len(_AXES), size=21)])
    offsets = skeleton.offsets * rng.uniform(0.8, 1.2, (21, 1)) + 0.01 * rng.standard_normal((21, 3))
    return replace(skeleton, offsets=offsets, rest=rot.identity(21))


_AXES = rot.from_matrix([np.eye(3), [[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]], [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]])


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), size=st.sampled_from([0.2, 0.6, 1.5]), offset=st.floats(-3.0, 3.0))
@settings(deadline=None, max_examples=25)
def test_twice_is_nothing_on_odd_rigs_too(seed, size, offset):
    """Below a root that stands still, off centre, with asymmetric rest poses and joints that move."""
    rng = np.random.default_rng(seed)
    for skeleton in (adult(), awkward(seed), asymmetric(seed)):
        moved = skeleton.offsets + 0.05 * rng.standard_normal((9, 21, 3)) * (rng.random((21, 1)) < 0.3)
        clip = random_clip(skeleton, 9, seed=seed, size=size, translations=moved)
        below = making.below_still_root(clip, (offset, 0.9, 0.3))
        for each in (clip, clip.replace(translations=None), below, place(below, rot.about_y(offset), [1.0, 0.0, 2.0])):
            for image in (mirror, mirror_at_start):
                assert np.abs(image(image(each)).positions() - each.positions()).max() < 1e-9


@pytest.mark.parametrize("offset", [(0.0, 0.9, 0.0), (1.3, 0.9, -2.0), (-0.4, 2.0, 5.0)])
def test_hands_are_mirror_images_below_a_root_that_stands_off_centre(offset):
    clip = making.walker(31, heading=0.6)
    below = making.below_still_root(clip, offset)
    assert np.abs(mirror(below).positions()[:, 1:] - mirror(clip).positions()).max() < 1e-9
    assert np.array_equal(mirror(below).root, below.root)


def test_the_mirror_at_the_start_leaves_the_hips_there():
    clip = making.walker(31, heading=0.6)
    image = mirror_at_start(clip)
    assert np.allclose(image.positions()[0, 0], clip.positions()[0, 0])
    assert np.allclose(facing(image)[0], facing(clip)[0])


def test_it_changes_a_figure_that_waves():
    skeleton = adult()
    still = rot.identity(5, 21)
    still[:, skeleton.index("LeftUpperArm")] = rot.exp([0.0, 0.3, 1.0])
    image = mirror(Clip(skeleton, 30, np.zeros((5, 3)), still))
    assert np.allclose(image.rotations[:, skeleton.index("LeftUpperArm")], rot.identity(5))
    assert np.allclose(image.rotations[:, skeleton.index("RightUpperArm")], rot.exp([0.0, -0.3, -1.0]))


def test_a_turn_to_the_left_becomes_one_to_the_right():
    clip = random_clip(adult(), size=0.0)
    left = clip.replace(rotations=np.concatenate([rot.about_y(np.full((12, 1), 0.5)), clip.rotations[:, 1:]], axis=1))
    assert np.allclose(rot.heading(mirror(left).rotations[:, 0]), -0.5)


def test_mirroring_commutes_with_a_turn_of_the_scene_the_other_way():
    clip = random_clip(adult())
    turn = rot.about_y(0.7)

    def turned(c, q):
        root = rot.rotate(np.broadcast_to(q, (len(c), 4)), c.root)
        first = rot.multiply(np.broadcast_to(q, (len(c), 4)), c.rotations[:, 0])
        return c.replace(root=root, rotations=np.concatenate([first[:, None], c.rotations[:, 1:]], axis=1))

    assert mirror(turned(clip, turn)).same_motion(turned(mirror(clip), rot.inverse(turn)), 1e-9)


def test_the_input_is_untouched_and_the_skeleton_kept():
    clip = random_clip(adult())
    before = clip.rotations.copy()
    image = mirror(clip)
    assert np.array_equal(clip.rotations, before)
    assert image.skeleton is clip.skeleton
    assert image.fps == clip.fps


def test_feet_stay_planted_on_a_symmetric_skeleton():
    clip = random_clip(adult(), frames=30)
    foot, other = clip.joint("left foot"), clip.joint("right foot")
    image = mirror(clip)
    assert np.allclose(image.positions()[:, other], clip.positions()[:, foot] * IMAGE, atol=1e-12)


def test_bones_keep_their_own_lengths():
    skeleton = adult()
    offsets = skeleton.offsets.copy()
    long = skeleton.index("LeftLowerArm")
    offsets[long] *= 1.5
    longer = replace(skeleton, offsets=offsets)
    clip = random_clip(longer)
    image = mirror(clip)
    for joint in range(1, 21):
        bone = image.positions()[:, joint] - image.positions()[:, longer.parents[joint]]
        assert np.allclose(np.linalg.norm(bone, axis=1), np.linalg.norm(offsets[joint]))
    assert mirror(image).same_motion(clip, 1e-12)


def test_a_rest_pose_that_is_not_the_figures_is_replaced_by_the_mean_pose():
    """As in ACCAD: offsets as if every bone had its own axes, and no rest rotations that say so."""
    swap = rot.from_matrix([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    frames = rot.identity(21)
    skeleton = adult()
    for joint in skeleton.select(["torso", "arms"]):
        frames[joint] = swap
    real = turned_frames(skeleton, frames)
    hidden = replace(real, rest=rot.identity(21))
    clip = random_clip(real, frames=60, size=0.2, seed=4)
    image = mirror(Clip(hidden, 30, clip.root, clip.rotations))
    assert image.same_motion(replace(mirror(clip), skeleton=hidden), 1e-9)


# --- translations, contacts, markers


def test_translations_change_sides_too():
    skeleton = adult()
    rng = np.random.default_rng(0)
    moved = skeleton.offsets + 0.1 * rng.standard_normal((12, 21, 3))
    pairs = mirror_pairs(skeleton)
    sided = pairs != np.arange(21)
    moved[:, sided] += skeleton.offsets[sided] - moved[:, sided].mean(axis=0)  # means symmetric, as lengths are
    clip = random_clip(skeleton, translations=moved)
    image = mirror(clip)
    assert np.allclose(image.positions(), clip.positions()[:, pairs] * IMAGE, atol=1e-12)
    assert mirror(image).same_motion(clip, 1e-12)


def test_offsets_stated_frame_by_frame_are_offsets():
    """Some files animate the position of every joint, below a root that stays at the origin, and change none."""
    skeleton = adult()
    offsets = skeleton.offsets + np.array([0.01, 0.0, 0.0])  # a spine that is not quite in the middle
    plain = random_clip(replace(skeleton, offsets=offsets))
    stated = making.below_still_root(plain)
    assert np.allclose(mirror(stated).positions()[:, 1:], mirror(plain).positions(), atol=1e-12)
    assert mirror(mirror(stated)).same_motion(stated, 1e-12)


def test_mean_lengths_of_moving_bones_stay_on_their_side():
    skeleton = adult()
    moved = np.repeat(skeleton.offsets[None], 12, axis=0)
    moved[:, skeleton.index("LeftLowerLeg")] *= 1.2
    clip = random_clip(skeleton, translations=moved)
    image = mirror(clip)
    for name in ("LeftLowerLeg", "RightLowerLeg"):
        joint = skeleton.index(name)
        lengths = np.linalg.norm(image.translations[:, joint], axis=1)
        assert np.allclose(lengths, np.linalg.norm(moved[0, joint]))


def test_contacts_change_feet():
    flags = np.array([[True, False], [True, True], [False, False]])
    confidence = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.3]])
    contacts = Contacts(("LeftFoot", "RightFoot"), flags, confidence)
    clip = random_clip(adult(), frames=3, contacts=contacts)
    image = mirror(clip).contacts
    assert image is not None
    assert image.joints == ("LeftFoot", "RightFoot")
    assert np.array_equal(image.flags, flags[:, ::-1])
    assert np.array_equal(image.confidence, confidence[:, ::-1])
    assert mirror(mirror(clip)).contacts == contacts


def test_the_contact_of_one_foot_alone_moves_to_the_other():
    contacts = Contacts(("LeftFoot",), np.array([[True], [False]]))
    image = mirror(random_clip(adult(), frames=2, contacts=contacts)).contacts
    assert image is not None
    assert (image.joints, image.sides) == (("RightFoot",), ("right",))
    assert image.flags.tolist() == [[True], [False]]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("left heel strike", "right heel strike"),
        ("LeftToeOff", "RightToeOff"),
        ("RIGHT_HAND up", "LEFT_HAND up"),
        ("heelLeft", "heelRight"),
        ("L foot, then R foot", "R foot, then L foot"),
        ("stands upright, bright", "stands upright, bright"),
        ("Leftover", "Leftover"),
        ("jump", "jump"),
    ],
)
def test_sides_in_words_are_swapped(text, other):
    assert swap_sides(text) == other
    assert swap_sides(other) == text


def test_markers_are_renamed():
    clip = random_clip(adult(), markers=(Marker(2, "left heel strike"), Marker(5, "jump")))
    assert mirror(clip).markers == (Marker(2, "right heel strike"), Marker(5, "jump"))


# --- pairs


def test_pairs_of_a_figure():
    skeleton = adult()
    pairs = mirror_pairs(skeleton)
    for joint, name in enumerate(skeleton.names):
        other = name.replace("Left", "?").replace("Right", "Left").replace("?", "Right")
        assert skeleton.names[pairs[joint]] == other


@pytest.mark.parametrize("rig", RIGS, ids=lambda rig: rig.name)
def test_pairs_of_known_rigs(rig):
    skeleton = rig.skeleton()
    pairs = mirror_pairs(skeleton)
    left, right = rig.sides
    for line in rig.text.splitlines():
        for word in line.rpartition(": ")[2].split(" > "):
            name = word.partition(" [")[0].strip()
            if "@" in name:
                a, b = (skeleton.index(name.replace("@", side)) for side in (left, right))
                assert (pairs[a], pairs[b]) == (b, a)


def laws_of_pairs(skeleton):
    pairs = mirror_pairs(skeleton)
    parents = skeleton.parents
    assert np.array_equal(pairs[pairs], np.arange(len(skeleton)))
    for joint in range(len(skeleton)):
        if pairs[joint] != joint:
            assert parents[pairs[joint]] == (pairs[parents[joint]] if parents[joint] >= 0 else -1)
    return pairs


@given(joints=st.integers(1, 30), seed=st.integers(0, 300), roots=st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_pairs_undo_themselves_and_follow_the_tree(joints, seed, roots):
    laws_of_pairs(random_tree(joints, seed, min(roots, joints)))


def test_pairs_without_names_are_found_by_shape():
    skeleton = adult()
    nameless = replace(skeleton, names=tuple(f"joint_{k}" for k in range(21)))
    assert np.array_equal(mirror_pairs(nameless), mirror_pairs(skeleton))
    clip = random_clip(nameless)
    assert np.allclose(mirror(clip).positions(), clip.positions()[:, mirror_pairs(nameless)] * IMAGE, atol=1e-12)


def test_fingers_without_names_are_matched_by_their_places():
    skeleton = adult()
    names, parents, offsets = list(skeleton.names), skeleton.parents.tolist(), skeleton.offsets.tolist()
    first = len(names)
    for side, sign, order in (("Left", 1, (0, 1, 2)), ("Right", -1, (2, 0, 1))):
        hand = skeleton.index(f"{side}Hand")
        for finger in order:
            names.append(f"joint_{len(names)}")
            parents.append(hand)
            offsets.append([sign * 0.08, 0.0, 0.03 * (finger - 1)])
    fingers = Skeleton(tuple(names), parents, offsets)
    pairs = laws_of_pairs(fingers)
    assert pairs[first : first + 3].tolist() == [first + 4, first + 5, first + 3]


def test_a_joint_without_a_partner_keeps_its_own_motion():
    skeleton = adult()
    hand = skeleton.index("RightHand")
    armed = Skeleton(
        (*skeleton.names, "Sword", "Blade"),
        [*skeleton.parents, hand, 21],
        [*skeleton.offsets.tolist(), [0.1, 0, 0], [0, 0.5, 0]],
    )
    clip = random_clip(armed)
    assert mirror_pairs(armed)[21:].tolist() == [21, 22]
    image = mirror(clip)
    assert np.array_equal(image.rotations[:, 21:], clip.rotations[:, 21:])
    assert mirror(image).same_motion(clip, 1e-12)


def test_a_sided_joint_alone_in_the_middle_is_its_own_partner():
    skeleton = tree("Hips > Spine > Head\nHips: LeftLeg")
    assert mirror_pairs(skeleton).tolist() == [0, 1, 2, 3]


# --- real files


@pytest.mark.parametrize("name", REAL)
def test_real_clips_mirror_twice_to_themselves(name, shared_data):
    clip = read(shared_data / name)
    laws_of_pairs(clip.skeleton)
    image = mirror(clip)
    assert not image.same_motion(clip, 1e-3)
    assert mirror(image).same_motion(clip, 1e-9)


@pytest.mark.parametrize("name", REAL)
def test_real_clips_are_mirror_images_up_to_their_own_asymmetry(name, shared_data):
    clip = read(shared_data / name)
    skeleton = clip.skeleton
    pairs = mirror_pairs(skeleton)
    away = np.linalg.norm(mirror(clip).positions() - clip.positions()[:, pairs] * IMAGE, axis=2)
    height = float(np.ptp(clip.positions()[0, :, 1]))
    bones = skeleton.offsets.copy()
    bones[list(skeleton.roots)] = 0.0
    lengths = np.linalg.norm(bones, axis=1)
    asymmetry = np.abs(lengths - lengths[pairs]).sum()
    assert away.max() < 0.05 * height + asymmetry


MOTIONS = (".bvh", ".amc", ".c3d", ".fbx", ".glb", ".gltf", ".npy", ".npz", ".txt", ".vrm", ".vrma")


@pytest.mark.slow
def test_every_readable_file_mirrors_twice_to_itself(shared_data):
    count = 0
    for path in sorted(p for p in shared_data.rglob("*") if p.suffix in MOTIONS and p.parent.name != "golden"):
        try:
            clip = read(path)[:40]
        except FileError:
            continue  # a file without motion
        count += 1
        for image in (mirror, mirror_at_start):
            assert np.abs(image(image(clip)).positions() - clip.positions()).max() < 1e-9, path.name
    assert count > 0


@pytest.mark.parametrize("name", ["Male1_A13_Skipping", "Male1_C11_RunTurnLeft90", "Male1_B3_Walk"])
def test_limbs_are_mirror_images_in_every_clip_of_one_skeleton(name, shared_data):
    """However lopsided a motion is, it shows the same axes as the others."""
    clip = read(shared_data / "accad" / f"{name}.bvh")
    away = np.linalg.norm(mirror(clip).positions() - clip.positions()[:, mirror_pairs(clip.skeleton)] * IMAGE, axis=2)
    assert away.max() < 0.05
