import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.curves import pose_denoising
from kinetune.body.curves.pose_denoising import denoise_clip
from kinetune.body.quality.spikes import find_spikes
from kinetune.findings import Finding
from kinetune.operations.base import collecting_results
from kinetune.operations.denoise import Denoise
from tests.operations import making
from tests.operations.test_smooth import noisy


def distance(a, b):
    return np.sqrt(np.mean(np.sum((a.positions() - b.positions()) ** 2, axis=-1)))


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_noise_goes_without_any_setting(fps):
    clean = making.walker(int(4 * fps), fps)
    shaken = noisy(clean)
    assert distance(Denoise(keep_feet=False)(shaken), clean) < 0.5 * distance(shaken, clean)


@pytest.mark.parametrize("name", ["walk", "kick-1", "wave", "walk-happy", "knock"])
def test_a_sample_stays_as_it_is(name):
    clip = kt.sample(name)
    assert distance(Denoise()(clip), clip) < 0.001


def test_amount_scales_what_is_taken():
    shaken = noisy(making.walker(241, 60.0))
    half, full = Denoise(amount=0.5, keep_feet=False)(shaken), Denoise(keep_feet=False)(shaken)
    assert np.allclose(half.root, 0.5 * (shaken.root + full.root), atol=1e-12)
    more = Denoise(amount=2.0, keep_feet=False)(shaken)
    assert distance(more, shaken) > distance(full, shaken) > distance(half, shaken)


def test_what_was_repaired_is_reported():
    clip = noisy(making.walker(241, 60.0), 0.002, 0.0)
    rotations = np.array(clip.rotations)
    head = clip.skeleton.roles["head"]
    rotations[100, head] = rot.multiply(rotations[100, head], rot.exp(np.array([0.0, 0.6, 0.0])))
    with collecting_results() as results:
        Denoise()(clip.replace(rotations=rotations))
    findings = [result for result in results if isinstance(result, Finding)]
    assert [(finding.kind, finding.frame) for finding in findings] == [("spike", 100)]


@pytest.mark.slow
def test_frames_in_which_the_whole_body_jumps_away_are_interpolated_in_a_clip_without_noise():
    clip = kt.sample("walk")
    jumps = np.zeros((*clip.rotations.shape[:2], 3))
    jumps[[90, 200, 310]] = np.radians(25.0)
    broken = clip.replace(rotations=rot.multiply(clip.rotations, rot.exp(jumps)), contacts=None)
    for repaired in (Denoise(noise=False, keep_feet=False)(broken), kt.Clean()(broken)):
        assert distance(repaired, clip) < 0.05 * distance(broken, clip)


def test_the_noise_of_each_joint_is_reported():
    clean = making.walker(361, 60.0)
    arm = clean.skeleton.roles["left lower arm"]
    rng, rotations = np.random.default_rng(0), np.array(clean.rotations)
    levels = np.full(len(clean.skeleton), 0.5)
    levels[arm] = 3.0
    shake = np.deg2rad(levels)[:, None] * rng.normal(size=(*rotations.shape[:2], 3))
    result = kt.run(Denoise(), clean.replace(rotations=rot.multiply(rotations, rot.exp(shake))))
    found = result.reports[0]["noise"]["rotations_deg"]
    assert max(found, key=found.get) == clean.skeleton.names[arm]
    assert 2.4 < found[clean.skeleton.names[arm]] < 3.6
    assert "Noise found" in result.describe()[0]


@pytest.mark.parametrize("name", ["walk", "walk-happy", "kick-1"])
def test_paths_in_space_show_what_rotations_do_not(monkeypatch, name):
    """Legs that step and kick: joints come nearer to where they were than by smooth rotations alone."""
    clean = kt.sample(name)
    shaken = noisy(clean)
    in_space = distance(denoise_clip(shaken)[0], clean)
    monkeypatch.setattr(pose_denoising, "_with_smooth_paths", lambda turned, *_: turned)
    assert in_space < 0.97 * distance(denoise_clip(shaken)[0], clean)


