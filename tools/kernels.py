"""Compile the kernels before tests run beside each other, or every worker and every server would do it.

    python tools/kernels.py     one process for each core, each with a share of the modules

What is compiled lies on disk and is loaded from there; where all of it does already, this takes a few seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys

from kinetune.cli.warm_up import kernel_modules
from kinetune.kernels.loader import mode

_WORK = "import sys; from kinetune.kernels.loader import Kernels; [Kernels(name).load() for name in sys.argv[1:]]"


def main() -> int:
    if mode() == "never":
        return 0
    modules, cores = kernel_modules(), os.cpu_count() or 1
    shares = [modules[k::cores] for k in range(min(cores, len(modules)))]
    running = [subprocess.Popen([sys.executable, "-c", _WORK, *share]) for share in shares]
    return max(process.wait() for process in running)


if __name__ == "__main__":
    sys.exit(main())
