"""A browser for the studio's stories and pictures: find a Chromium, or install one where that is allowed.

python tools/browser.py     prints where it is; installs Debian's chromium with apt-get when run as root
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
GRAPHICS = ("--use-angle=gl-egl", "--ignore-gpu-blocklist", "--disable-gpu-rasterization")
"""Pages are rastered by the processor: where graphics are software, that takes a third of the time."""
SOFTWARE_GRAPHICS = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def find() -> str | None:
    """The program: $KINETUNE_BROWSER, or one on the PATH, or one where installers put it."""
    asked = os.environ.get("KINETUNE_BROWSER")
    if asked:
        return asked
    on_path = (shutil.which(name) for name in NAMES)
    return next((found for found in on_path if found), None) or next((p for p in PLACES if Path(p).is_file()), None)


def install() -> str | None:
    """Debian's chromium, where this process may install it; None where it may not or it fails."""
    if shutil.which("apt-get") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
    subprocess.run(["apt-get", "update", "-qq"], **quiet)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
    subprocess.run(command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, **quiet)
    return find()


def main() -> int:
    browser = find() or install()
    print(browser or "No Chromium here: the studio's stories will be skipped. Install one, or set KINETUNE_BROWSER.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
