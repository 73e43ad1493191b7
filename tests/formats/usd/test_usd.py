import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import KinetuneError, MalformedFileError, MissingDependencyError
from kinetune.formats import usd
from kinetune.formats.format import ReadOptions
from kinetune.formats.usd._crate_values import check_crate
from kinetune.formats.usd._text_lists import check_text
from tests.formats import sample_clips

pxr = pytest.importorskip("pxr", reason="usd-core is not installed")
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt  # noqa: E402


def read(path, **options):
    return usd.read(path, ReadOptions(**options))


def write(clip, path):
    for target, data in usd.write(clip, path).items():
        target.write_bytes(data)
    return path


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
@pytest.mark.parametrize("kind", [{}, {"turned": True, "moving": True}, {"frames": 1}])
def test_our_own_file_reads_back(tmp_path, suffix, kind):
    clip = sample_clips.clip(fps=59.94, **kind)
    back = read(write(clip, tmp_path / f"a{suffix}"))
    assert back.fps == clip.fps
    assert back.skeleton.same_joints(clip.skeleton)
    assert back.skeleton.end_sites == clip.skeleton.end_sites
    assert np.allclose(back.skeleton.offsets, clip.skeleton.offsets, atol=1e-12)
    assert np.allclose(back.skeleton.rest, clip.skeleton.rest, atol=1e-12)
    assert (back.translations is None) == (clip.translations is None)
    assert back.same_motion(clip, 1e-6)
    assert back.source.findings == ()


def test_notes_travel(tmp_path):
    clip = sample_clips.full_clip()
    back = read(write(clip, tmp_path / "a.usda"))
    assert back.markers == clip.markers
    assert back.history == clip.history


def test_awkward_names_read_back(tmp_path):
    names = ("mixamorig:Hips", "Hand", "hand#2", "1 ä", "a b")
    body = Skeleton(names, np.array([-1, 0, 0, 2, 2]), np.full((5, 3), 0.1))
    clip = Clip(body, 30, np.zeros((2, 3)), rot.identity(2, 5))
    assert read(write(clip, tmp_path / "a.usda")).skeleton.names == names


def test_usd_itself_agrees_on_positions_and_draws_a_figure(tmp_path):
    """UsdSkel computes the joints in skeleton space; the mesh is bound to them."""
    clip = sample_clips.clip(turned=True, moving=True)
    stage = Usd.Stage.Open(str(write(clip, tmp_path / "a.usda")))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetPrimAtPath("/Figure"))
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Figure/Skeleton")))
    for frame in (0, 17, len(clip) - 1):
        seen = np.array(query.ComputeJointSkelTransforms(frame))[:, 3, :3]
        assert np.abs(seen - clip.positions()[frame]).max() < 1e-5
    (binding,) = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)
    assert len(binding.GetSkinningTargets()) == 1
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == clip.fps


