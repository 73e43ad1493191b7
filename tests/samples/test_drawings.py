import numpy as np
import pytest

from kinetune.errors import UnknownNameError
from kinetune.samples.drawings import sample_drawing, sample_drawings


def crossings(points):
    """How often a closed polygon crosses itself, by testing every pair of edges that do not touch."""
    start, end = points, np.roll(points, -1, axis=0)

    def side(a, b, c):
        return np.sign(
            (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])
        )

    p, q, r, s = start[:, None], end[:, None], start[None], end[None]
    cross = (side(p, q, r) * side(p, q, s) < 0) & (side(r, s, p) * side(r, s, q) < 0)
    return int(cross.sum()) // 2


def test_the_crossing_counter_sees_a_figure_of_eight():
    assert crossings(np.array([[0.0, 0], [1, 1], [1, 0], [0, 1]])) == 1
    assert crossings(np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])) == 0


@pytest.mark.parametrize("name", sample_drawings())
def test_no_outline_crosses_itself(name):
    for layer in sample_drawing(name).layers:
        for contour in layer.contours:
            assert crossings(contour.points) == 0, layer.name


@pytest.mark.parametrize("name", sample_drawings())
def test_a_drawing_lies_on_its_page_and_its_layers_have_names_of_their_own(name):
    drawing = sample_drawing(name)
    left, top, width, height = drawing.view_box
    for contour in drawing.contours():
        assert np.all(contour.points >= [left, top])
        assert np.all(contour.points <= [left + width, top + height])
    names = [layer.name for layer in drawing.layers]
    assert all(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("one", "other"), [("face-happy", "face-sad"), ("dog-1", "dog-2")])
def test_drawings_that_belong_together_have_the_same_layers(one, other):
    assert [x.name for x in sample_drawing(one).layers] == [x.name for x in sample_drawing(other).layers]


def test_an_unknown_drawing_offers_the_nearest():
    with pytest.raises(UnknownNameError, match='Did you mean "dog-1"'):
        sample_drawing("dog1")
