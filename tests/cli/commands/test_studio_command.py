"""The command that opens the studio: one sentence when it cannot."""

import importlib.abc
import socket
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Kinetune


class _Missing(importlib.abc.MetaPathFinder):
    """A package that is not installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname == self.name:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "websockets"])
def test_a_missing_extra_is_named(
    kinetune: Kinetune, folder: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Missing(package), *sys.meta_path])
    result = kinetune("studio", "--no-browser", "--data", folder / "data", "--port", "0")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert f'needs the package "{package}". Install it with: pip install "kinetune[studio]"' in result.stderr


@pytest.mark.slow
def test_a_taken_port_is_told(kinetune: Kinetune, folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = kinetune("studio", "--no-browser", "--data", folder / "data", "--port", port)
    assert result.exit_code == 1
    assert f"port {port} is taken" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nothing.bvh", "sample:nothing", "folder/nothing.svg"])
def test_a_file_that_is_not_there_is_told(kinetune: Kinetune, folder: Path, name: str) -> None:
    result = kinetune("studio", name, "--no-browser", "--data", folder / "data", "--port", "0")
    assert result.exit_code == 1
    assert "nothing" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_wrong_port_is_wrong_usage(kinetune: Kinetune, folder: Path) -> None:
    assert kinetune("studio", "--port", "99999").exit_code == 2
