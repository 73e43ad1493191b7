"""A character survives: objects of an FBX file that the motion does not touch come back bit by bit."""

import pickle

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import SkeletonMismatchError
from kinetune.formats.fbx.encoding.binary_writer import BinaryWriter
from kinetune.formats.fbx.encoding.records import FbxFile
from kinetune.formats.fbx.scene_objects import FbxScene, read_properties
from tests.conftest import data_folder
from tests.formats import sample_clips
from tests.formats.fbx.fbx_scenes import ROTATION, SCALING, TRANSLATION, FbxSceneMaker, hero, node_matrix

FOLDER = data_folder()
REAL = sorted((FOLDER / "fbx").glob("*.fbx")) if FOLDER else []
SPELLINGS = [{}, {"version": 7700}, {"order": ">"}, {"text": True}]
CURVES = ("AnimationCurve", "AnimationCurveNode", "AnimationStack", "AnimationLayer")


def edited(clip):
    turn = rot.exp(np.random.default_rng(4).uniform(-0.5, 0.5, (len(clip.skeleton), 3)))
    return clip.replace(root=clip.root + np.array([0.0, 0.2, 0.1]), rotations=rot.multiply(clip.rotations, turn))


def spelled(record):
    """A record as it is in the file, with everything inside."""
    if hasattr(record, "as_text"):
        return record.as_text()
    return record.name, record.raw_values(), [spelled(child) for child in record.children]


def objects(path):
    file = FbxFile(path, path.read_bytes())
    listed = file.root.child("Objects").children
    return [spelled(record) for record in listed if record.name not in CURVES]


def kind_of(record):
    return record.partition(":")[0].strip() if isinstance(record, str) else record[0]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_edit_changes_the_motion_and_nothing_else(tmp_path, spelling):
    path = hero().save(tmp_path / "hero.fbx", **spelling)
    clip = edited(kt.read(path))
    out = kt.write(clip, tmp_path / "out.fbx")
    assert kt.read(out).same_motion(clip, 1e-5)
    assert objects(out) == objects(path)
    before, after = FbxFile(path, path.read_bytes()), FbxFile(out, out.read_bytes())
    assert (after.version, after.order) == (before.version, before.order)
    assert kt.read(out, take="empty").same_motion(kt.read(path, take="empty"))


def test_a_joint_that_stays_has_no_curves(tmp_path):
    """Blender moves the ends of some rigs by metres where they have a curve that changes nothing."""
    maker = hero()
    maker.node("tip", "rig:bone5", LclTranslation=(0.0, 3.0, 0.0), LclRotation=(10.0, 20.0, 0.0))
    clip = kt.read(maker.save(tmp_path / "hero.fbx"))
    out = kt.write(kt.Smooth(cutoff_hz=3)(clip), tmp_path / "out.fbx")
    scene = FbxScene(FbxFile(out, out.read_bytes()))
    tracks = {m.name: [*m.children("AnimationCurveNode")] for m in scene.of_kind("Model")}
    assert len(tracks["rig:bone5"]) > 0
    assert tracks["tip"] == []
    assert kt.read(out).same_motion(kt.Smooth(cutoff_hz=3)(clip), 1e-5)


def test_a_last_bone_that_begins_to_move_gets_a_bind_pose(tmp_path):
    """Blender puts a bone that neither a skin nor a pose binds elsewhere than its motion is measured from."""
    maker = hero()
    tip = maker.node("tip", "rig:bone1", LclTranslation=(0.0, 3.0, 0.0), LclRotation=(10.0, 20.0, 0.0), InheritType=1)
    links = {f"rig:bone{n}": np.diag([2.0, 2.0, 2.0, 1.0]) + 0.1 * n * np.eye(4, k=3) for n in range(2)}
    maker.skin(["rig:bone0", "rig:bone1"], links=links)
    path = maker.save(tmp_path / "hero.fbx")
    clip = edited(kt.read(path))
    out = kt.write(clip, tmp_path / "out.fbx")
    (pose,) = [record for record in objects(out) if record not in objects(path)]
    assert objects(out)[: len(objects(path))] == objects(path)
    assert pose[0] == "Pose"
    scene = FbxScene(FbxFile(out, out.read_bytes()))
    bound = {
        n.value("Node"): n.array("Matrix").reshape(4, 4).T for n in scene.of_kind("Pose")[0].record.all("PoseNode")
    }
    above, local = maker.nodes["rig:bone1"][0], node_matrix(maker.nodes["tip"][2])
    assert np.allclose(bound[above], links["rig:bone1"])
    assert np.allclose(bound[tip], links["rig:bone1"] @ local, atol=1e-9)
    again = kt.write(edited(kt.read(out)), tmp_path / "again.fbx")
    assert len(objects(again)) == len(objects(out))


