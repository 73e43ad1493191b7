"""Generated motion: Kimodo, HumanML3D, DeepMimic; and pickles, which are never loaded."""

import json

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import FileError, MalformedFileError, UnknownFormatError
from kinetune.formats.learned.humanml3d import joints_from_features
from kinetune.formats.learned.kimodo import tree_of
from kinetune.formats.npz._smpl_skeleton import BODY_NAMES, generic_skeleton
from kinetune.formats.unit_and_up import world_rotation
from tests.conftest import data_folder

DATA = data_folder()
needs_data = pytest.mark.skipif(
    DATA is None or not (DATA / "kimodo").is_dir(), reason="no generated motion here: set KINETUNE_DATA"
)


def golden(kind, name):
    return json.loads((DATA / kind / "golden" / f"{name}.json").read_text())


def walk22(frames=30):
    """Positions of 22 joints that move about."""
    body = generic_skeleton("body")
    t = np.arange(frames)[:, None, None] / 20.0
    turns = 0.4 * np.sin(2.0 * t + np.arange(22 * 3).reshape(1, 22, 3))
    root = np.stack([0.1 * t[:, 0, 0], 0.95 + 0 * t[:, 0, 0], 0.5 * t[:, 0, 0]], axis=1)
    return kt.Clip(body, 20.0, root, rot.exp(turns))


# --- Kimodo


@pytest.mark.parametrize(("joints", "foot"), [(30, "LeftFoot"), (77, "LeftFoot"), (34, "left_ankle_roll_skel")])
def test_kimodo_bodies_are_known(joints, foot):
    names, parents = tree_of(joints)
    assert len(names) == len(set(names)) == len(parents) == joints
    skeleton = kt.Skeleton(names, parents, np.full((joints, 3), 0.1))
    assert names[skeleton.roles["left foot"]] == foot
    assert {f"{side} {part}" for side in ("left", "right") for part in ("lower leg", "lower arm", "hand")} <= set(
        skeleton.roles
    )


def kimodo_arrays(frames=12):
    names, parents = tree_of(30)
    rng = np.random.default_rng(0)
    offsets = rng.normal(0, 0.2, (30, 3))
    clip = kt.Clip(
        kt.Skeleton(names, parents, offsets),
        30.0,
        rng.normal(0, 1, (frames, 3)),
        rot.exp(rng.normal(0, 0.4, (frames, 30, 3))),
    )
    labels = rng.random((frames, 4)) > 0.5
    return clip, {
        "posed_joints": clip.positions(),
        "global_rot_mats": rot.to_matrix(clip.world_rotations()),
        "foot_contacts": labels,
    }


def test_kimodo_comes_back_with_its_contacts(tmp_path):
    clip, arrays = kimodo_arrays()
    np.savez(tmp_path / "a.npz", **arrays)
    back = kt.read(tmp_path / "a.npz")
    assert back.same_motion(clip, tolerance=1e-6)
    assert back.fps == 30
    labels = arrays["foot_contacts"]
    assert back.contacts.joints == ("LeftFoot", "RightFoot")
    assert np.array_equal(back.contacts.heels, labels[:, [0, 2]])
    assert np.array_equal(back.contacts.toes, labels[:, [1, 3]])
    assert np.array_equal(back.contacts.flags, labels[:, [0, 2]] | labels[:, [1, 3]])
    assert np.array_equal(back[3:9].contacts.flags, back.contacts.flags[3:9])
    arrays["local_rot_mats"] = rot.to_matrix(clip.rotations)
    del arrays["global_rot_mats"]
    np.savez(tmp_path / "b.npz", **arrays)
    assert kt.read(tmp_path / "b.npz").same_motion(clip, tolerance=1e-6)


