"""Which files are found, and where their results go."""

import os
from pathlib import Path

import pytest

from kinetune.batch.jobs import find_sources, lay_out
from kinetune.errors import FileError, ParameterError, UnknownFormatError
from kinetune.recipes.sources import is_pattern


def _names(folder: Path, *patterns: str, outside: Path | None = None) -> list[str]:
    found = find_sources([str(folder / pattern) for pattern in patterns], outside=outside)
    return [path.relative_to(folder).as_posix() for path, _ in found.files]


def test_two_stars_search_all_folders(clips: Path) -> None:
    assert _names(clips, "**/*.bvh") == ["four.bvh", "a/one.bvh", "a/two.bvh", "b/broken.bvh", "b/deep/three.bvh"]
    assert _names(clips, "*.bvh") == ["four.bvh"]
    assert _names(clips, "a/*.bvh", "a/o*.bvh") == ["a/one.bvh", "a/two.bvh"]


def test_a_folder_stands_for_its_motion_files(clips: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a clip")
    (tmp_path / "walk.bvh").write_bytes((clips / "four.bvh").read_bytes())
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "walk.bvh").write_bytes((clips / "four.bvh").read_bytes())
    assert _names(tmp_path, ".") == ["walk.bvh"]


def test_results_of_an_earlier_run_are_no_sources(clips: Path, tmp_path: Path) -> None:
    for name in ("walk.bvh", "out/walk.bvh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((clips / "four.bvh").read_bytes())
    assert _names(tmp_path, "**/*.bvh", outside=tmp_path / "out") == ["walk.bvh"]


def test_results_keep_the_tree(clips: Path, tmp_path: Path) -> None:
    jobs = lay_out(find_sources([str(clips / "**" / "*.bvh")]), tmp_path, "glb")
    assert [job.name for job in jobs][-1] == "b/deep/three.bvh"
    assert jobs[-1].target == str(tmp_path / "b" / "deep" / "three.glb")
    (only,) = lay_out(find_sources([str(clips / "a" / "one.bvh")]), tmp_path)
    assert only.target == str(tmp_path / "one.bvh")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("*.amc", "no file matches"), ("nowhere/*.bvh", "There is no folder"), ("*.BVHX", "two stars")],
)
def test_a_pattern_that_matches_nothing_is_told(clips: Path, pattern: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        find_sources([str(clips / pattern)])


def test_two_clips_for_one_result_are_refused(clips: Path, tmp_path: Path) -> None:
    for name in ("walk.bvh", "walk.npz"):
        (tmp_path / name).write_bytes((clips / "four.bvh").read_bytes())
    with pytest.raises(ParameterError, match="would both become"):
        lay_out(find_sources([str(tmp_path)]), tmp_path / "out", "glb")


def test_a_result_never_replaces_its_source(clips: Path) -> None:
    with pytest.raises(FileError, match="would replace"):
        lay_out(find_sources([str(clips / "*.bvh")]), clips)


def test_an_unknown_format_is_refused_before_any_work(clips: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match="xyz"):
        lay_out(find_sources([str(clips / "*.bvh")]), tmp_path, "xyz")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_may_not_be_read_is_told(clips: Path, tmp_path: Path) -> None:
    (tmp_path / "walk.bvh").write_bytes((clips / "four.bvh").read_bytes())
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    try:
        assert [place for place, _ in find_sources([str(tmp_path / "**" / "*.bvh")]).unreadable] == [str(closed)]
        with pytest.raises(FileError, match="cannot be read"):
            find_sources([str(closed / "*.bvh")])
    finally:
        closed.chmod(0o700)


def test_what_a_pattern_is(clips: Path, tmp_path: Path) -> None:
    odd = tmp_path / "take[1].bvh"
    odd.write_text("")
    assert is_pattern("clips/**/*.bvh")
    assert is_pattern(str(clips))
    assert not is_pattern(str(odd))
    assert not is_pattern("sample:walk")
