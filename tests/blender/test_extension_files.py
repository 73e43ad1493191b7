"""The extension as files: what is installed, what is packed, and that the manifest lists exactly the wheels."""

import json
import sys
import tomllib
import zipfile

import pytest
from typer.testing import CliRunner

from kinetune import __version__
from kinetune.blender import extension_files
from kinetune.blender._operator_catalogue import describe_operations
from kinetune.cli.app import app
from kinetune.operations import OPERATIONS
from tests.external.tools import CHECKOUT

sys.path.insert(0, str(CHECKOUT / "tools"))
import blender_zip


def test_the_catalogue_describes_every_parameter():
    described = {each["op"]: each for each in describe_operations()}
    assert described.keys() == OPERATIONS.keys()
    for tag, each in described.items():
        assert [p["name"] for p in each["parameters"]] == list(OPERATIONS[tag].parameters())
        assert all(p["description"] and p["label"] for p in each["parameters"])
    json.dumps(list(described.values()))


def test_the_command_installs_an_extension_that_runs_this_python(tmp_path):
    done = CliRunner().invoke(app, ["blender", "--install", "--folder", str(tmp_path)])
    assert done.exit_code == 0, done.output
    folder = tmp_path / "user_default" / "kinetune"
    assert json.loads((folder / "engine.json").read_text())["python"] == sys.executable
    assert tomllib.loads((folder / "blender_manifest.toml").read_text())["version"] == __version__
    assert (folder / "catalogue.json").is_file()
    assert not list(folder.rglob("__pycache__"))


def test_without_install_the_command_only_looks(tmp_path):
    done = CliRunner().invoke(app, ["blender", "--folder", str(tmp_path)])
    assert done.exit_code == 0
    assert not list(tmp_path.iterdir())


def test_every_blender_that_is_new_enough_is_met(tmp_path, monkeypatch):
    for name in ("BLENDER_USER_EXTENSIONS", "BLENDER_USER_RESOURCES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for version in ("3.6", "4.5", "5.2", "cache"):
        (tmp_path / "blender" / version).mkdir(parents=True)
    assert list(extension_files.find_folders()) == ["5.2", "4.5"]


@pytest.fixture
def wheel(tmp_path):
    """A wheel with a test and a header in it."""
    path = tmp_path / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        for name in ("thing/__init__.py", "thing/tests/test_it.py", "thing/it.h", "thing-1.0.dist-info/RECORD"):
            made.writestr(name, "x = 1\n")
    return path


def test_a_slim_wheel_records_what_is_left(wheel, tmp_path):
    slim = blender_zip.slim(wheel, tmp_path / "slim")
    with zipfile.ZipFile(slim) as made:
        names = made.namelist()
        record = made.read("thing-1.0.dist-info/RECORD").decode()
    assert names == ["thing/__init__.py", "thing-1.0.dist-info/RECORD"]
    assert [line.split(",")[0] for line in record.splitlines()] == names


def test_the_zip_holds_exactly_the_wheels_that_its_manifest_lists(wheel, tmp_path):
    packed = extension_files.pack(tmp_path / "out" / "kinetune.zip", [wheel], tmp_path / "work")
    with zipfile.ZipFile(packed) as made:
        manifest = tomllib.loads(made.read("blender_manifest.toml").decode())
        inside = [name for name in made.namelist() if name.endswith(".whl")]
    assert manifest["wheels"] == [f"./{name}" for name in inside] == ["./wheels/thing-1.0-py3-none-any.whl"]
