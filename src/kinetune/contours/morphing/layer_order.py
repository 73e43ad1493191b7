"""The order in which the layers of a morph are painted."""

from __future__ import annotations

from kinetune.contours.matching.curve_pairing import Pairs


def merged_order(pairs: Pairs, side: int) -> list[int]:
    """Numbers of pairs from back to front, as the drawing of one side (0 the first, 1 the second) stacks them.

    A layer that this drawing does not have comes right above the one that is below it in the other drawing.
    """
    here = {pair[side]: number for number, pair in reversed(list(enumerate(pairs))) if pair[side] is not None}
    there = sorted((pair[1 - side], number) for number, pair in enumerate(pairs) if pair[1 - side] is not None)
    order = [here[index] for index in sorted(here, key=lambda index: -1 if index is None else index)]
    below: int | None = None
    for _, number in there:
        if number not in order:
            order.insert(0 if below is None else order.index(below) + 1, number)
        below = number
    return order