def test_a_batch_of_kimodo_is_chosen_by_number(tmp_path):
    clip, arrays = kimodo_arrays()
    np.savez(tmp_path / "a.npz", **{name: np.stack([array, array]) for name, array in arrays.items()})
    with pytest.raises(MalformedFileError, match="2 motions"):
        kt.read(tmp_path / "a.npz")
    assert kt.read(tmp_path / "a.npz", animation=1).same_motion(clip, tolerance=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"posed_joints": np.zeros((12, 31, 3))}, "31 joints; known are"),
        ({"posed_joints": np.zeros((12, 30))}, r"shape \(12, 30\)"),
        ({"posed_joints": np.full((12, 30, 3), np.nan)}, "not a number"),
        ({"global_rot_mats": np.zeros((12, 30, 3, 3))}, "not a rotation matrix"),
        ({"global_rot_mats": np.zeros((11, 30, 3, 3))}, "same frames"),
        ({"foot_contacts": np.zeros((3, 4))}, r"shape \(3, 4\)"),
    ],
)
def test_bad_archives_are_one_message(tmp_path, change, said):
    np.savez(tmp_path / "a.npz", **(kimodo_arrays()[1] | change))
    with pytest.raises(MalformedFileError, match=said):
        kt.read(tmp_path / "a.npz")


@needs_data
@pytest.mark.parametrize("name", ["soma-rp_01_single_text_prompt", "soma-rp_08_stylized_text", "g1-rp_07_text_terrain"])
def test_real_kimodo_has_golden_positions(name):
    wanted = golden("kimodo", name)
    clip = kt.read(DATA / "kimodo" / f"{name}.npz")
    assert list(clip.skeleton.names) == wanted["names"]
    assert clip.skeleton.parents.tolist() == wanted["parents"]
    assert np.abs(clip.positions()[wanted["frames_index"]] - wanted["positions"]).max() < 2e-6


# --- HumanML3D


def features_of(joints):
    """Features that the documented recovery turns back into joints: the root walks ahead and turns."""
    frames = len(joints)
    yaw = 0.05 * np.arange(frames)
    features = np.zeros((frames, 263))
    features[:-1, 0] = 0.5 * np.diff(yaw)
    turned = rot.about_y(yaw)
    steps = np.diff(joints[:, 0], axis=0)
    features[:-1, 1:3] = rot.rotate(turned[1:], steps)[:, [0, 2]]
    features[:, 3] = joints[:, 0, 1]
    around = joints[:, 1:] - joints[:, :1] * (1, 0, 1)
    features[:, 4:67] = rot.rotate(turned[:, None], around).reshape(frames, -1)
    features[:, 259:263] = np.arange(frames * 4).reshape(frames, 4) % 3 == 0
    return features


def test_features_are_joints_contacts_and_nothing_else(tmp_path):
    joints = walk22().positions()
    joints = joints - joints[:1, :1] * (1, 0, 1)
    features = features_of(joints)
    assert np.abs(joints_from_features(features) - joints).max() < 1e-9
    np.save(tmp_path / "a.npy", features.astype(np.float32))
    clip = kt.read(tmp_path / "a.npy")
    assert clip.fps == 20
    assert np.abs(clip.positions() - joints).max() < 1e-4
    assert np.array_equal(clip.contacts.toes, features[:, [260, 262]] > 0.5)


def test_joints_keep_their_positions_and_their_t_pose(tmp_path):
    clip = walk22()
    np.save(tmp_path / "a.npy", clip.positions())
    back = kt.read(tmp_path / "a.npy")
    assert back.skeleton.names == BODY_NAMES
    assert np.abs(back.positions() - clip.positions()).max() < 1e-6
    assert np.abs(back.skeleton.offsets[1:] - clip.skeleton.offsets[1:]).max() < 0.02
    assert any(finding.override == "joints" for finding in back.source.findings)


def test_motions_of_a_batch_are_chosen_by_number(tmp_path):
    positions = walk22().positions()
    batch = np.stack([positions, positions + 1]).transpose(0, 2, 3, 1)  # (motions, joints, 3, frames)
    np.savez(tmp_path / "a.npz", motion=batch)
    with pytest.raises(MalformedFileError, match=r"2 motions.*animation"):
        kt.read(tmp_path / "a.npz")
    assert np.abs(kt.read(tmp_path / "a.npz", animation=1).positions() - positions - 1).max() < 1e-6


