import io
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.formats.text import number_text
from kinetune.formats.text.number_text import parse_numbers, print_numbers


@pytest.fixture(params=["never", "always"], ids=["python", "compiled"])
def body(request, monkeypatch):
    monkeypatch.setenv("KINETUNE_COMPILED", request.param)
    return request.param


def parse(text, width=3, expected=None):
    data = text.encode() if isinstance(text, str) else text
    return parse_numbers(io.BytesIO(data), len(data), width, expected)


def same_bits(a, b):
    return np.array_equal(np.asarray(a, float).view(np.uint64), np.asarray(b, float).view(np.uint64))


def percent(values, decimals, newline="\n"):
    form = f"%.{decimals}f"
    return "".join(" ".join(form % v for v in row) + newline for row in values.tolist()).encode()


# Reading


@pytest.mark.parametrize("decimals", [0, 1, 2, 4, 6, 7, 8, 9, 12, 17, 20])
def test_fixed_decimals_are_read_like_float(body, decimals):
    values = np.random.default_rng(decimals).uniform(-400, 400, 3000)
    words = [f"{v:.{decimals}f}" for v in values]
    parsed = parse(" ".join(words))
    assert same_bits(parsed.values, [float(w) for w in words])
    assert parsed.decimals == decimals


@pytest.mark.parametrize("form", ["%r", "%.17g", "%.18e", "%g", "%e", "%.25f"])
def test_all_shapes_are_read_like_float(body, form):
    dice = random.Random(1)
    words = [form % (dice.gauss(0, 1) * 10.0 ** dice.randint(-30, 30)) for _ in range(3000)]
    assert same_bits(parse(" ".join(words)).values, [float(w) for w in words])


def test_every_power_of_ten_is_read_like_float(body):
    dice = random.Random(2)
    words = [f"{dice.getrandbits(60)}e{q}" for q in range(-350, 285) for _ in range(4)]
    words += ["2.4703282292062327e-324", "2.4703282292062328e-324", "4.9e-324", "2.2250738585072011e-308"]
    words += ["1.7976931348623157e308", "9007199254740993", "9007199254740992.99999999999999999999", "0e999", "1e-999"]
    assert same_bits(parse(" ".join(words)).values, [float(w) for w in words])


def test_halfway_cases_are_rounded_like_float(body):
    words = []
    for shift in range(1, 60):
        for odd in (2**53 + 1, 2**53 + 3, 2**54 - 1):
            words += [str(odd * 2**shift), f"{odd * 5**shift}e-{shift}" if shift < 5 else "0"]
    for k in range(200):  # one digit above and below a tie
        words += [f"{2**53 + 2 * k + 1}.{'0' * 20}{digit}" for digit in "01"]
    assert same_bits(parse(" ".join(words)).values, [float(w) for w in words])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60))
def test_any_double_survives_its_own_text(numbers):
    text = " ".join(map(repr, numbers))
    with pytest.MonkeyPatch.context() as patch:
        for choice in ("never", "always"):
            patch.setenv("KINETUNE_COMPILED", choice)
            assert same_bits(parse(text).values, numbers)


def test_blanks_of_every_kind(body):
    parsed = parse(b"\t1.5\r\n  -2\x0b\x0c+3.\x00.5\n\n\x1a")
    assert parsed.values.tolist() == [1.5, -2.0, 3.0, 0.5]
    assert parsed.bad is None


def test_numbers_that_touch_are_told_apart_by_their_signs(body):
    parsed = parse("0.0 0.0 0.0-7.5094748 1e-3-2 3+4\n")
    assert parsed.values.tolist() == [0.0, 0.0, 0.0, -7.5094748, 1e-3, -2.0, 3.0, 4.0]
    assert parsed.glued == 3


@pytest.mark.parametrize(
    "word", ["nan", "inf", "-inf", "1e999", "-", ".", "1e", "1e+", "1.2.3", "abc", "1_0", "0x10", "1-", "--1", "1,5"]
)
def test_what_is_no_number_is_found(body, word):
    parsed = parse(f"1.0 2.0\n3.0 {word} 5.0\n")
    assert parsed.bad == len("1.0 2.0\n3.0 ")
    assert parsed.values.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.slow
def test_a_bad_word_late_in_a_long_text_is_found(body):
    text = "1.250000 " * 100_000 + "1.2x0000 " + "1.250000 " * 10
    parsed = parse(text, width=100_011)
    assert parsed.bad == 900_000
    assert len(parsed.values) == 100_000


@pytest.mark.parametrize("text", ["1 2 3\n4 5 6\n", "1 2 3\r\n\r\n4 5 6", "\n\n1 2 3 \n", "1 2\n3\n4 5 6\n", ""])
def test_regular_rows(body, text):
    assert not parse(text).irregular


