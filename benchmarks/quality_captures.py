"""What captures tell of their own clock, feet and floor: fall, balance, feet upside down, flights, noise, spin.

    python -m benchmarks.quality_captures [FOLDER]

FOLDER holds the clips (``cmu/74_03.bvh`` ...); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout.
Nothing is timed here. These are the observations that docs/derivations/dynamic_filter.md draws on:

- Gravity is a clock. "fall" is the fastest downward acceleration of the centre of mass over a twentieth of a second,
  "pace" the square of the factor by which a clip plays too fast, by balance: where one foot stands,
  g (c - p) = pace (h c" - c_y" (c - p) - L' / m) with the foot's middle p; the ratio of the spreads of both sides.
- A foot upside down: how far up its top points while it is low, as it is and after half a turn about its length.
- Flights: the mean vertical acceleration of the centre of mass while no foot is seen to stand, apart by whether the
  filter lets the figure fly (below -0.6 g) or takes a foot down that must be carrying it.
- Noise: the impulse outside of the friction cone of CMU's kicks, smoothed below 6, 8 and 12 Hz.
- Spin: the largest moment about the vertical that a motion asks of one standing foot, beside what friction gives, and
  by how much the motion is turned because of it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import kinetune as kt
from kinetune.body.clip import Clip
from kinetune.body.feet.flipped_feet import standing_ups
from kinetune.body.feet.soles import find_foot_joints
from kinetune.physics._inverse_dynamics import fastest_fall
from kinetune.physics.filter._rollout import plan_yaw_correction, reference_from
from kinetune.physics.filter.preprocessing import centre_clip, prepare_input
from kinetune.physics.filter.references import CARRIED, Feet, Reference, find_stance
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.physics.report_card import CUTOFF_HZ, physics_report
from kinetune.signals.flag_ranges import true_ranges

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
LABELLED_120 = ("74_03", "74_04", "74_05", "74_06", "143_18", "143_24", "143_25", "141_14", "141_16")
"""CMU's files that were captured at 60 frames a second and say 120."""
MU = 1.0
LONGEST_S = 10.0


class Seen:
    """A capture as the filter sees it."""

    def __init__(self, name: str, clip: Clip) -> None:
        self.name, self.clip = name, clip
        settled = centre_clip(clip)
        self.body = kt.Body.fit(clip.skeleton, clip=settled.moved)
        self.feet = Feet.of(self.body)
        self.prepared = prepare_input(settled, self.body, self.feet, CUTOFF_HZ, None)
        self.reference: Reference = reference_from(self.body, self.feet, self.prepared)
        self.support = self.reference.support(self.feet, self.prepared.ground)
        path = self.reference.data_com
        self.change = np.gradient(np.gradient(path, axis=0), axis=0) * self.reference.rate**2

    @property
    def fall(self) -> float:
        return fastest_fall(self.reference.data_com[:, 1], self.reference.rate)

    @property
    def on_one_foot(self) -> np.ndarray:
        """(frames,) whether heel or toe of exactly one side stands."""
        sides = np.array(self.feet.sides)
        left, right = (self.reference.stance[:, sides == side].any(axis=1) for side in ("left", "right"))
        return np.asarray(left ^ right)

    @property
    def pace(self) -> float:
        """The ratio of what balance asks for and what accelerations say; NaN where hardly a foot stands alone."""
        frames = np.flatnonzero(self.on_one_foot & self.support.stands)
        if len(frames) < 0.3 * self.reference.rate:
            return float("nan")
        middle = np.array([self.support.hulls[t].mean(axis=0) for t in frames.tolist()])
        com, change = self.reference.data_com[frames], self.change[frames]
        arm, high = com[:, [0, 2]] - middle, (com[:, 1] - self.support.height[frames])[:, None]
        rate = self.reference.momentum_rate[frames] / self.body.mass
        turning = np.stack([rate[:, 2], -rate[:, 0]], axis=1)
        says = high * change[:, [0, 2]] - change[:, 1:2] * arm - turning
        return float(np.linalg.norm(GRAVITY * (arm - arm.mean(axis=0))) / np.linalg.norm(says - says.mean(axis=0)))

    @property
    def shown_pace(self) -> str:
        return f"{self.pace:.2f}" if np.isfinite(self.pace) else "-"

    def flights(self) -> Iterator[float]:
        """The mean vertical acceleration of every time without a standing foot, ends of the clip left out."""
        own = self.reference
        stance = find_stance(own.points, own.toes, own.rate, self.prepared.ground, self.feet)
        speed = np.gradient(own.data_com[:, 1]) * own.rate
        for start, stop in true_ranges(np.logical_not(stance.any(axis=1))):
            if start > 0 and stop < len(own) - 1 and stop - start >= 0.05 * own.rate:
                yield float(speed[stop] - speed[start]) * own.rate / (stop - start)

    def spin(self) -> tuple[float, float, float]:
        """The largest moment on one foot, what friction gives there, both in N m, and the turn in degrees."""
        own, lift = self.reference, self.change[:, 1]
        frames = np.flatnonzero(self.on_one_foot)
        given = MU * self.body.mass * np.maximum(lift + GRAVITY, 0.0) * self.support.spread
        turn = plan_yaw_correction(
            own.momentum_rate[:, 1], own.inertia, lift, self.support, rate=own.rate, mass=self.body.mass, mu=MU
        )
        asked = np.abs(own.momentum_rate[frames, 1])
        worst = frames[int(np.argmax(asked))] if len(frames) else 0
        return float(asked.max(initial=0.0)), float(given[worst]), float(np.rad2deg(np.abs(turn)).max())


