"""The embedded drawings: a digit, a hoop, two faces and a walking dog in two key poses."""

from __future__ import annotations

from functools import cache

from kinetune.contours.drawing import Drawing
from kinetune.errors import UnknownNameError
from kinetune.samples._archive import catalogue, load_drawing


def sample_drawings() -> list[str]:
    """The names that :func:`sample_drawing` knows.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "face-happy" in sample_drawings()
    True
    """
    return list(catalogue()["drawings"])


@cache
def sample_drawing(name: str) -> Drawing:
    """One of the embedded drawings by name, such as ``"face-happy"``.

    Parameters
    ----------
    name : str
        One of :func:`sample_drawings`.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> [layer.name for layer in sample_drawing("face-happy").layers][0]
    'head'
    """
    names = catalogue()["drawings"]
    if name not in names:
        raise UnknownNameError("drawing", name, names, advice="List them with: kinetune samples")
    return load_drawing(name)
