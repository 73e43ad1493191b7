"""The inverse blending paper, part 2: steps (Figure 2), their blend (3), their concatenation (4), and walks (5)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetune import figures
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.measures import measure
from kinetune.body.root_motion import place
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.inverse.steps.step_extraction import PHASES
from kinetune.inverse.steps.step_motion import Technique
from kinetune.inverse.steps.step_pools import arc_length
from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.walk.footstep_planners import plan_footsteps
from kinetune.inverse.walk.footsteps import Footstep, seen_from
from kinetune.inverse.walk.walk_values import WalkStep
from kinetune.inverse.walk.walker import Walker
from kinetune.reproduce.experiments import Context, Picture, Result, Value, canvas, erratum, same
from kinetune.samples import step_clips
from kinetune.samples.sample_walk import sample_steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EXACT_MM, EXACT_DEG, STILL_MM = 0.01, 0.01, 0.001
WAY = "circle:r=3"
STEPS = 10


@functools.cache
def six_clips() -> tuple[Clip, ...]:
    """Six steps, as many as the paper has."""
    return tuple(step_clips()[f"step-{number:02}"] for number in range(1, 7))


@functools.cache
def six_steps() -> StepSet:
    """The six steps with their mirror images."""
    return StepSet.from_clips(six_clips())


def _walked(steps: StepSet | None = None, **technique: object) -> Walker:
    """Ten steps round a circle with some parts of the method left out."""
    step_set = six_steps() if steps is None else steps
    walker = Walker(step_set, technique=Technique(**technique))  # type: ignore[arg-type]
    walker.walk(plan_footsteps(WAY, count=STEPS, steps=step_set, close=False), stop=False)
    return walker


def step_sets(context: Context) -> Result:
    """Figure 2: two sets of steps, what parameterizes them, and that they need no alignment."""
    steps = six_steps()
    counts = [len(steps.pool(side)) for side in ("right", "left")]
    rng = np.random.default_rng(7)
    turns = rng.uniform(-np.pi, np.pi, len(six_clips()))
    anywhere = [
        place(clip, rot.about_y(turn), rng.uniform(-3, 3, 3) * [1, 0, 1])
        for clip, turn in zip(six_clips(), turns, strict=True)
    ]
    here, there = _walked(), _walked(StepSet.from_clips(anywhere))
    apart = float(np.linalg.norm(here.clip.positions() - there.clip.positions(), axis=-1).max())
    printed = _walked(turned_start=False)
    ends = steps.pool("right").ends
    return Result(
        (
            same("examples of the right foot, of the left foot", "6, mirrored to 12", f"{counts[0]} and {counts[1]}",
                 counts == [6, 6]),
            same(
                "examples moved by up to 3 m and turned by chance: the walk",
                "no alignment of the motions is needed",
                f"the same to {1e3 * apart:.0e} mm",
                apart < 1e-6,
            ),
            same(
                "ends of the steps, seen from the foot that stands",
                "many variations: length, direction",
                f"{ends[:, 1].min():.2f} to {ends[:, 1].max():.2f} m ahead, {np.degrees(ends[:, 2].min()):.0f} to "
                f"{np.degrees(ends[:, 2].max()):.0f}°",
                float(np.ptp(ends[:, 1])) > 0.2 and float(np.ptp(ends[:, 2])) > 0.2,
            ),
            erratum(
                "(c, d) the start of a step: the assumed position of the rear foot",
                "v_s(i+1) = -v_e(i)",
                f"{1e3 * _behind(printed):.0f} mm off as printed, {1e3 * _behind(here):.0e} mm turned with the foot",
                _behind(printed) > 0.02 and _behind(here) < 1e-5,
                "The vectors are given in the frame of the foot that stands, which changes with every step: "
                "v_s = -R(-theta) v_e. On a straight walk both are the same.",
            ),
            erratum(
                "theta_e, \"the orientation of the support foot at the starting frame\"",
                "a constraint at the end frame",
                f"takes {np.degrees(np.ptp(turns)):.0f}° of values in examples that make one and the same walk",
                apart < 1e-6 and float(np.ptp(turns)) > 1.0,
                "No alignment is needed, so the orientation of the support foot in the world does not matter; "
                "relative to that foot it is always 0. What can be constrained, and is, is the heading of the landing "
                "foot against it, at the start as well.",
            ),
        ),
        (
            context.save(_step_plot(steps), "parameters", "Starts (open) and ends (filled) of the steps of each foot, "
                         "seen from the foot that stands at the origin."),
            context.save(figures.draw_strip(six_clips()[0], poses=9), "step", "One example of the right foot."),
        ),
    )  # fmt: skip


def _behind(walker: Walker) -> float:
    """How far the start of a blend has the foot behind from where that stands, the largest of the walk, metres."""
    distances = []
    for step in walker.made[2:]:
        behind = seen_from(step.stance.behind.place, step.stance.ahead.place)
        distances.append(float(np.hypot(*(step.weights[0].place[:2] - behind[:2]))))
    return max(distances)


def _step_plot(steps: StepSet) -> Figure:
    with palette.style():
        figure = canvas(6.4, 3.6)
        for ax, side, colour in zip(
            figure.subplots(1, 2), ("left", "right"), (palette.LEFT, palette.RIGHT), strict=True
        ):
            pool = steps.pool(side)  # type: ignore[arg-type]
            for places, face in ((pool.starts, "none"), (pool.ends, colour)):
                ax.scatter(places[:, 0], places[:, 1], s=22, facecolors=face, edgecolors=colour)
                arrow = 0.07 * np.stack([np.sin(places[:, 2]), np.cos(places[:, 2])], axis=-1)
                for spot, way in zip(places[:, :2], arrow, strict=True):
                    ax.annotate("", spot + way, spot, arrowprops={"arrowstyle": "->", "color": colour})
            ax.plot(0.0, 0.0, "^", color=palette.INK)
            ax.set(title=f"{side} steps", aspect="equal", xlabel="to the left, m", ylabel="ahead, m")
            ax.invert_xaxis()
            ax.margins(0.15)
    return figure


def blend_over_time(context: Context) -> Result:
    """Figure 3: weights that change from the start's to the end's, and the velocity profile."""
    good, plain = _walked(ease_s=0.0), _walked(ease_s=0.0, velocity=False)
    step = good.made[4]
    ways = step.ways
    sums = float(np.abs(ways.sum(axis=1) - 1.0).max())
    ends = max(
        float(np.abs(ways[0] - step.weights[0].values).max()), float(np.abs(ways[-1] - step.weights[1].values).max())
    )
    missing = max(max(w.missing_m for w in made.weights) for made in good.made[1:])
    off = [float(np.mean([_profile_error(made) for made in walker.made[1:]])) for walker in (good, plain)]
    hips = step.pool.root_paths[:, :, 1]
    product = ways[:, :, None] * hips.sum(axis=0)[:, None, None]
    height = np.einsum("gn,ng->g", ways, hips)
    return Result(
        (
            same("weights at the start and end frame", "w_s and w_e", f"off by {ends:.0g}, sums by {sums:.0g}",
                 max(ends, sums) < 1e-9),
            same(
                "constraints at the start and end frame, all steps",
                "ensured at both",
                f"missing {1e3 * missing:.0e} mm",
                1e3 * missing < EXACT_MM,
            ),
            same(
                "speed of the hips against the example that counts most, RMS of the mean speed",
                "matching the selected reference profile",
                f"{100 * off[1]:.1f}% without the correction, {100 * off[0]:.2f}% with it",
                off[0] < 0.01 and off[0] < 0.5 * off[1],
            ),
            erratum(
                "the blend as printed: height of the hips",
                "w(t) times the sum of all M_i",
                f"{product.shape[1]} values at once, {product.min():.1f} to {product.max():.1f} m; sum of w_i(t) M_i: "
                f"{height.min():.2f} to {height.max():.2f} m",
                float(product.max()) > 1.5 * float(height.max()) and float(np.ptp(height)) < 0.1,
                "A list of weights times one sum of motions is a list of motions, each a share of a giant. Meant is "
                "the sum of w_i(t) M_i(t l_i / l_avg).",
            ),
        ),
        (
            context.save(_weight_plot(step, plain.made[4]), "weights", "Left: weights of the examples over a step. "
                         "Right: speed of the hips, as blended (grey), corrected, and in the example that counts most "
                         "(dotted)."),
        ),
    )  # fmt: skip


def _best(step: WalkStep) -> int:
    return int(np.argmax(step.ways[0] + step.ways[-1]))


def _profile_error(step: WalkStep) -> float:
    """Root mean square of the difference in speed to the main example, of the mean speed."""
    times = step.pool.times[_best(step)]
    share = np.linspace(0.0, 1.0, len(step.motion.root))
    expected = np.interp(share, times / times[-1], step.pool.hips_gone[_best(step)])
    return float(np.sqrt(np.mean(np.gradient(arc_length(step.motion.root, share) - expected, share) ** 2)))


def _weight_plot(step: WalkStep, plain: WalkStep) -> Figure:
    with palette.style():
        figure = canvas(8.4, 2.8)
        left, right = figure.subplots(1, 2)
        for number, weights in enumerate(step.ways.T, start=1):
            left.plot(PHASES, weights, label=f"example {number}")
        left.set(title="w(t)", xlabel="phase of the step", ylim=(-0.02, 1.02))
        left.legend(fontsize=6)
        for made, colour, width in ((plain, palette.GHOST, 1.0), (step, palette.EDITED, 1.4)):
            share = np.linspace(0.0, 1.0, len(made.motion.root))
            right.plot(share, np.gradient(arc_length(made.motion.root, share), share), color=colour, linewidth=width)
        times = step.pool.times[_best(step)]
        speed = np.gradient(step.pool.hips_gone[_best(step)], times / times[-1])
        right.plot(times / times[-1], speed, ":", color=palette.INK, linewidth=1.2)
        right.set(title="speed of the hips over its mean", xlabel="share of the step's time")
    return figure


def concatenation(context: Context) -> Result:
    """Figure 4: the last pose of a step and the first of the next one."""
    eased, bare = _walked(), _walked(ease_s=0.0)
    number = 4
    before, after = bare.made[number], bare.made[number + 1]
    gaps = [row.gap_deg for row in bare.report.steps[2:]]
    jumps = [max(row.jump_deg for row in walker.report.steps) for walker in (bare, eased)]
    feet = max(_behind(bare), 1e-3 * bare.report.worst["error_mm"])
    return Result(
        (
            same(
                "feet of both poses",
                "matching the constraints",
                f"apart by {1e3 * feet:.0e} mm at most",
                1e3 * feet < EXACT_MM,
            ),
            same(
                "joints of both poses, before easing",
                "body postures very close to each other",
                f"{np.mean(gaps):.1f}° apart on average, {max(gaps):.1f}° in the worst step",
                float(np.mean(gaps)) < 5.0,
            ),
            same(
                "departure from smooth motion at the seam, without and with ease-in",
                "a brief ease-in, a smooth overall transition",
                f"{jumps[0]:.2f}° and {jumps[1]:.2f}°",
                jumps[1] < 0.3 and jumps[1] < 0.5 * jumps[0],
            ),
        ),
        (
            context.save(_overlay(before, after), "postures", "Red: the end of a step. Green: the start of the next."),
            context.save(figures.draw_strip(eased.clip, poses=14), "concatenated", "The steps in a row."),
        ),
    )


def _overlay(before: WalkStep, after: WalkStep) -> Figure:
    """The last pose of a step and the first of the next one as it is blended, hips on hips."""
    skeleton = before.pool.skeleton
    ended = Clip(skeleton, 60.0, before.motion.root[-1:], before.motion.rotations[-1:])
    turns = np.concatenate([ended.rotations[:, :1], after.motion.opening[None, 1:]], axis=1)
    begun = Clip(skeleton, 60.0, ended.root, turns)
    with palette.style():
        figure = canvas(5.6, 3.6)
        views: Sequence[sticks.View] = ("side", "front")
        for ax, view in zip(figure.subplots(1, 2), views, strict=True):
            _pose(ax, ended, view, palette.BAD, 2.6)
            _pose(ax, begun, view, palette.GOOD, 1.2)
            ax.set(aspect="equal", title=f"from the {'right' if view == 'side' else 'front'}")
            ax.autoscale_view()
            ax.axis("off")
    return figure


def _pose(ax: Axes, pose: Clip, view: sticks.View, colour: str, width: float) -> None:
    from matplotlib.collections import LineCollection

    paper, _ = sticks.project(sticks.points(pose)[0], sticks.travel_direction(pose), view)
    lines = [paper[[bone.start, bone.end]] for bone in sticks.bones(pose.skeleton)]
    ax.add_collection(LineCollection(lines, colors=colour, linewidths=width))


def walks(context: Context) -> Result:
    """Figure 5: walks on given footsteps, and a target that changes on the fly."""
    values: list[Value] = []
    pictures: list[Picture] = []
    sets = {"six steps, a circle of 3 m": (six_steps(), WAY), "all steps, a slalom": (sample_steps(), "slalom")}
    for title, (steps, way) in sets.items():
        footsteps = plan_footsteps(way, count=12 if context.quick else None, steps=steps)
        walker = Walker(steps)
        walker.walk(footsteps)
        values.append(placed(title, walker))
        picture = figures.draw_walk(walker.clip, footsteps, poses=12)
        pictures.append(context.save(picture, title.replace(" ", "-").replace(",", ""), f"{title.capitalize()}."))
    values.append(_changed_on_the_fly())
    return Result(tuple(values), tuple(pictures))


def placed(what: str, walker: Walker) -> Value:
    worst, steps = walker.report.worst, walker.report.steps
    met = sum(row.reached for row in steps)
    slide = measure(walker.clip)["foot_slide_mm"]
    ours = (
        f"{met} of {len(steps)} met, off by {worst['error_mm']:.0g} mm and {worst['heading_error_deg']:.0g}°; support "
        f"moves {worst['drift_mm']:.0g} mm, feet slide {slide:.1f} mm"
    )
    exact = worst["error_mm"] < EXACT_MM and worst["heading_error_deg"] < EXACT_DEG and worst["drift_mm"] < STILL_MM
    return same(what, "each step precisely meets its target, no sliding", ours, exact and met == len(steps))


def _changed_on_the_fly() -> Value:
    walker = Walker(sample_steps())
    footsteps = plan_footsteps("straight:length=4", steps=sample_steps())
    for footstep in footsteps[:4]:
        walker.step(footstep)
    last = walker.made[-1]
    shown = last.first + len(last.motion.root) // 4
    before = walker.clip.positions()[: shown + 1]
    aside = Footstep(last.target.side, last.target.x + 0.04, last.target.z + 0.06, last.target.heading_deg + 4.0)
    changed = walker.retarget(aside, shown)
    moved = float(np.abs(walker.clip.positions()[: shown + 1] - before).max())
    error = walker.report.steps[-1].error_mm
    return same(
        "a target moved by 7 cm and turned by 4° while the foot is in the air",
        "can be adjusted on the fly",
        f"met to {error:.0g} mm; what was shown moves by {1e3 * moved:.0g} mm",
        changed and error < EXACT_MM and moved < 1e-9,
    )
