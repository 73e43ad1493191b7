import copy
import pickle

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.errors import ParameterError, UnknownNameError
from tests.body.people import adult, random_rotations, random_tree


def small(**changes):
    fields = {
        "names": ("Hips", "Spine", "Head", "LeftUpLeg"),
        "parents": [-1, 0, 1, 0],
        "offsets": [[0, 0, 0], [0, 0.2, 0], [0, 0.3, 0], [0.1, 0, 0]],
        "end_sites": (EndSite(2, (0.0, 0.2, 0.0)),),
    }
    return Skeleton(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"names": (), "parents": [], "offsets": []}, "at least one joint"),
        ({"names": ("a", "b", "a", "c")}, 'Two joints of the skeleton are called "a"'),
        ({"parents": [-1, 0, 1]}, r"takes parents \(4,\)"),
        ({"offsets": np.zeros((4, 2))}, r"offsets \(4, 3\)"),
        ({"rest": rot.identity(3)}, r"rest \(4, 4\)"),
        ({"parents": [-1, 2, 1, 0]}, "parent must come before it"),
        ({"parents": [-1, 1, 1, 0]}, "parent must come before it"),
        ({"parents": [0, 0, 1, 0]}, "first joint must be a root"),
        ({"parents": [-1, -2, 1, 0]}, "parent must come before it"),
        ({"offsets": [[0, 0, 0], [0, np.nan, 0], [0, 0.3, 0], [0, 0, 0]]}, 'offset of joint "Spine" is not a number'),
        ({"rest": 2 * rot.identity(4)}, 'rest rotation of joint "Hips" has length 2, not 1'),
        ({"rest": np.full((4, 4), np.nan)}, "has length nan"),
        ({"end_sites": (EndSite(4, (0.0, 0.0, 0.0)),)}, "hangs on joint 4"),
        ({"end_sites": (EndSite(1, (0.0, np.inf, 0.0)),)}, "offsets finite numbers"),
    ],
)
def test_what_is_not_a_skeleton_is_explained(changes, words):
    with pytest.raises(ParameterError, match=words):
        small(**changes)


def test_a_skeleton_cannot_be_changed():
    offsets = np.zeros((4, 3))
    skeleton = small(offsets=offsets)
    offsets[:] = 1.0
    assert not skeleton.offsets.any()
    for array in (skeleton.offsets, skeleton.parents, skeleton.rest, skeleton.rest_positions, skeleton.rest_rotations):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        skeleton.names = ()
    with pytest.raises(TypeError):
        skeleton.roles["hips"] = 3


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_and_pickles_are_equal_and_cannot_be_changed_either(duplicate):
    skeleton = adult(random_rotations(21))
    assert skeleton.roles["hips"] == 0
    again = duplicate(skeleton)
    assert again == skeleton
    assert hash(again) == hash(skeleton)
    assert dict(again.roles) == dict(skeleton.roles)
    with pytest.raises(ValueError, match="read-only"):
        again.offsets[0] = 1


def test_equality_looks_at_everything():
    skeleton = small()
    assert skeleton == small()
    assert skeleton != small(names=("Hips", "Spine", "Head", "RightUpLeg"))
    assert skeleton != small(offsets=np.zeros((4, 3)))
    assert skeleton != small(end_sites=())
    assert skeleton != small(rest=random_rotations(4))
    assert skeleton != "Hips"
    assert skeleton.same_joints(small(offsets=np.zeros((4, 3))))
    assert not skeleton.same_joints(small(parents=[-1, 0, 1, 1]))


def test_the_tree():
    skeleton = random_tree(15, seed=2, roots=2)
    assert skeleton.roots == (0, 1)
    for joint, children in enumerate(skeleton.children):
        assert all(skeleton.parents[child] == joint for child in children)
        below = {joint}.union(*(skeleton.subtree(child) for child in children))
        assert set(skeleton.subtree(joint)) == below
        chain = skeleton.chain(joint)
        assert chain[0] in skeleton.roots
        assert chain[-1] == joint
        assert [skeleton.parents[j] for j in chain[1:]] == list(chain[:-1])
    deep = skeleton.chain(14)
    assert skeleton.chain(14, deep[0]) == deep[1:]
    assert skeleton.chain(14, 14) == ()
    seen = [joint for joints, _ in skeleton.levels for joint in joints]
    assert sorted([*seen, *skeleton.roots]) == list(range(15))


