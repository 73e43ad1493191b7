"""Soft programs: our own solver on bands, and clarabel beside it."""

import numpy as np
import pytest

from kinetune.physics.frame.soft_programs import SoftProgram, bands_of

SIZE = 12


def made_up(seed, *, wishes=True, limits=True):
    """A program of two blocks with ties, wishes, and limits that share slacks, all on three neighbours."""
    dice = np.random.default_rng(seed)
    blocks = []
    for _ in range(2):
        bands = bands_of(dice.normal(size=(SIZE - 2, 3)), np.full(SIZE - 2, 0.1), SIZE)
        bands[0] += 1.0
        blocks.append(bands)
    program = SoftProgram(blocks, dice.normal(size=2 * SIZE))
    program.tie(np.array([[0], [SIZE + 1]]), np.array([[1.0], [2.0]]), dice.normal(size=2))
    near = np.arange(SIZE - 2)[:, None] + np.arange(3)
    if wishes:
        program.want(near[::3] + SIZE, dice.normal(size=(4, 3)), dice.normal(size=4), 50.0)
    if limits:
        both = np.concatenate([near, near + SIZE], axis=1)
        group = np.repeat(np.arange(SIZE - 2), 3)
        program.limit(both[group], dice.normal(size=(len(group), 6)), dice.normal(size=len(group)), 1e3, group)
        steep = dice.normal(size=(2 * len(near), 3)) * 30.0
        program.limit(np.tile(near, (2, 1)), steep, np.full(len(steep), 0.1), 10.0, np.tile(np.arange(len(near)), 2))
    return program


@pytest.mark.parametrize("seed", range(8))
def test_two_solvers_agree(monkeypatch, seed):
    """Within 1e-5: both stop a little before the optimum."""
    program = made_up(seed, wishes=seed % 3 > 0, limits=seed % 4 > 0)
    x, slacks = program.solve()
    monkeypatch.setenv("KINETUNE_COMPILED", "never")
    y, others = program.solve()
    assert np.allclose(x, y, atol=1e-5)
    assert np.allclose(slacks, others, atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_no_step_to_the_side_is_cheaper(seed):
    program = made_up(seed)
    dense = np.zeros((2 * SIZE, 2 * SIZE))
    for block, bands in enumerate(program.blocks):
        for k, band in enumerate(bands):
            at = block * SIZE + np.arange(len(band))
            dense[at, at + k] = dense[at + k, at] = band

    def cost(x):
        found = 0.5 * x @ dense @ x + program.q @ x
        weights = np.concatenate(program._weights)
        slacks = np.zeros(len(weights))
        for rows in program._rows:
            if rows.groups is not None:
                over = np.sum(rows.values * x[rows.places], axis=1) - rows.bound
                np.maximum.at(slacks, rows.groups, np.abs(over) if rows.equal else over)
        return found + 0.5 * weights @ slacks**2

    x, _ = program.solve()
    dice = np.random.default_rng(seed)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(50):
            step = size * dice.normal(size=2 * SIZE)
            step[[0, SIZE + 1]] = 0.0
            assert cost(x + step) > cost(x) - 1e-7


def test_ties_hold_and_slacks_say_what_is_broken():
    program = made_up(3)
    x, slacks = program.solve()
    tie = program._rows[0]
    assert np.allclose(tie.values[:, 0] * x[tie.places[:, 0]], tie.bound, atol=1e-12)
    for rows in program._rows[2:]:
        over = np.sum(rows.values * x[rows.places], axis=1) - rows.bound
        assert np.all(over <= slacks[rows.groups] + 1e-6)
        assert (over > 1e-3).any()
