"""Indexes on the disk: what is read again, what a kill leaves, and what is refused."""

import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import FileError
from kinetune.formats import write
from kinetune.library import MotionIndex, build_index, find_like
from kinetune.library import index_file as index_module
from kinetune.library.index_file import IndexWriter, index_folder, index_path
from kinetune.samples import sample
from tests.library.conftest import make_library
from tests.made_up import SMALL_BVH


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("walk", "wave", "kick-1"):
        write(sample(name)[:60], tmp_path / f"{name}.bvh")
    return tmp_path


def content(index: MotionIndex) -> dict[str, tuple[object, ...]]:
    """What an index says, whatever the order of its rows."""
    return {clip.name: (clip.sha, clip.facts, np.asarray(index.rows_of(clip)).tobytes()) for clip in index.clips}


def test_what_has_not_changed_is_not_read_again(folder: Path) -> None:
    first = build_index(folder, jobs=1)
    assert (first.read, first.kept) == (3, 0)
    again = build_index(folder, jobs=1)
    assert (again.read, again.kept) == (0, 3)
    os.utime(folder / "walk.bvh")  # written again, with the same bytes
    assert build_index(folder, jobs=1).read == 0
    assert not MotionIndex.open(folder).changes()


@pytest.mark.slow
def test_an_index_brought_up_to_date_is_the_same_as_one_made_anew(folder: Path) -> None:
    build_index(folder, jobs=1)
    (folder / "wave.bvh").unlink()
    write(sample("run")[:80], folder / "walk.bvh")
    write(sample("knock")[:50], folder / "sub.bvh")
    report = build_index(folder, jobs=1)
    assert (report.read, report.kept, report.removed) == (2, 1, 1)
    updated = content(MotionIndex.open(folder))
    build_index(folder, jobs=1, fresh=True)
    assert content(MotionIndex.open(folder)) == updated


