"""The command that looks at a drawing: contour info."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.film_files import open_drawing
from kinetune.cli.options import HELP_FLAGS, JsonOption, PlainCommand, PlainGroup

if TYPE_CHECKING:
    from kinetune.contours.drawing import Drawing

contour = typer.Typer(
    name="contour",
    cls=PlainGroup,
    help="Look at drawings: kinetune contour info FILE.",
    no_args_is_help=True,
    context_settings=HELP_FLAGS,
)


@contour.command("info", cls=PlainCommand)
def contour_info(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An SVG file, or sample:NAME such as sample:dog-1.")],
    as_json: JsonOption = False,
) -> None:
    """Show what is in a drawing: its size, its layers, their curves and paint."""
    from kinetune.cli.show import console, print_facts, print_table

    drawing = open_drawing(file, warn=False)
    layers = [_described(number, drawing) for number in range(len(drawing.layers))]
    if as_json:
        facts = {"file": file, "name": drawing.name, "view_box": list(drawing.view_box)}
        print(json.dumps({**facts, "layers": layers, "notes": list(drawing.notes)}, indent=2))
        return
    left, top, width, height = drawing.view_box
    curves = sum(layer["curves"] for layer in layers)
    print_facts(
        {
            "file": file,
            "page": f"{width:g} x {height:g} from ({left:g}, {top:g})",
            "layers": str(len(layers)),
            "curves": f"{curves}, of {sum(layer['points'] for layer in layers)} points",
        }
    )
    numbers = ("layer", "curves", "holes", "open", "points", "corners", "length", "area")
    rows = [
        [str(layer["number"]), layer["name"], *(f"{layer[key]:g}" for key in numbers[1:]), _paint(layer)]
        for layer in layers
    ]
    print_table(["layer", "name", *numbers[1:], "paint"], rows, right=numbers)
    for layer in layers:
        for note in layer["notes"]:
            console().print(f"Layer {layer['name'] or layer['number']} {note}.")
    for note in drawing.notes:
        console().print(note)


def _described(number: int, drawing: Drawing) -> dict[str, Any]:
    """One layer in numbers."""
    from kinetune.contours.layer_shapes import split_layer

    layer = drawing.layers[number]
    pieces = split_layer(layer)
    shapes = [shape for root in pieces.shapes for shape in root.everything()]
    closed = [c for c in layer.contours if c.closed]
    return {
        "number": number,
        "name": layer.name,
        "curves": len(layer.contours),
        "holes": _holes(pieces.shapes),
        "open": len(layer.contours) - len(closed),
        "points": sum(len(c) for c in layer.contours),
        "corners": sum(len(shape.outline.corners[0]) for shape in shapes),
        "length": round(sum(c.length() for c in layer.contours), 6),
        "area": round(abs(sum(c.area for c in closed)), 6),
        "fill": layer.fill,
        "fill_opacity": layer.fill_opacity,
        "stroke": layer.stroke,
        "stroke_width": layer.stroke_width,
        "stroke_opacity": layer.stroke_opacity,
        "notes": list(pieces.notes),
    }


def _holes(shapes: Sequence[Any], depth: int = 0) -> int:
    return sum((depth % 2 == 1) + _holes(shape.inner, depth + 1) for shape in shapes)


def _paint(layer: dict[str, Any]) -> str:
    parts = [f"fill {layer['fill']}"] if layer["fill"] else []
    parts += [f"stroke {layer['stroke']} {layer['stroke_width']:g}"] if layer["stroke"] else []
    return ", ".join(parts) or "none"
