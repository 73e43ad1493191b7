"""Build the documents: run every script in docs/pictures, then Sphinx with warnings as errors.

Pages land in docs/_build/html, pictures in docs/pictures beside the scripts that make them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    for script in sorted((HERE / "pictures").glob("*.py")):
        print(f"picture: {script.name}", flush=True)
        subprocess.run([sys.executable, str(script)], check=True, cwd=HERE / "pictures")
    target = HERE / "_build" / "html"
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-b", "html", str(HERE), str(target)])
    if done.returncode == 0:
        print(f"The documents are in {target.relative_to(Path.cwd())}/index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