@pytest.mark.parametrize("place", [(0.0, 10.0, 0.0), (10.0, 0.0, 0.0)])
def test_a_bone_that_leaves_its_parents_tail_begins_beside_it(tmp_path, place):
    """Blender ties a bone to a tail that it begins at, both bound and without a motion, and then never moves it."""
    maker = FbxSceneMaker()
    maker.node("a", InheritType=1)
    maker.node("b", "a", LclTranslation=place, InheritType=1)
    maker.node("c", "b", LclTranslation=place, InheritType=1)
    layer = maker.take("walk", 1.0)
    maker.curve(layer, "b", ROTATION, [0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, 50.0, 0.0]])
    clip = kt.read(maker.save(tmp_path / "a.fbx"))
    offsets = np.tile(clip.skeleton.offsets, (len(clip), 1, 1))
    offsets[:, 1] *= np.linspace(1.0, 1.5, len(clip))[:, None]
    clip = clip.replace(translations=offsets)
    out = kt.write(clip, tmp_path / "out.fbx")
    back = kt.read(out)
    gaps = 1000.0 * np.linalg.norm(back.skeleton.offsets - clip.skeleton.offsets, axis=1)
    assert gaps.tolist() == pytest.approx([0.0, 0.3 if place[1] else 0.0, 0.0], abs=1e-6)
    assert np.abs(back.positions() - clip.positions()).max() < 1e-6


def test_a_take_puts_back_what_others_move_above_the_joints(tmp_path):
    """Blender leaves an armature where another take has put it, unless the take that plays says where it is."""
    maker = hero()
    other = maker.take("elsewhere", 1.0)
    maker.curve(other, "Armature", TRANSLATION, [0.0, 1.0], [[0.0, 0.0, 0.0], [50.0, 0.0, 0.0]])
    out = kt.write(edited(kt.read(maker.save(tmp_path / "hero.fbx"), take="walk")), tmp_path / "out.fbx")
    scene = FbxScene(FbxFile(out, out.read_bytes()))
    stack = next(stack for stack in scene.of_kind("AnimationStack") if stack.name == "walk")
    (layer,) = (layer for layer in stack.children("AnimationLayer") if any(layer.children("AnimationCurveNode")))
    tracks = [n for n in layer.children("AnimationCurveNode") for target, _ in n.above if target.name == "Armature"]
    assert [node.above[-1][1] for node in tracks] == [TRANSLATION]
    values = [curve.record.array("KeyValueFloat").tolist() for curve in tracks[0].children("AnimationCurve")]
    assert values == [[0.0, 0.0]] * 3


@pytest.mark.parametrize("inherit", [0, 1, 2])
@pytest.mark.parametrize("scale", [(0.0, 0.0, 0.0), (1.0, 0.0, 1.0)])
def test_joints_under_a_scale_of_zero_stay(tmp_path, scale, inherit):
    """A node that is hidden by its scale, as many exporters do; it was written as keys that are no numbers."""
    maker = FbxSceneMaker()
    maker.node("hidden", subtype="Null", LclScaling=scale, InheritType=1)
    maker.node("a", "hidden", InheritType=inherit, LclTranslation=(1.0, 2.0, 3.0))
    maker.node("b", "a", InheritType=1, LclTranslation=(0.0, 5.0, 0.0))
    layer = maker.take("walk", 1.0)
    maker.curve(layer, "b", ROTATION, [0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, 30.0, 0.0]])
    clip = kt.read(maker.save(tmp_path / "hero.fbx"))
    assert kt.read(kt.write(clip, tmp_path / "out.fbx")).same_motion(clip, 1e-5)
    with pytest.warns(UserWarning, match='above "a" to nothing'):
        out = kt.write(clip.replace(root=clip.root + 0.1), tmp_path / "moved.fbx")
    expected = clip.root + 0.1 * (np.array(scale) != 0)
    assert np.allclose(kt.read(out).root, expected, atol=1e-6)


