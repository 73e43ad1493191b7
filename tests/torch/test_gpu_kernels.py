"""Kernels against the plain code, on a machine with a GPU."""

import pytest

torch = pytest.importorskip("torch")

from kinetune.torch import batch_warps, blend_search  # noqa: E402
from kinetune.torch.gpu import runtime_compiler  # noqa: E402
from kinetune.torch.numerics import band_filter, tree_kinematics  # noqa: E402

pytestmark = [
    pytest.mark.external,
    pytest.mark.skipif(not runtime_compiler.available(), reason="needs an NVIDIA GPU and a torch that compiles for it"),
]
PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21)


def signals(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).cumsum(1).mul(0.1).cuda()


@pytest.mark.parametrize("frames", [64, 65, 100, 255, 256, 300, 301, 511, 700, 1024, 2048])
@pytest.mark.parametrize("channels", [1, 3, 16, 70])
def test_equalized_signals(frames, channels):
    x, gains = signals(5, frames, channels), 2 * torch.rand(5, 9).cuda()
    plain = band_filter.equalize(x.double().cpu(), gains.double().cpu())
    assert (band_filter.equalize(x, gains).cpu() - plain).abs().max() < 2e-5 * plain.abs().max()


@pytest.mark.parametrize("frames", [80, 300, 1000])
def test_equalized_signals_of_different_lengths(frames):
    x, gains = signals(40, frames, 7), 2 * torch.rand(40, 9).cuda()
    lengths = torch.randint(1, frames + 1, (40,))
    plain = band_filter.equalize(x.double().cpu(), gains.double().cpu(), lengths)
    assert (band_filter.equalize(x, gains, lengths).cpu() - plain).abs().max() < 2e-5 * plain.abs().max()


def test_gradients_of_equalized_signals():
    x, gains = signals(3, 90, 4).requires_grad_(), torch.rand(3, 6).cuda().requires_grad_()
    band_filter.equalize(x, gains).square().sum().backward()
    a, g = (each.detach().double().cpu().requires_grad_() for each in (x, gains))
    band_filter.equalize(a, g).square().sum().backward()
    assert (x.grad.cpu() - a.grad).abs().max() < 1e-4 * a.grad.abs().max()
    assert (gains.grad.cpu() - g.grad).abs().max() < 1e-4 * g.grad.abs().max()


@pytest.mark.parametrize("joints", [1, 2, 24])
@pytest.mark.parametrize("frames", [1, 63, 1000])
def test_positions(joints, frames):
    parents = PARENTS[:joints]
    turns = torch.nn.functional.normalize(torch.randn(frames, joints, 4), dim=-1).cuda()
    root, offsets = torch.randn(frames, 3).cuda(), 0.3 * torch.randn(joints, 3).cuda()
    plain = tree_kinematics.forward(parents, *(each.double().cpu() for each in (offsets, root, turns)))[0]
    assert (tree_kinematics.world_positions(parents, offsets, root, turns).cpu() - plain).abs().max() < 1e-5


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 40), (64, 64), (130, 77), (300, 300), (513, 400)])
def test_warps(rows, columns):
    a, b = signals(12, rows, 6, seed=1), signals(12, columns, 6, seed=2)
    lengths = torch.randint(1, rows + 1, (12,)), torch.randint(1, columns + 1, (12,))
    paths, plain = batch_warps.warp_paths(a, b, *lengths), batch_warps.warp_paths(a.cpu(), b.cpu(), *lengths)
    assert all(torch.equal(paths[k].cpu(), plain[k]) for k in range(12))
    costs = batch_warps.warp_costs(a.double().cpu(), b.double().cpu(), *lengths)
    assert torch.allclose(batch_warps.warp_costs(a, b, *lengths).cpu().double(), costs, rtol=1e-5, atol=1e-4)


def test_blend_weights():
    generator = torch.Generator().manual_seed(3)
    turns = torch.randn(12, 5, 4, generator=generator, dtype=torch.float64) * 0.3
    turns[..., 0] = 1.0
    turns = torch.nn.functional.normalize(turns, dim=-1).permute(1, 2, 0).contiguous()
    parts = (turns, 0.2 * torch.randn(5, 3, generator=generator).double(), 0.02 * torch.randn(3, 12).double())
    plain, fast = (blend_search.BlendChain(*(part.to(place) for part in parts)) for place in ("cpu", "cuda"))
    mixes = torch.distributions.Dirichlet(torch.full((12,), 0.4)).sample((200,)).double()
    goals = torch.cat([plain.places(mixes), plain.places(mixes[:50]) + 0.3])
    expected, found = blend_search.solve_points(plain, goals), blend_search.solve_points(fast, goals.cuda())
    assert (found.distance_m.cpu()[:200] < 1e-5).all()
    assert (found.distance_m.cpu() - expected.distance_m).abs().max() < 1e-4
