"""The verdict on a motion: could a body have moved like this?

=============  ===============================================================================================
judge_motion   plausible, doubtful or impossible, with the reasons
Judgement      the result: verdict, reasons with frames, and the value of each test
TESTS          every test with what it measures, its unit and its threshold
=============  ===============================================================================================

Each test is one number about the whole clip that grows with a defect and is small for captured motion. Where a number
grows with liveliness as well, because fast motion is known less exactly, it is measured against that. A test at its
threshold makes a motion doubtful; far beyond it (:data:`IMPOSSIBLE`), or two of them at once, make it impossible. The
thresholds come from captured clips, and what they catch is measured on other clips: docs/verdict.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Ground as Standing
from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.glitches import stray_frames
from kinetune.findings import Finding
from kinetune.physics._motion_evidence import CUTOFF_HZ, MotionEvidence
from kinetune.physics.equations_of_motion import segment_poses, smooth_coordinates
from kinetune.physics.ground import Bools, ContactGround
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

Verdict = Literal["plausible", "doubtful", "impossible"]

IMPOSSIBLE = 1.25
"""Times its threshold at which a single test makes a motion impossible."""
COARSE_FPS = 24.0
"""Below this rate accelerations are too coarse for the tests of forces."""
SHORTEST_S = 0.4
"""Below this length of time averages say nothing."""
_UPRIGHT, _ON_HANDS = 0.5, 0.1  # of the height: from head to feet if not lying, from head to hands that carry
_SAMPLED = 120  # frames whose forces are solved for
_MOST_AWAY = 0.1  # metres beyond the feet, and 3 mm that any centre of pressure may be off
_SLACK = 0.003
_USUAL_STEPS = (1.0, 1.5)  # in sqrt(leg / g): quicker steps speak for a wrong speed, slower ones against it,
_MOST_LEGS = 4.0  # by the third power, and at most by this factor
_CERTAIN_S = 2.0  # of motion over which a mean says all it can
_JOLT_S = 0.15  # the worst stretch of this length shows a jolt
_GAP_S = 0.2  # stretches of a finding closer than this are one


@dataclass(frozen=True)
class VerdictTest:
    """One test: its name, what it measures, the unit, and the value at which a motion becomes doubtful."""

    name: str
    measures: str
    unit: str
    threshold: float


@dataclass(frozen=True)
class Outcome:
    """What a test found: its value, and (frames,) where it is at its worst."""

    value: float
    where: Bools
    message: str
    remedy: str | None = None


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdict on a motion.

    Parameters
    ----------
    verdict : {"plausible", "doubtful", "impossible"}
        What the tests come to.
    reasons : tuple of Finding
        The tests that failed, the gravest first, each with the frames where it is at its worst.
    values : dict
        The value of every test that could be made, in the units of :data:`TESTS`.
    notes : tuple of str
        What could not be tested, and why.
    """

    verdict: Verdict
    reasons: tuple[Finding, ...]
    values: dict[str, float]
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready: verdict, reasons, and each test with its value and threshold."""
        tests = {
            name: {"value": value, "threshold": TESTS[name].threshold, "unit": TESTS[name].unit}
            for name, value in self.values.items()
        }
        return {
            "verdict": self.verdict,
            "reasons": [reason.as_dict() for reason in self.reasons],
            "tests": tests,
            "notes": list(self.notes),
        }


_TABLE = (
    VerdictTest("up-axis", "the share of the frames in which the body is upside down, not on its hands", "1", 0.3),
    VerdictTest("jitter", "the median distance that joints move in a frame, beyond motion slower than 8 Hz", "mm", 4.0),
    VerdictTest("glide", "how much stiller the standing feet are relative to a moving floor", "1", 0.07),
    VerdictTest(
        "slide", "the median speed of the slowest sole point on the floor, over 0.15 m/s + 0.12 travel", "1", 1.25
    ),
    VerdictTest("loaded-slide", "the speed of the points that carry the load, over 0.25 m/s + 0.15 travel", "1", 1.1),
    VerdictTest("penetration", "how deep the soles are below the ground, in all but 2% of the frames", "m", 0.12),
    VerdictTest("hover", "how long the body is carried while nothing touches the ground", "s", 0.05),
    VerdictTest("balance", "how far the centre of pressure lies outside the feet on average, as a vector", "m", 0.06),
    VerdictTest("balance-at-rest", "the same as a distance, while the body hardly accelerates", "m", 0.045),
    VerdictTest("pressure", "the distance of the centre of pressure from the feet, over 0.1 + activity", "m", 0.38),
    VerdictTest("jolt", "how far a jolt throws the centre of pressure off the feet, over 0.1 + activity", "m", 1.5),
    VerdictTest("force", "the force that nothing explains, over 0.1 + activity", "body weights", 0.5),
    VerdictTest("moment", "the moment that nothing explains, over 0.1 + activity", "body weights x height", 0.08),
    VerdictTest("flight", "the acceleration in flight relative to gravity", "g", 0.4),
    VerdictTest("fall", "the fastest fall over a twentieth of a second", "g", 2.8),
    VerdictTest(
        "too-fast", "how much better the body keeps its balance at half the speed, for quick steps more", "1", 3.3
    ),
    VerdictTest("joint-speed", "the fastest rotation of a part of the body", "rad/s", 50.0),
    VerdictTest("torque", "the torque at shoulders and elbows, over the mass", "N m/kg", 3.0),
)
TESTS: dict[str, VerdictTest] = {test.name: test for test in _TABLE}


def judge_motion(
    clip: Clip,
    body: Body | None = None,
    *,
    ground: ContactGround | None = None,
    standing: Standing | None = None,
    cutoff_hz: float | None = CUTOFF_HZ,
) -> Judgement:
    """Judge whether a body could have moved like this.

    Parameters
    ----------
    clip : Clip
        Any motion of three frames or more.
    body : Body, optional
        Its physical model; fitted to the clip by default.
    ground : ContactGround, optional
        What it stands on; by default a level floor estimated from the feet.
    standing : Ground, optional
        Floor and feet of the clip without stray poses, where they are known already.
    cutoff_hz : float, optional
        Smooth the motion below this frequency first; None takes it as it is.

    Returns
    -------
    Judgement
        The verdict with its reasons; see :data:`TESTS` for what is tested.

    Notes
    -----
    The thresholds are calibrated on captured humans. Animals and robots are judged by the same, and a note says so.

    Examples
    --------
    >>> from kinetune import Turn, sample
    >>> judge_motion(sample("walk")).verdict
    'plausible'
    """
    first = stray_frames(clip)
    motion = clip[first:] if first else clip
    body = Body.fit(clip.skeleton, clip=motion) if body is None else body
    standing = find_ground(motion) if standing is None else standing
    evidence = MotionEvidence(motion, body, standing, ground, cutoff_hz)
    outcomes, notes = _run_tests(evidence)
    scores = {name: outcome.value / TESTS[name].threshold for name, outcome in outcomes.items()}
    failed = sorted((name for name, score in scores.items() if score > 1.0), key=lambda name: -scores[name])
    grave = len(failed) > 1 or any(scores[name] > IMPOSSIBLE for name in failed)
    verdict: Verdict = "impossible" if grave else "doubtful" if failed else "plausible"
    reasons = tuple(_reason(name, outcomes[name], scores[name], evidence, first) for name in failed)
    return Judgement(verdict, reasons, {name: outcome.value for name, outcome in outcomes.items()}, tuple(notes))


def _reason(name: str, outcome: Outcome, score: float, evidence: MotionEvidence, first: int) -> Finding:
    """A finding with the longest stretch of frames in which a test fails."""
    joined = np.array(outcome.where)
    for start, stop in true_ranges(~joined):
        if start > 0 and stop < len(joined) and stop - start <= _GAP_S * evidence.rate:
            joined[start:stop] = True
    ranges = true_ranges(joined)
    frame = None
    if ranges:
        start, stop = max(ranges, key=lambda span: span[1] - span[0])
        frame = first + start * evidence.every, first + (stop - 1) * evidence.every
    return Finding(
        f"physics-{name}",
        outcome.message,
        severity="error" if score > IMPOSSIBLE else "warning",
        frame=frame,
        remedy=outcome.remedy,
    )


def _run_tests(evidence: MotionEvidence) -> tuple[dict[str, Outcome], list[str]]:
    tests: dict[str, Callable[[MotionEvidence], Outcome | None]] = {
        "up-axis": _upside_down,
        "jitter": _jitter,
        "joint-speed": _joint_speed,
    }
    notes = []
    dynamic = evidence.rate >= COARSE_FPS
    if not dynamic:
        notes.append(f"At {evidence.rate:g} frames a second accelerations are too coarse to judge forces by.")
    elif len(evidence) < SHORTEST_S * evidence.rate:
        dynamic = False
        notes.append(f"{len(evidence) / evidence.rate:.2f} s is too short to judge forces by.")
    limbs = {point.joint for point in evidence.body.points}
    stands = len(limbs) > 1 or (evidence.body.human and bool(limbs))
    if not limbs:
        notes.append("No feet were found, so contact with the ground is not judged.")
    elif not stands:
        notes.append("This is only part of a body, with one limb to stand on: contact with the ground is not judged.")
    else:
        tests |= {"glide": _glide, "penetration": _penetration}
    if dynamic:
        tests |= {"fall": _fall, "torque": _torque}
    if dynamic and stands:
        tests |= {
            "slide": _slide,
            "hover": _hover,
            "balance": _balance,
            "balance-at-rest": _balance_at_rest,
            "pressure": _pressure,
            "jolt": _jolt,
            "flight": _flight,
            "too-fast": _too_fast,
        }
    if not evidence.body.human:
        notes.append("The thresholds come from captured humans, and this body is not human.")
    outcomes = {name: test(evidence) for name, test in tests.items()}
    verdicts = {name: outcome for name, outcome in outcomes.items() if outcome is not None}
    if dynamic and stands:
        verdicts |= dict(_solved_forces(evidence))
    return verdicts, notes


# --- posture and joints


def _upside_down(evidence: MotionEvidence) -> Outcome | None:
    hips, top = evidence.joint("hips"), evidence.joint("head", "neck", "chest")
    feet = [joint for joint in map(evidence.joint, ("left foot", "right foot")) if joint is not None]
    if hips is None or top is None or not feet or np.array_equal(hips, top):
        return None
    ankles = np.mean([foot[:, 1] for foot in feet], axis=0)
    down = (ankles > hips[:, 1]) & (top[:, 1] < hips[:, 1]) & (ankles - top[:, 1] > _UPRIGHT * evidence.height)
    for hand in map(evidence.joint, ("left hand", "right hand")):
        if hand is not None:
            down &= hand[:, 1] > top[:, 1] - _ON_HANDS * evidence.height
    return Outcome(
        float(down.mean()),
        down,
        f"The body is upside down in {down.mean():.0%} of the frames.",
        "If the file has another axis up, read it with --up z (or y).",
    )


def _jitter(evidence: MotionEvidence) -> Outcome | None:
    if evidence.fps <= 2.0 * CUTOFF_HZ + 1.0:
        return None
    raw = segment_poses(evidence.body, evidence.raw).places
    slow = evidence.smooth if evidence.smooth is not evidence.raw else None
    if slow is None:
        slow = smooth_coordinates(evidence.raw, evidence.fps, CUTOFF_HZ)
    fast = raw - segment_poses(evidence.body, slow).places
    steps = np.linalg.norm(np.diff(fast, axis=0), axis=2) * (1e3 * evidence.fps / 60.0 / evidence.size)
    value = float(np.median(steps))
    rough = np.median(steps, axis=1)[:: evidence.every] > 0.5 * TESTS["jitter"].threshold
    return Outcome(
        value,
        _fitted(rough, len(evidence)),
        f"Joints jitter: they move by {value:.1f} mm from frame to frame beyond what any motion slower than 8 Hz does.",
        "Remove the noise with: kinetune smooth FILE -o OUT",
    )


def _joint_speed(evidence: MotionEvidence) -> Outcome | None:
    large = [k for k, segment in enumerate(evidence.body.segments) if segment.mass > 0.015 * evidence.body.mass]
    turns = evidence.poses.turns[:, large]
    speed = rot.angle_between(turns[1:], turns[:-1]) * evidence.rate
    fastest = speed.max(axis=1)
    value = float(np.percentile(fastest, 99.0))
    worst = evidence.body.segments[large[int(np.argmax(speed.max(axis=0)))]].name
    return Outcome(
        value,
        _fitted(fastest > 0.8 * TESTS["joint-speed"].threshold, len(evidence)),
        f'"{worst}" rotates at {np.rad2deg(value):.0f} degrees a second, faster than a person can.',
    )


def _torque(evidence: MotionEvidence) -> Outcome | None:
    """The torque that moves the arms, which nothing else carries."""
    import mujoco

    from kinetune.physics.equations_of_motion import velocity_between

    body, roles = evidence.body, evidence.body.skeleton.roles
    arms = {
        roles[f"{side} {part}"]
        for side in ("left", "right")
        for part in ("upper arm", "lower arm")
        if f"{side} {part}" in roles
    }
    which = [k for k, segment in enumerate(body.segments) if k > 0 and segment.joint in arms]
    if not which:
        return None
    data, need = mujoco.MjData(body.model), np.zeros(body.nv)
    picked = _sampled(evidence)
    size = np.zeros(len(evidence))
    for t in picked.tolist():
        before = velocity_between(body, evidence.qpos[t - 1], evidence.qpos[t], 1.0 / evidence.rate)
        after = velocity_between(body, evidence.qpos[t], evidence.qpos[t + 1], 1.0 / evidence.rate)
        data.qpos[:], data.qvel[:], data.qacc[:] = (
            evidence.qpos[t],
            0.5 * (before + after),
            (after - before) * evidence.rate,
        )
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        mujoco.mj_comVel(body.model, data)
        mujoco.mj_rne(body.model, data, 1, need)
        size[t] = np.linalg.norm(need[6:].reshape(-1, 3)[[k - 1 for k in which]], axis=1).max()
    value = float(np.percentile(size[picked], 99.0)) / (body.mass * evidence.size)
    return Outcome(
        value,
        size > 0.8 * TESTS["torque"].threshold * body.mass,
        f"The arms need {value * body.mass:.0f} N m; strong people manage about {1.5 * body.mass:.0f}.",
    )


# --- feet and ground


def _glide(evidence: MotionEvidence) -> Outcome | None:
    """Is there a floor, moving steadily, on which the feet stand stiller than on one that rests?"""
    low = evidence.heights < 0.04 * evidence.size
    frames = np.flatnonzero(low.any(axis=1))
    if len(frames) < 5:
        return None
    some = frames[np.linspace(0, len(frames) - 1, min(len(frames), 200)).astype(int)]
    pace = np.sqrt(evidence.size)
    moves = np.where(low[some][..., None], evidence.velocities[some] / pace, 1e3)

    def unrest(drifts: Floats) -> Floats:
        """(drifts,) how restless the slowest points are on a floor of that velocity, from 0 to 1."""
        speed = np.linalg.norm(moves[:, :, None] - drifts, axis=3).min(axis=1)
        return np.asarray((speed / (speed + 0.1)).mean(axis=0))

    drift = np.zeros(2)
    for reach, step in ((1.2, 0.1), (0.1, 0.025)):
        axis = np.arange(-reach, reach + 0.5 * step, step)
        drifts = drift + np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        drift = drifts[int(np.argmin(unrest(drifts)))]
    speed = float(np.hypot(*drift))
    gain = float(unrest(np.zeros((1, 2)))[0] - unrest(drift[None])[0])
    value = _certainty(len(evidence), evidence) * gain if speed > 0.08 else 0.0
    where = np.where(low, np.linalg.norm(evidence.velocities, axis=2), np.inf).min(axis=1)
    return Outcome(
        value,
        np.isfinite(where) & (where > 0.5 * speed * pace),
        f"Standing feet glide at {speed * pace:.2f} m/s all the time, as if the floor moved.",
        "If the clip was made for a moving floor or another root, correct its travel; otherwise plant the feet with: "
        "kinetune plant-feet FILE -o OUT",
    )


def _slide(evidence: MotionEvidence) -> Outcome | None:
    low = evidence.heights < 0.04 * evidence.size
    speed = np.where(low, np.linalg.norm(evidence.velocities, axis=2), np.inf).min(axis=1)
    known = speed[np.isfinite(speed)]
    if len(known) < 5:
        return None
    pace = np.sqrt(evidence.size)
    usual = float(np.median(known))
    allowed = 0.15 * pace + 0.12 * evidence.travel
    return Outcome(
        usual / allowed,
        np.isfinite(speed) & (speed > allowed),
        f"Feet slide over the floor: even their slowest points move at {usual:.2f} m/s most of the time.",
        "Plant them with: kinetune plant-feet FILE -o OUT",
    )


def _penetration(evidence: MotionEvidence) -> Outcome:
    low = evidence.heights.min(axis=1) / evidence.size
    value = max(0.0, -float(np.percentile(low, 2.0)))
    return Outcome(
        value,
        low < -0.5 * TESTS["penetration"].threshold,
        f"The feet are {100 * value * evidence.size:.0f} cm below the ground.",
        "Lift them out with: kinetune keep-above-floor FILE -o OUT",
    )


def _hover(evidence: MotionEvidence) -> Outcome:
    value = float(evidence.lifted.sum()) / evidence.rate
    return Outcome(
        value,
        evidence.lifted,
        f"The body is carried through the air for {value:.2f} s: nothing touches the ground, and it does not fall.",
    )


def _pressure_ways(evidence: MotionEvidence) -> tuple[Floats, Bools]:
    """The way (frames, 2) from the support to the centre of pressure, and which frames have both."""
    ways = evidence.beyond(evidence.pressure(), evidence.carriers, evidence.carries)
    known = evidence.inner & evidence.supported & (evidence.force[:, 1] > 0.3)
    ways = np.clip(np.nan_to_num(ways) / evidence.size, -0.5, 0.5)
    return ways, known


def _balance(evidence: MotionEvidence) -> Outcome | None:
    """The mean of the way from the feet to the centre of pressure: noise cancels, a lean does not."""
    ways, known = _pressure_ways(evidence)
    if known.sum() < 0.2 * evidence.rate:
        return None
    turned = np.zeros((len(evidence), 3))
    turned[:, [0, 2]] = ways
    roots = evidence.poses.turns[:, 0]
    yaw = rot.swing_twist(rot.multiply(roots, rot.inverse(roots[:1])), (0.0, 1.0, 0.0))[1]
    with_body = rot.rotate(rot.inverse(yaw), turned)[known].mean(axis=0)
    value = max(float(np.linalg.norm(ways[known].mean(axis=0))), float(np.linalg.norm(with_body)))
    lean = np.rad2deg(np.arctan(value * evidence.size / max(float(np.median(evidence.com[:, 1])), 1e-3)))
    return Outcome(
        _certainty(len(evidence), evidence) * value,
        known & (np.linalg.norm(ways, axis=1) > 0.5 * TESTS["balance"].threshold),
        f"The body is out of balance to one side: the ground would have to push {100 * value * evidence.size:.0f} cm "
        f"outside its support on average.",
        f"It leans by {lean:.0f} degrees or more beyond its feet. If the whole scene leans, level it.",
    )


def _balance_at_rest(evidence: MotionEvidence) -> Outcome | None:
    ways, known = _pressure_ways(evidence)
    away = np.linalg.norm(ways, axis=1)
    still = known & (np.linalg.norm(evidence.acceleration, axis=1) < 1.0)
    if still.sum() < 0.1 * evidence.rate:
        return None
    value = float(away[still].mean())
    return Outcome(
        value,
        still & (away > 0.5 * TESTS["balance-at-rest"].threshold),
        f"The body rests out of balance, {100 * value * evidence.size:.0f} cm beyond its support, and does not fall.",
    )


def _pressure(evidence: MotionEvidence) -> Outcome | None:
    ways, known = _pressure_ways(evidence)
    if known.sum() < 0.2 * evidence.rate:
        return None
    away = np.linalg.norm(ways, axis=1)
    return Outcome(
        float(away[known].mean()) / (0.1 + evidence.activity),
        known & (away > 0.1),
        f"The ground would have to push {100 * float(away[known].mean()) * evidence.size:.0f} cm outside the feet "
        "on average.",
    )


def _jolt(evidence: MotionEvidence) -> Outcome | None:
    """The worst moment: how far accelerations alone throw the load off the feet.

    A mean over the clip hides a tenth of a second. What the posture explains is left to the tests of balance: whoever
    sits down slowly leans, and is not jolted.
    """
    from scipy.ndimage import uniform_filter1d

    span = max(1, round(_JOLT_S * evidence.rate))
    if int(evidence.inner.sum()) < 2 * span:
        return None
    pressure = evidence.pressure()
    ways = evidence.beyond(pressure, evidence.carriers, evidence.carries)
    thrown = np.linalg.norm(pressure - evidence.com[:, [0, 2]], axis=1)
    away = np.minimum(np.linalg.norm(np.nan_to_num(ways), axis=1), thrown) * np.maximum(evidence.force[:, 1], 0.0)
    away = np.where(evidence.inner & evidence.supported, away, 0.0)
    mean = uniform_filter1d(away, span, mode="constant")
    value = float(mean.max())
    return Outcome(
        value / evidence.size / (0.1 + evidence.activity),
        mean > 0.5 * value,
        f"A jolt goes through the body: for {1e3 * _JOLT_S:.0f} ms the ground would have to push "
        f"{100 * value:.0f} cm outside the feet.",
        "Smooth the edit there, or make it slower.",
    )


def _flight(evidence: MotionEvidence) -> Outcome | None:
    trim, worst, where, rise = evidence.smear // 2, 0.0, np.zeros(len(evidence), dtype=bool), 0.0
    for start, stop in true_ranges(evidence.airborne):
        if start == 0 or stop == len(evidence) or stop - start <= 2 * evidence.smear:
            continue
        mean = evidence.acceleration[start + trim : stop - trim].mean(axis=0) / GRAVITY
        off = float(np.linalg.norm(mean + np.array([0.0, 1.0, 0.0])))
        if off > worst:
            worst, where, rise = off, np.zeros(len(evidence), dtype=bool), -float(mean[1])
            where[start:stop] = True
    if not where.any():
        return None
    slow = 0.0 < rise < 0.7
    pace = "in slow motion" if slow else "on no ballistic arc"
    return Outcome(
        worst,
        where,
        f"The body flies {pace}: it falls at {rise:.2f} times gravity while nothing touches the ground.",
        f"If the whole clip is slow, play it {1.0 / np.sqrt(max(rise, 0.05)):.1f} times faster." if slow else None,
    )


def _fall(evidence: MotionEvidence) -> Outcome | None:
    from kinetune.physics._inverse_dynamics import fastest_fall

    value = fastest_fall(evidence.com[:, 1], evidence.rate) / GRAVITY
    return Outcome(
        value,
        evidence.acceleration[:, 1] < -0.8 * value * GRAVITY,
        f"The centre of mass falls at {value:.1f} times gravity: the motion plays too fast.",
        "If the file has the wrong frame rate, read it with --fps-in NUMBER.",
    )


def _too_fast(evidence: MotionEvidence) -> Outcome | None:
    """Gravity is a clock: does the centre of pressure fit the standing feet much better at half the speed?

    At another speed accelerations shrink with its square while gravity stays; a clip that plays too fast throws its
    centre of pressure outside of feet that would carry it well at the right speed. Of less than two seconds on the
    feet the mean says less: one kick is no proof, nor is getting up. Legs that swing are a second clock: where steps
    are slow the first one must show more, where they are quicker than any, less.
    """
    soles = len(evidence.body.points)
    speed = np.linalg.norm(evidence.velocities, axis=2)
    stands = (evidence.heights < 0.04 * evidence.size) & (speed < 0.5 * np.sqrt(evidence.size))
    known = evidence.inner & stands.any(axis=1) & ~evidence.carries[:, soles:].any(axis=1)
    if known.sum() < 8 or len(evidence) < evidence.rate:
        return None  # a second of motion at least
    misfits = []
    for share in (1.0, 0.25):
        ways = evidence.beyond(evidence.pressure(share), evidence.carriers[:, :soles], stands)
        lift = 1.0 + share * evidence.acceleration[:, 1] / GRAVITY
        away = np.minimum(np.linalg.norm(np.nan_to_num(ways), axis=1) / evidence.size, _MOST_AWAY)
        misfits.append(away + _MOST_AWAY * np.clip(0.15 - lift, 0.0, 1.0))
    now, half = (float(misfit[known].mean()) + _SLACK for misfit in misfits)
    step = float(np.median(evidence.step_times)) if len(evidence.step_times) else 1.0
    legs = float(np.clip((np.clip(step, *_USUAL_STEPS) / step) ** 3, 1.0 / _MOST_LEGS, _MOST_LEGS))
    return Outcome(
        _certainty(int(known.sum()), evidence) * legs * now / half,
        known & (misfits[0] > 0.03),
        "The motion plays too fast: at about half its speed the feet could carry it, and as it is they cannot.",
        "If the file has the wrong frame rate, read it with --fps-in NUMBER.",
    )


def _certainty(frames: int, evidence: MotionEvidence) -> float:
    """How much the mean over some frames says: of less than two seconds less, by the root of their length."""
    return min(1.0, float(np.sqrt(frames / (_CERTAIN_S * evidence.rate))))


_SIDES = 6  # of the friction pyramid


def _solved_forces(evidence: MotionEvidence) -> Iterator[tuple[str, Outcome]]:
    """What the best contact forces leave unexplained, and how fast the points move that carry the load."""
    from scipy.ndimage import minimum_filter1d
    from scipy.optimize import nnls

    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    directions = np.stack([np.cos(angles), np.ones(_SIDES), np.sin(angles)], axis=1)  # (sides, 3), friction 1
    arm = 0.25 * evidence.height
    soles = len(evidence.body.points)
    speed = np.linalg.norm(np.gradient(evidence.carriers[..., [0, 2]], 1.0 / evidence.rate, axis=0), axis=2)
    speed[:, :soles] = np.linalg.norm(evidence.velocities, axis=2)
    slow = minimum_filter1d(np.minimum(speed, 3.0), 2 * evidence.smear + 1, axis=0)
    picked = _sampled(evidence)
    force, moment, slide = (np.full(len(evidence), np.nan) for _ in range(3))
    for t in picked.tolist():
        need = np.concatenate([evidence.force[t], evidence.moment[t] / arm])
        which = np.flatnonzero(evidence.carries[t])
        left = need
        if len(which):
            arms = evidence.carriers[t, which] - evidence.com[t]  # (points, 3)
            turning = np.cross(arms[:, None], directions[None]) / arm  # (points, sides, 3)
            pushes = np.broadcast_to(directions, turning.shape)
            table = np.concatenate([pushes, turning], axis=2).reshape(-1, 6).T
            prefer = np.repeat(0.05 * slow[t, which] + 1e-3, _SIDES)
            sizes, _ = nnls(
                np.vstack([table, np.diag(prefer)]), np.concatenate([need, np.zeros(len(prefer))]), maxiter=3000
            )
            left = need - table @ sizes
            loads = sizes.reshape(-1, _SIDES).sum(axis=1)
            if loads.sum() > 0.2:
                slide[t] = float(loads @ slow[t, which] / loads.sum())
        force[t], moment[t] = np.linalg.norm(left[:3]), np.linalg.norm(left[3:]) * arm / evidence.height
    lively = 0.1 + evidence.activity
    mean_force, mean_moment = float(np.nanmean(force)), float(np.nanmean(moment))
    yield (
        "force",
        Outcome(
            mean_force / lively,
            _around(force, 0.2, evidence),
            f"Nothing explains {mean_force:.2f} body weights of the force that the motion needs, on average.",
        ),
    )
    yield (
        "moment",
        Outcome(
            mean_moment / lively,
            _around(moment, 0.02, evidence),
            f"Nothing explains {mean_moment:.3f} body weights times height of the moment that the motion needs.",
        ),
    )
    if np.isfinite(slide).any():
        pace = float(np.nanmean(slide))
        yield (
            "loaded-slide",
            Outcome(
                pace / (0.25 * np.sqrt(evidence.size) + 0.15 * evidence.travel),
                _around(slide, 0.25, evidence),
                f"The feet slide while they carry the body, at {pace:.2f} m/s on average.",
                "Plant them with: kinetune plant-feet FILE -o OUT",
            ),
        )


def _sampled(evidence: MotionEvidence) -> Any:
    """The frames whose forces are solved for."""
    inner = np.flatnonzero(evidence.inner)
    return inner[np.unique(np.linspace(0, len(inner) - 1, min(len(inner), _SAMPLED)).astype(int))]


def _around(values: Floats, limit: float, evidence: MotionEvidence) -> Bools:
    """(frames,) where the sampled values (NaN between them) are above a limit."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) == 0:
        return np.zeros(len(evidence), dtype=bool)
    nearest = known[np.argmin(np.abs(np.arange(len(values))[:, None] - known), axis=1)]
    return np.asarray(values[nearest] > limit)


def _fitted(flags: Bools, frames: int) -> Bools:
    """Flags of steps or of fewer frames as (frames,)."""
    out = np.zeros(frames, dtype=bool)
    out[: min(frames, len(flags))] = flags[:frames]
    return out
