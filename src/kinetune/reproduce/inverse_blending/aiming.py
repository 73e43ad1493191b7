"""The inverse blending paper, part 1: aimed actions (Figure 1), k and priorities (Section 3), spheres (Figure 6)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetune import figures
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.figures import palette
from kinetune.figures.motion import stick_figures as sticks
from kinetune.inverse.blend.constraints import AtPoint, Facing, OnLine
from kinetune.inverse.blend.inverse_blend import BlendSolution, InverseBlend
from kinetune.reproduce.experiments import Context, Picture, Result, Value, canvas, deviation, same
from kinetune.rotations import Floats
from kinetune.samples import sample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIP = "RightFingertips"
COUNTS = {"reach": 16, "point": 20, "grasp": 15, "pour": 20}
RADII = (0.65, 0.70, 0.75, 0.80, 0.85, 0.90)
"""Metres, as in the paper."""
CENTRE = np.array([0.0, 1.41, 0.005])
"""The middle between the shoulders of the sample character."""
HAND = "RightHand"
K = 8
POP_DEG = 1.0
MET_MM = 0.01


def example_blend(kind: str) -> InverseBlend:
    """The embedded examples of one kind."""
    return InverseBlend([sample(f"{kind}-{number:02}") for number in range(1, COUNTS[kind] + 1)])


def sphere_targets(radius: float, across: int = 12, up: int = 12) -> Floats:
    """Targets (across, up, 3) on a sphere in front of the character: 20 degrees left to 60 right, 40 down to 30 up."""
    azimuth, elevation = np.meshgrid(
        np.radians(np.linspace(-20, 60, across)), np.radians(np.linspace(-40, 30, up)), indexing="ij"
    )
    level = np.cos(elevation)
    ways = np.stack([-np.sin(azimuth) * level, np.sin(elevation), np.cos(azimuth) * level], axis=-1)
    return np.asarray(CENTRE + radius * ways)


def span_from_shoulder(joint: str) -> tuple[float, float]:
    """How far from the shoulder a joint or tip ends in the embedded reaches: the least and the most, metres."""
    blend = example_blend("reach")
    away = np.linalg.norm(blend.places(joint) - blend.places("RightArm"), axis=1)
    return float(away.min()), float(away.max())


def span_message() -> str:
    """Why the fingertips are aimed and not the wrist."""
    (near, far), (least, most) = (span_from_shoulder(name) for name in ("RightHand", TIP))
    return (
        f"In the {COUNTS['reach']} embedded reaches the wrist ends {100 * near:.0f} to {100 * far:.0f} cm from the "
        f"shoulder, the fingertips {100 * least:.0f} to {100 * most:.0f} cm."
    )


examples = functools.cache(example_blend)


def last_poses(blend: InverseBlend, weights: Floats) -> Clip:
    """A clip whose frames are the last poses of blends, one for each row of weights; made apart from the solver."""
    turns = np.stack([clip.rotations[-1] for clip in blend.examples])
    turns = turns * np.where(np.sum(turns * turns.mean(axis=0), axis=-1) < 0.0, -1.0, 1.0)[..., None]
    root = weights @ np.stack([clip.root[-1] for clip in blend.examples])
    return Clip(blend.examples[0].skeleton, 60.0, root, rot.normalize(np.einsum("wn,njc->wjc", weights, turns)))


def tips(poses: Clip) -> Floats:
    """(frames, 3) where the fingertips are."""
    names = [site.name for site in poses.skeleton.end_sites]
    return np.asarray(sticks.points(poses)[:, len(poses.skeleton) + names.index(TIP)])


def _met(what: str, paper: str, solution: BlendSolution) -> Value:
    """A motion that meets all its constraints."""
    errors = ", ".join(f"{e:.1e} {unit}" for e, unit in zip(solution.errors, solution.units, strict=True))
    return same(what, paper, f"missed by {errors}", solution.reachable)


def actions(context: Context) -> Result:
    """Figure 1: pointing, a button, pouring and grasping."""
    point, pour, grasp = examples("point"), examples("pour"), examples("grasp")
    lamp = np.array([-1.6, 2.0, 2.4])
    shoulder = point.examples[0].joint("RightArm").positions[-1]
    pointing = point.solve(OnLine(TIP, lamp, lamp - shoulder), k=K)
    spout = np.array([-0.15, 1.05, 0.5])
    pouring = pour.solve(OnLine(TIP, spout, (0.0, 1.0, 0.0)), k=K)
    middle = last_poses(grasp, np.full((1, len(grasp)), 1.0 / len(grasp)))
    turned = middle.world_rotations()[0, middle.skeleton.index(HAND)]
    button = tips(middle)[0] + [0.04, 0.03, 0.03]
    along = rot.rotate(rot.multiply(rot.about_y(np.radians(8.0)), turned), np.array([-1.0, 0.0, 0.0]))
    pressing = grasp.solve([AtPoint(TIP, button), Facing(TIP, toward=along, axis=(-1.0, 0.0, 0.0))], k=K)
    thing = tips(middle)[0] + [0.06, 0.04, 0.02]
    grasping = grasp.solve([AtPoint(TIP, thing), Facing(HAND, rotation=turned)], k=K)
    line = np.concatenate([lamp, lamp - shoulder]).tolist()
    up = [*spout.tolist(), 0.0, 1.0, 0.0]
    return Result(
        (
            _met("(a) pointing at a distant lamp: on a line", "precisely", pointing),
            _met("(b) pressing a button: point and hand's axis", "precisely reaches, orientation matches", pressing),
            _met("(c) pouring above a pot: on a line", "exactly", pouring),
            _met("(d) grasping: point and the whole orientation", "precise", grasping),
        ),
        (
            _reach(
                context, pointing, "pointing", "(a) Pointing: the line runs from the shoulder to the lamp.", line=line
            ),
            _reach(context, pressing, "button", "(b) Pressing: the ring is the button.", goal=button),
            _reach(context, pouring, "pouring", "(c) Pouring: the line stands on the pot.", line=up),
            _reach(context, grasping, "grasping", "(d) Grasping: the ring is what is grasped.", goal=thing),
        ),
    )


def _reach(
    context: Context,
    solution: BlendSolution,
    name: str,
    caption: str,
    *,
    goal: Floats | None = None,
    line: Sequence[float] | None = None,
) -> Picture:
    return context.save(figures.draw_reach(solution.clip, goal, joint=TIP, line=line), name, caption)


def priorities_and_k(context: Context) -> Result:
    """Section 3: c_i between two constraints that cannot both be met, and what k does while a target moves."""
    grasp, reach = examples("grasp"), examples("reach")
    far = tips(last_poses(grasp, np.eye(len(grasp))[:1]))[0] + [-0.12, 0.15, 0.1]
    turned = last_poses(grasp, np.eye(len(grasp))[-1:])
    facing = turned.world_rotations()[0, turned.skeleton.index(HAND)]
    shares = (0.02, 0.1, 0.3, 1.0)
    missed = [
        grasp.solve(
            [AtPoint(TIP, far, priority=share), Facing(HAND, rotation=facing, priority=0.3)], k=K, exact=False
        ).errors
        for share in shares
    ]
    places, turns = zip(*missed, strict=True)
    falling = bool(np.all(np.diff(places) < 0.0) and np.all(np.diff(turns) > 0.0))
    path = drag_path(400 if context.quick else 2_000)
    dragged = np.array([reach.drag(AtPoint(TIP, point), k=K).weights for point in path])
    hard = reach.solve_batch(AtPoint(TIP, path), k=K, mode="hard").weights
    jumps = {"soft k (ours)": _jumps(reach, dragged), "hard k (the paper's)": _jumps(reach, hard)}
    pops = [int(np.sum(jump > POP_DEG)) for jump in jumps.values()]
    largest = [float(jump.max()) for jump in jumps.values()]
    return Result(
        (
            same(
                f"point and orientation that exclude each other, c of the point {shares}",
                "c_i varies the influence of one constraint over the other",
                "point off by " + ", ".join(f"{place:.0f}" for place in places)
                + " mm, hand by " + ", ".join(f"{turn:.0f}" for turn in turns) + "°",
                falling,
            ),
            deviation(
                f"largest jump of a joint while a target is dragged, {len(path)} steps of 1 mm",
                f"k = {K} nearest examples",
                f"{largest[1]:.1f}° with the nearest {K} alone ({pops[1]} above {POP_DEG:g}°), {largest[0]:.2f}° with "
                "ours",
                pops[0] == 0 and largest[1] > 2.0 * largest[0],
                "With exactly the k nearest, one example leaves and another comes in while the target moves, and the "
                "character pops. Ours lets k only set how far the kernel reaches; mode=\"hard\" is the paper's.",
            ),
        ),
        (context.save(_jump_plot(jumps), "drag", "The largest turn of any joint in a step of 1 mm."),),
    )  # fmt: skip


def drag_path(steps: int) -> Floats:
    """Points 1 mm apart along a curve before the right shoulder, in reach for most of its way."""
    t = np.linspace(0.0, 2.0 * np.pi, 20 * steps)
    azimuth, elevation = np.radians(20 + 35 * np.sin(3 * t)), np.radians(-5 + 28 * np.sin(5 * t + 1.0))
    level = np.cos(elevation)
    ways = np.stack([-np.sin(azimuth) * level, np.sin(elevation), np.cos(azimuth) * level], axis=-1)
    points = CENTRE + [-0.186, 0.0, 0.0] + (0.74 + 0.08 * np.sin(7 * t))[:, None] * ways
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = 1e-3 * np.arange(steps)
    return np.stack([np.interp(at, along, points[:, axis]) for axis in range(3)], axis=-1)


def _jumps(blend: InverseBlend, weights: Floats) -> Floats:
    """The largest turn of any joint from one row of weights to the next, degrees, in the last pose."""
    turned = last_poses(blend, weights).rotations
    return np.asarray(np.degrees(rot.angle_between(turned[1:], turned[:-1])).max(axis=1))


def _jump_plot(jumps: dict[str, Floats]) -> Figure:
    with palette.style():
        figure = canvas(7.5, 2.4)
        ax = figure.subplots()
        for colour, (name, jump) in zip((palette.GHOST, palette.EDITED), reversed(jumps.items()), strict=True):
            ax.plot(jump, color=colour, label=name, linewidth=0.9)
        ax.set(xlabel="mm along the way", ylabel="degrees", yscale="log")
        ax.margins(x=0)
        ax.legend(loc="upper right", ncols=2)
    return figure


def spheres(context: Context) -> Result:
    """Figure 6: where the hand arrives for targets on spheres, by the kernel's weights and by inverse blending."""
    blend = examples("reach")
    targets = np.stack([sphere_targets(radius) for radius in RADII])
    names = {"rbf": "RBF alone", "hard": f"inverse, nearest {K}", "soft": "inverse, ours"}
    errors, arrived, apart = {}, {}, 0.0
    for mode in ("rbf", "hard", "soft"):
        batch = blend.solve_batch(AtPoint(TIP, targets.reshape(-1, 3)), k=K, mode=mode)
        arrived[names[mode]] = tips(last_poses(blend, batch.weights)).reshape(targets.shape)
        errors[mode] = 1e3 * np.linalg.norm(arrived[names[mode]] - targets, axis=-1)
        apart = max(apart, float(np.abs(errors[mode].ravel() - batch.errors[:, 0]).max()))
    at = RADII.index(0.80)
    one = {mode: error[at] for mode, error in errors.items()}
    ends, wrist = blend.places(TIP), np.array(span_from_shoulder(HAND))
    met = {mode: int(np.sum(error < MET_MM)) for mode, error in errors.items()}
    return Result(
        (
            same(
                "targets on a sphere, examples", "144, 16", f"{one['rbf'].size}, {len(blend)}", one["rbf"].size == 144
            ),
            same(
                "(a) RBF alone at 80 cm",
                "much larger errors",
                f"median {np.median(one['rbf']):.0f} mm",
                float(np.median(one["rbf"])) > 50.0,
            ),
            same(
                f"(b) inverse blending at 80 cm, the nearest {K}",
                "practically zero across most of the mesh",
                f"median {np.median(one['hard']):.0e} mm; {np.sum(one['hard'] < MET_MM)} of 144 met",
                float(np.median(one["hard"])) < MET_MM,
            ),
            Value(
                "(b) the same with soft k",
                "practically zero across most of the mesh",
                f"median {np.median(one['soft']):.0e} mm; {np.sum(one['soft'] < MET_MM)} of 144 met",
                "better" if np.sum(one["soft"] < MET_MM) > np.sum(one["hard"] < MET_MM) else "same",
                "All examples may take part, so that more can be reached.",
            ),
            same(
                "targets at 80 cm that are not met lie",
                "at the boundary of the surface only",
                f"in {_regions(one['soft'])[0]} regions, {_regions(one['soft'])[1]} of which reach the boundary",
                _regions(one["soft"])[0] == _regions(one["soft"])[1],
            ),
            same(
                f"(c, d) {targets[..., 0].size} targets from 65 to 90 cm",
                "errors clearly much lower",
                f"median {np.median(errors['rbf']):.0f} mm by RBF, {np.median(errors['soft']):.0e} mm by inverse "
                f"blending; {met['rbf']}, {met['hard']} and {met['soft']} met",
                float(np.median(errors["soft"])) < 0.01 * float(np.median(errors["rbf"])),
            ),
            deviation(
                "what reaches, and round what the spheres lie",
                "the hand; not said",
                "fingertips, round the middle between the shoulders; examples end "
                f"{_span(np.linalg.norm(ends - CENTRE, axis=1))} from it",
                float(wrist.max()) < RADII[at],
                f"The wrist of our character ends {_span(wrist)} from its shoulder, so that the paper's larger spheres "
                "would be out of its reach.",
            ),
            same("the meshes, blended apart from the solver", "shown", f"agree to {apart:.0e} mm", apart < 1e-6),
        ),
        (
            context.save(
                figures.draw_reach_errors(
                    targets[at : at + 1], {name: place[at : at + 1] for name, place in arrived.items()}, ends
                ),
                "sphere-80",
                "Yellow: targets at 80 cm. Grey: where the examples end. The mesh is where the fingertips arrive.",
            ),
            context.save(figures.draw_reach_errors(targets, arrived, ends), "spheres", "All six spheres."),
        ),
    )


def _regions(errors: Floats) -> tuple[int, int]:
    """How many connected regions of a surface are not met, and how many of them reach its boundary."""
    from scipy.ndimage import label

    marked, count = label(errors >= MET_MM)
    rim = np.concatenate([marked[0], marked[-1], marked[:, 0], marked[:, -1]])
    return int(count), len(set(rim.tolist()) - {0})


def _span(away: Floats) -> str:
    return f"{100 * away.min():.0f} to {100 * away.max():.0f} cm"