@pytest.mark.parametrize("text", ["1 2 3\n4 5\n", "1 2 3 4 5 6\n", "1 2\n3 4 5\n6\n", "1 2 3\n4"])
def test_irregular_rows(body, text):
    assert parse(text).irregular


@pytest.mark.parametrize("chunk", [256, 300, 511, 1000, 4096, 5000])
def test_the_size_of_chunks_does_not_matter(monkeypatch, chunk):
    monkeypatch.setenv("KINETUNE_COMPILED", "always")
    words = [f"{v:.6f}" for v in np.random.default_rng(3).uniform(-200, 200, 4000)]
    words[500] = "1.5e-3"
    words[3999] = "7"
    text = "\n".join(" ".join(words[k : k + 40]) for k in range(0, 4000, 40))
    monkeypatch.setattr(number_text, "CHUNK", chunk)
    parsed = parse(text, width=40)
    assert same_bits(parsed.values, [float(w) for w in words])
    assert not parsed.irregular


@pytest.mark.parametrize("expected", [None, 0, 5, 10**9, 10**15])
def test_memory_is_bound_by_the_bytes_and_not_by_a_promise(body, expected):
    parsed = parse("1 2 3\n" * 500, expected=expected)
    assert len(parsed.values) == 1500
    assert parsed.values.base is None or parsed.values.base.nbytes < 10**6


def test_a_word_without_end_is_bad(body):
    assert parse(b"1 2 3\n" + b"x" * 2_000_000).bad == 6


@pytest.mark.parametrize(
    ("word", "decimals"),
    [("1", 0), ("1.", 0), ("-.50", 2), ("1.5e-3", 4), ("1.5e1", 0), ("1e3", 0), ("1e-40", 0), ("1.25358e-05", 10)],
)
def test_decimals_of_a_number(body, word, decimals):
    assert parse(word).decimals == decimals


def test_minus_zero_stays(body):
    assert np.signbit(parse("-0.000000 0.000000 -0").values).tolist() == [True, False, True]


# Printing


@pytest.mark.parametrize("decimals", range(18))
def test_printing_is_what_percent_prints(body, decimals):
    rng = np.random.default_rng(decimals)
    shape = (40, 25)
    for values in (
        rng.uniform(-400, 400, shape),
        rng.standard_normal(shape) * 10.0 ** rng.integers(-20, 15, shape),
        np.ldexp(rng.random(shape), rng.integers(-1070, 52, shape)),
        np.linspace(-2e-6, 2e-6, 1000).reshape(shape),
    ):
        assert bytes(print_numbers(values, decimals)) == percent(values, decimals)


@pytest.mark.parametrize("decimals", range(18))
def test_ties_are_rounded_to_even_as_percent_does(body, decimals):
    rng = np.random.default_rng(decimals)
    halves = rng.integers(-4000, 4000, (50, 20)) + 0.5
    binary = rng.integers(-99_999, 99_999, (50, 20)) / 2.0 ** rng.integers(1, 19, (50, 20))
    close = (2 * rng.integers(-(10**6), 10**6, (50, 20)) + 1) / (2 * 10.0**decimals)
    for values in (halves, binary, close):
        assert bytes(print_numbers(values, decimals)) == percent(values, decimals)


def test_ties_exist_and_go_both_ways(body):
    values = np.array([[0.5, 1.5, 2.5, -0.5, -1.5]])
    assert bytes(print_numbers(values, 0)) == b"0 2 2 -0 -2\n"
    assert bytes(print_numbers(values / 4, 2)) == b"0.12 0.38 0.62 -0.12 -0.38\n"


def test_special_numbers(body):
    largest = np.nextafter(2.0**53, 0)
    values = np.array([[0.0, -0.0, 5e-324, -1e-9, 0.9999999, 999.9999999, 9999999.5, largest, -largest]])
    for decimals in (0, 3, 6, 17):
        assert bytes(print_numbers(values, decimals)) == percent(values, decimals)
    huge = np.array([[1e300, -1e22]])
    assert bytes(print_numbers(huge, 3)) == percent(huge, 3)


def test_line_ends_and_no_columns(body):
    assert bytes(print_numbers(np.ones((2, 2)), 1, "\r\n")) == b"1.0 1.0\r\n1.0 1.0\r\n"
    assert bytes(print_numbers(np.ones((2, 0)), 1)) == b"\n\n"


@settings(max_examples=50)
@given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=50), st.integers(0, 17))
def test_both_bodies_print_alike(numbers, decimals):
    values = np.array([numbers])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETUNE_COMPILED", "always")
        assert bytes(print_numbers(values, decimals)) == percent(values, decimals)