def test_normalized_features_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(20, 263)))
    with pytest.raises(MalformedFileError, match=r"normalized.*Mean\.npy"):
        kt.read(tmp_path / "a.npy")


@needs_data
@pytest.mark.parametrize("kind", ["joints", "feats263"])
@pytest.mark.parametrize("name", ["own_t2m_a", "own_t2m_b"])
def test_real_humanml3d_stays_within_two_millimetres(name, kind):
    wanted = golden("humanml3d", name)
    clip = kt.read(DATA / "humanml3d" / f"{name}_{kind}.npy")
    away = np.linalg.norm(clip.positions()[wanted["frames_index"]] - wanted["positions"], axis=2)
    assert away.mean() < 0.002
    for joint, children in enumerate(clip.skeleton.children):
        if len(children) == 1:
            bone = rot.rotate(clip.rotations[:, joint], clip.skeleton.offsets[children[0]])
            least = rot.multiply(rot.between(bone[:-1], bone[1:]), clip.rotations[:-1, joint])
            assert np.degrees(rot.angle_between(least, clip.rotations[1:, joint])).max() < 10.0


# --- AMASS and SMPL-X


@needs_data
@pytest.mark.parametrize("name", ["own_amass_smplx", "own_amass_smplh"])
def test_real_amass_dialects_have_golden_rotations(name):
    wanted = golden("smplx", name)
    clip = kt.read(DATA / "smplx" / f"{name}.npz")
    assert clip.fps == wanted["fps"]
    local = np.array(clip.rotations[wanted["frames_index"], :22])
    local[:, 0] = rot.multiply(rot.inverse(world_rotation(clip.source.up)), local[:, 0])
    assert np.degrees(rot.angle_between(local, np.array(wanted["local_quat_wxyz_22"])).max()) < 1e-3


def test_the_names_of_smplx_itself_are_known(tmp_path):
    rng = np.random.default_rng(0)
    parts = {
        "global_orient": rng.normal(0, 0.3, (6, 3)),
        "body_pose": rng.normal(0, 0.3, (6, 21, 3)),
        "left_hand_pose": rng.normal(0, 0.3, (6, 45)),
        "right_hand_pose": rng.normal(0, 0.3, (6, 45)),
        "jaw_pose": rng.normal(0, 0.3, (6, 3)),
        "leye_pose": np.zeros((6, 3)),
        "reye_pose": np.zeros((6, 3)),
    }
    transl = rng.normal(0, 1, (6, 3))
    np.savez(tmp_path / "a.npz", transl=transl, **parts)
    clip = kt.read(tmp_path / "a.npz", up="y")
    assert len(clip.skeleton) == 55
    assert np.allclose(clip.joint("left_hip").rotations, rot.exp(parts["body_pose"][:, 0]))
    assert np.allclose(clip.joint("jaw").rotations, rot.exp(parts["jaw_pose"]))
    assert np.allclose(clip.joint("right_index1").rotations, rot.exp(parts["right_hand_pose"][:, :3]))
    body = {name: parts[name] for name in ("global_orient", "body_pose")}
    np.savez(tmp_path / "b.npz", transl=transl, **body)
    assert len(kt.read(tmp_path / "b.npz", up="y").skeleton) == 22


# --- DeepMimic

CHARACTER = {
    "Skeleton": {
        "Joints": [
            {"ID": 0, "Name": "root", "Type": "none", "Parent": -1},
            {"ID": 1, "Name": "right_hip", "Type": "spherical", "Parent": 0, "AttachZ": 0.1},
            {"ID": 2, "Name": "right_knee", "Type": "revolute", "Parent": 1, "AttachY": -0.4},
            {"ID": 3, "Name": "right_ankle", "Type": "fixed", "Parent": 2, "AttachY": -0.4},
        ]
    }
}
FRAMES = [[0.04, 0, 0.9, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5], [0.0, 0, 0.9, 0, 1, 0, 0, 0, 1, 0, 0, 0, -0.5]]


