"""A user's mistake: exit code 1, one sentence on standard error, nothing left behind."""

import os
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Kinetune, told
from tests.made_up import SMALL_BVH

RECIPES = {
    "tag.yaml": ("steps: !!python/object/apply:os.system ['touch pwned']", "tag.yaml:1: the tag !!python/object"),
    "typo.yaml": (
        "steps:\n  - op: nudge_it\n  - op: smoothe\n",
        'typo.yaml, step 2: there is no operation "smoothe". Did you mean "smooth"',
    ),
    "knob.yaml": (
        "steps: [{op: nudge_it, amount: 99}]",
        "knob.yaml, step 1: nudge_it: amount is 99, but it must be at most 10",
    ),
    "joint.yaml": ("steps: [{op: nudge_it, joints: Spin}]", 'joint.yaml, step 1: there is no joint "Spin"'),
    "input.yaml": (
        "steps: [{op: mingle, other: sad}]",
        'input.yaml: it needs the clip "sad". Give it with --input sad=',
    ),
    "broken.yaml": ("steps: [", "broken.yaml:"),
    "binary.yaml": ("\x00\x01", "binary.yaml: this is not valid YAML"),
    "list.yaml": ("- 1", "list.yaml: a recipe is a mapping"),
}


@pytest.mark.parametrize("name", list(RECIPES))
def test_a_bad_recipe(kinetune: Kinetune, folder: Path, name: str) -> None:
    text, words = RECIPES[name]
    (folder / name).write_text(text)
    assert told(kinetune("apply", name, "walk.bvh", "-o", "out.npz")).startswith(words)
    assert sorted(p.name for p in folder.iterdir()) == sorted([name, "walk.bvh"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("info", "no.bvh"), "no.bvh: "),
        (("info", "."), ".: "),
        (("info", "walk.xyz"), "walk.xyz: "),
        (("doctor", "no.bvh"), "no.bvh: "),
        (("measure", "walk.bvh", "no.bvh"), "no.bvh: "),
        (("convert", "walk.bvh", "out.xyz"), "out.xyz: "),
        (("convert", "walk.bvh", "no/folder/out.npz"), os.path.join("no", "folder", "out.npz") + ": "),
        (("convert", "walk.bvh", "walk.bvh"), "walk.bvh: the result would replace the file that is read."),
        (("convert", "walk.bvh", "out"), "out: the name has no suffix, which chooses the format. Writable are .bvh "),
        (("info", "out"), "out: there is no such file."),
        (("turn", "walk.bvh", "90", "-o", "out.bvh"), "90: there is no such file. Is it the value of an option?"),
        (("convert", "walk.bvh", "."), ".: "),
        (("convert", "sample:walk", "walk.bvh/out.npz"), os.path.join("walk.bvh", "out.npz") + ": "),
        (("apply", "no.yaml", "walk.bvh", "-o", "out.npz"), "no.yaml: there is no such file."),
        (("info", "walk.bvh", "--unit", "parsec"), '"parsec" is not a unit.'),
        (("info", "walk.bvh", "--up", "w"), '"w" is not an up axis.'),
        (("samples", "walk", "-o", "no/folder/out.npz"), os.path.join("no", "folder", "out.npz") + ": "),
    ],
)
def test_a_bad_file_or_option(kinetune: Kinetune, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    before = (folder / "walk.bvh").read_bytes()
    if "walk.xyz" in arguments:
        (folder / "walk.xyz").write_text("?")
    assert told(kinetune(*arguments)).startswith(words)
    assert (folder / "walk.bvh").read_bytes() == before
    assert {p.name for p in folder.iterdir()} <= {"walk.bvh", "walk.xyz"}


@pytest.mark.parametrize(
    "text",
    ["", "HIERARCHY", SMALL_BVH[:400], SMALL_BVH[:-20], SMALL_BVH.replace("Frames: 6", "Frames: 1000000000"),
     SMALL_BVH.replace("1 90 0", "nan 90 0"), "PK\x03\x04garbage"],
    ids=["empty", "header", "cut hierarchy", "cut frame", "a billion frames", "not a number", "binary"],
)  # fmt: skip
def test_a_bad_motion_file(kinetune: Kinetune, folder: Path, text: str) -> None:
    (folder / "bad.bvh").write_text(text)
    result = kinetune("smooth", "bad.bvh", "-o", "out.npz")
    if result.exit_code == 0:  # some of these are mended on reading, and then doctor says so
        assert "Repaired" in kinetune("doctor", "bad.bvh").stdout
    else:
        assert told(result).startswith("bad.bvh")
        assert not (folder / "out.npz").exists()


def test_arrays_that_would_run_code(kinetune: Kinetune, folder: Path) -> None:
    np.savez(folder / "evil.npz", rotations=np.array([{"a": 1}], dtype=object))
    assert told(kinetune("info", "evil.npz")).startswith("evil.npz: ")


@pytest.mark.slow
def test_a_hierarchy_of_a_thousand_levels(kinetune: Kinetune, folder: Path) -> None:
    levels = 1000
    joints = "".join(f"JOINT j{i} {{ OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation\n" for i in range(levels))
    head = "HIERARCHY\nROOT r { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation\n"
    motion = "MOTION\nFrames: 1\nFrame Time: 0.01\n" + " ".join(["0"] * 3 * (levels + 1)) + "\n"
    (folder / "deep.bvh").write_text(head + joints + "}" * (levels + 1) + "\n" + motion)
    result = kinetune("convert", "deep.bvh", "deep.npz")
    assert result.exit_code == 0 or told(result).startswith("deep.bvh")


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="the super-user may write anywhere")
def test_a_folder_that_may_not_be_written(kinetune: Kinetune, folder: Path) -> None:
    (folder / "locked").mkdir(mode=0o500)
    assert told(kinetune("convert", "walk.bvh", "locked/out.npz")).startswith("locked/out.npz: ")


