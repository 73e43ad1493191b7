import numpy as np

from kinetune import rotations as rot
from kinetune.body.quality.spikes import find_spikes, mend_spikes
from tests.operations import making


def test_a_spike_is_found_bridged_and_reported():
    clip = making.walker(181, 60.0)
    rotations = np.array(clip.rotations)
    arm = clip.skeleton.roles["left upper arm"]
    rotations[80:82, arm] = rot.multiply(rotations[80:82, arm], rot.exp(np.array([0.5, 0.0, 0.0])))
    spoiled = clip.replace(rotations=rotations)
    spikes = find_spikes(spoiled)
    assert np.argwhere(spikes.turned).tolist() == [[80, arm], [81, arm]]
    (finding,) = spikes.findings(clip.skeleton)
    assert (finding.kind, finding.frame) == ("spike", (80, 81))
    assert rot.angle_between(mend_spikes(spoiled, spikes).rotations, clip.rotations).max() < 0.05


def test_a_jump_of_the_root_is_bridged():
    clip = making.walker(181, 60.0)
    root = np.array(clip.root)
    root[60] += [0.0, 0.3, 0.0]
    spoiled = clip.replace(root=root)
    spikes = find_spikes(spoiled)
    assert np.argwhere(spikes.moved).tolist() == [[60, 0]]
    assert np.abs(mend_spikes(spoiled, spikes).root - clip.root).max() < 0.02


def test_a_twist_that_the_next_joint_undoes_stays():
    """Nobody sees it; bridging one of the two would break the leg."""
    clip = making.walker(181, 60.0)
    rotations = np.array(clip.rotations)
    knee, foot = (clip.skeleton.roles[role] for role in ("left lower leg", "left foot"))
    bone = clip.skeleton.offsets[foot]
    twist = rot.exp(2.0 * bone / np.linalg.norm(bone))
    rotations[80:82, knee] = rot.multiply(rotations[80:82, knee], twist)
    rotations[80:82, foot] = rot.multiply(rot.inverse(twist), rotations[80:82, foot])
    spikes = find_spikes(clip.replace(rotations=rotations))
    assert spikes.turned[:, knee].any() == spikes.turned[:, foot].any()


def test_a_jump_that_a_restless_joint_above_undoes_stays():
    """The joint above jumps so often that it is no suspect; with the other jump alone bridged, the limb would jump."""
    clip = making.walker(181, 60.0)
    thigh, knee = (clip.skeleton.roles[role] for role in ("left upper leg", "left lower leg"))
    rotations = np.array(clip.rotations)
    bone = clip.skeleton.offsets[knee]
    turns = 0.25 * (-1.0) ** np.arange(len(clip))
    twist = rot.exp(turns[:, None] * bone / np.linalg.norm(bone))
    rotations[:, thigh] = rot.multiply(rotations[:, thigh], twist)
    rotations[80:82, knee] = rot.multiply(rot.inverse(twist[80:82]), rotations[80:82, knee])
    spoiled = clip.replace(rotations=rotations)
    assert not find_spikes(spoiled).turned[:, knee].any()


def test_a_walk_has_none():
    assert not find_spikes(making.walker(181, 60.0))
