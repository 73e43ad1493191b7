import warnings

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.errors import UnknownNameError
from tests.conftest import data_folder
from tests.formats.gltf.gltf_scenes import HALF, TIMES, Scene, channels, nodes, read, turns, world_positions

REAL = sorted(data_folder().glob("gltf/*.glb")) if data_folder() else []
needs_data = pytest.mark.skipif(not REAL, reason="no .glb files here: set KINETUNE_DATA")


def agree(clip, scene_nodes, moving, at, order):
    expected = world_positions(scene_nodes, moving, at)
    positions = clip.positions()
    assert positions.shape[0] == len(at)
    for joint, node in enumerate(order):
        assert np.allclose(positions[:, joint], expected[node] * clip.source.metres_per_unit, atol=2e-6), joint


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
def test_positions_agree_with_matrices(tmp_path, interpolation):
    moving = channels()
    if interpolation == "CUBICSPLINE":
        rng = np.random.default_rng(7)
        moving = [
            (n, p, t, np.repeat(v, 3, 0) + 0.3 * rng.standard_normal((3 * len(t), v.shape[1]))) for n, p, t, v in moving
        ]
    path = Scene(nodes(), [1, 3]).animate(moving, interpolation=interpolation).save(tmp_path / "a.gltf")
    clip = read(path, fps=60)
    assert clip.skeleton.names == ("Hips", "Chest")
    at = np.arange(76) / 60
    agree(clip, nodes(), [(n, p, interpolation, t, v) for n, p, t, v in moving], at, [1, 3])


def test_rest_and_end_nodes_are_kept(tmp_path):
    path = Scene(nodes(), [1, 3]).animate(channels()).save(tmp_path / "a.glb")
    clip = read(path)
    (site,) = clip.skeleton.end_sites
    assert (site.parent, site.name) == (1, "tip")
    assert np.allclose(site.offset, [0.2, 0, 0])
    still = Clip(clip.skeleton, 30, clip.skeleton.offsets[:1], clip.skeleton.rest[None])
    agree(still, nodes(), [], [0.0], [1, 3])


@pytest.mark.parametrize("save", [("a.gltf", None), ("a.gltf", "data file.bin"), ("a.glb", None)])
def test_every_container_reads_the_same(tmp_path, save):
    expected = read(Scene(nodes(), [1, 3]).animate(channels()).save(tmp_path / "reference.glb"))
    path = Scene(nodes(), [1, 3]).animate(channels()).save(tmp_path / save[0], save[1])
    assert read(path).same_motion(expected, 0.0)


def test_node_matrices_and_uneven_scale(tmp_path):
    parts = [
        {"name": "top", "children": [1], "matrix": [2, 0, 0, 0, 0, 0, 2, 0, 0, -2, 0, 0, 1, 2, 3, 1]},
        {
            "name": "a",
            "children": [2],
            "translation": [0, 0.1, 0],
            "rotation": [0, HALF, 0, HALF],
            "scale": [1, 0.5, 2],
        },
        {"name": "b", "children": [3], "translation": [0.3, 0.3, 0.1], "rotation": [0.5, 0.5, 0.5, 0.5]},
        {"name": "c", "translation": [0.2, 0.1, 0.4]},
    ]
    moving = [(2, "rotation", TIMES, turns(4, 4)), (1, "scale", TIMES[:2], np.array([[1, 0.5, 2], [1, 1, 1.0]]))]
    clip = read(Scene(parts, [1, 2, 3]).animate(moving).save(tmp_path / "a.gltf"), fps=12)
    agree(clip, parts, [(n, p, "LINEAR", t, v) for n, p, t, v in moving], np.arange(16) / 12, [1, 2, 3])
    said = " ".join(f.message for f in clip.source.findings)
    assert "unevenly" in said
    assert "scaled over time" in said