def test_a_guest_states_the_scales_that_other_takes_move(tmp_path):
    maker = hero()
    other = maker.take("elsewhere", 1.0)
    maker.curve(other, "Armature", SCALING, [0.0, 1.0], [[100.0] * 3, [50.0] * 3])
    path = maker.save(tmp_path / "hero.fbx")
    motion = edited(kt.read(path, take="empty"))
    out = kt.write(motion.replace(source=kt.sample("walk").source), tmp_path / "dance.fbx", character=path)
    scene = FbxScene(FbxFile(out, out.read_bytes()))
    stack = next(stack for stack in scene.of_kind("AnimationStack") if stack.name == "dance")
    (layer,) = stack.children("AnimationLayer")
    tracks = {(t.name, name) for n in layer.children("AnimationCurveNode") for t, name in n.above if name}
    assert {("Armature", SCALING), ("rig:bone2", SCALING)} <= tracks
    assert kt.read(out, take="dance").same_motion(motion, 1e-5)


def test_settings_that_a_file_leaves_out_are_written(tmp_path):
    """Programs differ in the unit, axes and rate that they assume."""
    maker = hero()
    bare = [record for record in maker.records() if record.name != "GlobalSettings"]
    path = tmp_path / "bare.fbx"
    path.write_bytes(BinaryWriter().file(bare))
    clip = kt.read(path)
    out = kt.write(edited(clip), tmp_path / "out.fbx")
    root = FbxFile(out, out.read_bytes()).root
    names = [record.name for record in root.children]
    assert names.index("GlobalSettings") < names.index("Objects")
    stated = read_properties(root.child("GlobalSettings"))
    assert [stated[f"{axis}Axis"][0] for axis in ("Up", "Front", "Coord")] == [1, 2, 0]
    assert (stated["UnitScaleFactor"], stated["TimeMode"]) == ((1.0,), (11,))
    assert kt.read(out).same_motion(edited(clip), 1e-5)
    assert objects(out) == objects(path)


def test_counts_of_objects_stay_right(tmp_path):
    out = kt.write(edited(kt.read(hero().save(tmp_path / "hero.fbx"))), tmp_path / "out.fbx")
    root = FbxFile(out, out.read_bytes()).root
    listed = root.child("Objects")
    for kind in root.child("Definitions").all("ObjectType"):
        assert kind.value("Count") == sum(1 for _ in listed.all(kind.values[0]))
    assert root.child("Definitions").value("Count") == len(listed.children)
    numbers = {record.values[0] for record in listed.children} | {0}
    assert all({*record.values[1:3]} <= numbers for record in root.child("Connections").children)


def test_a_part_of_the_motion_stays_at_its_time(tmp_path):
    clip = kt.read(hero().save(tmp_path / "hero.fbx"))
    part = clip[5:15]
    out = kt.write(part, tmp_path / "out.fbx")
    back = kt.read(out)
    assert back.same_motion(part, 1e-5)
    assert np.isclose(back.source.layout.times[0], 5 / 30)


def test_another_length_names_what_keeps_its_timing(tmp_path):
    clip = kt.read(hero().save(tmp_path / "hero.fbx"))
    parts = {name: np.repeat(getattr(clip, name), 2, axis=0) for name in ("root", "rotations", "translations")}
    longer = clip.replace(**parts)
    with pytest.warns(UserWarning, match="keep the timing"):
        out = kt.write(longer, tmp_path / "out.fbx")
    assert kt.read(out).same_motion(longer, 1e-5)


def test_another_frame_rate_is_written(tmp_path):
    clip = kt.read(hero().save(tmp_path / "hero.fbx"))[::2]
    back = kt.read(kt.write(clip, tmp_path / "out.fbx"))
    assert back.fps == 15.0
    assert back.same_motion(clip, 1e-5)


def test_notes_travel_with_the_take(tmp_path):
    clip = kt.read(hero().save(tmp_path / "hero.fbx"))
    clip = clip.replace(markers=sample_clips.full_clip().markers[:1], history=({"op": "smooth"},))
    back = kt.read(kt.write(clip, tmp_path / "out.fbx"))
    assert (back.markers, back.history) == (clip.markers, clip.history)


