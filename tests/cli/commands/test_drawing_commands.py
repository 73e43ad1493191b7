"""Commands for drawings: morph, inbetween, gait, contour info."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli.conftest import Kinetune, told
from tests.contours.reading.lottie_files import moving_square

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path id="a" d="M4 4H20V20H4Z"/></svg>'
RING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><path id="b" fill="#a00" '
    'd="M50 10 A40 40 0 1 1 49.9 10 Z M50 40 A10 10 0 1 0 50.1 40 Z"/></svg>'
)
KNOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
    '<path fill-rule="evenodd" d="M4 4L20 20V4L4 20Z"/></svg>'
)


@pytest.fixture
def drawings(folder: Path) -> Path:
    (folder / "square.svg").write_text(SQUARE)
    (folder / "ring.svg").write_text(RING)
    (folder / "knot.svg").write_text(KNOT)
    return folder


@pytest.mark.parametrize("suffix", ["gif", "svg", "json", "png", "mp4"])
def test_a_morph_in_every_kind_of_file(kinetune: Kinetune, drawings: Path, suffix: str) -> None:
    result = kinetune("morph", "square.svg", "ring.svg", "-o", f"out.{suffix}", "--frames", 5, "--height", 40)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"out.{suffix}: 5 drawings at 24 a second.\n"
    assert result.stderr == ""
    assert (drawings / f"out.{suffix}").stat().st_size > 200


def test_a_film_has_its_frames_and_comes_back(kinetune: Kinetune, drawings: Path) -> None:
    kinetune(
        "morph", "square.svg", "ring.svg", "-o", "out.gif", "--frames", 5, "--height", 40, "--fps", 10, "--and-back"
    )
    with Image.open(drawings / "out.gif") as film:
        assert film.n_frames == 8
        assert film.info["duration"] == 100
    shown = (drawings / "square.svg").read_text()
    assert shown == SQUARE


def test_the_report_for_programs(kinetune: Kinetune, drawings: Path) -> None:
    result = kinetune("morph", "knot.svg", "ring.svg", "-o", "out.svg", "--frames", 4, "--json")
    report = json.loads(result.stdout)
    assert report["frames"] == 4
    assert report["method"] == "safe"
    assert report["layers"][0]["how"]
    assert "crosses itself" in report["notes"][0]
    plain = kinetune("morph", "knot.svg", "ring.svg", "-o", "out.svg", "--frames", 4)
    assert "crosses itself" in plain.stdout


@pytest.mark.slow
def test_options_reach_the_morph(kinetune: Kinetune, drawings: Path) -> None:
    def report(*options: str) -> dict[str, object]:
        result = kinetune("morph", "square.svg", "ring.svg", "-o", "out.svg", "--frames", 4, "--json", *options)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    assert report("--preset", "jelly")["method"] == "physical"
    assert report("--method", "linear", "--coefficients", "16")["method"] == "linear"
    pairs = [(layer["a"], layer["b"]) for layer in report("--map", "a=")["layers"]]  # type: ignore[union-attr,index]
    assert pairs == [("a", None), (None, "b")]
    assert report("--map", "a=b", "--pin", "4,4=50,10", "--resolution", "16", "--ease", "smooth", "--even")
    assert report("--method", "schedule", "--wavelet", "coif2", "--extras", "partner", "--match", "order")


@pytest.mark.slow
def test_a_physical_film_lasts_until_it_rests(kinetune: Kinetune, drawings: Path) -> None:
    def frames(*options: str) -> int:
        result = kinetune("morph", "square.svg", "ring.svg", "-o", "out.svg", "--json", *options)
        assert result.exit_code == 0, result.output
        return int(json.loads(result.stdout)["frames"])

    assert frames() == 24
    assert frames("--preset", "jelly") == 28  # 1.106 s at 24 a second, and the first
    assert frames("--seconds", "0.5", "--fps", "10") == 6
    assert frames("--preset", "wobbly", "--frames", "7") == 7


@pytest.mark.slow
def test_several_keys_become_a_film(kinetune: Kinetune, folder: Path) -> None:
    keys = ("sample:face-happy", "sample:face-sad", "sample:face-happy")
    result = kinetune(
        "inbetween", *keys, "-o", "mood.gif", "--frames", 7, "--height", 40, "--times", "0,1,3", "--tension", "0,1,0",
        "--continuity", "-1", "--ends", "zero",
    )  # fmt: skip
    assert result.stdout == "mood.gif: 7 drawings at 24 a second.\n"
    with Image.open(folder / "mood.gif") as film:
        assert film.n_frames == 7
    assert json.loads(kinetune("inbetween", *keys, "-o", "mood.svg", "--json").stdout)["keys"] == 3


def test_a_morph_has_the_timing_of_animators(kinetune: Kinetune, drawings: Path) -> None:
    result = kinetune(
        "morph", "square.svg", "ring.svg", "square.svg", "-o", "film.gif", "--frames", 6, "--times", "0,1,3", "--on", 2,
        "--hold", "1,0,2", "--ease", "cubic-bezier(.3,0,.2,1)", "--ease", "back", "--even", "--height", 30,
    )  # fmt: skip
    assert result.stdout.startswith("film.gif: 9 drawings")


def test_what_a_file_holds_and_a_drawing_does_not_is_one_warning(kinetune: Kinetune, drawings: Path) -> None:
    text = RING.replace("</svg>", '<text y="9">a</text><image href="a.png"/></svg>')
    (drawings / "label.svg").write_text(text)
    result = kinetune("morph", "label.svg", "square.svg", "-o", "film.svg", "--frames", 2, "--json")
    assert [line for line in result.stderr.splitlines() if "label.svg" in line] == [
        "kinetune: label.svg: text is not drawn: turn it into paths first; pictures inside the drawing are not drawn."
    ]
    assert json.loads(result.stdout)["frames"] == 2


def test_a_frame_of_a_lottie_file_and_a_picture_are_drawings(kinetune: Kinetune, drawings: Path) -> None:
    (drawings / "film.json").write_text(json.dumps(moving_square()))
    Image.fromarray(np.where(np.eye(16) + np.eye(16)[::-1] > 0, 0, 255).astype(np.uint8)).resize((64, 64)).save(
        drawings / "cross.png"
    )
    film = kinetune("morph", "film.json#12", "cross.png", "-o", "a.gif", "--frames", 3, "--even", "--height", 20)
    assert film.stdout.startswith("a.gif: 3 drawings")
    keys = kinetune("inbetween", "film.json", "-o", "b.gif", "--frames", 4, "--even", "--height", 20)
    assert keys.stdout.startswith("b.gif: 4 drawings")
    assert "is not the number of a frame" in kinetune("morph", "film.json#x", "cross.png", "-o", "a.gif").output


@pytest.mark.slow
def test_a_walking_dog(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune(
        "gait", "sample:dog-1", "sample:dog-2", "-o", "walk.gif", "--frames", 8, "--height", 40, "--cycles", 2
    )
    assert result.stdout == "walk.gif: 16 drawings at 24 a second.\n"
    with Image.open(folder / "walk.gif") as film:
        assert film.n_frames == 16
    result = kinetune(
        "gait", "sample:dog-1", "sample:dog-2", "-o", "walk.svg", "--like", "sample:walk", "--fps", 4,
        "--method", "linear", "--gamma-a", "-0.5", "--gamma-b", "0.5", "--pair", "near hind leg=far hind leg", "--json",
    )  # fmt: skip
    assert json.loads(result.stdout)["frames"] > 20


def test_what_is_in_a_drawing(kinetune: Kinetune, drawings: Path) -> None:
    result = kinetune("contour", "info", "ring.svg")
    assert result.exit_code == 0, result.output
    assert "page    100 x 100 from (0, 0)" in result.stdout
    found = json.loads(kinetune("contour", "info", "ring.svg", "--json").stdout)
    assert found["view_box"] == [0, 0, 100, 100]
    (layer,) = found["layers"]
    assert (layer["name"], layer["curves"], layer["holes"], layer["open"], layer["fill"]) == ("b", 2, 1, 0, "#aa0000")
    assert layer["area"] == pytest.approx(3.14159 * (1600 - 100), rel=0.01)
    assert "crosses itself" in kinetune("contour", "info", "knot.svg").stdout
    assert "near hind leg" in kinetune("contour", "info", "sample:dog-1").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("morph", "no.svg", "ring.svg", "-o", "out.gif"), "no.svg: there is no such file."),
        (("morph", "walk.bvh", "ring.svg", "-o", "out.gif"), "walk.bvh:"),
        (("morph", "sample:cow", "ring.svg", "-o", "out.gif"), 'there is no drawing "cow".'),
        (("morph", "square.svg", "ring.svg", "-o", "out.xyz"), "out.xyz: drawings are not written"),
        (("morph", "square.svg", "ring.svg", "-o", "no/out.gif"), "no"),
        (
            ("morph", "square.svg", "ring.svg", "-o", "ring.svg"),
            "ring.svg: the result would replace the file that is read.",
        ),
        (("morph", "square.svg", "ring.svg", "-o", "out.gif", "--frames", "1"), "frames must be a whole number"),
        (
            ("morph", "square.svg", "ring.svg", "-o", "out.gif", "--map", "x=b"),
            'there is no layer of the first drawing "x".',
        ),
        (
            ("morph", "square.svg", "ring.svg", "-o", "out.gif", "--pin", "900,1=50,10"),
            "The pin (900, 1) lies on no curve",
        ),
        (("morph", "square.svg", "ring.svg", "-o", "out.gif", "--preset", "stone"), 'there is no preset "stone".'),
        (("morph", "square.svg", "ring.svg", "-o", "out.gif", "--frames", "0"), "frames must be a whole number"),
        (("morph", "square.svg", "ring.svg", "-o", "out.gif", "--fps", "0"), "fps must lie between 0 and 1000"),
        (("morph", "square.svg", "ring.svg", "-o", "out.gif", "--seconds", "-1"), "seconds must be above 0"),
        (("inbetween", "square.svg", "-o", "out.gif"), "Frames are drawn between two or more key drawings"),
        (("inbetween", "square.svg", "ring.svg", "-o", "out.gif", "--bias", "1,2,3"), "bias must be one number"),
        (("inbetween", "square.svg", "ring.svg", "-o", "out.gif", "--times", "1,0"), "times must be 2 growing"),
        (("gait", "square.svg", "ring.svg", "-o", "out.gif"), "The drawing has no legs that can be recognised"),
        (
            ("gait", "sample:dog-1", "sample:dog-2", "-o", "out.gif", "--gamma-a", "-3"),
            "gamma_a must lie between -1 and 1",
        ),
        (
            ("gait", "sample:dog-1", "sample:dog-2", "-o", "out.gif", "--like", "sample:wave"),
            "The left foot of the clip lands",
        ),
        (("contour", "info", "no.svg"), "no.svg: there is no such file."),
    ],
)
def test_mistakes_are_one_sentence(kinetune: Kinetune, drawings: Path, arguments: tuple[str, ...], words: str) -> None:
    before = sorted(path.name for path in drawings.iterdir())
    assert told(kinetune(*arguments)).startswith(words)
    assert sorted(path.name for path in drawings.iterdir()) == before
    assert (drawings / "ring.svg").read_text() == RING


@pytest.mark.parametrize(
    "arguments",
    [
        ("morph", "square.svg", "ring.svg"),
        ("morph", "square.svg", "ring.svg", "-o", "x.gif", "--pin", "1,2"),
        ("morph", "square.svg", "ring.svg", "-o", "x.gif", "--map", "ab"),
        ("morph", "square.svg", "ring.svg", "-o", "x.gif", "--method", "magic"),
        ("morph", "square.svg", "ring.svg", "-o", "x.gif", "--method", "linear", "--preset", "jelly"),
        ("inbetween", "square.svg", "ring.svg", "-o", "x.gif", "--tension", "much"),
        ("gait", "sample:dog-1", "-o", "x.gif", "--morph"),
        ("morph", "sample:dog-1", "sample:dog-2", "-o", "x.gif", "--hold", "1.5"),
        ("morph", "sample:dog-1", "sample:dog-2", "-o", "x.gif", "--offset", "tail=late"),
        ("contour", "show", "square.svg"),
    ],
)
def test_wrong_usage_exits_with_two(kinetune: Kinetune, drawings: Path, arguments: tuple[str, ...]) -> None:
    assert kinetune(*arguments).exit_code == 2


def test_force_lets_a_key_be_replaced(kinetune: Kinetune, drawings: Path) -> None:
    assert kinetune("morph", "square.svg", "ring.svg", "-o", "ring.svg", "--frames", 3, "--force").exit_code == 0
    assert "<animate" in (drawings / "ring.svg").read_text() or "<g" in (drawings / "ring.svg").read_text()
