"""Print the version, which stands in one place: ``src/kinetune/__init__.py``."""

import re
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


def version() -> str:
    """Such as "0.2.0"."""
    source = (HOME / "src" / "kinetune" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    if match is None:
        raise SystemExit("src/kinetune/__init__.py names no __version__.")
    return match[1]


if __name__ == "__main__":
    print(version())
