import numpy as np
import pytest

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.bands.band_presets import BAND_PRESETS, PRESET_DESCRIPTIONS, band_hz, gains_at, preset_gains
from kinetune.signals.bands.pyramid import band_centres_hz


def test_at_30_frames_a_second_the_gains_are_those_of_the_table():
    assert preset_gains("subdued", 8, 30.0) == pytest.approx([0.5, 0.5, 0.5, 0.5, 0.6, 1.3, 1.3, 1.0])
    for gains in BAND_PRESETS.values():
        for hz, gain in gains.items():
            band = int(np.argmin(np.abs(band_hz(9, 30.0) - hz)))
            assert gains_at(gains, 9, 30.0)[band] == pytest.approx(gain)


@pytest.mark.parametrize(("fps", "octaves"), [(60.0, 1), (120.0, 2), (240.0, 3)])
def test_a_preset_acts_on_the_same_frequencies_at_any_rate(fps, octaves):
    for name in BAND_PRESETS:
        slow, fast = preset_gains(name, 7, 30.0), preset_gains(name, 7 + octaves, fps)
        # Band 0 is a high-pass whose peak is at half the rate; from band 1 on, centres agree.
        assert np.allclose(fast[octaves + 1 :], slow[1:])
        assert np.allclose(band_centres_hz(7 + octaves, fps)[octaves + 2 :], band_centres_hz(7, 30.0)[2:], rtol=0.02)


def test_odd_rates_lie_between():
    """25 frames a second: a quarter of an octave lower, so every gain lies between two neighbours of the table."""
    gains = preset_gains("anticipation", 7, 25.0)
    table = np.array([1.0, *preset_gains("anticipation", 8, 30.0)])
    shift = np.log2(25.0 / 30.0)
    for band, gain in enumerate(gains):
        below = int(np.floor(band - shift)) + 1
        assert min(table[below : below + 2]) - 1e-12 <= gain <= max(table[below : below + 2]) + 1e-12


def test_frequencies_that_the_paper_never_saw_are_left_alone():
    assert np.array_equal(preset_gains("nervous", 9, 240.0)[:2], [1.0, 1.0])


def test_the_papers_own_bands_are_in_the_presets():
    """[bruderlin] section 2.2: bands 2 to 4 up; band 0 up; bands 5 and 6 up; band 5 negative."""
    exaggerate, nervous, subdued, anticipation = (
        preset_gains(name, 7, 30.0) for name in ("exaggerate", "nervous", "subdued", "anticipation")
    )
    assert np.all(exaggerate[2:5] > 1)
    assert nervous[0] > 1
    assert np.all(subdued[5:7] > 1)
    assert anticipation[5] < 0


def test_every_preset_has_a_sentence():
    assert PRESET_DESCRIPTIONS.keys() == BAND_PRESETS.keys()
    assert all(words.endswith(".") for words in PRESET_DESCRIPTIONS.values())


def test_unknown_names_and_rates_are_told():
    with pytest.raises(UnknownNameError, match='Did you mean "nervous"'):
        preset_gains("nervus", 5, 30.0)
    with pytest.raises(ParameterError, match="fps must be"):
        preset_gains("nervous", 5, 0.0)