def main(folder: Path) -> int:
    """Print all of it."""
    if not (folder / "cmu").is_dir():
        print(f"{folder.name} holds no captures (cmu, hdm05, accad): nothing to look at.")
        return 0
    wrong = [(Seen(name, labelled), Seen(name, true)) for name, labelled, true in mislabelled(folder)]
    right = [Seen(name, clip) for name, clip in captures(folder)]
    _clocks(wrong, right)
    _feet([*(seen for _, seen in wrong), *right])
    _flights([*(seen for _, seen in wrong), *right])
    _noise([seen for _, seen in wrong if seen.name.startswith("CMU 74")])
    _spins([*(seen for _, seen in wrong if "kick" in kind(seen.name)), *right])
    return 0


def kind(name: str) -> str:
    """What is done in a capture, where it matters here."""
    return "kick" if name.startswith(("CMU 74", "CMU 143_24")) or "kick" in name else "other"


def mislabelled(folder: Path) -> Iterator[tuple[str, Clip, Clip]]:
    """Files whose label is wrong, as labelled and as captured."""
    for name in LABELLED_120:
        path = folder / "cmu" / f"{name}.bvh"
        if path.is_file():
            yield f"CMU {name}", kt.read(path)[1:], kt.read(path, fps=60.0)[1:]


def captures(folder: Path) -> Iterator[tuple[str, Clip]]:
    """All other captures, the first seconds of each."""
    for group, pattern, first in (("CMU", "cmu/*.bvh", 1), ("ACCAD", "accad/*.bvh", 0), ("HDM05", "hdm05/*.amc", 0)):
        for path in sorted(folder.glob(pattern)):
            if path.stem not in LABELLED_120:
                clip = kt.read(path)[first:]
                name = path.stem.removeprefix("HDM_").removesuffix("_120").replace("1Reps", "")
                yield f"{group} {name}", clip[: round(LONGEST_S * clip.fps)]


def _clocks(wrong: list[tuple[Seen, Seen]], right: list[Seen]) -> None:
    print("the clock            as labelled             read at 60")
    print("                     fall m/s^2    pace      fall m/s^2    pace")
    for labelled, true in wrong:
        row = "      ".join(f"{seen.fall:10.1f} {seen.shown_pace:>7}" for seen in (labelled, true))
        print(f"  {labelled.name:16s}   {row}")
    paces = [seen.pace for seen in right if np.isfinite(seen.pace)]
    falls = [seen.fall for seen in right]
    print(f"  {len(right)} other captures, as labelled: fall {max(falls):.1f} m/s^2 at most ({_most(right, falls)});")
    low, high = np.percentile(paces, [10, 90])
    print(f"  pace {np.median(paces):.2f} in the median, {low:.2f} to {high:.2f} in four of five")


def _feet(seen: list[Seen]) -> None:
    rows, others = [], []
    for one in seen:
        ups = [(foot.side, *standing_ups(one.clip, foot)) for foot in find_foot_joints(one.clip)]
        rolled = [row for row in ups if row[1] < 0.0]
        rows += [(one.name, *row) for row in rolled]
        others += [row[1] for row in ups if row not in rolled]
    print("\nfeet: how far up the top points while the foot is low")
    for name, side, now, turned in rows:
        print(f"  {name}, {side}: {now:.2f} as it is, {turned:.2f} after half a turn")
    print(f"  {len(others)} other feet: {min(others):.2f} to {max(others):.2f}")


def _flights(seen: list[Seen]) -> None:
    found = np.array([rate for one in seen for rate in one.flights()])
    flown, carried = found[found < -CARRIED * GRAVITY], found[found >= -CARRIED * GRAVITY]
    print("\ntimes without a standing foot: mean vertical acceleration of the centre of mass, m/s^2")
    for words, own in (("flown", flown), ("carried all the same", carried)):
        if len(own):
            low, middle, high = np.percentile(own, [10, 50, 90])
            print(f"  {len(own):3d} {words}: {middle:.1f} in the median, {low:.1f} to {high:.1f} in four of five")


def _noise(kicks: list[Seen]) -> None:
    print("\nimpulse outside of the friction cone, weights times seconds, smoothed below")
    print(f"  {'':10s}" + "".join(f"{cutoff:5.0f} Hz" for cutoff in (6, 8, 12)))
    for seen in kicks:
        row = "".join(f"{_outside(seen, cutoff):8.2f}" for cutoff in (6.0, 8.0, 12.0))
        print(f"  {seen.name:10s}{row}")


def _outside(seen: Seen, cutoff: float) -> float:
    report = physics_report(seen.clip, seen.body, mu=MU, cutoff_hz=cutoff)
    size = np.linalg.norm(report.forces[report.outside], axis=1)
    return float(size.sum()) / (seen.body.weight * seen.clip.fps)


def _spins(seen: list[Seen]) -> None:
    print("\nspin on one foot: moment about the vertical, what friction gives then, turned by")
    samples = [Seen(name, kt.sample(name)) for name in ("walk", "kick-1", "kick-2")]
    kicks = [one for one in seen if kind(one.name) == "kick"]
    spliced = [Seen("two of them spliced", kt.splice(samples[1].clip, samples[2].clip, event="kick"))]
    for one in (*samples, *spliced, *kicks):
        asked, given, turn = one.spin()
        print(f"  {one.name:24s} {asked:4.0f} N m  {given:4.0f} N m  {turn:3.0f} deg")


def _most(seen: list[Seen], values: list[float]) -> str:
    return seen[int(np.argmax(values))].name


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(main(Path(given)))
