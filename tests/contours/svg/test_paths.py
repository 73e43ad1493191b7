import re

import numpy as np
import pytest

from kinetune.contours.sampling import flatten_cubics
from kinetune.contours.svg._paths import parse_path
from tests.conftest import data_folder


def ends(data):
    """Where each command ends, sub-path by sub-path."""
    paths, _ = parse_path(data)
    return [np.round(path.controls[:, 3], 9).tolist() for path in paths]


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ("M1 2L3 4", [[[3, 4]]]),
        ("M1 2 3 4 5 6", [[[3, 4], [5, 6]]]),
        ("m1 2 3 4 5 6", [[[4, 6], [9, 12]]]),
        ("M0 0H5V6h-2v-3", [[[5, 0], [5, 6], [3, 6], [3, 3]]]),
        ("M0,0l1-2.5.5.5", [[[1, -2.5], [1.5, -2]]]),
        ("M1e1-5E-1L2.e0.5", [[[2, 0.5]]]),
        ("M0 0L1 1zm2 2l1 1", [[[1, 1]], [[3, 3]]]),
        ("M1 1L2 2zL5 5", [[[2, 2]], [[5, 5]]]),
        ("M0 0C1 1 2 2 3 3c1 1 2 2 3 3", [[[3, 3], [6, 6]]]),
    ],
)
def test_commands_end_where_they_should(data, wanted):
    assert ends(data) == wanted


def test_smooth_curves_continue_the_last_handle():
    (path,), _ = parse_path("M0 0C0 1 1 1 1 0S2-1 2 0")
    assert np.allclose(path.controls[1], [[1, 0], [1, -1], [2, -1], [2, 0]])
    (path,), _ = parse_path("M0 0L1 0S2-1 2 0")
    assert np.allclose(path.controls[1, 1], [1, 0])  # after a line, there is none
    (path,), _ = parse_path("M0 0Q1 1 2 0T4 0")
    assert np.allclose(path.controls[1], [[2, 0], [2 + 2 / 3, -2 / 3], [4 - 2 / 3, -2 / 3], [4, 0]])


@pytest.mark.parametrize("data", ["M1 0A1 1 0 0 1 0 1", "M1 0a1,1,0,0,1-1,1", "M1 0a1 1 0 01-1 1", "M1 0A1 1 0 010 1"])
def test_a_quarter_circle_lies_on_the_circle(data):
    (path,), problem = parse_path(data)
    assert problem is None
    curve = np.concatenate([path.start[None], *flatten_cubics([path.controls], 1e-4)])
    assert np.allclose(np.linalg.norm(curve, axis=-1), 1, atol=1e-7)
    assert np.allclose(curve[-1], [0, 1])
    assert np.all(curve >= -1e-12)


@pytest.mark.parametrize(("large", "sweep", "turned"), [(0, 0, -90), (0, 1, 90), (1, 0, -270), (1, 1, 270)])
def test_the_flags_choose_the_arc(large, sweep, turned):
    (path,), _ = parse_path(f"M1 0A1 1 0 {large} {sweep} 0 1")
    middle = 1 + 1j if large == sweep else 0
    around = path.controls[:, [0, 3]] @ [1, 1j] - middle
    angles = np.degrees(np.unwrap(np.angle(np.append(around[:, 0], around[-1, 1]))))
    assert np.allclose(np.abs(around), 1)
    assert angles[-1] - angles[0] == pytest.approx(turned)


def test_arcs_whose_radii_are_too_small_grow():
    (path,), _ = parse_path("M0 0A1 1 0 0 1 10 0")
    assert path.controls[:, :, 1].min() == pytest.approx(-5, abs=0.3)


@pytest.mark.parametrize("data", ["M0 0A0 5 0 0 1 3 3", "M0 0A1 1 0 0 1 0 0"])
def test_arcs_without_extent_are_lines(data):
    (path,), problem = parse_path(data)
    assert problem is None
    assert len(path.controls) == 1


@pytest.mark.parametrize(
    ("data", "kept", "words"),
    [
        ("L3 3", [], "begins with"),
        ("M0 0L1 1 nan 5L3 3", [[[1, 1]]], "neither a command nor a number"),
        ("M0 0L1 1 5", [[[1, 1]]], "groups of 2"),
        ("M0 0C1 1 2 2", [[]], "groups of 6"),
        ("M0 0L1 1 1e400 5 3 3", [[[1, 1]]], "too large"),
        ("M0 0A1 1 0 2 1 3 3", [[]], "no arc"),
        ("M0 0L1 1#", [[[1, 1]]], "neither"),
    ],
)
def test_a_path_is_drawn_up_to_its_mistake(data, kept, words):
    paths, problem = parse_path(data)
    assert [path.controls[:, 3].tolist() for path in paths] == kept
    assert words in problem


def test_long_runs_are_the_same_as_short_ones():
    rng = np.random.default_rng(0)
    numbers = np.round(rng.standard_normal((300, 6)), 3)
    for letter, width in (("l", 2), ("L", 2), ("c", 6), ("C", 6)):
        rows = [" ".join(map(str, row[:width])) for row in numbers]
        together, _ = parse_path("M1 2" + letter + " ".join(rows))
        apart, _ = parse_path("M1 2" + "".join(f"{letter}{row}h0" for row in rows))
        found = apart[0].controls[::2]
        assert np.allclose(together[0].controls, found, atol=1e-12)


def _icons():
    folder = data_folder()
    return sorted((folder / "svg").rglob("*.svg")) if folder is not None else []


@pytest.mark.parametrize("file", _icons(), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_fonttools_reads_the_same_curves(file):
    """fontTools has a path parser of its own: where its lines and curves end must lie on ours."""
    shapely = pytest.importorskip("shapely")
    recording = pytest.importorskip("fontTools.pens.recordingPen")
    svg_path = pytest.importorskip("fontTools.svgLib.path")
    for data in re.findall(r' d="([^"]+)"', file.read_text()):
        pen = recording.RecordingPen()
        svg_path.parse_path(data, pen)
        theirs = [points[-1] for name, points in pen.value if name in ("moveTo", "lineTo", "curveTo", "qCurveTo")]
        paths, problem = parse_path(data)
        assert problem is None
        size = max(np.ptp(path.controls, axis=(0, 1)).max() for path in paths)
        lines = [np.concatenate([path.start[None], *flatten_cubics([path.controls], 1e-6 * size)]) for path in paths]
        drawn = shapely.multilinestrings([shapely.linestrings(line) for line in lines])
        assert shapely.distance(shapely.points(theirs), drawn).max() < 1e-5 * size
