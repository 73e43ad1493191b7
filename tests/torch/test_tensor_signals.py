"""Bands, filters, curves, kinematics and rotations of tensors: the same numbers as the library's."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import kinetune as kt  # noqa: E402
from kinetune import rotations as rot  # noqa: E402
from kinetune.errors import ParameterError  # noqa: E402
from kinetune.signals.bands.pyramid import equalize as equalize_array  # noqa: E402
from kinetune.signals.bands.pyramid import split_bands as split_array  # noqa: E402
from kinetune.signals.shaping.shaping_curve import ShapingCurve  # noqa: E402
from kinetune.torch.gpu import band_kernel, runtime_compiler  # noqa: E402
from kinetune.torch.numerics import band_filter, tree_kinematics  # noqa: E402
from kinetune.torch.numerics import quaternions as quat  # noqa: E402
from kinetune.torch.numerics.tcb_curves import ShapeTable, evaluate_tcb  # noqa: E402

RNG = np.random.default_rng(5)


def unit(*shape):
    q = RNG.standard_normal((*shape, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


@pytest.mark.parametrize("frames", [1, 2, 3, 64, 97, 300])
def test_bands_are_those_of_the_library(frames):
    x, gains = np.cumsum(RNG.standard_normal((2, frames, 3)), axis=1), RNG.uniform(-1, 2, (2, 6))
    mine = band_filter.equalize(torch.tensor(x), torch.tensor(gains)).numpy()
    for row in range(2):
        assert np.allclose(mine[row], equalize_array(x[row], gains[row]), atol=1e-12)
    bands = band_filter.split_bands(torch.tensor(x))
    for detail, expected in zip(bands.details, split_array(x[0]).details, strict=True):
        assert np.allclose(detail[0].numpy(), expected, atol=1e-12)
    assert np.allclose(band_filter.join_bands(bands).numpy(), x, atol=1e-12)
    assert np.allclose(band_filter.join_bands(bands, torch.tensor(gains)).numpy(), mine, atol=1e-12)


def test_gains_over_time_are_those_of_the_library():
    x, gains = RNG.standard_normal((1, 60, 2)), RNG.uniform(0, 2, (1, 5, 60))
    mine = band_filter.equalize(torch.tensor(x), torch.tensor(gains))[0].numpy()
    assert np.allclose(mine, equalize_array(x[0], gains[0]), atol=1e-12)


def test_clips_of_different_lengths_have_their_own_bands_and_ends():
    x, lengths = RNG.standard_normal((3, 100, 2)), torch.tensor([100, 63, 17])
    mine = band_filter.equalize(torch.tensor(x), torch.tensor([0.5, 2.0, 1.5, 0.0]), lengths).numpy()
    for row, length in enumerate(lengths.tolist()):
        assert np.allclose(mine[row, :length], equalize_array(x[row, :length], [0.5, 2.0, 1.5, 0.0]), atol=1e-12)
        assert np.allclose(mine[row, length:], mine[row, length - 1])


def test_gradients_of_bands_are_those_of_differences():
    x = torch.randn(2, 9, 2, dtype=torch.float64, requires_grad=True)
    gains = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, g: band_filter.equalize(a, g, torch.tensor([9, 6])), (x, gains))


def test_rotations_are_those_of_the_library():
    a, b, v = unit(20), unit(20), RNG.standard_normal((20, 3))
    ta, tb, tv = (torch.tensor(each) for each in (a, b, v))
    assert np.allclose(quat.multiply(ta, tb), rot.multiply(a, b))
    assert np.allclose(quat.rotate(ta, tv), rot.rotate(a, v))
    assert np.allclose(quat.exp(tv), rot.exp(v))
    assert np.allclose(quat.log(ta), rot.log(a))
    assert np.allclose(quat.slerp(ta, tb, 0.3), rot.slerp(a, b, 0.3))
    assert np.allclose(quat.to_matrix(ta), rot.to_matrix(a))
    assert np.allclose(quat.from_matrix(quat.to_matrix(ta)), rot.from_matrix(rot.to_matrix(a)))
    assert np.allclose((quat.from_six(quat.to_six(ta)) * ta).sum(-1).abs(), 1.0)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 1.0, 3.0])
def test_exp_and_log_have_gradients_everywhere(size):
    direction = torch.nn.functional.normalize(torch.tensor([[0.3, -0.5, 0.8]], dtype=torch.float64), dim=-1)
    vector = (size * direction).requires_grad_()
    assert torch.autograd.gradcheck(lambda v: quat.log(quat.exp(v)), (vector,), atol=1e-6)


def test_positions_are_those_of_the_clip():
    clip = kt.sample("run")
    motion = kt.torch.MotionBatch.from_clips([clip], dtype=torch.float64)
    assert np.abs(motion.positions()[0].numpy() - clip.positions()).max() < 1e-12
    assert np.abs(motion.world()[1][0].numpy() - clip.world_rotations()).max() < 1e-12


def test_kinematics_refuse_what_does_not_fit():
    with pytest.raises(ParameterError, match="before it"):
        tree_kinematics.forward([0, -1], torch.zeros(2, 3), torch.zeros(4, 3), torch.zeros(4, 2, 4))
    with pytest.raises(ParameterError, match="2 joints take"):
        tree_kinematics.forward([-1, 0], torch.zeros(2, 3), torch.zeros(4, 3), torch.zeros(4, 3, 4))


@pytest.mark.parametrize("ends", ["natural", "zero", "chord", "half chord"])
def test_keyed_curves_are_those_of_the_library(ends):
    times, values = np.array([0.0, 1.0, 1.5, 3.0]), RNG.standard_normal((2, 4, 3))
    at, knobs = np.linspace(-0.5, 3.5, 41), RNG.uniform(-0.8, 0.8, (3, 4))
    mine = evaluate_tcb(
        *(torch.tensor(each) for each in (times, values, at)),
        **dict(zip(("tension", "continuity", "bias"), map(torch.tensor, knobs), strict=True)),
        ends=ends,
    )
    for row in range(2):
        expected = kt.TCB(times, values[row], *knobs, ends=ends, holds="free")(at)
        assert np.allclose(mine[row], expected, atol=1e-12)


def test_keyed_curves_refuse_what_does_not_fit():
    times, values = torch.tensor([0.0, 1.0, 2.5]), torch.zeros(2, 3, 2)
    with pytest.raises(ParameterError, match="values must be one tensor"):
        evaluate_tcb(times, [torch.zeros(3), torch.zeros(2)], times)
    with pytest.raises(ParameterError, match=r"tension is one number, or \(3,\) with one for each key"):
        evaluate_tcb(times, values, times, tension=torch.zeros(2))
    with pytest.raises(ParameterError, match="at holds the times"):
        evaluate_tcb(times, values, values)


def test_keyed_curves_have_gradients():
    times, at = torch.tensor([0.0, 1.0, 2.5], dtype=torch.float64), torch.linspace(0.1, 2.3, 5, dtype=torch.float64)
    values = torch.randn(2, 3, 2, dtype=torch.float64, requires_grad=True)
    tension = torch.rand(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v, t: evaluate_tcb(times, v, at, tension=t), (values, tension))


@pytest.mark.parametrize("made", ["identity", "cap(-0.5, 0.8)", "cosine", "undulate", "quantize(4, 0.2)", "expander"])
@pytest.mark.parametrize("rounding", [0.0, 1.0])
def test_shaping_curves_are_those_of_the_library(made, rounding):
    curve = ShapingCurve.make(made).rounded(rounding)
    x = np.linspace(-1.4, 1.4, 301)
    table = ShapeTable.of(curve, torch.zeros(1, dtype=torch.float64))
    assert np.allclose(table(torch.tensor(x)).numpy(), curve(x), atol=1e-9)


def test_kernels_are_not_used_without_a_gpu():
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert not runtime_compiler.available()
    assert not band_kernel.can_equalize(torch.zeros(2, 100, 3))
