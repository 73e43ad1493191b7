import numpy as np
import pytest

from kinetune.contours.elastic.materials import PRESETS, SLOWEST, STILL, Material, find_material
from kinetune.contours.elastic.single_mode import release
from kinetune.errors import ParameterError, UnknownNameError


def slowest(material, times):
    """What is left of the slowest wobble, by the exact solution."""
    return np.array([release(np.full(1, material.e0 * SLOWEST), material, t)[0] for t in times])


@pytest.mark.parametrize(
    ("name", "e0", "s1", "s2"), [("dead-beat", 2.533, 10, 0.1), ("jelly", 2.5, 2, 0.05), ("wobbly", 2.5, 1, 0.01)]
)
def test_presets_have_their_constants(name, e0, s1, s2):
    assert find_material(name) == Material(e0, s1, s2, 1.0)


def test_presets_feel_as_they_are_called():
    assert PRESETS["dead-beat"].bounciness == 0
    assert 0.2 < PRESETS["jelly"].bounciness < 0.4
    assert PRESETS["wobbly"].bounciness > 0.6
    assert PRESETS["dead-beat"].settle_s < PRESETS["jelly"].settle_s < PRESETS["wobbly"].settle_s


@pytest.mark.slow
@pytest.mark.parametrize("bounciness", [0.0, 0.01, 0.05, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("settle_s", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("crispness", [0.0, 0.5, 1.0])
def test_a_material_feels_as_asked(bounciness, settle_s, crispness):
    material = Material.feel(bounciness, settle_s, crispness=crispness)
    assert material.bounciness == pytest.approx(bounciness, abs=1e-9)
    assert material.settle_s == pytest.approx(settle_s, rel=1e-9)
    left = slowest(material, np.linspace(0, 3 * settle_s, 6001))
    assert max(0.0, -left.min()) == pytest.approx(bounciness, abs=1e-3)  # the first swing past rest
    assert abs(slowest(material, [0.9999 * settle_s])[0]) > STILL
    assert np.abs(slowest(material, np.linspace(1.0001, 8, 500) * settle_s)).max() < STILL


@pytest.mark.parametrize("name", PRESETS)
def test_the_feel_of_a_preset_is_that_of_its_motion(name):
    material = PRESETS[name]
    late = np.linspace(1.0001, 6, 400) * material.settle_s
    assert np.abs(slowest(material, late)).max() < STILL


def test_without_damping_nothing_settles():
    assert Material(1, 0, 0).settle_s == np.inf
    assert Material(1, 0, 0).bounciness == 1
    assert Material(0, 1, 1).bounciness == 0


@pytest.mark.parametrize(
    "asked", [{"bounciness": 1.0}, {"bounciness": -0.1}, {"settle_s": 0}, {"crispness": 2}, {"settle_s": np.nan}]
)
def test_feelings_that_cannot_be_are_refused(asked):
    with pytest.raises(ParameterError, match=next(iter(asked))):
        Material.feel(**asked)


def test_constants_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match="e0"):
        Material(e0=-1)
    with pytest.raises(ParameterError, match="massless"):
        Material(rho=0)
    with pytest.raises(UnknownNameError, match='"jelly"'):
        find_material("jely")