def test_normalized_and_sparse_accessors(tmp_path):
    scene = Scene(nodes(), [1, 3])
    q = turns(5, 4)
    shorts = scene.accessor(np.round(q * 32767), "i2", normalized=True)
    bytes_ = scene.accessor(np.round(q * 127), "i1", normalized=True)
    places, values = scene.view(np.array([1, 3], "<u2")), scene.view(np.array([[1, 2, 3], [4, 5, 6.0]], "<f4"))
    sparse = {
        "count": 2,
        "indices": {"bufferView": places, "componentType": 5123},
        "values": {"bufferView": values},
    }
    moved = scene.accessor(np.zeros((4, 3)), sparse=sparse)
    scene.animate([(1, "rotation", TIMES, shorts), (3, "rotation", TIMES, bytes_), (1, "translation", TIMES, moved)])
    clip = read(scene.save(tmp_path / "a.glb"), fps=4)
    frames = (TIMES * 4).astype(int)
    back = rot.multiply(rot.inverse(np.array([HALF, -HALF, 0, 0])), clip.rotations[frames, 0])
    assert np.max(rot.angle_between(back, q[:, [3, 0, 1, 2]])) < 1e-4
    local = rot.multiply(rot.inverse(np.array([HALF, 0, 0, HALF])), clip.rotations[frames, 1])
    assert np.max(rot.angle_between(local, q[:, [3, 0, 1, 2]])) < 2e-2
    assert np.allclose(clip.root[frames], 0.5 * np.array([[0, 0, 0], [1, 3, -2], [0, 0, 0], [4, 6, -5]]), atol=1e-6)


def test_an_animation_of_a_prop_does_not_hide_that_of_the_character(tmp_path):
    scene = Scene([*nodes(), {"name": "prop"}], [1, 3])
    rise = np.linspace(0, 1, 12).reshape(4, 3)
    scene.animate([(len(nodes()), "translation", TIMES, rise), (1, "translation", TIMES, np.zeros((4, 3)))], "prop")
    scene.animate([(1, "translation", TIMES, rise), (3, "translation", TIMES, rise)], "walk")
    clip = read(scene.save(tmp_path / "a.glb"))
    assert clip.same_motion(read(tmp_path / "a.glb", animation="walk"))
    assert '"walk" is read' in next(f.message for f in clip.source.findings if f.override == "animation")


def test_one_of_several_animations(tmp_path):
    scene = Scene(nodes(), [1, 3])
    scene.animate([(1, "translation", TIMES, np.zeros((4, 3)))], "stand").animate(
        [(1, "translation", TIMES, np.ones((4, 3)))], "jump"
    )
    path = scene.save(tmp_path / "a.glb")
    first = read(path)
    (guess,) = [f for f in first.source.findings if f.override == "animation"]
    assert '"stand", "jump"' in guess.message
    for asked in ("jump", 1, "1"):
        assert np.allclose(read(path, animation=asked).root, [0.5, 0.5, -0.5])
    with pytest.raises(UnknownNameError, match='Did you mean "jump"'):
        read(path, animation="jmup")
    with pytest.raises(UnknownNameError):
        read(path, animation=2)


@pytest.mark.parametrize(
    ("times", "fps", "frames"),
    [
        (np.arange(20) / 24, 24, 20),
        (np.arange(20) / 30, 30, 20),
        (np.arange(50) / 60, 60, 50),
        (np.array([0, 3, 4, 10, 31]) / 25, 25, 32),
        (1.0 + np.arange(9) / 120, 120, 9),
        (np.array([0.0, 1.2345]), 30, 39),
        (np.array([0.0]), 30, 1),
        (np.arange(40) / 72, 72, 40),
        (np.arange(900) * 1.001 / 24, 24 / 1.001, 900),
        (np.arange(900) / 24.03, 24.03, 900),
    ],
)
def test_the_rate_is_read_off_the_keys(tmp_path, times, fps, frames):
    scene = Scene(nodes(), [1, 3]).animate([(3, "rotation", times, turns(1, len(times)))])
    clip = read(scene.save(tmp_path / "a.glb"))
    assert np.isclose(clip.fps, fps, rtol=1e-5)
    assert len(clip) == frames
    assert [f.override for f in clip.source.findings if f.kind.startswith("guessed")] == ["fps"]


@pytest.mark.parametrize(("keys_a_second", "fps"), [(12, 24), (10, 30), (30, 30), (23.976, 23.976)])
def test_curves_between_few_keys_are_sampled_in_between(tmp_path, keys_a_second, fps):
    times = np.arange(20) / keys_a_second
    keys = np.stack([np.zeros((20, 4)), turns(1, 20), np.zeros((20, 4))], axis=1).reshape(60, 4)
    scene = Scene(nodes(), [1, 3]).animate([(3, "rotation", times, keys)], interpolation="CUBICSPLINE")
    assert read(scene.save(tmp_path / "a.glb")).fps == pytest.approx(fps, rel=2e-3)


