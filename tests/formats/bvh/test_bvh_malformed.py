"""Bad BVH files: one sentence that says where and what to do, in bounded time and memory."""

import tracemalloc

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import FileError
from tests.formats.bvh.bvh_text import SMALL


def write(tmp_path, text):
    path = tmp_path / "walk.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problem_of(tmp_path, text, **options):
    with pytest.raises(FileError) as caught:
        kt.read(write(tmp_path, text), **options)
    sentence = str(caught.value)
    assert "walk.bvh" in sentence
    assert "\n" not in sentence
    return sentence.replace(str(tmp_path) + "/", "")


def attempt(path, **options):
    """(the sentence, None) or (None, the clip)."""
    try:
        return None, kt.read(path, **options)
    except FileError as error:
        return str(error), None


def test_a_line_that_is_cut_off(tmp_path):
    cut = SMALL[: SMALL.rindex(" 43.50")]
    assert problem_of(tmp_path, cut) == (
        "walk.bvh:30: frame 2 has 10 numbers but the hierarchy declares 12 channels. Is the last line cut off? "
        "Read it with partial=True (--partial) to keep frames 0-1."
    )
    clip = kt.read(write(tmp_path, cut), partial=True)
    assert len(clip) == 2
    assert any("Only frames 0-1 are kept" in f.message for f in clip.source.findings)


def test_a_row_that_is_short_or_long_in_the_middle(tmp_path):
    short = problem_of(tmp_path, SMALL.replace(" 7.67 43.61", " 7.67"))
    assert short.startswith("walk.bvh:29: frame 1 has 11 numbers but the hierarchy declares 12 channels. Correct")
    assert short.endswith("or read it with partial=True (--partial) to keep frame 0.")
    long = problem_of(tmp_path, SMALL.replace(" 7.67 43.61", " 7.67 43.61 5 6 7"))
    assert "frame 1 has 15 numbers" in long
    assert len(kt.read(write(tmp_path, SMALL.replace(" 7.67 43.61", " 7.67")), partial=True)) == 1


def test_every_row_is_short(tmp_path):
    text = SMALL.replace("43.80 0.00", "43.80").replace("43.61 0.00", "43.61").replace("43.50 -0.00", "43.50")
    assert "frame 0 has 11 numbers but the hierarchy declares 12 channels" in problem_of(tmp_path, text)


def test_one_line_that_is_cut_off(tmp_path):
    text = " ".join(SMALL.split())
    cut = text[: text.rindex(" 43.50")]
    assert "frame 2 has 10 numbers" in problem_of(tmp_path, cut)
    assert len(kt.read(write(tmp_path, cut), partial=True)) == 2


@pytest.mark.parametrize("word", ["nan", "-nan(ind)", "1.#QNAN", "inf", "1e999", "abc"])
def test_what_is_not_a_number_is_named(tmp_path, word):
    text = SMALL.replace("43.61", word)
    assert problem_of(tmp_path, text) == (
        f'walk.bvh:29: frame 1: Xrotation of joint "Leg" is "{word}", which is not a number. Correct that line, or '
        "read it with partial=True (--partial) to keep frame 0."
    )
    assert len(kt.read(write(tmp_path, text), partial=True)) == 1


def test_a_bad_value_in_the_first_frame_leaves_nothing_to_keep(tmp_path):
    sentence = problem_of(tmp_path, SMALL.replace("14.78", "nan"), partial=True)
    assert "frame 0: Xrotation" in sentence
    assert "partial" not in sentence


def test_no_rows_of_motion(tmp_path):
    head = SMALL[: SMALL.index("8.03")]
    assert "declares 3 frames but has no rows" in problem_of(tmp_path, head)
    clip = kt.read(write(tmp_path, head), partial=True)
    assert len(clip) == 1
    assert "before the word MOTION" in problem_of(tmp_path, SMALL[: SMALL.index("MOTION")])
    assert "no rows of motion" in problem_of(tmp_path, SMALL[: SMALL.index("Frames")])


@pytest.mark.parametrize("end", range(5, len(SMALL) - 1, 7))
def test_a_file_cut_anywhere_reads_or_explains(tmp_path, end):
    path = write(tmp_path, SMALL[:end])
    for partial in (False, True):
        sentence, clip = attempt(path, partial=partial)
        assert clip is None or np.isfinite(clip.positions()).all()
        assert sentence is None or "walk.bvh" in sentence


def test_an_offset_that_is_no_number(tmp_path):
    sentence = problem_of(tmp_path, SMALL.replace("OFFSET 3.91 -8.00 0.00", "OFFSET 3.91 nan 0.00"))
    assert sentence.startswith(
        'walk.bvh:17: the OFFSET of joint "Leg" is "3.91 nan 0.00", not three numbers of sensible size.'
    )


@pytest.mark.parametrize(
    "data", [b"\x00", b"x", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50, b"\xff\xfe", b"{}{}{}", b"MOTION"]
)
def test_other_files_are_recognized_as_such(tmp_path, data):
    assert "HIERARCHY" in problem_of(tmp_path, data)


def test_random_bytes_never_do_harm(tmp_path):
    rng = np.random.default_rng(0)
    for size in (10, 1000, 100_000):
        problem_of(tmp_path, rng.integers(0, 256, size, dtype=np.uint8).tobytes())
    for _ in range(150):
        data = bytearray(SMALL.encode())
        for place in rng.integers(0, len(data), 6):
            data[place] = rng.integers(0, 256)
        sentence, _ = attempt(write(tmp_path, bytes(data)))
        assert sentence is None or "walk.bvh" in sentence


def test_a_hierarchy_without_joints(tmp_path):
    assert "no joints" in problem_of(tmp_path, "HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 0.1\n1\n")


def test_a_hierarchy_that_makes_no_sense(tmp_path):
    assert "make no sense" in problem_of(tmp_path, "HIERARCHY\n" + "lorem ipsum dolor\n" * 50 + SMALL[10:])


def test_a_promise_of_a_billion_frames_takes_no_memory(tmp_path):
    path = write(tmp_path, SMALL.replace("Frames: 3", "Frames: 1000000000"))
    kt.read(path)
    tracemalloc.start()
    clip = kt.read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(clip) == 3
    assert peak < 20_000_000


@pytest.mark.slow
def test_a_huge_hierarchy_is_refused(tmp_path):
    joint = "JOINT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n"
    text = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\n" + joint * 25_000 + "}\nMOTION\nFrames: 0\n"
    assert "more than 10000 joints" in problem_of(tmp_path, text)


@pytest.mark.slow
def test_a_header_without_end_is_refused(tmp_path):
    assert "no MOTION" in problem_of(tmp_path, "HIERARCHY\nROOT r\n{\n" + " " * (17 << 20))
    assert "not a BVH" in problem_of(tmp_path, "x" * (17 << 20))


@pytest.mark.parametrize("number", ["1e12", "-1e300"])
def test_positions_beyond_all_reason_are_refused(tmp_path, number):
    text = SMALL.replace("8.03", number)
    assert text != SMALL
    assert "far too large" in problem_of(tmp_path, text)
    offset = SMALL.replace("OFFSET 3.91", f"OFFSET {number}")
    assert "not three numbers of sensible size" in problem_of(tmp_path, offset)


def test_angles_beyond_all_reason_still_turn(tmp_path):
    clip = kt.read(write(tmp_path, SMALL.replace("43.61", "1e300")))
    assert np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1).max() < 1e-12