@pytest.mark.slow
def test_rows_that_nothing_names_are_dropped(folder: Path) -> None:
    build_index(folder, jobs=1)
    for length in (70, 80, 90):
        write(sample("walk")[:length], folder / "walk.bvh")
        build_index(folder, jobs=1)
    index = MotionIndex.open(folder)
    used = sum(clip.rows[1] - clip.rows[0] for clip in index.clips)
    assert used <= len(index.rows) <= 1.5 * used
    assert content(index) == content(
        make_library(folder / "other", {c.name: kt.read(folder / c.name) for c in index.clips})
    )


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(folder: Path) -> None:
    script = f"""
        import os
        from kinetune.library import index_file, indexing
        index_file._COMMIT_S = 0.0
        real, done = index_file.IndexWriter.put, []
        def put(self, *arguments):
            real(self, *arguments)
            done.append(1)
            if len(done) == 2:
                self._files["rows"].write(b"half a row")
                self._files["rows"].flush()
                os._exit(9)
        index_file.IndexWriter.put = put
        indexing.build_index({str(folder)!r}, jobs=1)
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert killed.returncode == 9
    report = build_index(folder, jobs=1)
    assert (report.read, report.kept) == (1, 2)
    resumed = content(MotionIndex.open(folder))
    build_index(folder, jobs=1, fresh=True)
    assert content(MotionIndex.open(folder)) == resumed


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_processes_make_the_same_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(folder, jobs=1)
    alone = content(MotionIndex.open(folder))
    monkeypatch.setattr("kinetune.library.indexing._FEW", 0)
    report = build_index(folder, jobs=2, fresh=True)
    assert report.read == 3
    assert content(MotionIndex.open(folder)) == alone


def test_a_bad_clip_is_reported_and_skipped(folder: Path) -> None:
    (folder / "bad.bvh").write_text("nothing")
    (folder / "two-bones.bvh").write_text(SMALL_BVH)
    report = build_index(folder, jobs=1)
    assert [name for name, _ in report.failed] == ["bad.bvh"]
    assert report.clips == 5
    index = MotionIndex.open(folder)
    assert [clip.name for clip in index.unreadable] == ["bad.bvh"]
    assert [name for name, problem in report.not_comparable if "cannot be compared" in problem] == ["two-bones.bvh"]
    assert index.clip("two-bones.bvh").facts is not None
    assert build_index(folder, jobs=1).failed == report.failed, "it is still reported when nothing has changed"


def test_a_changed_folder_says_what_is_stale(folder: Path) -> None:
    build_index(folder, jobs=1)
    index = MotionIndex.open(folder)
    (folder / "wave.bvh").unlink()
    shutil.copy(folder / "walk.bvh", folder / "more.bvh")
    write(sample("run")[:50], folder / "kick-1.bvh")
    assert str(index.changes()) == "1 new (more.bvh), 1 changed (kick-1.bvh), 1 gone (wave.bvh)"


def test_an_index_can_lie_elsewhere(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "clips.index"
    build_index(folder, index=elsewhere, jobs=1)
    assert not index_path(folder).exists()
    assert len(MotionIndex.open(folder, elsewhere)) == 3
    assert index_folder(elsewhere) == folder


def test_messages_about_an_index_elsewhere_name_it(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("else where") / "clips.index"
    with pytest.raises(FileError, match=r"kinetune index \S+ --index '.*clips.index'"):
        MotionIndex.open(folder, elsewhere)
    with pytest.raises(FileError, match="no such index"):
        index_folder(elsewhere)
    elsewhere.write_text("this is no database at all, but long enough to look at")
    for use in (lambda: MotionIndex.open(folder, elsewhere), lambda: index_folder(elsewhere)):
        with pytest.raises(FileError, match=r"--index '.*clips.index' --fresh"):
            use()


def test_no_index_no_folder_no_clips(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"has no index\. Make one with: kinetune index"):
        MotionIndex.open(tmp_path)
    with pytest.raises(FileError, match="no such folder"):
        MotionIndex.open(tmp_path / "nowhere")
    with pytest.raises(FileError, match="no motion files"):
        build_index(tmp_path)
    with pytest.raises(FileError, match="not a folder"):
        build_index(tmp_path / "nowhere")


def test_an_index_of_another_version_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(folder, jobs=1)
    monkeypatch.setattr(index_module, "INDEX_VERSION", 99)
    for use in (MotionIndex.open, build_index):
        with pytest.raises(FileError, match=r"another version .* kinetune index .* --fresh"):
            use(folder)
    build_index(folder, jobs=1, fresh=True)
    assert len(MotionIndex.open(folder)) == 3


@pytest.mark.parametrize("damage", ["text", "cut", "rows", "empty"])
def test_a_damaged_index_is_refused_and_made_anew(folder: Path, damage: str) -> None:
    build_index(folder, jobs=1)
    path = index_path(folder)
    if damage == "text":
        path.write_text("this is no database at all, but long enough to look at")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        rows = next(path.parent.glob("*.rows-*"))
        rows.write_bytes(rows.read_bytes()[:100])
    with pytest.raises(FileError, match="--fresh"):
        MotionIndex.open(folder)
    build_index(folder, jobs=1, fresh=True)
    assert len(MotionIndex.open(folder)) == 3


def test_a_second_run_is_refused(folder: Path) -> None:
    with IndexWriter(folder, index_path(folder)), pytest.raises(FileError, match="another run"):
        build_index(folder)


def test_a_fresh_index_never_deletes_what_is_none(folder: Path) -> None:
    before = (folder / "walk.bvh").read_bytes()
    with pytest.raises(FileError, match="not an index"):
        build_index(folder, index=folder / "walk.bvh", fresh=True)
    assert (folder / "walk.bvh").read_bytes() == before
    with pytest.raises(FileError, match="damaged or cannot be used"):
        build_index(folder, index=folder / "walk.bvh")
    assert (folder / "walk.bvh").read_bytes() == before


def test_a_clip_is_read_again_when_a_file_that_it_names_changes(folder: Path) -> None:
    write(sample("walk")[:40], folder / "more.amc")
    build_index(folder, jobs=1)
    skeleton = folder / "more.asf"
    skeleton.write_text(skeleton.read_text().replace(":documentation", ":documentation\n  another hand"))
    assert build_index(folder, jobs=1).read == 1


def test_an_index_that_is_open_stays_as_it_was(folder: Path) -> None:
    build_index(folder, jobs=1)
    index = MotionIndex.open(folder)
    before = content(index)
    write(sample("run")[:60], folder / "more.bvh")
    build_index(folder, jobs=1)
    assert content(index) == before


def _endless(table: sqlite3.Connection) -> None:
    """A view in the place of the clips that has rows without end."""
    columns = ", ".join(f"1 as {row[1]}" for row in table.execute("pragma table_info(clips)"))
    endless = f"with recursive r(n) as (select 1 union all select n + 1 from r) select {columns} from r"
    table.executescript(f"drop table clips; create view clips as {endless}")


STRANGERS = {
    "a view without end": _endless,
    "a trigger": "create trigger more after insert on clips begin delete from clips; end",
    "a clip elsewhere": "update clips set name = '../' || name",
    "an absolute path": "update clips set name = '/etc/passwd' where name = 'walk.bvh'",
    "a drive": "update clips set name = 'C:/x.bvh' where name = 'walk.bvh'",
    "rows that are none": "update clips set start = -1 where name = 'walk.bvh'",
    "rows beyond the disk": "update clips set start = 1 << 50 where name = 'walk.bvh'",
    "rows that are shared": "update clips set start = 0, window_start = 0",
    "a text for a number": "update clips set fps = 'fast'",
    "no frame rate": "update clips set fps = 0",
    "a number beyond all": "update clips set speed_m_s = 1e999",
    "a name that is no text": "update clips set name = x'ff00' where name = 'walk.bvh'",
    "no arrays": "delete from about where name = 'generation'",
    "arrays elsewhere": "update about set value = '0.f32/../../x' where name = 'generation'",
}


@pytest.mark.parametrize("change", STRANGERS.values(), ids=STRANGERS)
def test_an_index_that_a_stranger_prepared_is_refused(folder: Path, change: str | Callable[..., None]) -> None:
    """It comes with a folder that somebody else packed, and the studio opens it with the folder."""
    build_index(folder, jobs=1)
    with closing(sqlite3.connect(index_path(folder))) as table:
        if callable(change):
            change(table)
        else:
            table.execute(change)
        table.commit()
    with pytest.raises(FileError, match=r"damaged or cannot be used .* --fresh"):
        MotionIndex.open(folder)
    with pytest.raises(FileError, match=r"damaged or cannot be used .* --fresh"):
        build_index(folder, jobs=1)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_rows_that_are_none_are_told_when_they_are_searched(folder: Path, value: float) -> None:
    build_index(folder, jobs=1)
    for array in ("rows", "windows"):
        path = next(index_path(folder).parent.glob(f"*.{array}-*"))
        before = path.read_bytes()
        numbers = np.frombuffer(before, "<f4").copy()
        numbers[::7] = value
        path.write_bytes(numbers.tobytes())
        with pytest.raises(FileError, match=f"{array}.*none.*--fresh"):
            find_like(MotionIndex.open(folder), sample("walk"), stop_s=1.0)
        path.write_bytes(before)