def test_an_input_option_that_is_no_pair_is_wrong_usage(kinetune: Kinetune, folder: Path) -> None:
    (folder / "r.yaml").write_text("steps: []")
    assert kinetune("apply", "r.yaml", "walk.bvh", "-o", "o.npz", "--input", "sad").exit_code == 2


def test_force_allows_the_source_to_be_replaced(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("nudge-it", "walk.bvh", "-o", "walk.bvh", "--amount", "1", "--force")
    assert result.exit_code == 0, result.output


def test_debug_shows_where_it_happened(kinetune: Kinetune, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETUNE_DEBUG", "1")
    result = kinetune("info", "no.bvh")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("kinetune: no.bvh: ")


def test_ctrl_c_stops_quietly(kinetune: Kinetune, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kinetune.runs.run", interrupt)
    result = kinetune("convert", "walk.bvh", "out.npz")
    assert result.exit_code == 130
    assert result.stderr == "kinetune: stopped.\n"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device", "out.npz"), "out.npz: no space left on device."),
        (MemoryError(), "there is not enough memory for this."),
    ],
)
def test_the_machine_gives_up(
    kinetune: Kinetune, folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("kinetune.runs.run", fail)
    assert told(kinetune("convert", "walk.bvh", "out.npz")).startswith(words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("walk.bvh",), "walk.bvh is a file. Say what to do with it, as in: kinetune info walk.bvh"),
        (("apply", "walk.bvh", "larger.yaml", "-o", "out.bvh"), "The recipe comes first, then the motion"),
        (("turn", "-o", "out.bvh"), "IN is missing: the motion to edit"),
        (("physics",), "FILE is missing: a motion file"),
        (("--verison",), "There is no option --verison. Did you mean --version?"),
    ],
)
def test_a_command_given_the_wrong_way_round(
    kinetune: Kinetune, folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = kinetune(*arguments)
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.replace("│", " ").split())


def test_no_python_in_a_message(kinetune: Kinetune, folder: Path) -> None:
    whole = (folder / "walk.bvh").read_text()
    (folder / "cut.bvh").write_text(whole.rstrip().rpartition(" ")[0])
    assert "Read it with --partial to" in told(kinetune("info", "cut.bvh"))
    assert told(kinetune("convert", "walk.bvh", "walk.bvh")).endswith("allow it with --force.")
