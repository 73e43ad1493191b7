"""The command line: parse, call :mod:`kinetune.runs`, show. Everything heavy is imported inside the command."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``kinetune`` and exit.

    0 done, 1 a mistake, 2 wrong usage, 3 the result misses what was asked, 130 stopped with Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a joint called "Füße" must not crash an old Windows console
    # Our matrices are small: threads that wait for each other take longer than one, on a busy machine many times.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A start makes many objects and hardly any garbage; with the usual threshold it is searched for all the time.
    gc.set_threshold(50_000, 10, 10)
    # No plugin has a say in how parameters are checked, and looking for some reads the list of all installed packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from kinetune.cli.app import app

        app(args=arguments, prog_name="kinetune")
    except KeyboardInterrupt:
        sys.exit(130)
