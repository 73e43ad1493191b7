"""Commands that draw motion: draw strip, curves, bands, warp, shaping, displacement."""

import pytest
from PIL import Image

from tests.cli.conftest import told

WALK, SAD = "sample:walk", "sample:walk-sad"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("strip", WALK, "--before", SAD, "--poses", 4, "--view", "all"),
        ("curves", WALK, "--before", SAD, "--joint", "left foot", "--joint", "head", "--quantity", "height"),
        ("bands", WALK, "--joint", "left lower leg", "--gains", "1,1,1.5"),
        ("bands", WALK, "--joint", "left lower leg", "--preset", "exaggerate"),
        ("warp", WALK, SAD, "--joint", "left lower leg", "--cost", "sederberg"),
        ("shaping", WALK, "--joint", "left upper arm", "--curve", "cap(-0.5, 0.8)"),
        ("displacement", WALK, "--joint", "head", "--key", "90=20", "--key", "40=-12"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_picture_is_drawn(kinetune, folder, arguments):
    result = kinetune("draw", *arguments, "-o", "out.png")
    assert result.exit_code == 0, result.output
    assert result.stdout == "Drawn: out.png\n"
    picture = Image.open(folder / "out.png").convert("L")
    assert picture.getextrema()[0] < 128 < picture.getextrema()[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("strip", "no.bvh"), "no.bvh: there is no such file."),
        (("strip", WALK, "-o", "out.xyz"), 'out.xyz: pictures are written to .png, .svg or .pdf, not to ".xyz".'),
        (("bands", WALK, "--joint", "haed"), 'there is no joint "haed". Did you mean "Head"'),
        (("bands", WALK, "--joint", "head", "--gains", "1,loud"), '"1,loud" is not a list of numbers'),
        (
            ("bands", WALK, "--joint", "head", "--gains", "1", "--preset", "nervous"),
            "Give gains or a preset, not both.",
        ),
        (("bands", WALK, "--joint", "head", "--preset", "bold"), "bold"),
        (("warp", WALK, "walk.bvh"), "use clips of one skeleton"),
        (("shaping", WALK, "--joint", "head", "--curve", "nosuch"), 'no shaping curve "nosuch"'),
        (("displacement", WALK, "--joint", "head", "--key", "40"), '"40" is not FRAME=DEGREES'),
        (("displacement", WALK, "--joint", "head", "--key", "9000=3"), "but the clip has frames 0 to 401."),
    ],
)
def test_mistakes_are_told(kinetune, folder, arguments, words):
    result = kinetune("draw", *arguments, *(() if "-o" in arguments else ("-o", "out.png")))
    assert words in told(result)
    assert not (folder / "out.png").exists()
