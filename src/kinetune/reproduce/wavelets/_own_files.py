"""The wavelet paper on the user's files: drawings are split, let go and morphed, walks are traced and fitted."""

from __future__ import annotations

import itertools

import numpy as np

from kinetune.contours.descriptor.wavelet_descriptor import approximate, describe
from kinetune.contours.drawing import Contour, Drawing
from kinetune.contours.elastic.relaxation import relax
from kinetune.contours.morphing.morph import morph
from kinetune.contours.outlines import count_self_crossing
from kinetune.contours.sampling import sample_evenly
from kinetune.errors import KinetuneError
from kinetune.reproduce.experiments import Context, Result, Value
from kinetune.reproduce.own_files import Gallery, OwnFile, left_out, own_result, tested, try_each
from kinetune.reproduce.wavelets.motion import pushed, rms
from kinetune.reproduce.wavelets.tracing import draw_limbs, fitted, misfit, trace

_SAMPLES, _POINTS, _FRAMES = 256, 32, 8


def own_drawings(context: Context) -> Result:
    """Figures 2, 4 and 6 on each drawing, Figures 10 and 11 on each walk."""
    drawings = [file for file in context.files if file.drawing is not None]
    following = {file.name: drawings[(number + 1) % len(drawings)] for number, file in enumerate(drawings)}
    gallery = Gallery(context)

    def run(file: OwnFile) -> Value:
        if file.clip is not None:
            return _traced(file, gallery)
        assert file.drawing is not None
        return _drawn(file, following[file.name], gallery)

    values = []
    for kind, needed in (("drawing", "a drawing or a walk"), ("clip", "a drawing or a walk")):
        part = Context(context.folder, tuple(f for f in context.files if getattr(f, kind) is not None), context.quick)
        values += try_each(part, kind, run, needed)
    values += [left_out([file.name], file.trouble) for file in context.files if file.trouble]
    return own_result(values, gallery)


def _drawn(file: OwnFile, other: OwnFile, gallery: Gallery) -> Value:
    drawing = file.drawing
    assert drawing is not None
    outline = _largest(drawing)
    size = float(np.ptp(outline.points, axis=0).max())
    rebuilt = float(np.abs(describe(outline, "db4").contour().points - outline.points).max()) / size
    coarse = rms(approximate(outline, wavelet="db4", control_points=_POINTS).points - outline.points) / size
    shape = pushed(outline)
    left = rms(relax(shape, outline, [2.0], preset="jelly", centroid="settle")[0].points - outline.points)
    left /= rms(shape.points - outline.points)
    statements = [
        f"all coefficients give it back within {rebuilt:.0e} of its size, {_POINTS} control points within {coarse:.1%}",
        f"pushed and let go, {left:.1%} of the push is left after 2 s",
    ]
    crossed = 0
    if other is not file and other.drawing is not None:
        films = [morph(drawing, other.drawing, _FRAMES, way) for way in ("linear", "safe")]
        before, crossed = (count_self_crossing(film[1:-1]) for film in films)
        statements.append(f"in-betweens to {other.name} that cross themselves: {before} linear, {crossed} safe")
        if gallery.has_room:
            caption = f"{file.name} becomes {other.name}: linear above, safe below."
            frames = list(itertools.chain(*films))
            gallery.add(frames, "morph", caption, columns=_FRAMES)
    holds = rebuilt < 1e-12 and left < 0.05 and crossed == 0
    paper = "perfectly invertible; restored; non-self-intersecting"
    return tested(file, paper, "; ".join(statements), holds)


def _largest(drawing: Drawing) -> Contour:
    """The largest closed curve of a drawing, in as many samples as the transform takes."""
    closed = [contour for contour in drawing.contours() if contour.closed]
    if not closed:
        raise KinetuneError("It has no closed curve.")
    return sample_evenly(max(closed, key=lambda contour: float(np.prod(np.ptp(contour.points, axis=0)))), _SAMPLES)


def _traced(file: OwnFile, gallery: Gallery) -> Value:
    assert file.clip is not None
    legs = trace(file.clip)
    timing = fitted(legs)
    parts = [legs.part(number) for number in (0, 1)]
    gammas = (timing.gamma_a, timing.gamma_b)
    misfits = [misfit(*part, gamma) for part, gamma in zip(parts, gammas, strict=True)]
    even = [misfit(*part, 0.0) for part in parts]
    if gallery.has_room:
        caption = f"{file.name}: the legs over one swing. Dashed: key 1; solid: key 2; dotted: between them."
        gallery.add(draw_limbs(legs), "legs", caption)
    ours = (
        f"a swing of {len(legs.outlines)} frames, gamma {gammas[0]:.2f} and {gammas[1]:.2f}, off by "
        f"{misfits[0]:.1%} and {misfits[1]:.1%} of the way; at even speed {even[0]:.1%} and {even[1]:.1%}"
    )
    paper = "the parameters that minimize the error squares"
    if sum(misfits) <= sum(even):
        return Value(file.name, paper, ours, "same", "", (file.name,))
    note = "Both subcycles are fitted together with one speed where they meet, which this swing does not have."
    return Value(file.name, paper, ours, "deviates", note, (file.name,))