def test_the_rest_pose_follows_rest_rotations():
    half = rot.from_axis_angle((0, 0, 1), np.pi / 2)
    skeleton = small(rest=[half, half, rot.identity(), rot.identity()])
    assert np.allclose(skeleton.rest_positions[1], [-0.2, 0, 0])
    assert np.allclose(skeleton.rest_positions[2], [-0.2, -0.3, 0])
    assert np.allclose(rot.angle(skeleton.rest_rotations[2]), np.pi)


def test_the_first_root_of_the_rest_pose_is_at_the_origin():
    skeleton = small(offsets=np.ones((4, 3)))
    assert np.array_equal(skeleton.rest_positions[:2], [[0, 0, 0], [1, 1, 1]])


def test_height_is_the_extent_with_end_sites_and_scales():
    assert np.isclose(small().height, 0.7)
    assert np.isclose(small().scaled(2.0).height, 1.4)
    assert small().scaled(2.0).end_sites[0].offset == (0.0, 0.4, 0.0)


# --- names


def test_a_joint_is_found_by_name_any_case_without_prefix_or_by_role():
    skeleton = small(names=("mixamorig:Hips", "mixamorig:Spine", "Head", "LeftUpLeg"))
    assert skeleton.index("mixamorig:Spine") == 1
    assert skeleton.index("Spine") == skeleton.index("SPINE") == 1
    assert skeleton.index("hips") == skeleton.index("Pelvis") == 0
    assert skeleton.index("left thigh") == skeleton.index("LEFT_UPPER_LEG") == 3


def test_an_unknown_joint_offers_the_nearest():
    with pytest.raises(UnknownNameError, match=r'no joint "LeftUpperLeg". Did you mean .*"LeftUpLeg"') as caught:
        small().index("LeftUpperLeg")
    assert "kinetune info" in str(caught.value)


def test_a_role_that_the_skeleton_lacks_is_explained():
    with pytest.raises(UnknownNameError, match='show its "left hand": give the names of the joints'):
        small().index("left hand")
    with pytest.raises(UnknownNameError, match='show its "left arm"'):
        small().select("left arm")


def test_a_group_is_not_a_joint():
    with pytest.raises(UnknownNameError, match="That is a group of joints, but a single joint is needed here"):
        adult().index("left arm")


def test_selections():
    skeleton = adult()
    everything = tuple(range(21))
    assert skeleton.select(None) == skeleton.select("all") == everything
    assert skeleton.select("left arm, Head") == skeleton.select(["left arm", "Head"])
    assert skeleton.select("Head, left arm") == tuple(sorted(skeleton.select("left arm, Head")))
    assert skeleton.select(("Hips", "hips", "Hips")) == (0,)
    assert skeleton.select("left elbow") == (skeleton.index("LeftLowerArm"),)
    assert skeleton.select([]) == ()


def test_an_exact_name_wins_over_a_group():
    skeleton = small(names=("hips", "spine", "head", "LeftUpLeg"))
    assert skeleton.select("spine") == (1,)
    longer = Skeleton(
        ("Hips", "Spine", "Spine1", "Head", "LeftArm", "LeftForeArm"), [-1, 0, 1, 2, 2, 4], np.zeros((6, 3))
    )
    assert longer.select("Spine") == (1,)
    assert longer.select("spine") == (1, 2)


def test_a_misspelled_group_offers_the_nearest_group():
    with pytest.raises(UnknownNameError, match='Did you mean "left arm"'):
        adult().select("lefft arm")


def test_names_are_told_apart():
    assert distinct_names(["a", "b", "a", "a"]) == ("a", "b", "a#2", "a#3")
    assert distinct_names(["a", "a#2", "a"]) == ("a", "a#2", "a#3")
    assert len(set(distinct_names(["x"] * 5 + ["x#3"]))) == 6


def test_as_offset_makes_plain_floats():
    offset = as_offset(np.array([1, 2, 3]))
    assert offset == (1.0, 2.0, 3.0)
    assert all(type(value) is float for value in offset)
