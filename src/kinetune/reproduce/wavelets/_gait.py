"""The wavelet paper, part 5: a walking dog (Figures 9 and 12 to 14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetune.contours.descriptor.wavelet_descriptor import at_resolution
from kinetune.contours.drawing import Drawing
from kinetune.contours.gait_cycle import progress, swap_sides, walk_cycle
from kinetune.contours.morphing.morph import morph_at
from kinetune.contours.outlines import count_self_crossing
from kinetune.reproduce.experiments import Context, Result, Value, canvas, deviation, off, same
from kinetune.reproduce.wavelets.tracing import fitted
from kinetune.rotations import Floats
from kinetune.samples.drawings import sample_drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEGS = ("near front leg", "near hind leg", "far front leg", "far hind leg")
FRAMES = 24  # of the gait cycle


def _dog() -> tuple[Drawing, Drawing]:
    return sample_drawing("dog-1"), sample_drawing("dog-2")


def _keys() -> dict[str, Drawing]:
    one, two = _dog()
    return {"1": one, "2": two, "1'": swap_sides(one), "2'": swap_sides(two)}


def _apart(a: Drawing, b: Drawing) -> float:
    """The largest distance of samples of drawings of the same layers; infinite where they have not the same samples."""
    worst = 0.0
    for one, two in zip(a.contours(), b.contours(), strict=True):
        if len(one) != len(two):
            return float("inf")
        worst = max(worst, float(np.linalg.norm(one.points - two.points, axis=1).max()))
    return worst


def gait_diagram(context: Context) -> Result:
    """Figure 9: the four keys of a gait cycle, two of them drawn and two by symmetry."""
    keys = _keys()
    ground = max(keys["1"].layer(leg).contours[0].bounds()[3] for leg in LEGS)
    down = {
        name: [leg for leg in LEGS if key.layer(leg).contours[0].bounds()[3] > ground - 2.0]
        for name, key in keys.items()
    }
    twice = max(_apart(swap_sides(swap_sides(key)), key) for key in keys.values())
    diagonal = {"2": ["near hind leg", "far front leg"], "2'": ["near front leg", "far hind leg"]}
    return Result(
        (
            same(
                "legs that carry the dog in key 2",
                "right fore and left hind; left fore and right hind lift off",
                " and ".join(down["2"]) + " (near is left)",
                sorted(down["2"]) == sorted(diagonal["2"]),
            ),
            same(
                "legs that carry it in key 2'",
                "the other two, by symmetry",
                " and ".join(down["2'"]),
                sorted(down["2'"]) == sorted(diagonal["2'"]),
            ),
            same("keys 1' and 2', sides exchanged twice", "the keys again", off(twice), twice == 0),
            same(
                "key drawings that must be drawn",
                "two of four",
                f"{len(_dog())} of {len(keys)}",
                all(_apart(keys[a], keys[b]) > 1 for a, b in (("1", "1'"), ("2", "2'"))),
            ),
        ),
        (
            context.strip(list(keys.values()), "keys", "Keys 1, 2, 1' and 2'.", columns=4),
            context.save(_diagram(down), "diagram", "● carries the dog, ○ is in the air."),
        ),
        ("In our key 1 the paws that have just landed and those about to leave all touch the ground.",),
    )


def _diagram(down: dict[str, list[str]]) -> Figure:
    from kinetune.figures import palette

    with palette.style():
        figure = canvas(5.0, 1.9)
        ax = figure.subplots()
        for column, name in enumerate([*down, "1"]):
            for row, leg in enumerate(reversed(LEGS)):
                filled = palette.INK if leg in down[name] else palette.PAPER
                ax.plot(column, row, "o", markersize=9, markerfacecolor=filled, markeredgecolor=palette.INK)
        for column, name in enumerate("ABCD"):
            ax.annotate(name, (column + 0.5, -0.9), ha="center", annotation_clip=False)
            ax.annotate("", (column + 0.8, -0.5), (column + 0.2, -0.5), arrowprops={"arrowstyle": "->"})
        ax.set_xticks(range(5), [f"key {name}" for name in [*down, "1"]])
        ax.set_yticks(range(4), list(reversed(LEGS)))
        ax.xaxis.tick_top()
        ax.set(xlim=(-0.5, 4.5), ylim=(-1.2, 3.6))
        ax.grid(False)
    return figure


def gait_cycle(context: Context) -> Result:
    """Figure 12: the whole cycle of the dog from two keys and the fitted parameters."""
    dog = _dog()
    timing = fitted()
    count = 12 if context.quick else FRAMES
    cycle = walk_cycle(*dog, count, timing=timing)
    mirrored = max(
        _apart(swap_sides(early), late) for early, late in zip(cycle[: count // 2], cycle[count // 2 :], strict=True)
    )
    crossed = count_self_crossing(cycle)
    steps = [_paws(b) - _paws(a) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)]
    sizes = np.array([float(np.abs(step).max()) for step in steps])
    return Result(
        (
            same(
                "key drawings for the whole cycle",
                "two",
                f"two, and {count - 4} of {count} frames found",
                len(dog) == 2,
            ),
            same(
                "second half against the first with sides exchanged",
                "duplicate the right limbs from the left",
                off(mirrored, " on a page 110 wide"),
                mirrored < 1e-3,
            ),
            same(
                "step from the last frame to the first, against the largest",
                "a full gait cycle",
                f"{sizes[-1] / sizes.max():.2f}",
                bool(sizes[-1] <= sizes.max()) and sizes[-1] > 0,
            ),
            Value(
                "frames with a curve that crosses itself",
                "not promised",
                str(crossed),
                "better" if crossed == 0 else "failed",
                'In-betweens are made by method "safe".',
            ),
        ),
        (
            context.strip(cycle, "cycle", "Subcycles A to D, a row each.", columns=count // 4),
            context.film(cycle, "walk", "The cycle as a film.", fps=count),
        ),
    )


def _paws(drawing: Drawing) -> Floats:
    """Where the lowest point of each leg is, from left to right."""
    return np.array(
        [leg.points[np.argmax(leg.points[:, 1]), 0] for leg in (drawing.layer(n).contours[0] for n in LEGS)]
    )


def subcycle_a(context: Context) -> Result:
    """Figure 13: subcycle A in more frames."""
    one, two = _dog()
    timing = fitted()
    tau = np.linspace(0.0, 1.0, 8 if context.quick else 16)
    film = morph_at(one, two, progress(tau, timing.gamma_a))
    ends = max(_apart(film[0], one), _apart(film[-1], two))
    legs = ("near hind leg", "far front leg", "near front leg", "far hind leg")
    way = _ways(film, legs)
    forward = bool(np.all(np.diff(way[:, 2:], axis=0) > -1e-6) and np.all(np.diff(way[:, :2], axis=0) < 1e-6))
    straight = _ways(morph_at(one, two, progress(tau, timing.gamma_a), "linear"), legs)
    model = np.diff(progress(tau, timing.gamma_a))
    expected = model[-1] / model[0]
    along, bent = (float(np.divide(*np.abs(np.diff(w, axis=0)).sum(axis=1)[[-1, 0]])) for w in (straight, way))
    return Result(
        (
            same("first and last frame", "the two key frames", off(ends), ends == 0),
            same(
                "legs in the air go forward and legs that carry go back",
                "shown",
                "in every frame" if forward else "no",
                forward,
            ),
            same(
                "last step against the first, of the middles of the legs, linear in control points",
                f"by the model {expected:.2f}",
                f"{along:.2f}",
                abs(along / expected - 1) < 0.05,
            ),
            deviation(
                'the same of the film shown, method "safe"',
                f"by the model {expected:.2f}",
                f"{bent:.2f}",
                bent > 1.0,
                "Its in-betweens bend a leg instead of moving its points on straight lines, so its middle moves at a "
                "different pace from its joints.",
            ),
        ),
        (context.strip(film, "subcycle-a", "From key 1 to key 2.", columns=8),),
    )


def _ways(film: Sequence[Drawing], legs: Sequence[str]) -> Floats:
    """(frames, legs) how far the middle of each leg has come, to the right."""
    middles: Floats = np.array([[frame.layer(leg).contours[0].centroid[0] for leg in legs] for frame in film])
    moved: Floats = middles - middles[0]
    return moved


def dog_resolutions(context: Context) -> Result:
    """Figure 14: the walk at 4, 16 and 64 control points a curve."""
    one, two = _dog()
    tau = np.linspace(0.0, 1.0, 3 if context.quick else 6)
    film = morph_at(one, two, progress(tau, fitted().gamma_a))
    counts = (4, 16, 64)
    rows = [[at_resolution(frame, count) for frame in film] for count in counts]
    fine = [at_resolution(frame, 256) for frame in film]
    missed = [max(_apart(a, b) for a, b in zip(row, fine, strict=True)) for row in rows]
    return Result(
        (
            same(
                "largest distance from the whole curves at 4, 16, 64 points, page 110 wide",
                "increase the resolution to meet the picture quality requirement",
                ", ".join(f"{error:.2g}" for error in missed),
                missed[0] > missed[1] > missed[2] and missed[2] < 0.5,
            ),
        ),
        (
            context.strip(
                [frame for row in rows for frame in row],
                "resolutions",
                "4, 16 and 64 control points for each curve.",
                columns=len(tau),
            ),
        ),
        (
            "The paper's dog is another drawing and no distance is printed: what is compared is that the distance "
            "from the whole curves falls with the number of points.",
        ),
    )