def foreign(path, up="Z", metres=0.01, step=2.0, rate=24.0, scaled=False, animated=True):
    """A file as another program would write it: centimetres, Z up, animation in another order, a placed SkelRoot."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, up)
    if metres:
        UsdGeom.SetStageMetersPerUnit(stage, metres)
    stage.SetTimeCodesPerSecond(rate)
    root = UsdSkel.Root.Define(stage, "/World/Character")
    root.AddTranslateOp().Set((10, 20, 0))
    skeleton = UsdSkel.Skeleton.Define(stage, "/World/Character/Rig")
    joints = ["Hips", "Hips/Spine", "Hips/Spine/Head"]
    skeleton.CreateJointsAttr(joints)
    rest = {"Hips": (0, 0, 95), "Hips/Spine": (0, 5, 40), "Hips/Spine/Head": (0, 0, 30)}
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d().SetTranslate(rest[j]) for j in joints])
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1)] * 3)
    if animated:
        animation = UsdSkel.Animation.Define(stage, "/World/Character/Anim")
        animation.CreateJointsAttr(["Hips/Spine", "Hips", "Hips/Spine/Head"])
        translations, rotations, scales = (
            animation.CreateTranslationsAttr(),
            animation.CreateRotationsAttr(),
            animation.CreateScalesAttr(),
        )
        for k in range(6):
            code = 1 + step * k
            translations.Set([Gf.Vec3f(0, 5, 40), Gf.Vec3f(0, 10 * k, 95), Gf.Vec3f(0, 0, 30)], code)
            half = 0.1 * k
            turned = Gf.Quatf(float(np.cos(half)), float(np.sin(half)), 0, 0)
            rotations.Set(Vt.QuatfArray([Gf.Quatf(1), turned, Gf.Quatf(1)]), code)
            size = 2.0 if scaled else 1.0
            scales.Set(Vt.Vec3hArray([Gf.Vec3h(1), Gf.Vec3h(size), Gf.Vec3h(1)]), code)
        UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    stage.GetRootLayer().Save()
    return path


@pytest.mark.parametrize("scaled", [False, True])
def test_other_programs_files(tmp_path, scaled):
    clip = read(foreign(tmp_path / "a.usda", scaled=scaled))
    assert clip.skeleton.names == ("Hips", "Spine", "Head")
    assert (clip.source.unit, clip.source.up, clip.fps, len(clip)) == ("cm", "z", 12.0, 6)
    for k in range(6):
        c, s = np.cos(0.2 * k), np.sin(0.2 * k)
        turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        size = 2.0 if scaled else 1.0
        hips = np.array([10, 20 + 10 * k, 95])
        spine = hips + size * turn @ [0, 5, 40]
        head = spine + size * turn @ [0, 0, 30]
        expected = np.array([hips, spine, head])[:, [0, 2, 1]] * [1, 1, -1] * 0.01
        assert np.allclose(clip.positions()[k], expected, atol=1e-6)


def test_a_missing_unit_is_a_reported_guess(tmp_path):
    clip = read(foreign(tmp_path / "a.usda", metres=None))
    assert clip.source.unit == "cm"
    assert [f.override for f in clip.source.findings] == ["unit"]
    assert np.allclose(read(tmp_path / "a.usda", unit="m").positions(), 100 * clip.positions())


def test_another_rate_samples_between(tmp_path):
    path = foreign(tmp_path / "a.usda")
    slow, fast = read(path), read(path, fps=24)
    assert len(fast) == 11
    assert np.allclose(fast.positions()[::2], slow.positions(), atol=1e-6)


def test_no_animation_is_one_frame_of_rest(tmp_path):
    clip = read(foreign(tmp_path / "a.usda", animated=False))
    assert len(clip) == 1
    assert np.allclose(clip.positions()[0], np.array([[10, 95, -20], [10, 135, -25], [10, 165, -25]]) / 100)


# --- bad input


def test_bad_files_are_one_sentence(tmp_path):
    whole = write(sample_clips.clip(), tmp_path / "whole.usdc").read_bytes()
    texts = {
        "a.usda": b"#usda 1.0\n( nonsense",
        "b.usda": b"",
        "c.usdc": whole[: len(whole) // 2],
        "d.usdc": b"\0" * 200,
        "e.usda": b"#usda 1.0\n",
        "f.usdc": b"PXR-USDC" + b"\xff" * 300,
    }
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(KinetuneError, match=name) as caught:
            read(tmp_path / name)
        assert "\n" not in str(caught.value)


def spoiled(path, edit):
    layer = Sdf.Layer.FindOrOpen(str(foreign(path)))
    edit(Usd.Stage.Open(layer))
    layer.Save()
    return path


@pytest.mark.parametrize(
    "edit",
    [
        lambda s: s.GetPrimAtPath("/World/Character/Rig").GetAttribute("joints").Set(Vt.TokenArray()),
        lambda s: s.GetPrimAtPath("/World/Character/Rig").GetAttribute("joints").Set(Vt.TokenArray(["a/b", "a", "c"])),
        lambda s: s.GetPrimAtPath("/World/Character/Rig").GetAttribute("restTransforms").Set(Vt.Matrix4dArray(1)),
        lambda s: (
            s.GetPrimAtPath("/World/Character/Anim")
            .GetAttribute("translations")
            .Set(Vt.Vec3fArray([Gf.Vec3f(float("nan"))] * 3), 3)
        ),
        lambda s: (
            s.GetPrimAtPath("/World/Character/Anim")
            .GetAttribute("translations")
            .Set(Vt.Vec3fArray([Gf.Vec3f(0)] * 3), 1e12)
        ),
        lambda s: s.SetTimeCodesPerSecond(float("nan")),
    ],
)
def test_damaged_skeletons_are_one_sentence(tmp_path, edit):
    with pytest.raises(KinetuneError, match=r"a\.usda"):
        read(spoiled(tmp_path / "a.usda", edit))


def test_without_the_library_it_says_how_to_get_it(tmp_path, monkeypatch):
    for name in [n for n in sys.modules if n.startswith("pxr")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingDependencyError, match=r"kinetune\[usd\]"):
        usd.write(sample_clips.clip(), tmp_path / "a.usda")
    with pytest.raises(MissingDependencyError):
        read(tmp_path / "a.usda")


def test_a_crate_of_all_kinds_of_values_can_hold_what_it_declares(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "all.usdc"))
    prim = stage.DefinePrim("/A")
    types = Sdf.ValueTypeNames
    values: dict[str, tuple[Any, Any]] = {
        "bools": (types.BoolArray, [True] * 40),
        "packed": (types.IntArray, [3] * 200_000),
        "doubles": (types.DoubleArray, [0.25 * (k % 7) for k in range(3000)]),
        "halves": (types.HalfArray, [0.5] * 30),
        "none": (types.IntArray, []),
        "words": (types.TokenArray, ["a", "b"]),
        "paths": (types.AssetArray, [Sdf.AssetPath("x")]),
        "turns": (types.QuathArray, [Gf.Quath(1)] * 7),
        "matrices": (types.Matrix4dArray, [Gf.Matrix4d(1)] * 7),
        "codes": (types.TimeCodeArray, [Sdf.TimeCode(1)] * 20),
    }
    for name, (kind, value) in values.items():
        prim.CreateAttribute(name, kind).Set(value)
    for code in range(300):
        prim.GetAttribute("doubles").Set([float(code)] * 20, code)
    prim.SetCustomDataByKey("a", {"b": {"c": Vt.IntArray(range(5000)), "d": 1}, "e": "f", "g": Vt.DoubleArray(9)})
    prim.GetReferences().AddReference(Sdf.Reference(str(tmp_path / "other.usda"), "/Q", customData={"k": 1}))
    prim.GetPayloads().AddInternalPayload("/A/B")
    prim.CreateRelationship("r").SetTargets(["/A", "/B"])
    prim.GetVariantSets().AddVariantSet("v").AddVariant("one")
    stage.GetRootLayer().Save()
    check_crate((tmp_path / "all.usdc").read_bytes())


_LISTS = {
    "the times of samples": ("<Q3d", (3, 0.0, 1.0, 2.0)),
    "the values at those times": ("<qQ", (8, 3)),
    "an array": ("<Q5d", (5, 0.1, 0.2, 0.3, 0.4, 0.5)),
    "an array in a dictionary": ("<Q5f", (5, 5.0, 4.0, 3.0, 2.0, 1.0)),
}


@pytest.mark.parametrize("what", _LISTS)
@pytest.mark.parametrize("count", [1 << 20, 1 << 34, (1 << 64) - 1])
def test_a_list_that_goes_on_beyond_a_crate_is_refused(what: str, count: int, tmp_path: Path) -> None:
    """For which USD would take memory first, up to all there is."""
    stage = Usd.Stage.CreateNew(str(tmp_path / "damaged.usdc"))
    prim = stage.DefinePrim("/A")
    moving = prim.CreateAttribute("moving", Sdf.ValueTypeNames.Double)
    for code in range(3):
        moving.Set(code + 0.1, code)
    prim.CreateAttribute("array", Sdf.ValueTypeNames.DoubleArray).Set([0.1, 0.2, 0.3, 0.4, 0.5])
    prim.SetCustomDataByKey("entry", Vt.FloatArray([5.0, 4.0, 3.0, 2.0, 1.0]))
    stage.GetRootLayer().Save()
    whole = (tmp_path / "damaged.usdc").read_bytes()
    check_crate(whole)
    layout, values = _LISTS[what]
    found = struct.pack(layout, *values)
    assert whole.count(found) == 1
    at = whole.index(found) + (8 if values[0] == 8 else 0)
    damaged = tmp_path / "changed.usdc"
    damaged.write_bytes(whole[:at] + struct.pack("<Q", count) + whole[at + 8 :])
    with pytest.raises(MalformedFileError, match=r"beyond its end|lie outside"):
        read(damaged)


def test_text_of_all_types_has_the_shape_of_its_types(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "all.usda"))
    prim = stage.DefinePrim("/A")
    arrays = [name for name in dir(Sdf.ValueTypeNames) if name.endswith("Array")]
    assert len(arrays) > 50
    for name in arrays:
        kind = getattr(Sdf.ValueTypeNames, name)
        attribute = prim.CreateAttribute(f"a:{name}", kind)
        attribute.Set(type(kind.defaultValue)([kind.scalarType.defaultValue] * 3))
        attribute.Set(type(kind.defaultValue)([]), 1.0)
    for code in range(3):
        prim.GetAttribute("a:Float3Array").Set(Vt.Vec3fArray(40, Gf.Vec3f(code)), code)
    prim.GetAttribute("a:StringArray").Set(["a [ b", 'c "(" d', "line\n]", "# (((", "@"], 2.0)
    prim.GetAttribute("a:AssetArray").Set([Sdf.AssetPath("a(b[.png")], 2.0)
    prim.CreateAttribute("connected", Sdf.ValueTypeNames.Float3Array).AddConnection("/A.a:Float3Array")
    prim.SetCustomDataByKey("a", {"b": Vt.Vec2dArray(5), "c": "[("})
    prim.CreateRelationship("r").SetTargets(["/A", "/B"])
    stage.GetRootLayer().comment = "brackets [ ( {"
    stage.GetRootLayer().Save()
    check_text((tmp_path / "all.usda").read_bytes())


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("int[]", "0, [1, 2]"),
        ("int[]", "[0], 1"),
        ("int[]", "(1, 2), (3, 4)"),
        ("float3[]", "(1, 2), (3, 4)"),
        ("float3[]", "(1, 2, 3), [(4, 5, 6)]"),
        ("matrix4d[]", "(1, 2, 3, 4)"),
        ("color3f[]", "((1, 2, 3), (4, 5, 6))"),
        ("string[]", '("a", "b")'),
    ],
)
@pytest.mark.parametrize("form", ["{kind} a = [{values}]", "{kind} a.timeSamples = {{ 0: [], 1: [{values}] }}"])
def test_lists_that_do_not_fit_their_type_are_refused_before_usd_sees_them(kind, values, form, tmp_path) -> None:
    text = f'#usda 1.0\ndef Mesh "M"\n{{\n    {form.format(kind=kind, values=values)}\n}}\n'
    (tmp_path / "a.usda").write_text(text)
    with pytest.raises(MalformedFileError, match=r"a\.usda.*shape that its type declares"):
        read(tmp_path / "a.usda")
