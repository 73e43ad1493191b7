"""The wheel holds the whole page: whoever installs it needs no Node."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
import zipfile
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from tools.studio_run import WEB, page_is_built, serving

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("studio-2")]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not page_is_built():
        pytest.skip("the page is not built: python tools/page.py vendor")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--quiet", "--wheel-dir", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and re.search(r"No matching distribution|Temporary failure|connection", done.stderr):
        pytest.skip("the build backend cannot be fetched here: no package index is reached")
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_it_holds_every_file_of_the_page_and_the_licences_of_others(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    own = {path.relative_to(WEB).as_posix() for path in WEB.rglob("*") if path.is_file()}
    wanted = {name for name in own if not name.endswith((".d.ts", "stamp.txt"))}
    missing = {name for name in wanted if f"kinetune/studio/web/{name}" not in names}
    assert not missing
    assert "vendor/LICENSES.txt" in wanted
    assert not [name for name in names if name.endswith(".d.ts")]


def test_installed_it_serves_the_page_on_a_machine_without_node(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:  # what pip does with a wheel of pure Python
        packed.extractall(place)
    monkeypatch.setenv("PYTHONPATH", str(place))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("KINETUNE_COMPILED", "never")  # a copy has nothing compiled yet, and lives for seconds
    monkeypatch.chdir(tmp_path)
    told = subprocess.run(
        [sys.executable, "-c", "import kinetune; print(kinetune.__file__)"], capture_output=True, text=True, check=True
    )
    assert told.stdout.startswith(str(place)), "the installed copy is the one that runs"
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with serving(tmp_path / "data") as address:
        with opener.open(address) as page:
            assert b"main.js" in page.read()
        base = address.split("?")[0]
        for name in ("main.js", "vendor/three.js", "vendor/preact.js", "styles/tokens.css", "api/hello"):
            with opener.open(base + name) as answer:
                assert answer.status == 200
                assert len(answer.read()) > 200