def deepmimic(tmp_path, **changes):
    (tmp_path / "character.txt").write_text(json.dumps(CHARACTER))
    (tmp_path / "walk.txt").write_text(json.dumps({"Loop": "wrap", "Frames": FRAMES} | changes))
    return tmp_path / "walk.txt"


def test_deepmimic_finds_its_character(tmp_path):
    clip = kt.read(deepmimic(tmp_path))
    assert clip.fps == 25
    ankle = clip.joint("right_ankle").positions
    assert ankle[0] == pytest.approx((0.4 * np.sin(0.5), 0.5 - 0.4 * np.cos(0.5), 0.1))
    assert kt.read(tmp_path / "walk.txt", skeleton=tmp_path / "character.txt").same_motion(clip)
    (tmp_path / "character.txt").unlink()
    with pytest.raises(FileError, match="13 values, and no character beside it"):
        kt.read(tmp_path / "walk.txt")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"Frames": []}, "no list of"),
        ({"Frames": [[1, 2], [3]]}, "frame 1 is not a list of 2 numbers"),
        ({"Frames": [["a"] * 13]}, "not a list of 13 numbers"),
        ({"Frames": [[0.0] * 13]}, "length 0, not 1"),
        ({"Frames": [[1e300] * 13]}, "far too large"),
        ({"Skeleton": {}}, "this is a DeepMimic character"),
    ],
)
def test_bad_motions_are_one_message(tmp_path, changes, said):
    with pytest.raises(FileError, match=said):
        kt.read(deepmimic(tmp_path, **changes))


def test_a_text_that_is_no_motion_names_its_bridges(tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(MalformedFileError, match=r"not a DeepMimic motion.*\.csv"):
        kt.read(tmp_path / "a.txt")


@needs_data
@pytest.mark.parametrize("name", ["humanoid3d_walk", "humanoid3d_backflip", "humanoid3d_cartwheel", "dog3d_pace"])
def test_real_deepmimic_has_golden_positions(name):
    wanted = golden("deepmimic", name)
    clip = kt.read(DATA / "deepmimic" / f"{name}.txt")
    assert np.abs(clip.positions()[wanted["frames_index"]] - wanted["positions"]).max() < 1e-6


# --- pickles


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.pkl", "pickle.load"),
        ("a.pt", "torch.load"),
        ("a.joblib", "joblib.load"),
        ("results.npy", "allow_pickle=True).item()"),
    ],
)
def test_pickles_are_never_loaded_and_the_message_converts_them(tmp_path, name, line):
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return (open, (str(ran), "w"))

    if name.endswith(".npy"):
        np.save(tmp_path / name, np.array({"motion": Evil()}, dtype=object), allow_pickle=True)
    else:
        import pickle

        (tmp_path / name).write_bytes(pickle.dumps(Evil()))
    with pytest.raises(FileError) as caught:
        kt.read(tmp_path / name)
    message = str(caught.value)
    assert "never loaded" in message
    assert line in message
    compile(message.partition("in Python: ")[2], "message", "exec")  # three statements that a user can paste
    assert not ran.exists()


@pytest.mark.parametrize(
    "suffix",
    [
        ".blend",
        ".mvnx",
        ".dae",
        ".vmd",
        ".xlsx",
        ".mp4",
        ".tak",
        ".sdf",
        ".xacro",
        ".trc",
        ".usdz",
        ".zip",
        ".mot",
        ".htr",
        ".bip",
        ".pose",
        ".json",
        ".mjb",
        ".stl",
    ],
)
def test_every_refusal_names_a_bridge(tmp_path, suffix):
    (tmp_path / f"a{suffix}").write_bytes(b"x")
    with pytest.raises(
        UnknownFormatError, match=r"not read\. (Export|Convert|Save|Track|Unpack|Load|Apply|Give) (it|its)\b"
    ):
        kt.read(tmp_path / f"a{suffix}")
