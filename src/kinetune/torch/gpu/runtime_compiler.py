"""Compiling CUDA source at run time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor

SHARED_BYTES = 48 * 1024
"""The shared memory that a block has on every GPU without asking for more."""


@cache
def compile_kernel(source: str, name: str) -> Any:
    """The function ``name`` of some CUDA source; compiled once in a process."""
    return torch.cuda._compile_kernel(source, name)


def with_sizes(source: str, sizes: Mapping[str, object]) -> str:
    """The source with its sizes and types defined at the top."""
    return "".join(f"#define {name} {value}\n" for name, value in sizes.items()) + source


def available() -> bool:
    """Whether kernels can be compiled here: a GPU of NVIDIA, and a torch that compiles CUDA source at run time."""
    return torch.cuda.is_available() and torch.version.cuda is not None and hasattr(torch.cuda, "_compile_kernel")


def suits(*tensors: Tensor) -> bool:
    """Whether kernels for float32 can take these tensors."""
    return all(t.is_cuda and t.dtype == torch.float32 for t in tensors) and available()
