"""Pollard and Reitsma, run again: Figures 2 to 6 on a double kick made of our two samples of a kick.

Their captures are not available. As they did, transitions are made by chance and two are shown: the best match of
poses, and a more difficult one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune import figures
from kinetune.body.clip import Clip
from kinetune.body.root_motion import facing
from kinetune.figures import palette
from kinetune.physics.filter.filter_settings import PAPER as GAINS
from kinetune.physics.filter.filter_settings import STEADY
from kinetune.physics.ground import friction_pyramid
from kinetune.physics.model.body_model import select_points
from kinetune.reproduce.dynamic_filter._own_files import own_filtered
from kinetune.reproduce.dynamic_filter.forces import first_example, second_example
from kinetune.reproduce.dynamic_filter.kicks import FPS, MU, DoubleKick, double_kicks, horizontal, takes
from kinetune.reproduce.experiments import Context, Experiment, Paper, Result, Value, canvas, deviation, off, same
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPACING_S = 1.0 / 6.0
"""Between the frames of the paper's filmstrips."""
FIGURE_6 = {
    "root_position": (4.0, 2.0),
    "root_rotation": (1280.0, 40.0),
    "joint": (40.0, 7.0),
    "foot": (1440.0, 125.0),
    "com": (8.0, 4.0),
}
"""Stiffness and damping as printed."""


def _basis(context: Context) -> Result:
    """Figure 2: force directions at the four points of a toe."""
    kick = double_kicks(context.quick)[0]
    toe = select_points(kick.body.points, "left", "toe")
    places = kick.body.point_positions(kick.body.coordinates(kick.clip[:1]))[0, toe]
    ways = friction_pyramid(np.tile([0.0, 1.0, 0.0], (len(toe), 1)), MU)
    rng = np.random.default_rng(0)
    legal = rng.exponential(size=(2000, len(ways))) @ ways
    steepest = float((horizontal(legal) / legal[:, 1]).max())
    edges = float(np.abs(horizontal(ways) / ways[:, 1] - MU).max())
    corner = friction_pyramid(np.array([[0.0, 1.0, 0.0]]), MU, 4)
    # What lies on the cone halfway between two edges is outside of the pyramid: its coefficients are not all positive.
    diagonal = np.array([MU * np.sqrt(0.5), 1.0, MU * np.sqrt(0.5)])
    from scipy.optimize import nnls

    lost = float(nnls(corner.T, diagonal)[1])
    return Result(
        (
            same(
                "points of a toe, force basis vectors",
                "4 points, 16 vectors",
                f"{len(toe)} points, {len(ways)} vectors",
                (len(toe), len(ways)) == (4, 16),
            ),
            same(
                "2,000 sums with positive coefficients: horizontal over vertical force",
                "within the friction limits",
                f"{steepest:.3f} at most, the limit is {MU:g}",
                steepest <= MU,
            ),
            same("edges of the pyramid", "approximate the cone", f"on the cone, {off(edges)}", edges < 1e-12),
            same(
                "a force on the cone halfway between two edges",
                "a pyramid for a cone",
                f"missed by {100 * lost:.0f}% of its vertical part: four sides lie within the cone",
                lost > 0.0,
            ),
        ),
        (context.save(_basis_plot(places, ways), "basis", "Sixteen directions at the four points of a left toe."),),
    )


