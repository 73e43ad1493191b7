"""Time warps with path, 70 channels: against dtaidistance, tslearn, librosa, aeon and dtw-python, in time and memory.

The pair is one motion and the same at another pace, with a tenth of its spread as noise in every channel; the time for
two unrelated motions, where little of the table can be spared, is printed as well. Each library is called in its
quickest way: dtaidistance in C, aeon with transposed views of the arrays (with contiguous ones, as in its documents, it
takes five times as long). dtaidistance, tslearn and aeon sum squares of distances, which spares them a root per pair;
librosa and dtw-python solve our problem and must agree.
Some do not install beside our pins. Measure them from an environment of their own: ``PYTHONPATH=src:. python -m
benchmarks warp``.

Memory is how far a process grows beyond what it held before a call (Linux only), each library in a process of its own.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.harness import Claim, grown_bytes, median_times, tells_memory
from kinetune.signals.warping.time_warp import time_warp

CHANNELS = 70
WANTED = {300: 3.0, 1_000: 5.0, 3_000: 8.0}
PACKAGES = {
    "dtaidistance": "dtaidistance",
    "tslearn": "tslearn",
    "librosa": "librosa",
    "aeon": "aeon.distances",
    "dtw-python": "dtw",
}
Warping = Callable[[np.ndarray, np.ndarray], object]


def claims() -> Iterator[Claim]:
    """Times at three lengths, memory (a bound at the longest), and the cost of a slow motion far away."""
    peers = {name: peer for name in PACKAGES if (peer := _peer(name)) is not None}
    for frames, wanted in WANTED.items():
        yield from _times(frames, wanted, peers)
    for frames in WANTED:
        yield from _memory(frames, list(peers))
    yield _excess()


def _times(frames: int, wanted: float, peers: dict[str, Warping]) -> Iterator[Claim]:
    a, b = motion_pair(frames)
    other = _motion(frames, seed=9)
    _agree(a, b, peers)
    own = median_times(
        {
            "ours": lambda: time_warp(a, b),
            "ours, unrelated motions": lambda: time_warp(a, other),
            "ours, sederberg": lambda: time_warp(a, b, "sederberg"),
        },
        rounds=15,
        budget_s=6.0,
        least_s=0.02,
    )
    variants: dict[str, Callable[[], object]] = {
        name: (lambda peer=peer: peer(a, b))
        for name, peer in peers.items()  # type: ignore[misc]
    }
    spent = median_times(variants | {"ours": lambda: time_warp(a, b)}, rounds=5, budget_s=15.0, least_s=0.05)
    for times in (own, spent):
        print("     " + ", ".join(f"{name} {1e3 * t:.2f} ms" for name, t in sorted(times.items(), key=lambda x: x[1])))
    if peers:
        fastest = min(peers, key=spent.__getitem__)
        ratio = spent[fastest] / spent["ours"]
        yield Claim(f"fastest peer ({fastest}) / time_warp, {frames} frames", ratio, wanted, at_least=True)
    ratio = own["ours, sederberg"] / own["ours"]
    yield Claim(f"cost sederberg / cost pose, {frames} frames", ratio, 1.0, at_least=False)


def _memory(frames: int, peers: list[str]) -> Iterator[Claim]:
    if not tells_memory():
        print("  skip memory: this system does not tell how far a process has grown")
        return
    grown = {}
    for name in ("ours", "ours, unrelated motions", *peers):
        call = [sys.executable, "-m", "benchmarks.bench_warp", name, str(frames)]
        grown[name] = int(subprocess.run(call, capture_output=True, text=True, check=True).stdout.split()[-1])
    told = ", ".join(f"{name} {size / 1e6:.2f} MB" for name, size in grown.items())
    print(f"     memory at {frames} frames: {told}")
    if not peers or frames < max(WANTED):
        return
    least = min(peers, key=grown.__getitem__)
    for name in ("ours", "ours, unrelated motions"):
        text = f"memory of the most frugal peer ({least}) / {name}, {frames} frames"
        yield Claim(text, grown[least] / grown[name], 20.0, at_least=True)


def _excess() -> Claim:
    """Two poses far apart and slow motion about them, where distances by matrix products lose their digits."""
    dice = np.random.default_rng(3)
    frames = 400
    poses = 1e3 + np.where(np.arange(frames)[:, None] < frames // 2, -90.0, 90.0) * dice.standard_normal(CHANNELS)
    a = poses + 1e-3 * np.cumsum(dice.standard_normal((frames, CHANNELS)), axis=0)
    b = a[_other_pace(frames)] + 5e-4 * dice.standard_normal((frames, CHANNELS))
    table = np.full((frames + 1, frames + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(frames):
        apart = np.linalg.norm(a[i] - b, axis=1)
        for j in range(frames):
            table[i + 1, j + 1] = apart[j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    excess = time_warp(a, b).cost / table[-1, -1] - 1.0
    return Claim("cost / least cost - 1, slow motion far away, in millionths", 1e6 * excess, 0.001, at_least=False)


def _motion(frames: int, seed: int) -> np.ndarray:
    """A walk-like motion at 120 frames a second: three harmonics of a stride that varies, and a slow drift."""
    dice = np.random.default_rng(seed)
    t = np.arange(frames) / 120.0
    phase = 2.0 * np.pi * np.cumsum(0.9 + 0.1 * np.sin(0.3 * t)) / 120.0
    x = np.cumsum(np.cumsum(dice.standard_normal((frames, CHANNELS)), axis=0), axis=0) * 1e-5
    for k in (1, 2, 3):
        size, shift = dice.random(CHANNELS) * 0.5 / k, 2.0 * np.pi * dice.random(CHANNELS)
        x += size * np.sin(k * phase[:, None] + shift)
    return x


def _other_pace(frames: int) -> np.ndarray:
    return np.clip((np.linspace(0.0, 1.0, frames) ** 1.1 * (frames - 1)).round().astype(int), 0, frames - 1)


def motion_pair(frames: int) -> tuple[np.ndarray, np.ndarray]:
    """A motion and the same at another pace, with noise."""
    a = _motion(frames, seed=0)
    noise = np.random.default_rng(1).standard_normal(a.shape)
    return a, a[_other_pace(frames)] + 0.1 * a.std() * noise


def _peer(name: str) -> Warping | None:
    try:
        found = importlib.util.find_spec(PACKAGES[name])
    except ModuleNotFoundError:
        found = None
    if found is None:
        print(f"  skip {name}: the package is not installed")
        return None
    if name == "dtaidistance":
        from dtaidistance import dtw

        return lambda a, b: dtw.warping_path_fast(a, b, use_ndim=True)
    if name == "tslearn":
        from tslearn.metrics import dtw_path

        return lambda a, b: dtw_path(a, b)
    if name == "librosa":
        from librosa.sequence import dtw as librosa_dtw

        return lambda a, b: librosa_dtw(a.T, b.T)
    if name == "aeon":
        from aeon.distances import dtw_alignment_path

        return lambda a, b: dtw_alignment_path(a.T, b.T)
    from dtw import dtw as plain_dtw

    return lambda a, b: plain_dtw(a, b, step_pattern="symmetric1")


def _agree(a: np.ndarray, b: np.ndarray, peers: dict[str, Warping]) -> None:
    """Raise where a library that solves the same problem has found another cost."""
    ours = time_warp(a, b).cost
    costs = {}
    if "librosa" in peers:
        costs["librosa"] = float(peers["librosa"](a, b)[0][-1, -1])  # type: ignore[index]
    if "dtw-python" in peers:
        costs["dtw-python"] = float(peers["dtw-python"](a, b).distance)  # type: ignore[attr-defined]
    for name, cost in costs.items():
        if abs(cost / ours - 1.0) > 1e-9:
            raise RuntimeError(f"{name} finds the cost {cost} and we {ours}: the comparison would mean nothing")


def _grown(name: str, frames: int) -> int:
    """How many bytes a process grows by in one call, after a small one to load everything."""
    a, b = motion_pair(frames)
    if name == "ours, unrelated motions":
        b = _motion(frames, seed=9)
    warp = time_warp if name.startswith("ours") else _peer(name)
    if warp is None:
        raise RuntimeError(f"{name} is not installed")
    warp(a[:60].copy(), b[:60].copy())
    return grown_bytes(lambda: warp(a, b))


if __name__ == "__main__":
    print(_grown(sys.argv[1], int(sys.argv[2])))
