"""Start a studio and a browser for the stories and the pictures."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tools import browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WEB = Path(__file__).resolve().parents[1] / "src" / "kinetune" / "studio" / "web"


def page_is_built() -> bool:
    """Whether the modules of others are in place."""
    return (WEB / "vendor" / "three.js").is_file()


@contextlib.contextmanager
def serving(data: Path, port: int = 0) -> Iterator[str]:
    """The address of a studio on a free port, which keeps its documents in a folder."""
    with running(data, port) as (address, _):
        yield address


@contextlib.contextmanager
def running(
    data: Path, port: int = 0, target: Path | None = None, **more: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The same, with its process.

    target : a file or a folder to start on.
    more : variables of its environment.
    """
    command = [sys.executable, "-m", "kinetune", "studio", "--no-browser", "--port", str(port), "--data", str(data)]
    command += [] if target is None else [str(target)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "400", **more}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as server:  # type: ignore[call-overload]
        address = next(filter(None, (re.search(r"http://\S+token=\S+", line) for line in server.stdout)), None)
        try:
            if address is None:
                raise RuntimeError("The studio did not tell its address.")
            yield address[0], server
        finally:
            server.terminate()
            server.stdout.read()


@contextlib.contextmanager
def browsing(program: str) -> Iterator[Browser]:
    """A Chromium without a window, with WebGL on the machine's graphics or else in software."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        try:
            made = playwright.chromium.launch(executable_path=program, args=[*browser.FLAGS, *browser.GRAPHICS])
        except Error:
            flags = [*browser.FLAGS, *browser.SOFTWARE_GRAPHICS]
            made = playwright.chromium.launch(executable_path=program, args=flags)
        yield made
        made.close()
