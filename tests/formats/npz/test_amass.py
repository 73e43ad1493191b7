import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError, KinetuneError, MalformedFileError
from kinetune.formats.format import ReadOptions
from kinetune.formats.npz import amass
from kinetune.formats.npz._smpl_skeleton import MODELS, generic_skeleton, parent_indices
from tests.formats import sample_clips

UPRIGHT = np.array([np.pi / 2, 0, 0])  # the turn that stands a Y-up figure in a Z-up world


def poses(joints, frames=10, seed=0):
    vectors = np.random.default_rng(seed).uniform(-0.4, 0.4, (frames, joints, 3))
    wobble = Rotation.from_rotvec(0.3 * vectors[:, 0])
    vectors[:, 0] = (wobble * Rotation.from_rotvec(UPRIGHT)).as_rotvec()
    return vectors.reshape(frames, -1)


def save(path, joints=52, frames=10, **changes):
    arrays = {
        "poses": poses(joints, frames),
        "trans": np.linspace(0, 1, 3 * frames).reshape(frames, 3) + np.array([0, 0, 0.9]),
        "mocap_framerate": np.array(120.0),
        "betas": np.linspace(-1, 1, 16),
        "gender": np.array("female"),
        "dmpls": np.zeros((frames, 8)),
    } | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def read(path, **options):
    return amass.read(path, ReadOptions(**options))


def write(clip, path):
    for target, data in amass.write(clip, path).items():
        target.write_bytes(data)
    return path


def smpl_positions(vectors, trans, joints, parents):
    """The model's own chain: rotation matrices down the tree, the pelvis turning about its place, Z up."""
    frames = len(vectors)
    world, places = {}, np.zeros((frames, len(joints), 3))
    for j, parent in enumerate(parents):
        local = Rotation.from_rotvec(vectors.reshape(frames, -1, 3)[:, j])
        world[j] = local if parent < 0 else world[parent] * local
        if parent < 0:
            places[:, j] = joints[j] + trans
        else:
            places[:, j] = places[:, parent] + world[parent].apply(joints[j] - joints[parent])
    return places


@pytest.mark.parametrize(("joints", "model"), [(22, "body"), (24, "SMPL"), (52, "SMPL+H"), (55, "SMPL-X")])
def test_positions_agree_with_the_model(tmp_path, joints, model):
    path = save(tmp_path / "a.npz", joints)
    clip = read(path)
    assert clip.skeleton.names == MODELS[model]
    assert clip.fps == 120
    parents = parent_indices(model)
    expected = smpl_positions(poses(joints), np.load(path)["trans"], generic_skeleton(model).rest_positions, parents)
    assert np.allclose(clip.positions(), expected[..., [0, 2, 1]] * [1, 1, -1], atol=1e-12)


def test_the_figure_stands_on_its_feet(tmp_path):
    clip = read(save(tmp_path / "a.npz", 24, 3, poses=np.tile([*UPRIGHT, *np.zeros(69)], (3, 1))))
    places = clip.positions()[0] - clip.root[0]
    assert places[clip.joint("head"), 1] > 0.5
    assert places[clip.joint("left_ankle"), 1] < -0.8
    assert places[clip.joint("left_wrist"), 0] > 0.6
    assert places[clip.joint("left_foot"), 2] > 0.1
    assert rot.angle(clip.rotations[0, 0]) < 1e-12


def test_the_generic_figure_is_a_guess_that_is_reported(tmp_path):
    clip = read(save(tmp_path / "a.npz"))
    assert [f.override for f in clip.source.findings] == ["skeleton"]
    assert clip.source.up == "z"


@pytest.mark.parametrize("model", MODELS)
def test_the_generic_figure_has_human_proportions(model):
    body = generic_skeleton(model)
    top = body.rest_positions[body.names.index("head"), 1] + body.end_sites[0].offset[1]
    assert abs(top - body.rest_positions[:, 1].min() - 1.75) < 0.03
    places = dict(zip(body.names, body.rest_positions, strict=True))
    for name, place in places.items():
        if name.startswith("left_"):
            assert np.allclose(places[f"right_{name[5:]}"], place * [-1, 1, 1])
    thigh = np.linalg.norm(places["left_knee"] - places["left_hip"])
    assert np.isclose(thigh, 0.245 * 1.75)
    assert np.isclose(np.linalg.norm(places["left_elbow"] - places["left_shoulder"]), 0.186 * 1.75)


