"""Random edits: repeatable by seed, clip by clip, and never a broken motion."""

import pickle

import pytest

torch = pytest.importorskip("torch")

import kinetune as kt  # noqa: E402
from kinetune.errors import ParameterError  # noqa: E402

WALK = kt.sample("walk")
ALL = [
    kt.torch.RandomEqualize(p=1.0),
    kt.torch.RandomMirror(p=0.5),
    kt.torch.RandomRetime(p=1.0),
    kt.torch.RandomShape(p=1.0),
    kt.torch.RandomTurn(),
    kt.torch.Noise(p=1.0),
]


def batch():
    return kt.torch.MotionBatch.from_clips([WALK[:120], WALK[100:180], WALK[200:]])


def test_the_same_seed_gives_the_same_batches():
    first, second = (kt.torch.Compose(ALL, seed=7) for _ in range(2))
    for _ in range(2):
        a, b = first(batch()), second(batch())
        assert torch.equal(a.root, b.root)
        assert torch.equal(a.rotations, b.rotations)
        assert torch.equal(a.frame_counts, b.frame_counts)
    assert not torch.equal(first(batch()).rotations[:, 0], kt.torch.Compose(ALL, seed=8)(batch()).rotations[:, 0])


@pytest.mark.parametrize("step", ALL, ids=lambda step: type(step).__name__)
def test_every_edit_leaves_whole_clips(step):
    for clip in kt.torch.Compose([step], seed=3)(batch()).clips():  # a clip refuses what is no motion
        assert clip.skeleton is WALK.skeleton


def test_clips_that_are_not_drawn_stay_as_they_are():
    motion = batch()
    assert kt.torch.RandomMirror(p=0.0)(motion) is motion
    half = kt.torch.Compose([kt.torch.Noise(p=0.5)], seed=0)(motion)
    changed = [not torch.equal(half.root[k], motion.root[k]) for k in range(3)]
    assert any(changed)
    assert not all(changed)


def test_edits_work_in_a_data_loader():
    augment = kt.torch.Compose(ALL, seed=1)
    clips = [WALK[k : k + 60] for k in (0, 60, 120, 180)]
    loader = torch.utils.data.DataLoader(
        clips, batch_size=2, collate_fn=lambda chosen: augment(kt.torch.MotionBatch.from_clips(chosen))
    )
    assert [len(motion) for motion in loader] == [2, 2]


def augmented(chosen):
    return NOISY(kt.torch.MotionBatch.from_clips(chosen)).root


NOISY = kt.torch.Compose([kt.torch.Noise(p=1.0)], seed=1)


def test_workers_of_a_data_loader_draw_differently_from_each_other_and_in_every_epoch():
    def two_epochs():
        torch.manual_seed(5)
        loader = torch.utils.data.DataLoader([WALK[:20]] * 4, batch_size=2, num_workers=2, collate_fn=augmented)
        return [batch for _ in range(2) for batch in loader]

    first, again = two_epochs(), two_epochs()
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(torch.equal(a, b) for k, a in enumerate(first) for b in first[:k])


def test_a_compose_can_be_sent_to_another_process():
    augment = kt.torch.Compose(ALL, seed=1)
    there = pickle.loads(pickle.dumps(augment))
    assert torch.equal(augment(batch()).rotations, there(batch()).rotations)


def test_bad_settings_get_one_message():
    with pytest.raises(ParameterError, match="probability"):
        kt.torch.RandomMirror(p=1.5)
    with pytest.raises(ParameterError, match="augmentations"):
        kt.torch.Compose([kt.Mirror()])
    with pytest.raises(ParameterError, match="low"):
        kt.torch.RandomEqualize(low=2.0, high=1.0)
    with pytest.raises(ParameterError, match="slowest"):
        kt.torch.RandomRetime(slowest=-1.0)
    with pytest.raises(ParameterError, match="strength"):
        kt.torch.RandomShape(strength=1.5)
    with pytest.raises(ParameterError, match="angle_deg"):
        kt.torch.Noise(angle_deg=float("nan"))
