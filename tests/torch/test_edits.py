"""Edits of batches give the numbers of the operations, also for clips of different lengths, and have gradients."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import kinetune as kt  # noqa: E402
from kinetune.errors import ParameterError  # noqa: E402
from kinetune.torch.numerics import quaternions as quat  # noqa: E402

WALK = kt.sample("walk")
CLIPS = (WALK, WALK[40:337])
GAINS = [1.5, 0.5, 1.4, 1.3, 1.2]


def batch(clips=CLIPS, dtype=torch.float64):
    return kt.torch.MotionBatch.from_clips(clips, dtype=dtype)


def assert_same(edited, operation, tolerance=1e-9):
    for mine, clip in zip(edited.clips(), CLIPS, strict=True):
        expected = operation(clip)
        assert len(mine) == len(expected)
        assert np.abs(mine.positions() - expected.positions()).max() < tolerance


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-5)])
@pytest.mark.parametrize(
    ("edit", "operation"),
    [
        (
            lambda m: kt.torch.equalize(m, GAINS),
            kt.Equalize(gains=GAINS, keep_feet=False, limit_knees=False),
        ),
        (
            lambda m: kt.torch.equalize(m, preset="exaggerate", root="all"),
            kt.Equalize(preset="exaggerate", root="all", keep_feet=False, limit_knees=False),
        ),
        (
            lambda m: kt.torch.equalize(m, gains_hz={2: 1.4}, joints="right arm", root="none"),
            kt.Equalize(gains_hz={2: 1.4}, joints="right arm", root="none", keep_feet=False, limit_knees=False),
        ),
        (lambda m: kt.torch.smooth(m, 4.0, amount=0.7), kt.Smooth(cutoff_hz=4.0, amount=0.7, keep_feet=False)),
        (lambda m: kt.torch.shape(m, "cap(-0.5, 0.8)"), kt.Shape(curve="cap(-0.5, 0.8)", keep_feet=False)),
        (
            lambda m: kt.torch.shape(m, "cosine", joints="left arm", amount=0.6),
            kt.Shape(curve="cosine", joints="left arm", amount=0.6, keep_feet=False),
        ),
        (kt.torch.mirror, kt.Mirror()),
    ],
    ids=["equalize", "preset", "hz", "smooth", "cap", "cosine", "mirror"],
)
def test_edits_are_those_of_the_operations(edit, operation, dtype, tolerance):
    assert_same(edit(batch(dtype=dtype)), operation, tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-5)])
def test_every_clip_has_gains_of_its_own(dtype, tolerance):
    gains = np.random.default_rng(2).uniform(0.5, 1.5, (2, 6))
    equalized = kt.torch.equalize(batch(dtype=dtype), torch.tensor(gains)).clips()
    for mine, clip, own in zip(equalized, CLIPS, gains, strict=True):
        expected = kt.Equalize(gains=list(own), keep_feet=False, limit_knees=False)(clip)
        assert np.abs(mine.positions() - expected.positions()).max() < tolerance


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-5)])
def test_every_clip_has_a_pace_of_its_own(dtype, tolerance):
    paces = (1.3, 0.8)
    played = kt.torch.retime(batch(dtype=dtype), torch.tensor(paces, dtype=torch.float64)).clips()
    for mine, clip, pace in zip(played, CLIPS, paces, strict=True):
        expected = kt.Retime(speed=pace)(clip)
        assert len(mine) == len(expected)
        assert np.abs(mine.positions() - expected.positions()).max() < tolerance


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-5)])
def test_a_blend_is_that_of_the_operation(dtype, tolerance):
    a, b = kt.sample("walk")[:200], kt.Equalize(preset="exaggerate", keep_feet=False)(kt.sample("walk"))[:200]
    mixed = kt.torch.blend(batch([a], dtype), batch([b], dtype), 0.3).clips()[0]
    expected = kt.Blend(other="b", weight=0.3, align="none", keep_feet=False)(a, b=b)
    assert np.abs(mixed.positions() - expected.positions()).max() < tolerance


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_a_blend_with_all_weight_on_one_clip_is_that_clip(weight):
    a, b = batch([WALK[:150]]), kt.torch.smooth(batch([WALK[:150]]), 3.0)
    mixed = kt.torch.blend(a, b, weight)
    expected = (b if weight else a).rotations[:, :, 1:]
    assert ((mixed.rotations[:, :, 1:] * expected).sum(-1).abs() - 1.0).abs().max() < 1e-12


def test_padding_does_not_change_a_clip():
    alone, padded = (kt.torch.equalize(batch(clips), GAINS) for clips in (CLIPS[1:], CLIPS))
    assert (alone.rotations[0] - padded.rotations[1, : len(CLIPS[1])]).abs().max() < 1e-12


def test_a_spinning_joint_is_edited_as_in_the_library():
    turns = np.linspace(0.0, 6.0 * np.pi, 120)
    rotations = np.array(WALK.rotations[:120])
    rotations[:, 5] = kt.rotations.multiply(kt.rotations.about_y(turns), rotations[:, 5])
    clip = WALK[:120].replace(rotations=rotations)
    mine = kt.torch.smooth(batch([clip]), 4.0).clips()[0]
    assert np.abs(mine.positions() - kt.Smooth(cutoff_hz=4.0, keep_feet=False)(clip).positions()).max() < 1e-9


def small(frames=12):
    motion = batch([WALK[50 : 50 + frames]])
    return motion, motion.rotations.clone().requires_grad_(), motion.root.clone().requires_grad_()


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: kt.torch.equalize(m, [1.4, 0.7, 1.2]),
        lambda m: kt.torch.smooth(m, 5.0),
        lambda m: kt.torch.retime(m, 1.2),
        lambda m: kt.torch.shape(m, "cosine"),
        lambda m: kt.torch.blend(m, kt.torch.smooth(small()[0], 4.0), 0.4),
        kt.torch.mirror,
    ],
    ids=["equalize", "smooth", "retime", "shape", "blend", "mirror"],
)
def test_gradients_are_those_of_differences(edit):
    motion, rotations, root = small()
    torch.manual_seed(0)

    def positions(vectors, root):
        turned = quat.multiply(motion.rotations, quat.exp(vectors))
        return edit(motion.replace(rotations=turned, root=root)).positions().sum(-1)

    vectors = 0.01 * torch.randn(*rotations.shape[:3], 3, dtype=torch.float64)
    assert torch.autograd.gradcheck(positions, (vectors.requires_grad_(), root), fast_mode=True, atol=1e-5)


def test_bad_batches_get_one_message():
    with pytest.raises(ParameterError, match="Resample it first"):
        kt.torch.MotionBatch.from_clips([WALK, kt.Resample(fps=24)(WALK)])
    with pytest.raises(ParameterError, match="lengths"):
        kt.torch.MotionBatch(WALK.skeleton, 60.0, torch.zeros(2, 5, 3), torch.zeros(2, 4, 22, 4))
    with pytest.raises(ParameterError, match="from 1 to 5"):
        kt.torch.MotionBatch(WALK.skeleton, 60.0, torch.zeros(2, 5, 3), torch.zeros(2, 5, 22, 4), torch.tensor([5, 6]))
    with pytest.raises(ParameterError, match="one of them"):
        kt.torch.equalize(batch(), GAINS, preset="exaggerate")
    with pytest.raises(ParameterError, match="same lengths"):
        kt.torch.blend(batch([WALK[:10]]), batch([WALK[:11]]), 0.5)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: kt.torch.blend(m, m, torch.tensor([0.1, 0.2, 0.3])), r"weight is one number, or \(2,\)"),
        (lambda m: kt.torch.blend(m, m, float("nan")), "weight holds a value that is not a finite number"),
        (lambda m: kt.torch.retime(m, torch.ones(3)), r"speed is one number, or \(2,\)"),
        (lambda m: kt.torch.retime(m, float("nan")), "speed holds"),
        (lambda m: kt.torch.equalize(m, torch.ones(3, 4)), r"gains are \(bands,\), \(2, bands\)"),
        (lambda m: kt.torch.smooth(m, float("nan")), "cutoff_hz must be a positive number"),
    ],
)
def test_numbers_that_do_not_fit_the_batch_get_one_message(edit, message):
    with pytest.raises(ParameterError, match=message):
        edit(batch())


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: kt.torch.equalize(m, GAINS),
        lambda m: kt.torch.smooth(m, 4.0),
        lambda m: kt.torch.retime(m, 1.2),
        kt.torch.mirror,
    ],
    ids=["equalize", "smooth", "retime", "mirror"],
)
def test_a_batch_with_holes_gets_one_message(edit):
    motion = batch()
    holes = motion.rotations.clone()
    holes[0, 5] = torch.nan
    with pytest.raises(ParameterError, match=r"not a (finite )?number"):
        edit(motion.replace(rotations=holes))


def test_clips_of_different_lengths_without_lengths_get_one_message():
    ragged = [torch.zeros(5, 3), torch.zeros(6, 3)]
    with pytest.raises(ParameterError, match=r"root must be one tensor, not list.*give their lengths"):
        kt.torch.MotionBatch(WALK.skeleton, 60.0, ragged, ragged)
    with pytest.raises(ParameterError, match="a must be one tensor"):
        kt.torch.warp_costs(ragged, ragged)
    with pytest.raises(ParameterError, match="signal must be one tensor"):
        kt.torch.split_bands(ragged)


def test_tensors_on_different_devices_get_one_message():
    here = batch()
    there = here.replace(root=here.root.to("meta"), rotations=here.rotations.to("meta"), lengths=None)
    with pytest.raises(ParameterError, match="root on cpu, rotations on meta"):
        here.replace(rotations=there.rotations)
    with pytest.raises(ParameterError, match="first on cpu, second on meta"):
        kt.torch.blend(here, there, 0.5)
    with pytest.raises(ParameterError, match="a on cpu, b on meta"):
        kt.torch.warp_costs(here.root, there.root)


@pytest.mark.parametrize(
    "bring", [lambda b, device: b.to(device), lambda b, device: kt.torch.MotionBatch.from_clips([WALK], device=device)]
)
def test_a_gpu_that_is_not_there_gets_one_message(bring, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ParameterError, match=r"CUDA cannot be used here: torch .*use the CPU"):
        bring(batch(), "cuda")
    with pytest.raises(ParameterError, match="no device 'gpu'"):
        bring(batch(), "gpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ParameterError, match="no device cuda:7: this machine has 2 GPUs"):
        bring(batch(), "cuda:7")
