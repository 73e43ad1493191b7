"""The record of an output folder after damage: one message and a way out, never a traceback."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from kinetune.batch import edit_library
from kinetune.batch._manifest import FOLDER, Manifest
from kinetune.batch.work import BatchOutcome
from kinetune.errors import FileError
from tests.batch.conftest import tree

pytestmark = pytest.mark.xdist_group("cluster")  # one cluster serves them all


def _record(folder: Path) -> Path:
    return folder / FOLDER / "manifest.sqlite"


def _filled(folder: Path, count: int = 300) -> Path:
    with Manifest(folder) as manifest:
        for number in range(count):
            target = str(folder / f"{number}.bvh")
            manifest.note(BatchOutcome(target, target, target, "done", key="k", sha="s"))
    return _record(folder)


def _damage_a_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    assert len(data) > 5 * 4096
    data[2 * 4096 : 3 * 4096] = bytes(range(256)) * 16
    path.write_bytes(data)


def _damage_the_head(path: Path) -> None:
    path.write_bytes(b"no database" + path.read_bytes()[11:])


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:6000])


def _damage_a_name(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"autoindex_clips_1", b"autoindex_clips_\xff"))


def _other_columns(path: Path) -> None:
    _sql(path, "drop table clips", "create table clips (target text primary key, state text)")


def _more_columns(path: Path) -> None:
    _sql(path, "alter table clips add column mood text")


def _a_trigger(path: Path) -> None:
    _sql(path, "create trigger more after insert on clips begin delete from clips; end")


def _a_view_without_end(path: Path) -> None:
    columns = "'a' as target, 'b' as key, 'c' as sha, 'd' as outcome, n as run"
    endless = f"with recursive r(n) as (select 1 union all select n + 1 from r) select {columns} from r"
    _sql(path, "drop table clips", f"create view clips as {endless}")


def _sql(path: Path, *words: str) -> None:
    connection = sqlite3.connect(path)
    for each in words:
        connection.execute(each)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        *(_damage_a_page, _damage_the_head, _damage_a_name, _cut, _other_columns, _more_columns),
        *(_a_trigger, _a_view_without_end),
    ],
)
def test_a_damaged_record_is_named_and_a_fresh_run_sets_it_aside(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = _filled(tmp_path)
    damage(path)
    before = path.read_bytes()
    with pytest.raises(FileError, match="cannot be used") as raised:
        Manifest(tmp_path, resume=True)
    assert "without --resume" in str(raised.value)
    with Manifest(tmp_path) as manifest:
        assert manifest.known(str(tmp_path / "1.bvh")) is None
    (aside,) = path.parent.glob("manifest-damaged-*.sqlite")
    assert aside.read_bytes() == before


@pytest.mark.parametrize("text", ["", "null", "[1]", "{}", '{"name": 1', '{"name": "x", "source": "y"}'])
def test_a_row_that_is_not_understood_is_done_again(tmp_path: Path, text: str) -> None:
    path = _filled(tmp_path, 1)
    _sql(path, f"update clips set outcome = '{text}'")
    with Manifest(tmp_path, resume=True) as manifest:
        assert manifest.known(str(tmp_path / "0.bvh")) is None


def test_a_row_that_is_no_text_is_done_again(tmp_path: Path) -> None:
    path = _filled(tmp_path, 1)
    _sql(path, "update clips set outcome = cast(x'7bff' as text)")
    with Manifest(tmp_path, resume=True) as manifest:
        assert manifest.known(str(tmp_path / "0.bvh")) is None


def test_a_field_of_a_newer_version_is_left_out(tmp_path: Path) -> None:
    path = _filled(tmp_path, 1)
    outcome = json.loads(BatchOutcome("a", "a", str(tmp_path / "0.bvh"), "done").as_json()) | {"mood": "calm"}
    _sql(path, f"update clips set outcome = '{json.dumps(outcome)}'")
    with Manifest(tmp_path, resume=True) as manifest:
        known = manifest.known(str(tmp_path / "0.bvh"))
    assert known is not None
    assert known.outcome.name == "a"


def test_a_record_that_breaks_during_a_run_is_told(tmp_path: Path) -> None:
    with Manifest(tmp_path) as manifest:
        manifest._rows.execute("drop table clips")
        with pytest.raises(FileError, match="cannot be used"):
            manifest.known(str(tmp_path / "0.bvh"))
        with pytest.raises(FileError, match="cannot be used"):
            manifest.note(BatchOutcome("a", "a", str(tmp_path / "0.bvh"), "done"))
        with pytest.raises(FileError, match="cannot be used"):
            manifest.outcomes()


def test_a_folder_that_was_renamed_is_resumed(clips: Path, recipe: Path, cluster: str, tmp_path: Path) -> None:
    sources = [str(clips / "a")]
    edit_library(recipe, sources, tmp_path / "out", scheduler=cluster)
    whole = tree(tmp_path / "out")
    (tmp_path / "out").rename(tmp_path / "renamed")
    again = edit_library(recipe, sources, tmp_path / "renamed", scheduler=cluster, resume=True)
    assert (again.summary.done, again.summary.kept) == (0, 2)
    assert tree(tmp_path / "renamed") == whole
    report = json.loads((tmp_path / "renamed" / "report.json").read_text())
    assert {Path(clip["target"]).parent for clip in report["clips"]} == {tmp_path / "renamed"}
