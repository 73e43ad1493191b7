import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Joint, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.kinematics.forward import forward
from kinetune.body.source import Source
from kinetune.errors import ParameterError, UnknownNameError
from tests.body.people import adult, random_clip


def still(frames=10, **changes):
    skeleton = adult()
    fields = {"fps": 30.0, "root": np.zeros((frames, 3)), "rotations": rot.identity(frames, 21)}
    return Clip(skeleton, **{**fields, **changes})


def spoiled(array, index, value):
    result = array.copy()
    result[index] = value
    return result


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rotations": rot.identity(10, 20)}, r"A clip of 21 joints takes rotations \(frames, 21, 4\)"),
        ({"rotations": rot.identity(9, 21)}, r"got \(9, 21, 4\) and \(10, 3\)"),
        ({"root": np.zeros((10, 2))}, r"root \(frames, 3\)"),
        ({"root": np.zeros((0, 3)), "rotations": rot.identity(0, 21)}, "at least one frame"),
        ({"rotations": np.float64(1.0)}, "takes rotations"),
        ({"fps": 0}, r"fps must be a number from 0\.001 to 100,000, not 0"),
        ({"fps": float("nan")}, "fps must be a number from"),
        ({"root": spoiled(np.zeros((10, 3)), (4, 1), np.nan)}, "Frame 4 of the clip has a value that is not a number"),
        ({"rotations": spoiled(rot.identity(10, 21), (7, 2, 1), np.inf)}, "Frame 7 of the clip"),
        ({"rotations": spoiled(rot.identity(10, 21), (3, 4, 0), 2.0)}, 'Frame 3, joint "Head": .* length 2, not 1'),
        (
            {"translations": np.zeros((10, 20, 3))},
            r"translations must be numbers of sensible size and shape \(10, 21, 3\)",
        ),
        ({"translations": np.full((10, 21, 3), np.nan)}, "translations must be numbers of sensible size"),
        ({"contacts": Contacts(("LeftFoot",), np.zeros((9, 1), bool))}, "A clip of 10 frames was given contacts of 9"),
    ],
)
def test_what_is_not_a_clip_is_explained(changes, words):
    with pytest.raises(ParameterError, match=words):
        still(**changes)


def test_lists_whole_numbers_and_single_precision_are_taken():
    clip = still(2, root=[[0, 1, 0], [0, 1, 1]], rotations=rot.identity(2, 21).astype(np.float32), fps=25)
    assert clip.root.dtype == clip.rotations.dtype == np.float64
    assert type(clip.fps) is float