def test_roles_are_found_on_the_generic_figure():
    roles = generic_skeleton("SMPL+H").roles
    assert {"hips", "head", "left foot", "right hand", "left upper leg"} <= roles.keys()


# --- bodies


def body_file(path, joints=24, **more):
    rng = np.random.default_rng(4)
    vertices = rng.uniform(-1, 1, (50, 3))
    regressor = rng.uniform(0, 1, (joints, 50))
    regressor /= regressor.sum(axis=1, keepdims=True)
    np.savez(path, v_template=vertices, J_regressor=regressor, **more)
    return vertices, regressor


def test_bones_from_the_users_own_body(tmp_path):
    directions = np.random.default_rng(5).uniform(-0.1, 0.1, (50, 3, 10))
    vertices, regressor = body_file(tmp_path / "smpl.npz", shapedirs=directions)
    path = save(tmp_path / "a.npz", 24)
    clip = read(path, skeleton=tmp_path / "smpl.npz", up="z")
    joints = regressor @ (vertices + directions @ np.linspace(-1, 1, 16)[:10])
    expected = smpl_positions(poses(24), np.load(path)["trans"], joints, parent_indices("SMPL"))
    assert np.allclose(clip.positions(), expected[..., [0, 2, 1]] * [1, 1, -1], atol=1e-12)
    assert clip.source.findings == ()


def test_a_body_of_joints_only(tmp_path):
    joints = generic_skeleton("SMPL").rest_positions + np.array([0.1, 0.2, 0.3])
    np.savez(tmp_path / "body.npz", J=joints)
    clip = read(save(tmp_path / "a.npz", 24), skeleton=tmp_path / "body.npz")
    assert np.allclose(clip.skeleton.rest_positions, joints - joints[0])
    assert any("betas" in f.message for f in clip.source.findings)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda p: None, "does not exist"),
        (lambda p: np.savez(p, a=np.zeros(3)), "neither J nor"),
        (lambda p: np.savez(p, J=np.zeros((52, 3))), "joints have shape"),
        (lambda p: np.savez(p, J=np.full((24, 3), np.nan)), "joints have shape"),
        (lambda p: np.savez(p, v_template=np.zeros((5, 3)), J_regressor=np.zeros((24, 6))), "do not fit"),
        (lambda p: np.savez(p, v_template=np.zeros((5, 3)), J_regressor=np.array([None])), "pickled"),
        (lambda p: p.write_bytes(b"PK\3\4nonsense"), "not a complete"),
    ],
)
def test_bad_bodies_are_one_sentence(tmp_path, make, said):
    make(tmp_path / "body.npz")
    with pytest.raises(KinetuneError, match=said):
        read(save(tmp_path / "a.npz", 24), skeleton=tmp_path / "body.npz")


def test_a_pickled_body_is_refused(tmp_path):
    (tmp_path / "SMPL_MALE.pkl").write_bytes(b"\x80\x04.")
    with pytest.raises(FileError, match="could run code"):
        read(save(tmp_path / "a.npz", 24), skeleton=tmp_path / "SMPL_MALE.pkl")


# --- dialects


def test_newer_files_in_parts(tmp_path):
    whole = poses(55)
    parts = {
        "poses": None,
        "root_orient": whole[:, :3],
        "pose_body": whole[:, 3:66],
        "pose_jaw": whole[:, 66:69],
        "pose_eye": whole[:, 69:75],
        "pose_hand": whole[:, 75:],
        "mocap_framerate": None,
        "mocap_frame_rate": np.array(59.94),
    }
    clip = read(save(tmp_path / "a.npz", 55, **parts))
    assert clip.fps == 59.94
    assert clip.same_motion(read(save(tmp_path / "b.npz", 55, mocap_framerate=np.array(59.94))))


def test_y_up_files_are_noticed(tmp_path):
    standing = np.zeros((4, 72))
    clip = read(save(tmp_path / "a.npz", 24, 4, poses=standing))
    assert clip.source.up == "y"
    assert any(f.override == "up" for f in clip.source.findings)
    assert np.allclose(clip.rotations[:, 0], rot.identity(4))
    assert read(tmp_path / "a.npz", up="z").source.up == "z"


