"""The tables of body segments."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.physics.model.segments import (
    _DE_LEVA,
    _DEMPSTER,
    PAIRED,
    TABLES,
    MassBox,
    SegmentBoxes,
    SegmentChain,
    cut_box,
    part_table,
)


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("sex", ["male", "female", None])
def test_shares_sum_to_the_whole(tables, sex):
    table = part_table(tables, sex)
    assert sum(row.mass * (2 if name in PAIRED else 1) for name, row in table.items()) == pytest.approx(1.0, abs=1e-14)


def test_numbers_are_those_of_the_printed_table():
    """de Leva 1996, table 4: thigh 14.16 % of the mass, centre at 40.95 %; forearm of women 1.38 %, 45.59 %."""
    assert part_table("de Leva", "male")["upper leg"].mass == pytest.approx(0.1416, abs=2e-5)
    assert part_table("de Leva", "male")["upper leg"].centre == pytest.approx(0.4095)
    assert part_table("de Leva", "female")["lower arm"].mass == pytest.approx(0.0138, abs=2e-5)
    assert part_table("de Leva", "female")["lower arm"].centre == pytest.approx(0.4559)
    assert part_table("Dempster")["upper leg"].mass == pytest.approx(0.100, abs=1e-4)


def test_printed_masses_sum_to_the_whole():
    """As printed, before they are scaled: de Leva to 0.05 %, Winter's Dempster exactly."""
    for column in (0, 1):
        total = sum(row[column][0] * (2 if name in PAIRED else 1) for name, row in _DE_LEVA.items())
        assert total == pytest.approx(100.0, abs=0.05)
    total = sum(row[0] * (2 if name in PAIRED else 1) for name, row in _DEMPSTER.items())
    assert total == pytest.approx(100.0, abs=1e-9)


def test_radii_of_the_head_are_the_same_between_other_ends():
    """de Leva prints the head from vertex to mid-gonion as well."""
    for sex, length, radii in (("male", 203.3, (0.362, 0.376, 0.312)), ("female", 200.2, (0.330, 0.359, 0.318))):
        row = part_table("de Leva", sex)["head"]
        height = 1735.0 if sex == "female" else 1741.0
        assert np.allclose(np.array(radii) * length, np.array(row.radii) * row.length * height, atol=0.3)


@pytest.mark.parametrize("tables", TABLES)
def test_the_box_of_a_part_has_its_radii_of_gyration(tables):
    for name, row in part_table(tables).items():
        along, across, deep = row.box
        radii = np.sqrt(np.array([along**2 + across**2, along**2 + deep**2, across**2 + deep**2]) / 12.0)
        assert np.allclose(radii, row.radii, rtol=1e-12), name


@pytest.mark.parametrize("joints", [1, 2, 5])
def test_cutting_keeps_mass_centre_and_inertia(joints):
    """A straight chain: however many joints cut the box, together they are the box."""
    points = np.zeros((joints + 1, 3))
    points[:, 1] = np.linspace(0.0, 0.6, joints + 1) ** 1.2
    places, world = points[:-1], rot.identity(joints)
    found = SegmentBoxes()
    chain = SegmentChain.along(range(joints), points, places, world)
    cut_box(found, chain, world, 7.0, 0.25, (0.4, 0.3, 0.2), [np.array([1.0, 0.0, 0.0])] * joints)
    whole = SegmentBoxes()
    for joint, pieces in found.boxes.items():
        for piece in pieces:
            whole.add(0, MassBox(piece.mass, piece.centre + places[joint], piece.rotation, piece.sides))
    mass, centre, inertia = whole.balance(0)
    assert mass == pytest.approx(7.0)
    assert np.allclose(centre, [0.0, 0.25, 0.0])
    expected = 7.0 / 12.0 * np.array([0.4**2 + 0.2**2, 0.3**2 + 0.2**2, 0.4**2 + 0.3**2])
    assert np.allclose(inertia, np.diag(expected), atol=1e-12)
    assert len(found.boxes) == joints


def test_boxes_look_like_the_body():
    """The worked example of docs/derivations/dynamic_filter.md: a man of 1.74 m."""
    parts = part_table("de Leva", "male")
    trunk, thigh = (
        [100 * 1.741 * parts[name].length * side for side in parts[name].box] for name in ("upper trunk", "upper leg")
    )
    assert trunk == pytest.approx([22, 36, 15], abs=0.5)
    assert thigh[1:] == pytest.approx([15, 15], abs=0.5)