def test_the_character_is_shared_and_travels(tmp_path):
    path = hero().save(tmp_path / "hero.fbx")
    clip = kt.read(path)
    smooth = kt.Smooth(cutoff_hz=3)(clip)
    assert smooth.source.layout is clip.source.layout
    before = objects(path)
    path.unlink()
    out = kt.write(pickle.loads(pickle.dumps(smooth)), tmp_path / "out.fbx")
    assert objects(out) == before


def test_a_motion_goes_onto_a_character_with_the_same_skeleton(tmp_path):
    path = hero().save(tmp_path / "hero.fbx")
    body = kt.read(path)
    motion = edited(body).replace(source=kt.sample("walk").source)
    out = kt.write(motion, tmp_path / "dance.fbx", character=path)
    back = kt.read(out)
    assert back.same_motion(motion, 1e-5)
    assert back.source.layout.motions == ("dance", "empty", "walk")
    assert objects(out) == objects(path)
    assert kt.read(out, take="walk").same_motion(body, 1e-5)
    with pytest.raises(SkeletonMismatchError, match="retarget"):
        kt.write(sample_clips.clip(), tmp_path / "a.fbx", character=path)


@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="no FBX files here: set KINETUNE_DATA")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:Scales, shape keys")
def test_real_characters_survive_an_edit(tmp_path, path):
    try:
        takes = range(max(1, len(kt.read(path).source.layout.motions)))
    except kt.KinetuneError:
        pytest.skip("a file that is refused")
    for number in takes:
        clip = kt.read(path, take=number) if kt.read(path).source.layout.motions else kt.read(path)
        clip = edited(clip[:200])
        out = kt.write(clip, tmp_path / "out.fbx")
        back = kt.read(out, take=clip.source.layout.motions[number] if clip.source.layout.motions else None)
        before, after = objects(path), objects(out)
        assert [record for record in after if record in before] == before
        assert [kind_of(record) for record in after if record not in before] in ([], ["Pose"])
        assert len(back) == len(clip)
        assert np.abs(back.positions() - clip.positions()).max() < 1e-6 * max(1.0, np.abs(clip.positions()).max())


def test_mocap_goes_onto_a_mixamo_character(tmp_path):
    """The newcomer's path: an FBX with mixamorig: names, an empty take and a skin; a BVH without prefix; one call."""
    walk = kt.sample("walk")[:20]
    skeleton = walk.skeleton
    maker = FbxSceneMaker()
    for joint, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        above = None if parent < 0 else f"mixamorig:{skeleton.names[parent]}"
        place = tuple((100.0 * skeleton.offsets[joint]).tolist())
        maker.node(f"mixamorig:{name}", above, LclTranslation=place, InheritType=1)
    maker.skin(["mixamorig:Hips", "mixamorig:Spine"])
    maker.take("Take 001", 1.0)
    layer = maker.take("mixamo.com", 1 / 30)
    maker.curve(layer, "mixamorig:Hips", ROTATION, [0.0, 1 / 30], [[0.0, 0.0, 0.0], [0.0, 5.0, 0.0]])
    hero_file = maker.save(tmp_path / "hero.fbx")
    hero_clip = kt.read(hero_file)
    assert hero_clip.joint("left hand").name == "mixamorig:LeftHand"
    assert '"mixamo.com" is read' in next(f.message for f in hero_clip.source.findings if f.kind == "guessed-take")
    mocap = kt.write(walk, tmp_path / "walk.bvh")
    result = kt.read(kt.write(kt.read(mocap), tmp_path / "out.fbx", character=hero_file))
    assert np.abs(result.positions() - kt.read(mocap).positions()).max() < 1e-4
    assert result.source.layout.contents == hero_clip.source.layout.contents


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_damaged_characters_are_written_or_refused(tmp_path):
    """What can still be read of a damaged file can be written back, or the message is ours."""
    rng = np.random.default_rng(0)
    maker = hero()
    maker.skin(["rig:bone0"], links={"rig:bone0": np.eye(4)})
    whole = maker.save(tmp_path / "hero.fbx").read_bytes()
    path, written = tmp_path / "damaged.fbx", 0
    for _ in range(150):
        data = bytearray(whole)
        for place in rng.integers(27, len(data), rng.integers(1, 6)):
            data[place] = rng.integers(256)
        path.write_bytes(data)
        try:
            clip = kt.read(path)
            kt.write(edited(clip)[:5], tmp_path / "out.fbx")
            written += 1
        except kt.KinetuneError:
            pass
    assert written > 10
