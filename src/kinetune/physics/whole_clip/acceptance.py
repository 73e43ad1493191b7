"""Whether a whole-clip correction is one: how far it moved the motion, what it left, and whether to accept it.

==================  ============================================================================
CorrectionSummary   how far the motion was moved, and what is left
summarize           of a corrected motion
objections          what speaks against it, with frames; none for a result to be proud of
changes             how far an accepted result is from the motion as given, where that can be seen
==================  ============================================================================

A plan can always be found: it moves the centre of mass until forces suffice. So the question is not whether there is a
solution but whether it is still the same motion. Limits and how they were set: docs/derivations/whole_clip.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.findings import Finding
from kinetune.physics.ground import Bools, ContactGround
from kinetune.physics.model.body_model import Body
from kinetune.physics.whole_clip.correction import WholeClipMotion
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

_LEGS = ("leg", "foot", "toes")
_USUAL_HEIGHT = 1.7
# Limits beyond which it is another motion; see the derivation.
MOST_SHIFT_M = 0.2
MOST_UPPER_DEG = 6.0
MOST_GLIDE = 0.5
MOST_RAISED = 0.5
MOST_PEAK, PEAK_RATIO = 4.0, 1.3
MOST_LEFT_BW = 0.02
LEAST_HELP_BW = 0.01
# Below these a change is hard to see beside the original.
SEEN_HIPS_M, SEEN_UPPER_DEG, SEEN_LEGS_DEG = 0.08, 4.0, 8.0


@dataclass(frozen=True)
class CorrectionSummary:
    """How far the whole-clip method moved a motion, and what it left.

    com_cm, root_cm : the largest shift of centre of mass and hips. upper_deg, legs_deg : changes of joint angles, RMS.
    pivot_s, raised_s, flight_s : seconds in which a standing foot turns or slides, in which one stands above the
        ground, and in which nothing touches it.
    peak_bw, given_peak_bw : the largest force on the body, now and before, in body weights.
    left_bw : the mean force on the root that contact forces (and help) do not explain, by central differences.
    help_bw : the largest helping force, zero unless it was asked for.
    sole_mm : how far the deepest sole point is below the ground.
    """

    com_cm: float
    root_cm: float
    upper_deg: float
    legs_deg: float
    pivot_s: float
    raised_s: float
    flight_s: float
    peak_bw: float
    given_peak_bw: float
    left_bw: float
    help_bw: float
    sole_mm: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def summarize(
    body: Body, motion: WholeClipMotion, original: Floats, rate: float, ground: ContactGround
) -> CorrectionSummary:
    """How far a motion was moved from coordinates (frames, nq), and what is left."""
    turned = _turned(motion.q, original)
    legs = _legs(body)
    points = body.point_positions(motion.q)
    depth = ground.height(points) - points[..., 1]
    needed, before = (_needed(com, rate) for com in (motion.momentum.com, motion.given.com))
    total = motion.forces.sum(axis=1)[1:-1] / body.weight
    return CorrectionSummary(
        com_cm=100.0 * float(np.linalg.norm(motion.momentum.com - motion.given.com, axis=1).max()),
        root_cm=100.0 * float(np.linalg.norm((motion.q - original)[:, :3], axis=1).max()),
        upper_deg=_rms(turned[:, ~legs]),
        legs_deg=_rms(turned[:, legs]),
        pivot_s=float(motion.prints.moving.any(axis=1).sum()) / rate,
        raised_s=float(motion.phases.raised_feet.sum()) / rate,
        flight_s=float(motion.phases.aloft.sum()) / rate,
        peak_bw=float(np.linalg.norm(total, axis=1).max(initial=0.0)),
        given_peak_bw=float(np.linalg.norm(before, axis=1).max(initial=0.0)),
        left_bw=float(np.linalg.norm(needed - total - motion.help[1:-1, :3], axis=1).mean()),
        help_bw=float(np.linalg.norm(motion.help[:, :3], axis=1).max()),
        sole_mm=1e3 * max(0.0, float(depth.max(initial=0.0))),
    )


def objections(
    body: Body, motion: WholeClipMotion, original: Floats, rate: float, summary: CorrectionSummary
) -> tuple[Finding, ...]:
    """What speaks against a correction, in frames of the solver."""
    against: list[Finding] = []
    size = body.height / _USUAL_HEIGHT

    def object_to(kind: str, message: str, frames: Bools | None = None) -> None:
        span = None
        if frames is not None and frames.any():
            start, stop = max(true_ranges(frames), key=lambda each: each[1] - each[0])
            span = (int(start), int(stop) - 1)
        against.append(Finding(f"physics-{kind}", message, severity="error", frame=span))

    seconds = len(motion.q) / rate
    gliding = _gliding(motion)
    if gliding.mean() > MOST_GLIDE:
        text = f"Every standing foot slides in {gliding.sum() / rate:.1f} of {seconds:.1f} s: the motion glides."
        object_to("glides", text, gliding)
    if summary.raised_s > MOST_RAISED * seconds:
        text = (
            f"Feet stand above the ground in {summary.raised_s:.1f} of {seconds:.1f} s, but no steps are known. "
            "Give the ground, or move the clip onto it."
        )
        object_to("floats", text, motion.phases.raised_feet)
    shift = np.linalg.norm(motion.momentum.com - motion.given.com, axis=1)
    if shift.max() > MOST_SHIFT_M * size:
        far = np.asarray(shift > MOST_SHIFT_M * size)
        object_to("moved-far", f"To stay in balance the body would have to move by {100 * shift.max():.0f} cm.", far)
    if summary.upper_deg > MOST_UPPER_DEG:
        upper = np.sqrt(np.mean(_turned(motion.q, original)[:, ~_legs(body)] ** 2, axis=1))
        text = f"The upper body would have to turn by {summary.upper_deg:.0f} degrees on average."
        object_to("bent-far", text, np.asarray(upper > MOST_UPPER_DEG))
    most = max(MOST_PEAK, PEAK_RATIO * summary.given_peak_bw)
    if summary.peak_bw > most:
        total = np.linalg.norm(motion.forces.sum(axis=1), axis=1) / body.weight
        text = f"It would take {summary.peak_bw:.1f} body weights, against {summary.given_peak_bw:.1f} as given."
        object_to("too-forceful", text, np.asarray(total > most))
    if summary.left_bw > MOST_LEFT_BW:
        text = f"The poses cannot follow: {summary.left_bw:.2f} body weights stay unexplained on average."
        object_to("left-over", text)
    return tuple(against)


def changes(body: Body, motion: WholeClipMotion, original: Floats, summary: CorrectionSummary) -> tuple[Finding, ...]:
    """How far an accepted correction is from the motion as given, in frames of the solver; none where it is close."""
    hips = np.linalg.norm((motion.q - original)[:, :3], axis=1)
    near = SEEN_HIPS_M * body.height / _USUAL_HEIGHT
    if hips.max() <= near and summary.upper_deg <= SEEN_UPPER_DEG and summary.legs_deg <= SEEN_LEGS_DEG:
        return ()
    worst = int(hips.argmax())
    lower = 100.0 * float((original - motion.q)[worst, 1])
    way = f", {abs(lower):.0f} cm of it {'down' if lower > 0.0 else 'up'}" if abs(lower) >= 1.0 else ""
    text = (
        f"To obey physics the motion was changed visibly: the hips move by up to {100.0 * hips[worst]:.0f} cm{way}, "
        f"the legs turn by {summary.legs_deg:.0f} and the upper body by {summary.upper_deg:.0f} degrees on average."
    )
    spans = [span for span in true_ranges(hips >= min(near, 0.5 * hips[worst])) if span[0] <= worst < span[1]]
    return (Finding("physics-changed", text, frame=(int(spans[0][0]), int(spans[0][1]) - 1)),)


def _gliding(motion: WholeClipMotion) -> Bools:
    """(frames,) where something stands, and all that stands slides."""
    stands = np.stack([motion.phases.stand[:, limb.points].any(axis=1) for limb in motion.phases.limbs], axis=1)
    return np.asarray(stands.any(axis=1) & ~(stands & ~motion.prints.sliding).any(axis=1))


def help_findings(motion: WholeClipMotion) -> tuple[Finding, ...]:
    """Where a helping force acts on the root, and how large it is, in frames of the solver."""
    size = np.linalg.norm(motion.help[:, :3], axis=1)
    findings = []
    for start, stop in true_ranges(size > LEAST_HELP_BW):
        text = f"A helping force of up to {size[start:stop].max():.2f} body weights remains here."
        findings.append(Finding("physics-help", text, frame=(int(start), int(stop) - 1)))
    return tuple(findings)


def in_frames(findings: tuple[Finding, ...], to_clip: Callable[[int], int]) -> tuple[Finding, ...]:
    """Findings with the frames of the clip."""
    moved = []
    for finding in findings:
        span = finding.frame
        if isinstance(span, tuple):
            span = (to_clip(span[0]), to_clip(span[1]))
        moved.append(replace(finding, frame=span))
    return tuple(moved)


def _needed(com: Floats, rate: float) -> Floats:
    """(frames - 2, 3) the force in body weights that a path of the centre of mass needs."""
    from kinetune.physics.model.mjcf import GRAVITY

    return np.asarray(np.diff(com, 2, axis=0) * rate**2 / GRAVITY + np.array([0.0, 1.0, 0.0]))


def _turned(q: Floats, original: Floats) -> Floats:
    """(frames, segments) degrees by which each joint was turned."""
    shape = (len(q), -1, 4)
    return np.asarray(np.rad2deg(rot.angle_between(q[:, 3:].reshape(shape), original[:, 3:].reshape(shape))))


def _legs(body: Body) -> Bools:
    return np.array([any(part in body.part(k) for part in _LEGS) for k in range(len(body.segments))])


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0
