"""Symmetric banded systems of equations.

``scipy.linalg.solveh_banded`` does the same with the same routine of LAPACK, but to import ``scipy.linalg`` takes as
long as a whole edit of a clip. The routine lies in one file of that package, which loads in no time. Where that file
cannot be loaded by itself, the package is imported.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.rotations import Floats

_NAME = "scipy.linalg._flapack"


def solve_banded(band: Floats, right: Floats) -> Floats:
    """Solve ``A x = right`` for a symmetric positive definite A of few diagonals.

    Parameters
    ----------
    band : (diagonals, n) ``band[k, i]`` is the entry (i + k, i) of A; the last k of each row are not used.
    right : (n,) or (n, columns).

    Notes
    -----
    Law: the solution is that of ``scipy.linalg.solveh_banded`` (``tests/signals/test_banded_solve.py``).
    """
    _, found, wrong = _lapack().dpbsv(band, right, lower=1)
    if wrong:
        raise np.linalg.LinAlgError(f"The matrix is not positive definite: its leading part of order {wrong} is not.")
    return np.asarray(found)


@cache
def _lapack() -> Any:
    """SciPy's LAPACK, without the rest of its package where that can be."""
    return _alone() or importlib.import_module(_NAME)


def _alone() -> Any | None:
    """The one module, loaded from its file; None where there is no such file or it does not load by itself."""
    package = importlib.util.find_spec("scipy")
    folders = () if package is None else package.submodule_search_locations or ()
    for folder in folders:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            path = Path(folder, "linalg", "_flapack" + suffix)
            spec = importlib.util.spec_from_file_location(_NAME, path) if path.is_file() else None
            if spec is not None and spec.loader is not None:
                try:
                    found = importlib.util.module_from_spec(spec)
                    spec.loader.exec_module(found)
                except ImportError:  # a library that it needs is found by the package only
                    return None
                return found
    return None
