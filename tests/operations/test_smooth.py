import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.measures import mean_jerk
from kinetune.errors import ParameterError
from kinetune.formats import read
from kinetune.operations.base import collecting_results
from kinetune.operations.smooth import Smooth
from tests.operations import making

METHODS = pytest.mark.parametrize("method", ["butterworth", "gaussian"])


def noisy(clip, radians=0.02, metres=0.005, seed=0):
    rng = np.random.default_rng(seed)
    shake = rot.exp(radians * rng.standard_normal((*clip.rotations.shape[:2], 3)))
    root = clip.root + metres * rng.standard_normal(clip.root.shape)
    return clip.replace(root=root, rotations=rot.multiply(clip.rotations, shake), contacts=clip.contacts)


@METHODS
def test_jitter_goes_and_the_motion_stays(method):
    clean = making.walker(301, 120.0)
    shaken = noisy(clean)
    result = Smooth(keep_feet=False, method=method, cutoff_hz=8, sigma_s=0.02)(shaken)
    before, after = (rot.angle_between(c.rotations, clean.rotations) for c in (shaken, result))
    assert np.sqrt(np.mean(after**2)) < 0.5 * np.sqrt(np.mean(before**2))
    assert mean_jerk(result) < 0.3 * mean_jerk(shaken)
    assert np.abs(result.positions() - clean.positions()).mean() < 0.01


def test_only_the_chosen_joints_change():
    clip = noisy(making.walker(121, 120.0))
    result = Smooth(joints="left arm")(clip)
    arm = list(clip.skeleton.select("left arm"))
    others = [j for j in range(len(clip.skeleton)) if j not in arm]
    assert np.array_equal(result.rotations[:, others], clip.rotations[:, others])
    assert np.array_equal(result.root, clip.root)
    assert all(rot.angle_between(result.rotations[:, j], clip.rotations[:, j]).max() > 1e-3 for j in arm)


def test_the_path_may_be_left_alone():
    clip = noisy(making.walker(121, 120.0))
    assert np.array_equal(Smooth(keep_feet=False, path=False)(clip).root, clip.root)
    assert not np.array_equal(Smooth(keep_feet=False)(clip).root, clip.root)


@METHODS
def test_amount_mixes(method):
    clip = noisy(making.pendulums(), radians=0.01)
    half, full = Smooth(method=method, amount=0.5)(clip), Smooth(method=method)(clip)
    assert np.allclose(half.root, 0.5 * (clip.root + full.root), atol=1e-12)
    turned = rot.angle_between(half.rotations, clip.rotations)
    assert np.allclose(2 * turned, rot.angle_between(full.rotations, clip.rotations), atol=2e-3)


def test_a_pirouette_goes_on_turning():
    """Euler angles and short rotation vectors would unwind here, or stop the spin."""
    t = np.arange(360) / 120.0
    spin = rot.multiply(rot.about_y(9.0 * t), rot.exp(np.stack([0.1 + 0 * t, 0 * t, 0 * t], axis=-1)))
    clean = Clip(making.chain(1), 120.0, np.zeros((360, 3)), spin[:, None])
    result = Smooth(cutoff_hz=4)(noisy(clean, metres=0.0))
    apart = rot.angle_between(result.rotations, clean.rotations)[:, 0]
    assert apart[6:-6].max() < 0.04
    assert apart.max() < 0.06


def test_beyond_nyquist_nothing_happens():
    clip = making.pendulums()
    assert Smooth(cutoff_hz=15.0)(clip).same_motion(clip, 1e-12)


def test_animated_positions_are_smoothed():
    clip = making.two_roots()
    rng = np.random.default_rng(1)
    shaken = clip.replace(translations=clip.translations + 0.01 * rng.standard_normal(clip.translations.shape))
    result = Smooth(cutoff_hz=3, joints="Ball")(shaken)
    assert np.array_equal(result.translations[:, :2], shaken.translations[:, :2])
    before, after = (np.abs(np.diff(c.translations[:, 2], n=3, axis=0)).max() for c in (shaken, result))
    assert after < 0.3 * before


def test_contacts_are_kept():
    clip = making.walker()
    assert Smooth()(clip).contacts == clip.contacts


def test_held_ends_differ_from_reflected_ones_at_the_ends_only():
    clip = making.walker(241, 120.0)
    held, reflected = Smooth(keep_feet=False, ends="held")(clip), Smooth(keep_feet=False)(clip)
    apart = np.abs(held.positions() - reflected.positions()).max(axis=(1, 2))
    assert apart[0] > 0.005
    assert apart[100:140].max() < 1e-3


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"cutoff_hz": 0}, "cutoff_hz is 0, but it must be at least 0.05"),
        ({"amount": 1.5}, "amount is 1.5"),
        ({"method": "median"}, "method is 'median'"),
    ],
)
def test_impossible_knobs_are_told(knobs, words):
    with pytest.raises(ParameterError, match=f"^smooth: {words}"):
        Smooth(**knobs)


@METHODS
def test_an_end_in_full_swing_stays_where_it_is(method):
    """However strong the smoothing: the frames at the ends move no farther than those between."""
    clip = making.walker(131, 60.0, period=0.7).replace(contacts=None)
    smooth = Smooth(keep_feet=False, method=method, cutoff_hz=2.0, sigma_s=0.07)(clip)
    moved = np.linalg.norm(smooth.positions() - clip.positions(), axis=2).max(axis=1)
    assert max(moved[0], moved[-1]) < 0.2 * moved[20:-20].max()


@METHODS
def test_a_loop_is_smoothed_as_if_it_went_on_for_ever(method):
    cycle = making.walker(61, 60.0, drift=0.0).replace(contacts=None)
    thrice = making.walker(181, 60.0, drift=0.0).replace(contacts=None)
    how = {"keep_feet": False, "method": method, "cutoff_hz": 5.0}
    smooth, middle = Smooth(**how)(cycle), Smooth(**how)(thrice)[60:121]
    turned = rot.angle_between(smooth.rotations, middle.rotations)
    assert turned.max() < 1e-3
    assert rot.angle_between(smooth.rotations[0], smooth.rotations[-1]).max() < 1e-9


def test_the_last_frames_of_captured_runs_stay(shared_data):
    for name in ("accad/Male1_C11_RunTurnLeft90.bvh", "cmu_asfamc/02_03.amc"):
        clip = read(shared_data / name)
        for cutoff in (2.0, 4.0, 6.0):
            smooth = Smooth(keep_feet=False, cutoff_hz=cutoff)(clip)
            moved = np.linalg.norm(smooth.positions() - clip.positions(), axis=2)
            assert moved[[0, -1]].max() < 0.025


def test_a_cutoff_beyond_the_frame_rate_is_reported():
    clip = making.walker(31, 60.0)
    with collecting_results() as results:
        Smooth(cutoff_hz=29.9)(clip)
        Smooth(method="gaussian", cutoff_hz=900)(clip)
    assert results == []
    with collecting_results() as results:
        Smooth(cutoff_hz=30)(clip)
    assert [finding.kind for finding in results] == ["nothing-smoothed"]
    assert "at 60 fps no motion is faster than 30 Hz" in results[0].message
