"""Whole libraries of clips at once, on all cores or on a Dask cluster: :func:`edit_library`, :func:`measure_library`.

One code path: jobs are laid out here (``jobs``), done by workers (``work``, the only module that a worker runs), sent
and collected by ``engine``, recorded in a manifest beside the results (``_manifest``), and summed up in a report
(``_reports``). Workers need the package and the files, nothing else. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"kinetune.batch.library": ("LibraryResult", "edit_library", "measure_library")}
)

if TYPE_CHECKING:
    from kinetune.batch.library import LibraryResult as LibraryResult
    from kinetune.batch.library import edit_library as edit_library
    from kinetune.batch.library import measure_library as measure_library
