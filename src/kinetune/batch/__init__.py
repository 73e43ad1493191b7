"""Whole libraries of clips at once, on all cores or on a Dask cluster: :func:`edit_library`, :func:`measure_library`.

One code path: jobs are laid out here (``jobs``), done by workers (``work``, the only module that a worker runs), sent
and collected by ``engine``, recorded in a manifest beside the results (``_manifest``), and summed up in a report
(``_reports``). Workers need the package and the files, nothing else.
"""

from __future__ import annotations

from kinetune.batch.library import LibraryResult, edit_library, measure_library

__all__ = ["LibraryResult", "edit_library", "measure_library"]
