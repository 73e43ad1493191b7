"""Losses are the measures of the library and have gradients that mend what they measure."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import kinetune as kt  # noqa: E402
from kinetune.body.feet.floor import find_ground  # noqa: E402
from kinetune.errors import ParameterError  # noqa: E402
from kinetune.torch.numerics import quaternions as quat  # noqa: E402

WALK = kt.sample("walk")
SOLES = kt.torch.TensorSoles.of(WALK)


def batch(*clips):
    return kt.torch.MotionBatch.from_clips(clips, dtype=torch.float64)


def test_jerk_is_the_measured_one():
    clips = (WALK, WALK[30:200])
    losses = kt.torch.jerk_loss(batch(*clips))
    for loss, clip in zip(losses.tolist(), clips, strict=True):
        assert np.isclose(loss, kt.measure(clip)["jerk"])


def test_penetration_is_the_measured_one():
    ground = find_ground(WALK)
    sunk = WALK.replace(root=WALK.root - [0.0, 0.03, 0.0])
    loss = kt.torch.penetration_loss(batch(sunk), SOLES)
    level = ground.on(ground.floor.height)  # the loss knows level floors only
    assert np.isclose(1e3 * float(loss[0]), kt.measure(sunk, ground=level)["penetration_mean_mm"])


def test_planted_feet_slide_less():
    skating = WALK.replace(root=WALK.root + np.linspace(0, 1, len(WALK))[:, None] * [0.6, 0.0, 0.0])
    planted, slid = kt.torch.slide_loss(batch(WALK, skating), SOLES).tolist()
    assert planted < 0.02
    assert 0.06 < slid < 0.12  # 0.6 m over 6.7 s


def test_contacts_are_sure_where_the_library_finds_them():
    sure = kt.torch.soft_contacts(batch(WALK), SOLES)[0].numpy()
    flags = kt.find_contacts(WALK).flags
    assert sure[flags].mean() > 0.7
    assert sure[~flags].mean() < 0.3


def test_losses_have_gradients():
    motion = batch(WALK[60:70])
    generator = torch.Generator().manual_seed(0)
    vectors = 0.01 * torch.randn(*motion.rotations.shape[:3], 3, dtype=torch.float64, generator=generator)
    sunk = (motion.root - torch.tensor([0.0, 0.05, 0.0])).requires_grad_()

    def losses(vectors, root):
        turned = motion.replace(rotations=quat.multiply(motion.rotations, quat.exp(vectors)), root=root)
        sliding = kt.torch.slide_loss(turned, SOLES, torch.ones(1, 10, 2, dtype=torch.float64))
        return kt.torch.jerk_loss(turned), kt.torch.penetration_loss(turned, SOLES), sliding

    assert torch.autograd.gradcheck(losses, (vectors.requires_grad_(), sunk), fast_mode=True, atol=1e-4, rtol=1e-2)


def test_a_motion_that_stands_still_has_no_undefined_gradient():
    still = batch(WALK[:1])
    root = still.root.repeat(1, 8, 1).requires_grad_()
    motion = kt.torch.MotionBatch(WALK.skeleton, 60.0, root, still.rotations.repeat(1, 8, 1, 1))
    (kt.torch.jerk_loss(motion) + kt.torch.slide_loss(motion, SOLES)).sum().backward()
    assert torch.isfinite(root.grad).all()


def test_contacts_of_another_shape_are_refused():
    with pytest.raises(ParameterError, match="batch, frames, feet"):
        kt.torch.slide_loss(batch(WALK), SOLES, torch.ones(1, 3, 2))
