"""Made-up FBX files: transforms against plain matrices, curves against formulas, and what bad files get."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import FileError, UnknownNameError
from tests.formats.fbx.fbx_scenes import (
    ROTATION,
    SCALING,
    TRANSLATION,
    FbxSceneMaker,
    hero,
    world_matrices,
    world_positions,
)


def single(path, times, values, flags, data=(0.0, 0.0, 0.0, 0.0), stop=None, **reading):
    """The X of one node whose translation has these keys, in file units."""
    maker = FbxSceneMaker(UnitScaleFactor=100.0)
    maker.node("a", LclTranslation=(0.0, 0.0, 0.0))
    layer = maker.take("t", times[-1] if stop is None else stop)
    maker.curve(layer, "a", TRANSLATION, times, np.asarray(values)[:, None] * [1, 0, 0], flags, data)
    return kt.read(maker.save(path), **reading).root[:, 0]


@pytest.mark.parametrize("seed", range(4))
def test_joints_are_where_plain_matrices_put_them(tmp_path, seed):
    maker = hero(seed)
    clip = kt.read(maker.save(tmp_path / "a.fbx"), take="empty")
    expected = world_positions(maker)
    for joint, name in enumerate(clip.skeleton.names):
        assert np.allclose(clip.positions()[0, joint], 0.01 * expected[name], atol=1e-9)


@pytest.mark.parametrize("spelling", [{"version": 7700}, {"order": ">"}, {"text": True}])
def test_every_spelling_of_a_file_means_the_same(tmp_path, spelling):
    clip = kt.read(hero().save(tmp_path / "a.fbx"))
    other = kt.read(hero().save(tmp_path / "b.fbx", **spelling))
    assert other.same_motion(clip, 1e-6)
    assert other.source.layout.contents == clip.source.layout.contents


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ({}, (1, 2, 3)),
        ({"UpAxis": 2, "FrontAxis": 1, "FrontAxisSign": -1}, (1, 3, -2)),
        ({"UpAxis": 1, "UpAxisSign": -1, "FrontAxis": 2, "FrontAxisSign": -1}, (1, -2, -3)),
        ({"UpAxis": 0, "FrontAxis": 2, "CoordAxis": 1, "CoordAxisSign": -1}, (-2, 1, 3)),
        ({"CoordAxisSign": -1}, (-1, 2, 3)),  # left-handed
    ],
)
def test_axes_and_unit_of_the_file_become_ours(tmp_path, axes, expected):
    maker = FbxSceneMaker(UnitScaleFactor=2.54, **axes)
    maker.node("a", LclTranslation=(1.0, 2.0, 3.0))
    maker.node("b", "a", LclTranslation=(1.0, 2.0, 3.0))
    clip = kt.read(maker.save(tmp_path / "a.fbx"))
    assert np.allclose(clip.positions()[0, 0], 0.0254 * np.array(expected))
    assert np.allclose(clip.positions()[0, 1], 2 * 0.0254 * np.array(expected))
    assert clip.source.unit == "in"


def test_scale_is_inherited_in_three_ways(tmp_path):
    for kind, expected in ((1, 2 * 3 * 1 + 2), (0, 2 * 3 * 1 + 2), (2, 3 * 1 + 2)):
        maker = FbxSceneMaker(UnitScaleFactor=100.0)
        maker.node("a", LclScaling=(2.0, 2.0, 2.0), InheritType=1)
        maker.node("b", "a", LclTranslation=(1.0, 0.0, 0.0), LclScaling=(3.0, 3.0, 3.0), InheritType=kind)
        maker.node("c", "b", LclTranslation=(1.0, 0.0, 0.0), InheritType=1)
        assert np.isclose(kt.read(maker.save(tmp_path / "a.fbx")).positions()[0, 2, 0], expected)


def test_scale_is_inherited_fully_where_neither_node_nor_template_says(tmp_path):
    maker = FbxSceneMaker(UnitScaleFactor=100.0)
    maker.node("a", LclScaling=(2.0, 1.0, 1.0))
    maker.node("b", "a", LclRotation=(0.0, 0.0, 90.0))
    maker.node("c", "b", LclTranslation=(0.0, 1.0, 0.0))  # along the stretched axis of a
    assert np.allclose(kt.read(maker.save(tmp_path / "a.fbx")).positions()[0, 2], [-2.0, 0.0, 0.0])


def bent_arm(links=None, **settings):
    """Two bones in the pose of some frame, under an armature that is turned and scaled."""
    maker = FbxSceneMaker(**settings)
    maker.node("Armature", subtype="Null", LclScaling=(100.0,) * 3, LclRotation=(-90.0, 0.0, 0.0), InheritType=1)
    maker.node("upper", "Armature", LclTranslation=(0.0, 0.0, 1.0), LclRotation=(0.0, 40.0, 10.0), InheritType=1)
    maker.node("lower", "upper", LclTranslation=(0.0, 0.3, 0.0), LclRotation=(70.0, 0.0, 0.0), InheritType=1)
    if links is not None:
        maker.skin(["upper", "lower"], links=links)
    return maker


@pytest.mark.parametrize("settings", [{}, {"UpAxis": 2, "FrontAxis": 1, "FrontAxisSign": -1}, {"CoordAxisSign": -1}])
def test_the_pose_of_rest_is_the_one_in_which_the_skin_was_bound(tmp_path, settings):
    straight = {"upper": {"LclRotation": (0.0, 0.0, 0.0)}, "lower": {"LclRotation": (5.0, 0.0, 0.0)}}
    bound = bent_arm()
    for name, moved in straight.items():
        bound.nodes[name][2].update(moved)
    links = world_matrices(bound)
    clip = kt.read(bent_arm(links, **settings).save(tmp_path / "a.fbx"))
    posed = kt.read(bent_arm(**settings).save(tmp_path / "posed.fbx"))
    assert np.allclose(clip.positions(), posed.positions(), atol=1e-9)
    assert np.allclose(rot.angle_between(clip.skeleton.rest[1], rot.identity(1)[0]), np.radians(5.0), atol=1e-6)
    links["lower"][:3, 3] += 30.0  # a bind of other bones
    stale = kt.read(bent_arm(links, **settings).save(tmp_path / "stale.fbx"))
    assert np.allclose(stale.skeleton.rest[1], posed.skeleton.rest[1])


# Takes and layers


def test_the_take_with_keys_is_read_and_the_others_are_named(tmp_path):
    path = hero().save(tmp_path / "a.fbx")
    clip = kt.read(path)
    assert len(clip) == 25
    (message,) = [str(f) for f in clip.source.findings if f.kind == "guessed-take"]
    assert 'The file has 2 takes ("empty", "walk"); "walk" is read, the first that moves the character.' in message
    assert len(kt.read(path, take="empty")) == len(kt.read(path, take=0)) == 1
    with pytest.raises(UnknownNameError, match=r'no take "wlak"\. Did you mean "walk"'):
        kt.read(path, take="wlak")


def test_a_take_of_a_prop_does_not_hide_that_of_the_character(tmp_path):
    """As Blender writes it: one take for each action, baked keys that do not move the bones in the first."""
    maker = FbxSceneMaker()
    maker.node("Prop", subtype="Null")
    bones = [f"bone{number}" for number in range(4)]
    for above, bone in zip([None, *bones], bones, strict=False):
        maker.node(bone, above)
    for name, moved, turn in (
        ("Prop|PropAction", "Prop", 0.0),
        ("Rig|PropAction", "bone0", 0.0),
        ("Rig|walk", "", 30.0),
    ):
        layer = maker.take(name, 1.0)
        for bone in ["Prop", *bones]:
            degrees = turn if bone != moved else 20.0
            maker.curve(layer, bone, ROTATION, [0, 1], [[5.0, 0.0, 0.0], [5.0 + degrees, 0.0, 0.0]])
    clip = kt.read(maker.save(tmp_path / "a.fbx"))
    assert '"Rig|walk" is read' in next(f.message for f in clip.source.findings if f.kind == "guessed-take")
    assert np.allclose(rot.angle_between(clip.rotations[0], clip.rotations[-1]), np.radians(30))


LAYERS = [(0, 100.0, 13.0), (0, 50.0, 11.5), (1, 100.0, 3.0), (2, 50.0, 6.5)]


@pytest.mark.parametrize(("mode", "weight", "expected"), LAYERS)
def test_layers_are_added_put_over_or_mixed(tmp_path, mode, weight, expected):
    maker = FbxSceneMaker(UnitScaleFactor=100.0)
    maker.node("a")
    maker.curve(maker.take("t", 1.0), "a", TRANSLATION, [0, 1], np.full((2, 3), 10.0))
    maker.curve(maker.layer(BlendMode=mode, Weight=weight), "a", TRANSLATION, [0, 1], np.full((2, 3), 3.0))
    assert np.allclose(kt.read(maker.save(tmp_path / "a.fbx")).root, expected)


def test_scales_of_layers_are_mixed_as_powers(tmp_path):
    maker = FbxSceneMaker(UnitScaleFactor=100.0)
    maker.node("a", InheritType=1)
    maker.node("b", "a", LclTranslation=(1.0, 1.0, 1.0))
    maker.curve(maker.take("t", 1.0), "a", SCALING, [0, 1], np.full((2, 3), 2.0))
    maker.curve(maker.layer(BlendMode=2, Weight=25.0), "a", SCALING, [0, 1], np.full((2, 3), 3.0))
    assert np.allclose(kt.read(maker.save(tmp_path / "a.fbx")).positions()[:, 1], 2.0**0.75 * 3.0**0.25)


def test_a_muted_layer_is_not_heard(tmp_path):
    maker = FbxSceneMaker()
    maker.node("a")
    maker.curve(maker.take("t", 1.0), "a", ROTATION, [0, 1], np.zeros((2, 3)))
    maker.curve(maker.layer(BlendMode=0, Mute=1), "a", ROTATION, [0, 1], np.full((2, 3), 30.0))
    assert np.allclose(kt.read(maker.save(tmp_path / "a.fbx")).rotations[..., 0], 1.0)


# Keys


def test_steps_lines_and_tangents(tmp_path):
    times, values = np.array([0.0, 0.5, 1.0]), np.array([0.0, 6.0, 2.0])
    at = np.arange(31) / 30.0
    assert np.allclose(single(tmp_path / "a.fbx", times, values, 0x4), np.interp(at, times, values))
    held = single(tmp_path / "a.fbx", times, values, 0x2)
    assert np.allclose(held, np.where(at < 0.5, 0.0, np.where(at < 1.0, 6.0, 2.0)))
    ahead = single(tmp_path / "a.fbx", times, values, 0x102)
    assert np.allclose(ahead, np.where(at == 0, 0.0, np.where(at <= 0.5, 6.0, 2.0)))
    slope = 3.0
    given = single(tmp_path / "a.fbx", times, values, 0x408, (slope, slope, 0.0, 0.0))
    spline = CubicHermiteSpline(times, values, [slope, slope, slope])
    assert np.allclose(given, spline(at), atol=1e-5)


def test_automatic_tangents_follow_the_neighbours(tmp_path):
    times, values = np.array([0.0, 0.4, 1.0]), np.array([0.0, 6.0, 7.0])
    at = np.arange(31) / 30.0
    plain = single(tmp_path / "a.fbx", times, values, 0x2108)
    assert np.allclose(plain, CubicHermiteSpline(times, values, [15.0, 7.0, 1 / 0.6])(at), atol=1e-4)
    flat = single(tmp_path / "a.fbx", times, [0.0, 6.0, 5.0], 0x6108)
    assert flat.max() <= 6.0 + 1e-9  # limited: no overshoot at a peak


def test_bias_turns_automatic_tangents_towards_one_neighbour(tmp_path):
    times, values = np.array([0.0, 0.4, 0.8]), np.array([0.0, 4.0, 4.0])  # slopes 10, 5, 0
    at = np.arange(25) / 30.0
    x = single(tmp_path / "a.fbx", times, values, 0x108, (40.0, 40.0, 0.0, 0.0))
    first = CubicHermiteSpline(times[:2], values[:2], [10.0, 5.0 + 0.4 * 5.0])
    second = CubicHermiteSpline(times[1:], values[1:], [5.0 - 0.4 * 5.0, 0.0])
    assert np.allclose(x, np.where(at < 0.4, first(at), second(at)), atol=1e-5)


def test_keys_with_tension_continuity_and_bias(tmp_path):
    times, values = np.array([0.0, 0.4, 0.8]), np.array([0.0, 4.0, 4.0])
    at = np.arange(25) / 30.0
    t, c, b = 0.3, -0.4, 0.2
    x = single(tmp_path / "a.fbx", times, values, 0x208, (t, c, b, 0.0))
    into, out = 0.5 * (1 - t) * (1 - c) * (1 + b) * 10.0, 0.5 * (1 - t) * (1 + c) * (1 + b) * 10.0
    first = CubicHermiteSpline(times[:2], values[:2], [(1 - t) * (1 - c) * (1 - b) * 10.0, into])
    second = CubicHermiteSpline(times[1:], values[1:], [out, 0.0])
    assert np.allclose(x, np.where(at < 0.4, first(at), second(at)), atol=1e-5)


def test_the_continuity_of_a_key_is_no_slope_into_the_next(tmp_path):
    times = np.array([0.0, 1.0, 2.0])
    data = [(0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)]
    x = single(tmp_path / "a.fbx", times, [0.0, 3.0, 3.0], [0x208, 0x408, 0x408], data)
    assert np.allclose(x[:31], CubicHermiteSpline(times[:2], [0.0, 3.0], [0.0, 0.0])(np.arange(31) / 30.0), atol=1e-5)


def test_weighted_tangents_bend_time(tmp_path):
    # with handles of 90% and 10% the curve x = 3 s (1-s)^2 a + 3 s^2 (1-s) (1-b) + s^3 is slow at first
    packed = np.array([9000 | (1000 << 16)], "<u4").view("<f4")[0]
    x = single(tmp_path / "a.fbx", [0.0, 1.0], [0.0, 1.0], 0x3000408, (0.0, 0.0, packed, 0.0))
    s = np.linspace(0, 1, 4001)
    time = 3 * s * (1 - s) ** 2 * 0.9 + 3 * s**2 * (1 - s) * 0.9 + s**3
    assert np.allclose(x, np.interp(np.arange(31) / 30.0, time, 3 * s**2 * (1 - s) + s**3), atol=1e-3)


def test_sampling_at_another_rate(tmp_path):
    x = single(tmp_path / "a.fbx", [0.0, 1.0], [0.0, 8.0], 0x4, fps=4.0)
    assert np.allclose(x, [0, 2, 4, 6, 8])


# Bad files


def test_bad_files_name_the_record_and_the_byte(tmp_path):
    path = hero().save(tmp_path / "a.fbx")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(FileError, match=r"a\.fbx: .*byte \d+: .*(cut off|damaged)"):
        kt.read(path)
    at = data.index(b"KeyValueFloat") + len("KeyValueFloat")
    path.write_bytes(data[:at] + b"?" + data[at + 1 :])
    with pytest.raises(FileError, match=rf"Objects/AnimationCurve/KeyValueFloat, byte {at}: .*unknown type '\?'"):
        kt.read(path)
    path.write_bytes(data[:23] + (6100).to_bytes(4, "little") + data[27:])
    with pytest.raises(FileError, match=r"FBX 6\.1, and only FBX 7 is read\. Convert it with Blender"):
        kt.read(path)
    path.write_text('; FBX 7.4.0 project file\nObjects:  {\n\tModel: 1, "Model::a {\n')
    with pytest.raises(FileError, match=r"Objects, line 3 \(byte \d+\): cannot read"):
        kt.read(path)


def test_arrays_that_unpack_to_more_than_they_may_are_refused(tmp_path, monkeypatch):
    path = hero(frames=400).save(tmp_path / "a.fbx")
    monkeypatch.setattr("kinetune.formats.fbx.encoding.records.most_unpacked", lambda size: 2000)
    with pytest.raises(FileError, match=r"Objects/AnimationCurve/KeyTime, byte \d+: the arrays unpack to more"):
        kt.read(path)


def test_nodes_that_hang_on_each_other_are_refused(tmp_path):
    maker = FbxSceneMaker()
    a, b = maker.node("a"), maker.node("b", "a")
    maker.work.connections.clear()
    maker.work.connect(a, b)
    maker.work.connect(b, a)
    with pytest.raises(FileError, match='"a" is its own ancestor'):
        kt.read(maker.save(tmp_path / "a.fbx"))
