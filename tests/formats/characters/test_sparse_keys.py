"""Motions of few keys stay motions of few keys in FBX and glTF files, and stay where they should be."""

import json

import numpy as np
import pytest
from scipy.interpolate import interp1d

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import local_translations
from kinetune.formats.characters.sparse_keys import fit_keys_to
from kinetune.formats.fbx.encoding.records import FbxFile
from kinetune.formats.fbx.scene_objects import FbxScene
from kinetune.formats.fbx.takes import read_take
from kinetune.formats.gltf.container import GltfFile
from tests.formats import sample_clips
from tests.formats.fbx.fbx_scenes import hero
from tests.formats.gltf import test_gltf_character as gltf_heroes


def reduced(clip, tolerance_mm=5.0):
    return kt.ReduceKeys(tolerance_mm=tolerance_mm)(clip)


def written_keys(result):
    """(kept, all) from the finding of a run."""
    (message,) = [str(f) for f in result.findings if f.kind == "sparse-keys"]
    words = message.replace(",", "").split()
    return int(words[2]), int(words[7])


def test_a_cubic_is_met_exactly_by_its_two_ends():
    t = np.arange(30.0)
    track = np.stack([t**3 - 20 * t**2, 3 * t, np.full(30, 2.0)], axis=1)
    curve = fit_keys_to(track, np.array([0, 29]))
    assert np.allclose(curve.play(30), track, atol=1e-6)
    assert np.allclose(curve.slopes[0], [0.0, 3.0, 0.0], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".fbx", ".glb", ".gltf"])
@pytest.mark.parametrize("kind", [{}, {"turned": True, "moving": True}])
def test_few_keys_are_written_and_play_the_same_motion(tmp_path, suffix, kind):
    clip = reduced(sample_clips.clip(frames=120, **kind))
    result = kt.run([], clip, target=tmp_path / f"a{suffix}")
    kept, whole = written_keys(result)
    assert kept < whole / (3 if suffix == ".fbx" else 4)
    back = kt.read(result.target)
    assert len(back) == len(clip)
    assert np.abs(back.positions() - clip.positions()).max() < 1.3e-3  # a quarter of the tolerance


@pytest.mark.parametrize("kind", [{}, {"turned": True, "moving": True}])
def test_fbx_keys_hold_for_programs_that_go_straight_from_key_to_key(tmp_path, kind):
    clip = reduced(sample_clips.clip(frames=120, **kind))
    file = kt.write(clip, tmp_path / "a.fbx")
    back = kt.read(file)
    scene = FbxScene(FbxFile(file, file.read_bytes()))
    numbers = {model.name: model.number for model in scene.of_kind("Model")}
    times = {number: set() for number in numbers.values()}
    for (number, _), (curves, _) in read_take(scene, *scene.of_kind("AnimationStack")).layers[0].tracks.items():
        times[number].update(time for curve in curves for time in curve.times)
    rotations, translations = np.array(back.rotations), np.array(local_translations(back))
    for joint, name in enumerate(clip.skeleton.names):
        frames = np.round(np.array(sorted(times[numbers[name]])) * clip.fps).astype(int)
        if len(frames) > 1:
            turned = rot.continuous(rotations[frames, joint])
            for values, keys in ((rotations, turned), (translations, translations[frames, joint])):
                values[:, joint] = interp1d(frames, keys, axis=0)(np.arange(len(clip)))
    straight = clip.replace(rotations=rot.normalize(rotations), root=translations[:, 0], translations=translations)
    assert len(times[numbers[clip.skeleton.names[0]]]) < len(clip)
    assert np.linalg.norm(straight.positions() - clip.positions(), axis=-1).max() < 5.01e-3


@pytest.mark.slow
def test_keys_go_back_into_characters(tmp_path):
    for path in (hero(frames=60).save(tmp_path / "hero.fbx"), gltf_heroes.hero(tmp_path / "hero.glb")):
        clip = kt.Smooth(cutoff_hz=1.5)(kt.read(path))
        few = reduced(clip, 20.0)
        result = kt.run([], few, target=tmp_path / f"out{path.suffix}")
        kept, whole = written_keys(result)
        assert kept < whole
        back = kt.read(result.target, fps=clip.fps)
        assert np.abs(back.positions() - few.positions()).max() < 5.5e-3


def test_gltf_keys_are_cubic_splines(tmp_path):
    content = GltfFile(kt.write(reduced(sample_clips.clip(frames=100)), tmp_path / "a.glb")).content
    samplers = content["animations"][0]["samplers"]
    assert {sampler["interpolation"] for sampler in samplers} <= {"CUBICSPLINE", "STEP"}
    inputs = [content["accessors"][sampler["input"]]["count"] for sampler in samplers]
    outputs = [content["accessors"][sampler["output"]]["count"] for sampler in samplers]
    assert all(out == (3 * count if count > 1 else 1) for count, out in zip(inputs, outputs, strict=True))


def test_any_change_of_the_motion_drops_the_keys():
    clip = reduced(sample_clips.clip())
    assert clip.keys is not None
    assert clip.replace(markers=()).keys is not None
    assert clip.replace(root=clip.root + 1).keys is None
    assert clip[2:].keys is None
    assert kt.Smooth()(clip).keys is None


def test_the_report_says_how_many_keys_were_kept(tmp_path):
    result = kt.run(kt.ReduceKeys(tolerance_mm=5), sample_clips.clip(frames=100), target=tmp_path / "a.glb")
    (text,) = result.describe()
    assert text.startswith("Kept ")
    assert "keys of" in text
    json.dumps(result.report())
