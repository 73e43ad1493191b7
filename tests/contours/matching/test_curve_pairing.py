from kinetune.contours.matching.curve_pairing import without_half_twins
from tests.contours.curves import outline, ring

EYES = [outline(ring(5, complex(x, 40))) for x in (35, 65)]
MOUTH = outline(ring(9, 50 + 70j))


def test_one_of_two_twins_does_not_change_while_the_other_vanishes() -> None:
    tick = [outline(ring(8, 45 + 50j))]
    pairs = without_half_twins([(0, 0), (1, None), (2, None)], [*EYES, MOUTH], tick)
    assert pairs == [(0, None), (None, 0), (1, None), (2, None)]
    assert without_half_twins([(0, None), (1, None), (2, 0)], [*EYES, MOUTH], tick) == [(0, None), (1, None), (2, 0)]


def test_twins_that_both_have_partners_keep_them() -> None:
    pairs = [(0, 0), (1, 1), (2, None)]
    assert without_half_twins(pairs, [*EYES, MOUTH], EYES) == pairs
