"""Every kernel module of the package that can be warmed up, found by its name on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import kinetune
from kinetune.kernels.loader import Kernels


def kernel_modules() -> list[str]:
    """The modules named ``*_kernels`` that define ``warm_up``; the others hold parts that these are compiled with."""
    root = Path(kinetune.__file__).parent
    files = [file for file in sorted(root.rglob("*_kernels.py")) if "def warm_up(" in file.read_text(encoding="utf-8")]
    return [".".join(("kinetune", *file.relative_to(root).with_suffix("").parts)) for file in files]


def warm_up(modules: list[str]) -> Iterator[str]:
    """Compile the kernels of each module, or load them from the disk, and name it when it is ready."""
    for name in modules:
        Kernels(name).load()
        yield name
