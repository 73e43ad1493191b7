"""OpenUSD itself, and the name under which a stage keeps what only Kinetune knows."""

from __future__ import annotations

import importlib
from typing import Any

from kinetune.extras import require

NOTES_KEY = "kinetune"


def pxr(module: str) -> Any:
    """A module of ``usd-core``; where it is missing, the error says how to install it."""
    require("usd")
    return importlib.import_module(f"pxr.{module}")
