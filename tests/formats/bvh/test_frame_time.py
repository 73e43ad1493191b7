import pytest

from kinetune.formats.bvh.motion_rows import BROADCAST_RATES, RATES, parse_frame_time, print_frame_time

MEANT = {
    ".0083333": 120,
    "0.008333": 120,
    "0.008334": 120,
    "0.0083": 120,
    "0.0333333": 30,
    ".03333": 30,
    "0.033": 30,
    "0.0334": 29.97,
    "0.033367": 29.97,
    "0.008342": 119.88,
    "0.041708": 23.976,
    "0.0417083333": 24000 / 1001,
    "0.041667": 24,
    "0.0417": 24,
    "0.04": 25,
    "0.025": 40,
    "0.008": 125,
    "0.016": 60,
    "0.017": 60,
    "0.013889": 72,
    "0.01": 100,
    "0,0333333": 30,
    "3.33333e-2": 30,
    "0.0078125": 128,
    "0.034482759": 29,
    "1": 1,
}


@pytest.mark.parametrize(("text", "fps"), MEANT.items())
def test_the_rate_that_is_meant(text, fps):
    found, doubts = parse_frame_time(text)
    assert found == pytest.approx(fps, rel=1e-12)
    assert doubts == ()


@pytest.mark.parametrize("fps", [*RATES, *BROADCAST_RATES])
@pytest.mark.parametrize("digits", [6, 7, 9, 12])
def test_usual_rates_survive_rounding_and_cutting(fps, digits):
    rounded = f"{1 / fps:.{digits}f}"
    cut = f"{1 / fps:.20f}"[: digits + 2]
    assert parse_frame_time(rounded)[0] == pytest.approx(fps, rel=2e-6)
    assert parse_frame_time(cut)[0] == pytest.approx(fps, rel=2e-6)


@pytest.mark.parametrize("text", ["0", "nan", "-0.1", "abc", "", None, "1e-300", "."])
def test_nonsense_is_a_guess_that_can_be_overridden(text):
    fps, (doubt,) = parse_frame_time(text)
    assert fps == 30
    assert (doubt.kind, doubt.override) == ("guessed-fps", "fps")


def test_a_rate_given_as_frame_time():
    fps, (doubt,) = parse_frame_time("120")
    assert fps == 120
    assert "frames per second" in doubt.message


@pytest.mark.parametrize("fps", [*RATES, *BROADCAST_RATES, 97.3, 1 / 3, 0.1, 33.333333, 24000 / 1001, 99_999.0])
def test_a_printed_frame_time_is_read_back(fps):
    assert parse_frame_time(print_frame_time(fps))[0] == fps