def test_chosen_joints_are_denoised_as_in_the_whole_body():
    clip = noisy(making.walker(121, 60.0))
    arm = list(clip.skeleton.select("left arm"))
    alone, whole = denoise_clip(clip, arm)[0], denoise_clip(clip)[0]
    assert np.array_equal(alone.rotations[:, arm], whole.rotations[:, arm])


def test_positions_without_rotations_are_smoothed_once(monkeypatch):
    """As of markers: nothing can be turned toward a path."""
    clean = making.walker(121, 60.0)
    places = np.array(clean.skeleton.offsets) + 0.1 * np.sin(np.arange(121.0) / 20.0)[:, None, None]
    places += 0.01 * np.random.default_rng(0).normal(size=places.shape)
    still = np.broadcast_to(clean.rotations[:1], clean.rotations.shape)
    markers = clean.replace(translations=places, root=places[:, 0], rotations=still, contacts=None)
    result = denoise_clip(markers)[0]
    monkeypatch.setattr(pose_denoising, "_with_smooth_paths", lambda turned, *_: turned)
    assert np.array_equal(result.translations, denoise_clip(markers)[0].translations)
    assert not np.array_equal(result.translations, places)


def test_only_the_chosen_joints_change():
    clip = noisy(making.walker(121, 60.0))
    result = Denoise(joints="left arm", keep_feet=False)(clip)
    arm = list(clip.skeleton.select("left arm"))
    others = [j for j in range(len(clip.skeleton)) if j not in arm]
    assert np.array_equal(result.rotations[:, others], clip.rotations[:, others])
    assert np.array_equal(result.root, clip.root)


def test_joints_that_move_are_denoised_too():
    clean = making.walker(241, 60.0)
    rng = np.random.default_rng(0)
    offsets = np.repeat(clean.skeleton.offsets[None], len(clean), axis=0).copy()
    offsets[:, 0] = clean.root
    hand = clean.skeleton.roles["left hand"]
    offsets[:, hand] += 0.01 * rng.normal(size=(len(clean), 3))
    clip = clean.replace(translations=offsets)
    result = Denoise(keep_feet=False)(clip)
    still = np.abs(result.translations[:, hand] - clean.skeleton.offsets[hand])
    assert np.sqrt(np.mean(still**2)) < 0.004


def test_a_kick_that_is_out_for_two_frames_keeps_its_knee(shared_data):
    """CMU 141_14 at 30 frames a second: the leg is straight for frames 89 and 90 only, and no spike."""
    clip = kt.Trim(drop_t_pose=True)(kt.read(shared_data / "cmu" / "141_14.bvh"))
    clip = clip.replace(fps=30.0, root=clip.root[::4], rotations=clip.rotations[::4], contacts=None, markers=())
    knee = clip.skeleton.roles["left lower leg"]
    assert not find_spikes(clip).turned[85:95, knee].any()


@pytest.mark.parametrize(
    ("file", "start"), [("deepmimic/humanoid3d_backflip.txt", 11), ("accad/Male1_C12_RunTurnLeft45.bvh", 0)]
)
def test_a_second_of_lively_motion_at_20_frames_a_second_stays(shared_data, file, start):
    """What is smooth and slower than 6 Hz is motion, not noise."""
    clip = kt.Resample(fps=20.0)(kt.read(shared_data / file))[start:][:20]
    assert distance(denoise_clip(clip)[0], clip) < 0.001


@pytest.mark.parametrize("ramp_deg", [7.5, 2.0])
def test_keys_joined_by_straight_lines_are_neither_rounded_nor_noisy(ramp_deg):
    """An arm that is waved by three keys and then rests, at 24 frames a second."""
    walk = making.walker(73, 24.0)
    angles = np.deg2rad(ramp_deg) * np.concatenate([np.arange(13), 12 - np.arange(1, 13), np.zeros(48)])
    rotations = np.repeat(walk.rotations[:1], 73, axis=0)
    arm = walk.skeleton.roles["right upper arm"]
    rotations[:, arm] = rot.multiply(rotations[:, arm], rot.exp(angles[:, None] * np.array([1.0, 0.0, 0.0])))
    waved = walk.replace(rotations=rotations, root=np.repeat(walk.root[:1], 73, axis=0), contacts=None)
    assert distance(denoise_clip(waved)[0], waved) < 1e-6
