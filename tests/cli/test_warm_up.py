"""warmup reaches every module of compiled kernels that the package declares."""

import re
from pathlib import Path

import pytest

import kinetune as kt
from kinetune.cli.warm_up import kernel_modules
from tests.cli.conftest import Kinetune


def test_every_declared_kernel_module_is_warmed_up() -> None:
    files = Path(kt.__file__).parent.rglob("*.py")
    declared = {name for file in files for name in re.findall(r'= Kernels\("([\w.]+)"\)', file.read_text("utf-8"))}
    assert declared
    assert declared <= set(kernel_modules())


@pytest.mark.slow
def test_warmup_compiles_and_says_so(kinetune: Kinetune) -> None:
    result = kinetune("warmup")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{len(kernel_modules())} kernel modules are compiled and kept on disk.\n"