def test_missing_rate_and_place_are_reported(tmp_path):
    clip = read(save(tmp_path / "a.npz", trans=None, mocap_framerate=None, betas=None, gender=None))
    assert clip.fps == 30
    assert np.allclose(clip.root, 0)
    assert {f.override for f in clip.source.findings} == {"fps", "skeleton", None}
    assert read(tmp_path / "a.npz", fps=60).fps == 60


def test_a_pickled_gender_does_not_matter(tmp_path):
    assert len(read(save(tmp_path / "a.npz", gender=np.array(["male"], dtype=object)))) == 10


# --- writing


@pytest.mark.parametrize("joints", [22, 24, 52, 55])
def test_written_back_as_it_was(tmp_path, joints):
    path = save(tmp_path / "a.npz", joints)
    new = np.load(write(read(path), tmp_path / "b.amass.npz"))
    old = np.load(path)
    for name in ("poses", "trans", "betas", "mocap_framerate"):
        assert np.allclose(new[name], old[name], atol=1e-12), name
    assert str(new["gender"]) == "female"


def test_written_back_with_a_body_file(tmp_path):
    body_file(tmp_path / "smpl.npz")
    path = save(tmp_path / "a.npz", 24)
    clip = read(path, skeleton=tmp_path / "smpl.npz", up="z")
    layout = clip.source.layout
    assert np.any(layout.pelvis)
    straight = clip.replace(skeleton=generic_skeleton("SMPL"))
    assert np.allclose(np.load(write(straight, tmp_path / "b.amass.npz"))["trans"], np.load(path)["trans"])


def test_a_clip_from_elsewhere_round_trips(tmp_path):
    body = generic_skeleton("SMPL")
    renamed = tuple(n.replace("left_", "L_").replace("right_", "R_").title() for n in body.names)
    body = Skeleton(renamed, body.parents, body.offsets, body.end_sites)
    q = rot.exp(np.random.default_rng(2).uniform(-0.5, 0.5, (6, 24, 3)))
    clip = Clip(body, 25.0, np.random.default_rng(3).uniform(0, 1, (6, 3)), q)
    back = read(write(clip, tmp_path / "a.amass.npz"), up="z")
    assert back.fps == 25
    assert np.allclose(back.positions(), clip.positions())


def test_other_skeletons_are_refused(tmp_path):
    with pytest.raises(FileError, match="joints of an SMPL body"):
        amass.write(sample_clips.clip(), tmp_path / "a.amass.npz")
    body = generic_skeleton("SMPL")
    tilted = Skeleton(body.names, body.parents, body.offsets[:, [1, 0, 2]])
    with pytest.raises(FileError, match="T-pose"):
        amass.write(Clip(tilted, 30, np.zeros((1, 3)), rot.identity(1, 24)), tmp_path / "a.amass.npz")


# --- bad input


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"poses": None}, 'no "poses"'),
        ({"poses": np.zeros((10, 100))}, "300 numbers|shape"),
        ({"poses": np.zeros((10, 99))}, "99 numbers a frame"),
        ({"poses": np.zeros(156)}, "shape"),
        ({"poses": np.zeros((0, 156))}, "shape"),
        ({"poses": np.full((10, 156), np.nan)}, "frame 0"),
        ({"poses": np.array([["a"] * 156])}, "not numbers"),
        ({"poses": np.array([None] * 10)}, "pickled"),
        ({"trans": np.zeros((9, 3))}, "trans has shape"),
        ({"trans": np.full((10, 3), np.inf)}, "frame 0"),
        ({"mocap_framerate": np.array(-5.0)}, "frame rate"),
        ({"mocap_framerate": np.array("fast")}, "frame rate"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, changes, said):
    with pytest.raises(MalformedFileError, match=said) as caught:
        read(save(tmp_path / "a.npz", **changes))
    assert "\n" not in str(caught.value)


def test_cut_off_files_are_said_to_be(tmp_path):
    path = save(tmp_path / "a.npz")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(MalformedFileError, match="not a complete"):
        read(path)