def test_rounded_times_are_one_key(tmp_path):
    times = 50 + np.arange(40) / 60
    wobbly = [(3, "rotation", times, turns(1, 40)), (1, "rotation", times + 4e-6, turns(2, 40))]
    assert read(Scene(nodes(), [1, 3]).animate(wobbly).save(tmp_path / "a.glb")).fps == 60


def test_no_skin_reads_the_animated_nodes(tmp_path):
    clip = read(Scene(nodes()).animate(channels()).save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("Armature", "Hips", "Chest")
    assert any("no skin" in f.message for f in clip.source.findings)


def test_no_animation_is_one_frame_of_rest(tmp_path):
    clip = read(Scene(nodes(), [1, 3]).save(tmp_path / "a.glb"))
    assert len(clip) == 1
    agree(clip, nodes(), [], [0.0], [1, 3])
    assert any("rest pose" in f.message for f in clip.source.findings)
    with pytest.raises(UnknownNameError):
        read(tmp_path / "a.glb", animation="walk")


def test_joints_are_put_after_their_parents(tmp_path):
    clip = read(Scene(nodes(), [3, 1]).animate(channels()).save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("Hips", "Chest")


def test_other_skins(tmp_path):
    many = [*nodes(), {"name": "x"}, {"name": "y"}]
    many[0]["children"] = [1, 5, 6]
    scene = Scene(many, [1, 3]).animate(channels())
    scene.content["skins"] += [{"joints": [1, 2]}, {"joints": [7]}]
    clip = read(scene.save(tmp_path / "a.glb"))
    assert clip.skeleton.names == ("Hips", "helper", "Chest")
    assert any("left out" in f.message for f in clip.source.findings)


def test_centimetres_are_noticed_and_may_be_overruled(tmp_path):
    big = nodes()
    big[0]["scale"] = [100, 100, 100]
    path = Scene(big, [1, 3]).animate(channels()).save(tmp_path / "a.glb")
    clip = read(path)
    assert (clip.source.unit, clip.source.metres_per_unit) == ("cm", 0.01)
    assert any(f.override == "unit" for f in clip.source.findings)
    assert np.allclose(read(path, unit="m").positions(), 100 * clip.positions())


def test_another_up_axis_turns_the_whole_figure(tmp_path):
    path = Scene(nodes(), [1, 3]).animate(channels()).save(tmp_path / "a.glb")
    plain, turned = read(path).positions(), read(path, up="z").positions()
    assert np.allclose(turned, np.stack([plain[..., 0], plain[..., 2], -plain[..., 1]], axis=-1))


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("path", REAL, ids=lambda p: p.stem)
def test_real_characters_agree_with_matrices(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library that reads the file for the second opinion
        from pygltflib import GLTF2

        other = GLTF2().load(str(path))
    blob = other.binary_blob()

    def array(number):
        a, view = other.accessors[number], other.bufferViews[other.accessors[number].bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a.type]
        start = (view.byteOffset or 0) + (a.byteOffset or 0)
        return np.frombuffer(blob, "<f4", a.count * width, start).reshape(a.count, width).astype(float)

    plain = [
        {
            k: v
            for k, v in vars(n).items()
            if k in ("name", "children", "matrix", "translation", "rotation", "scale") and v
        }
        for n in other.nodes
    ]
    for number, animation in enumerate(other.animations):
        clip = read(path, animation=number)
        moving = []
        for channel in animation.channels:
            sampler = animation.samplers[channel.sampler]
            how = sampler.interpolation or "LINEAR"
            moving.append(
                (channel.target.node, channel.target.path, how, array(sampler.input)[:, 0], array(sampler.output))
            )
        start = min(t[0] for _, _, _, t, _ in moving)
        frames = [0, len(clip) // 3, len(clip) // 2, len(clip) - 1]
        expected = world_positions(plain, moving, start + np.array(frames) / clip.fps)
        joints = {n.name: i for i, n in enumerate(other.nodes)}
        for joint, name in enumerate(clip.skeleton.names):
            there = expected[joints[name]] * clip.source.metres_per_unit
            assert np.allclose(clip.positions()[frames, joint], there, atol=1e-5), name


@needs_data
def test_the_fox(shared_data):
    fox = read(shared_data / "gltf" / "Fox.glb", animation="Walk")
    assert (len(fox), fox.fps, len(fox.skeleton)) == (18, 24, 24)
    assert fox.source.unit == "cm"
    assert 0.5 < fox.positions()[..., 1].max() < 1.2


# --- writing