def test_a_clip_cannot_be_changed():
    root, rotations = np.zeros((10, 3)), rot.identity(10, 21)
    moved = np.zeros((10, 21, 3))
    clip = still(root=root, rotations=rotations, translations=moved)
    root[:], rotations[:], moved[:] = 5.0, 5.0, 5.0
    assert not clip.root.any()
    assert not clip.translations.any()
    assert np.array_equal(clip.rotations, rot.identity(10, 21))
    for array in (clip.root, clip.rotations, clip.translations, clip.positions(), clip.world_rotations()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(FrozenInstanceError):
        clip.fps = 60


def test_a_view_of_an_array_that_others_can_write_is_copied():
    room = np.zeros((20, 3))
    view = room[:10]
    view.flags.writeable = False
    clip = still(root=view)
    room[:] = 1.0
    assert not clip.root.any()


def test_arrays_of_a_clip_are_shared_with_its_parts():
    clip = random_clip(adult())
    assert np.shares_memory(clip.replace(fps=60).rotations, clip.rotations)
    assert np.shares_memory(clip[2:5].rotations, clip.rotations)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_and_pickles_are_equal_and_cannot_be_changed_either(duplicate):
    contacts = Contacts(("LeftFoot",), np.ones((12, 1), dtype=bool))
    clip = random_clip(adult(), contacts=contacts, markers=(Marker(3, "jump"),), history=({"op": "trim"},))
    clip.positions()
    again = duplicate(clip)
    assert np.array_equal(again.rotations, clip.rotations)
    assert np.array_equal(again.positions(), clip.positions())
    assert (again.skeleton, again.fps, again.markers, again.history) == (
        clip.skeleton,
        clip.fps,
        clip.markers,
        clip.history,
    )
    assert again.contacts == contacts
    with pytest.raises(ValueError, match="read-only"):
        again.rotations[0] = 1


def test_a_pickle_holds_no_positions():
    clip = random_clip(adult(), frames=200)
    before = len(pickle.dumps(clip))
    clip.positions()
    assert len(pickle.dumps(clip)) == before


def test_length_duration_and_times():
    clip = still(31, root=np.zeros((31, 3)), rotations=rot.identity(31, 21))
    assert (len(clip), clip.duration) == (31, 1.0)
    assert np.allclose(clip.times, np.arange(31) / 30)
    assert still(1).duration == 0.0


def test_world_positions_are_those_of_forward_and_computed_once():
    clip = random_clip(adult())
    positions, turned = forward(clip.skeleton, clip.root, clip.rotations)
    assert np.array_equal(clip.positions(), positions)
    assert np.array_equal(clip.world_rotations(), turned)
    assert clip.positions() is clip.positions()


def test_a_joint_is_an_index_that_knows_more():
    clip = random_clip(adult())
    hand = clip.joint("left wrist")
    assert isinstance(hand, Joint)
    assert hand == clip.skeleton.index("LeftHand")
    assert hand.name == "LeftHand"
    assert np.array_equal(hand.positions, clip.positions()[:, hand])
    assert np.array_equal(hand.rotations, clip.rotations[:, hand])
    again = pickle.loads(pickle.dumps(hand))
    assert (int(again), again.name) == (int(hand), "LeftHand")
    with pytest.raises(UnknownNameError, match="Did you mean"):
        clip.joint("LeftHnd")


def test_the_first_column_of_translations_is_the_root():
    root = np.arange(30.0).reshape(10, 3)
    clip = still(root=root, translations=np.zeros((10, 21, 3)))
    assert np.array_equal(clip.translations[:, 0], root)


# --- slices


@dataclass(frozen=True)
class Rows:
    """A layout that keeps which rows of its file it stands for."""

    rows: tuple[int, ...]

    def sliced(self, frames: slice) -> "Rows":
        return Rows(self.rows[frames])


def test_a_slice_stands_where_its_frames_stood():
    whole = random_clip(adult(), 120)
    fresh = copy.deepcopy(whole)
    whole.positions()  # the slice takes these along
    for part in (slice(20, 90), slice(1, None, 2)):
        assert np.array_equal(whole[part].positions(), fresh[part].positions())
        assert np.array_equal(whole[part].world_rotations(), fresh[part].world_rotations())


def test_a_slice_keeps_everything_in_step():
    contacts = Contacts(("LeftFoot",), np.arange(12)[:, None] % 2 == 0)
    markers = (Marker(1, "a"), Marker(4, "b"), Marker(5, "c"), Marker(11, "d"))
    moved = np.random.default_rng(0).standard_normal((12, 21, 3))
    source = Source("bvh", layout=Rows(tuple(range(12))))
    clip = random_clip(adult(), contacts=contacts, markers=markers, translations=moved, source=source)
    part = clip[4:10]
    assert len(part) == 6
    assert part.fps == clip.fps
    assert np.array_equal(part.positions(), clip.positions()[4:10])
    assert np.array_equal(part.contacts.flags, contacts.flags[4:10])
    assert part.markers == (Marker(0, "b"), Marker(1, "c"))
    assert part.source.layout == Rows((4, 5, 6, 7, 8, 9))
    second = clip[1::2]
    assert second.fps == 15.0
    assert np.array_equal(second.root, clip.root[1::2])
    assert second.markers == (Marker(0, "a"), Marker(2, "c"), Marker(5, "d"))
    assert second.source.layout == Rows((1, 3, 5, 7, 9, 11))
    assert np.array_equal(clip[-3:].root, clip.root[-3:])
    assert np.array_equal(clip[:100].root, clip.root)


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (slice(5, 5), r"clip\[5:5\] would be empty; the clip has frames 0 to 9"),
        (slice(20, 30), "would be empty"),
        (slice(None, None, -1), "step of a slice must be positive, not -1"),
        (3, r"clip\[5:6\]"),
    ],
)
def test_a_slice_that_is_none_is_explained(frames, words):
    with pytest.raises(ParameterError, match=words):
        still()[frames]


# --- replace and compare


def test_contacts_are_dropped_when_the_motion_changes():
    contacts = Contacts(("LeftFoot",), np.ones((12, 1), dtype=bool))
    clip = random_clip(adult(), contacts=contacts)
    assert clip.replace(root=clip.root + 1).contacts is None
    assert clip.replace(rotations=clip.rotations).contacts is None
    assert clip.replace(fps=60).contacts is contacts
    assert clip.replace(root=clip.root + 1, contacts=contacts).contacts is contacts


def test_same_motion_ignores_signs_and_nothing_else():
    clip = random_clip(adult())
    flipped = clip.rotations.copy()
    flipped[::2] *= -1
    assert clip.same_motion(clip.replace(rotations=flipped))
    assert not clip.same_motion(clip.replace(root=clip.root + 1e-3))
    assert not clip.same_motion(clip.replace(fps=60))
    assert not clip.same_motion(clip[1:])
    hand = clip.joint("LeftHand")  # turning a tip moves no joint
    turned = clip.rotations.copy()
    turned[:, hand] = rot.multiply(turned[:, hand], rot.exp([0.0, 0.0, 0.01]))
    assert not clip.same_motion(clip.replace(rotations=turned))
    assert clip.same_motion(clip.replace(rotations=turned), tolerance=0.02)


def test_a_clip_says_what_it_is():
    assert repr(still()) == "Clip(10 frames at 30 fps, 0.3 s, 21 joints)"
    read = still().replace(source=Source("bvh", "takes/walk<1>.bvh", "cm"))
    assert repr(read) == 'Clip("walk<1>", 10 frames at 30 fps, 0.3 s, 21 joints)'
    assert repr(read.source) == "Source(walk<1>.bvh, cm, Y up)"
    html = read._repr_html_()
    assert "<iframe " in html
    assert "<table>" in html
    assert "walk&lt;1&gt;.bvh" in html, "texts from files are escaped"
    assert repr(still().skeleton).startswith("Skeleton(21 joints, ")
    assert still().skeleton.names[0] in still().skeleton._repr_html_()
    assert "walk.bvh" in repr(still(source=Source("bvh", "walk.bvh")).source)
