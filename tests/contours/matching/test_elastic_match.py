import numpy as np
import pytest

from kinetune.contours.matching import _elastic_match as elastic
from kinetune.contours.matching._elastic_match import SAMPLES, Steps, elastic_match
from tests.contours.curves import ARROW, LETTER_L, flower, outline, ring


def cheapest_by_definition(likeness: np.ndarray) -> float:
    """The cost of the best path by recursion over single cells, the sums written out."""
    n = likeness.shape[0]
    best = {(0, 0): 0.0}
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            totals = []
            for p, q in elastic._STEPS:
                if (i - p, j - q) in best:
                    m = max(p, q)
                    passed = [(i - p + int((r + 0.5) * p / m), j - q + int((r + 0.5) * q / m)) for r in range(m)]
                    mean = sum(likeness[cell] for cell in passed) / m
                    cost = p + q - 2 * np.sqrt(p * q) * mean + 0.02 * (p - q) ** 2 / (p + q)
                    totals.append(best[i - p, j - q] + cost / n)
            if totals:
                best[i, j] = min(totals)
    return best[n, n]


def kernel_paths(likeness: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The costs of tries (tries, n, n), and the knots of their paths."""
    kernels = elastic._kernels.load()
    costs, back = kernels.cheapest(np.ascontiguousarray(np.moveaxis(likeness, 0, -1)), *elastic._PRICES)
    paths = []
    for try_ in range(len(likeness)):
        path = np.zeros((2 * likeness.shape[1] + 1, 2), dtype=np.int64)
        paths.append(path[kernels.walk_back(back, try_, elastic._PRICES[0], path) :])
    return costs, paths


@pytest.mark.parametrize("size", [5, 14, 40])
def test_the_cheapest_path_is_found(size: int) -> None:
    likeness = np.random.default_rng(size).uniform(-1, 1, (2, size, size))
    costs, _ = kernel_paths(likeness)
    for try_, cost in zip(likeness, costs, strict=True):
        assert cost == pytest.approx(cheapest_by_definition(try_), abs=1e-12)


def test_the_path_that_is_reported_has_the_cost_that_is_reported() -> None:
    likeness = np.random.default_rng(4).standard_normal((3, 40, 40))
    for try_, cost, path in zip(likeness, *kernel_paths(likeness), strict=True):
        on_a, on_b = path.T
        assert (path[0].tolist(), path[-1].tolist()) == ([0, 0], [40, 40])
        total = 0.0
        for i, j, p, q in zip(on_a, on_b, np.diff(on_a), np.diff(on_b), strict=False):
            m = max(p, q)
            mean = sum(try_[i + int((r + 0.5) * p / m), j + int((r + 0.5) * q / m)] for r in range(m)) / m
            total += (p + q - 2 * np.sqrt(p * q) * mean + 0.02 * (p - q) ** 2 / (p + q)) / len(try_)
        assert total == pytest.approx(cost, abs=1e-12)


def test_the_mean_rotation_is_that_of_the_directions_that_a_path_matches() -> None:
    dice = np.random.default_rng(5)
    along, along_b = np.exp(2j * np.pi * dice.uniform(size=(2, 40)))
    _, (path,) = kernel_paths(dice.standard_normal((1, 40, 40)))
    middle, u = path.mean(axis=1), np.arange(40) + 0.5
    i, j = (np.minimum(np.interp(u, middle, knots).astype(int), 39) for knots in path.T)
    found = elastic._kernels.load().mean_rotation(along, along_b[:, None], 0, path)
    assert found == pytest.approx(float(np.angle(np.vdot(along[i], along_b[j]))), abs=1e-12)


def test_compiled_also_where_compiling_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETUNE_COMPILED", "never")
    steps = Steps.of(outline(ARROW))
    assert elastic_match(steps, steps, [0], [0.0])[0].cost == pytest.approx(0.0, abs=1e-9)


def test_a_shape_matches_itself_step_by_step() -> None:
    steps = Steps.of(outline(LETTER_L))
    match = elastic_match(steps, steps, [0], [0.0])[0]
    assert match.cost == pytest.approx(0.0, abs=1e-9)
    assert match.rotation == pytest.approx(0.0, abs=1e-9)
    assert np.array_equal(match.a, match.b)


def test_paths_run_forward_from_start_to_end() -> None:
    match = elastic_match(Steps.of(outline(ARROW)), Steps.of(outline(flower(3))), [0, 40], [0.0, 0.3])[0]
    for knots in (match.a, match.b):
        assert knots[0] == 0
        assert knots[-1] == SAMPLES
        assert np.all(np.diff(knots) >= 1)


def test_a_stretched_part_is_found() -> None:
    """Two rectangles with one long side: corners meet although the shares of the length differ."""
    a = outline(np.array([0, 10 + 0j, 10 + 10j, 10j]))
    b = outline(np.array([0, 30 + 0j, 30 + 10j, 10j]))
    match = elastic_match(Steps.of(a), Steps.of(b), [0], [0.0])[0]
    corner = np.interp(SAMPLES * 0.25, match.a, match.b) / SAMPLES
    assert corner == pytest.approx(30 / 80, abs=0.03)


def test_the_cheapest_match_comes_first() -> None:
    a, b = Steps.of(outline(ARROW)), Steps.of(outline(np.roll(ARROW, 1)))
    found = elastic_match(a, b, [0, 20, 50, 90], [0.0] * 4)
    assert found[0].price() == min(match.price() for match in found)
    assert Steps.of(outline(ring())).at.mean() == pytest.approx(0.0, abs=1e-9)