def _basis_plot(places: Floats, ways: Floats) -> Figure:
    with palette.style():
        figure = canvas(5.2, 3.0)
        ax: Any = figure.add_subplot(projection="3d")
        ends = np.repeat(places, len(ways) // len(places), axis=0)
        ax.scatter(*places[:, [0, 2, 1]].T, color=palette.INK, s=14)
        ax.quiver(*ends[:, [0, 2, 1]].T, *(0.04 * ways[:, [0, 2, 1]]).T, color=palette.EDITED, linewidth=1.0)
        low, high = places.min(axis=0) - 0.05, places.max(axis=0) + 0.05
        ax.set(xlim=(low[0], high[0]), ylim=(low[2], high[2]), zlim=(places[:, 1].min(), places[:, 1].min() + 0.05))
        ax.set_box_aspect((high[0] - low[0], high[2] - low[2], 0.05))
        ax.view_init(elev=22, azim=-60)
        ax.set(xlabel="x, m", ylabel="z, m", zlabel="y, m")
        ax.locator_params(nbins=4)
    return figure


def _strips(context: Context) -> Result:
    """Figure 3: the single kicks, and both double kicks after filtering."""
    easy, hard = double_kicks(context.quick)
    ours, harder = (kick.results["friction, ours"] for kick in (easy, hard))
    values = [
        same(
            f"kicks in the {ordinal} example, after filtering",
            "a double kick",
            f"{_kicks(kick, result.clip)}, {kick.between_s:.2f} s apart",
            _kicks(kick, result.clip) == 2,
        )
        for ordinal, kick, result in (("first", easy, ours), ("second", hard, harder))
    ]
    down = [_steps_between(kick) for kick in (easy, hard)]
    track = ours.tracking
    failures = [failure.kind for failure in harder.failures]
    spin = float(np.degrees(np.abs(_turned(hard.clip, harder.clip)).max()))
    away = _head_away(hard.clip, harder.clip)
    hops = "hop" in failures
    values += [
        same(
            "frames between the kicks in which the kicking foot is down",
            "he does not put his foot down",
            f"{down[0]} and {down[1]}",
            down == [0, 0],
        ),
        Value(
            "(row 3) the first example",
            "looks very realistic",
            f"{'falls' if track.fell else 'stays up'}; trunk off by {track.trunk_deg:.0f}° at most, head by "
            f"{100 * track.head_m:.0f} cm, pose by {track.pose_deg:.1f}°",
            "same" if track.good else "failed" if track.fell else "deviates",
            "" if track.good else "Trunk or head stray further than we call good: 30° and 15 cm for a figure of 1.7 m.",
        ),
        Value(
            "(row 4) the second example",
            "the filter fails: the character appears off balance",
            f"{', '.join(dict.fromkeys(failures)) or 'stays up'}; trunk off by up to {harder.tracking.trunk_deg:.0f}°",
            "same" if failures else "better",
        ),
        _hop(hops, spin),
        _recovery(away),
    ]
    poses = [max(2, round(len(clip) / FPS / SPACING_S)) for clip in (*takes(), easy.clip, hard.clip)]
    return Result(
        tuple(values),
        (
            context.save(figures.draw_strip(takes()[0], poses=poses[0]), "row-1", "A single kick."),
            context.save(figures.draw_strip(takes()[1], poses=poses[1]), "row-2", "Another take of it."),
            context.save(
                figures.draw_strip(ours.clip, before=easy.clip, poses=poses[2]),
                "row-3",
                "First example; grey: the blend.",
            ),
            context.save(figures.draw_strip(harder.clip, before=hard.clip, poses=poses[3]), "row-4", "Second example."),
        ),
        (
            f"{len(easy.clip)} and {len(hard.clip)} frames at {FPS:g} a second, drawn every {SPACING_S:.3f} s as in "
            "the paper; left limbs blue, right ones yellow.",
        ),
    )


def _hop(hops: bool, spin: float) -> Value:
    paper, ours = "a hop, and a spin of about 20°", f"{'a hop' if hops else 'no hop'}, a spin of {spin:.0f}°"
    if hops:
        return Value("what happens in the second example", paper, ours, "same")
    note = "Ours looks ahead over the whole clip and pivots on the standing foot, which stays down."
    return Value("what happens in the second example", paper, ours, "deviates", note)


def _recovery(away: Floats) -> Value:
    end, peak = 100 * float(away[-1]), 100 * float(away.max())
    what, paper = "the second example at its end", "recovered, and tracking the motion closely"
    ours = f"head {end:.0f} cm off, after {peak:.0f} cm"
    if end < 0.5 * peak:
        return Value(what, paper, ours, "same")
    note = (
        "A foot that lands elsewhere than in the data stays there instead of sliding back, and the clip ends before "
        "the next step. The paper's filter comes back by what it leaves on the root; see Figure 4."
    )
    return Value(what, paper, ours, "deviates", note)


def _kicks(kick: DoubleKick, clip: Clip) -> int:
    """How often the leg that kicks is stretched out with its foot up, and folded again."""
    from scipy.signal import find_peaks

    roles, side = clip.skeleton.roles, kick.kicks[2]
    places = clip.positions()
    hip, knee, foot = (places[:, roles[f"{side} {part}"]] for part in ("upper leg", "lower leg", "foot"))
    length = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(foot - knee, axis=1)
    stretched = np.where(foot[:, 1] > 0.5 * hip[:, 1], np.linalg.norm(foot - hip, axis=1) / length, 0.0)
    return len(find_peaks(stretched, height=0.85, prominence=0.1)[0])


def _steps_between(kick: DoubleKick) -> int:
    """Frames between the kicks in which the foot that kicks is down."""
    first, second, side = kick.kicks
    contacts = kick.clip.contacts
    assert contacts is not None
    return int(contacts.flags[first : second + 1, contacts.sides.index(side)].sum())


def _turned(before: Clip, after: Clip) -> Floats:
    """Radians (frames,) by which a figure has turned away from where it faced."""
    apart = facing(after) - facing(before)
    return np.asarray((apart + np.pi) % (2.0 * np.pi) - np.pi)


def _head_away(before: Clip, after: Clip) -> Floats:
    """Metres (frames,) between the heads of two clips."""
    head = before.skeleton.roles["head"]
    return np.asarray(np.linalg.norm(after.positions()[:, head] - before.positions()[:, head], axis=1))


def _gains(context: Context) -> Result:
    """Figure 6: stiffness and damping, and whether explicit Euler steps of 1/60 s bear them."""
    ours = {name: getattr(GAINS, name) for name in FIGURE_6}
    radii = {name: _radius(pair, implicit=False) for name, pair in FIGURE_6.items()}
    worst = max(radii.values())
    stiff, damping = FIGURE_6["foot"]
    semi = [_radius(pair, implicit=True) for pair in (FIGURE_6["foot"], STEADY.foot)]
    return Result(
        (
            same(
                "k and b of root, joints, feet and centre of mass",
                ", ".join(f"{k:g}/{b:g}" for k, b in FIGURE_6.values()),
                ", ".join(f"{k:g}/{b:g}" for k, b in ours.values()),
                ours == FIGURE_6,
            ),
            same(
                "growth of an error in one explicit Euler step of 1/60 s, largest",
                "steps of 0.0167 s",
                f"{worst:.2f} times ({max(radii, key=lambda name: radii[name]).replace('_', ' ')})",
                worst < 1.0,
            ),
            deviation(
                "damping of the feet",
                f"{damping:g} 1/s, {damping / (2.0 * np.sqrt(stiff)):.1f} times critical",
                f"{STEADY.foot[1]:g} 1/s in ours",
                semi[0] > 1.0 > semi[1],
                f"With semi-implicit Euler steps, which others use, the printed damping makes errors grow "
                f"{semi[0]:.2f} times in a step; critical damping lets them shrink to {semi[1]:.2f} of their size.",
            ),
        ),
        (context.save(_response_plot(), "responses", "An error of 1 at 60 steps a second."),),
    )


def _step_matrix(pair: tuple[float, float], implicit: bool) -> Floats:
    """How error and its speed change in one step of 1/60 s."""
    k, b = pair
    h = 1.0 / FPS
    if implicit:  # the new speed moves the place
        return np.array([[1.0 - h * h * k, h * (1.0 - h * b)], [-h * k, 1.0 - h * b]])
    return np.array([[1.0, h], [-h * k, 1.0 - h * b]])


def _radius(pair: tuple[float, float], implicit: bool) -> float:
    return float(np.abs(np.linalg.eigvals(_step_matrix(pair, implicit))).max())


def _response_plot() -> Figure:
    with palette.style():
        figure = canvas(6.4, 2.6)
        ax = figure.subplots()
        for name, pair in FIGURE_6.items():
            state, shown = np.array([1.0, 0.0]), []
            for _ in range(90):
                shown.append(state[0])
                state = _step_matrix(pair, implicit=False) @ state
            ax.plot(np.arange(90) / FPS, shown, label=f"{name.replace('_', ' ')} {pair[0]:g}/{pair[1]:g}")
        ax.set(xlabel="seconds", ylabel="error")
        ax.legend(ncols=2, fontsize=7)
        ax.margins(x=0)
    return figure


PAPER = Paper(
    name="dynamic-filter",
    title="Animation of humanlike characters: dynamic motion filtering with a physically plausible contact model",
    authors="N. S. Pollard and P. S. A. Reitsma",
    where="Brown University",
    experiments=(
        Experiment("Figure 2", "contact force basis vectors", _basis),
        Experiment("Figure 3", "filmstrips of a double kick", _strips),
        Experiment("Figure 4", "forces and tracking errors of the first example", first_example),
        Experiment("Figure 5", "forces and tracking errors of a more difficult example", second_example),
        Experiment("Figure 6", "stiffness and damping", _gains),
    ),
    run_files=own_filtered,
)
