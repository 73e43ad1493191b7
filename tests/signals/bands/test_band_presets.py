import numpy as np
import pytest

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.bands.band_presets import BAND_PRESETS, PRESET_DESCRIPTIONS, REFERENCE_FPS, preset_gains
from kinetune.signals.bands.pyramid import band_centres_hz


def test_at_the_reference_rate_the_gains_are_those_of_the_table():
    for name, gains in BAND_PRESETS.items():
        assert np.array_equal(preset_gains(name, 9, REFERENCE_FPS), [*gains, *np.ones(9 - len(gains))])


@pytest.mark.parametrize(("fps", "octaves"), [(60.0, 1), (120.0, 2), (240.0, 3)])
def test_a_preset_acts_on_the_same_frequencies_at_any_rate(fps, octaves):
    for name in BAND_PRESETS:
        slow, fast = preset_gains(name, 7, REFERENCE_FPS), preset_gains(name, 7 + octaves, fps)
        # Band 0 is a high-pass whose peak is at half the rate; from band 1 on, centres agree.
        assert np.allclose(fast[octaves + 1 :], slow[1:])
        assert np.allclose(
            band_centres_hz(7 + octaves, fps)[octaves + 2 :], band_centres_hz(7, REFERENCE_FPS)[2:], rtol=0.02
        )


def test_odd_rates_lie_between():
    """25 frames a second: a quarter of an octave lower, so every gain lies between two neighbours of the table."""
    gains = preset_gains("anticipation", 7, 25.0)
    table = np.array([1.0, *BAND_PRESETS["anticipation"], 1.0, 1.0])
    shift = np.log2(25.0 / 30.0)
    for band, gain in enumerate(gains):
        below = int(np.floor(band - shift)) + 1
        assert min(table[below : below + 2]) - 1e-12 <= gain <= max(table[below : below + 2]) + 1e-12


def test_frequencies_that_the_paper_never_saw_are_left_alone():
    assert np.array_equal(preset_gains("nervous", 9, 240.0)[:2], [1.0, 1.0])


def test_the_papers_own_bands_are_in_the_presets():
    """[bruderlin] section 2.2: bands 2 to 4 up; band 0 up; bands 5 and 6 up; band 5 negative."""
    assert all(gain > 1 for gain in BAND_PRESETS["exaggerate"][2:5])
    assert BAND_PRESETS["nervous"][0] > 1
    assert all(gain > 1 for gain in BAND_PRESETS["subdued"][5:7])
    assert BAND_PRESETS["anticipation"][5] < 0


def test_every_preset_has_a_sentence():
    assert PRESET_DESCRIPTIONS.keys() == BAND_PRESETS.keys()
    assert all(words.endswith(".") for words in PRESET_DESCRIPTIONS.values())


def test_unknown_names_and_rates_are_told():
    with pytest.raises(UnknownNameError, match='Did you mean "nervous"'):
        preset_gains("nervus", 5, 30.0)
    with pytest.raises(ParameterError, match="fps must be"):
        preset_gains("nervous", 5, 0.0)
