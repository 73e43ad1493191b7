"""Kernels as machine code on disk, which runs in a process that does not import numba.

Importing numba and loading the first kernel of a process take half a second, as long as all the rest of a short edit.
So what numba compiles for a module that says ``STANDALONE = True`` is also stored beside the sources, in
``__pycache__``, where only those can write who can write the sources. llvmlite alone links it in 0.05 s.

Such kernels allocate nothing and return a number or nothing: their callers pass the arrays that they fill. They take
C-contiguous arrays, numbers, and records (``NamedTuple``) of those; arguments of other types go to numba. The code is
that of numba, so it gives the same bits. It is used while numba, llvmlite, the processor and all kernel sources are
those that it was made with, and while no setting of numba is in the environment.

Functions are called as numba calls them: addresses for the result and for an exception, then all arguments, arrays as
owner, parent, size, item size, data, shape and strides. :func:`store` compares this with the code before it writes.
"""

from __future__ import annotations

import base64
import ctypes
import importlib.util
import json
import logging
import os
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from kinetune.kernels.loader import INNER, newest_source

_RESULTS: dict[str, Any] = {"none": ctypes.c_void_p, "float64": ctypes.c_double, "int64": ctypes.c_int64}
_RELEASE = "NRT_MemInfo_call_dtor"  # frees arrays that numba owns: it is linked, but none are passed
_log = logging.getLogger(__name__)


def available() -> bool:
    """Whether machine code may be used here."""
    settings = {name for name in os.environ if name.startswith("NUMBA_")} - {"NUMBA_NUM_THREADS"}
    return sys.platform == "linux" and not settings


def load(module: str, numba_module: Callable[[], Any]) -> SimpleNamespace | None:
    """The kernels of a module, or None where there is no machine code of them that can be used.

    numba_module : gives the same kernels as numba loads them.
    """
    source = _source(module)
    try:
        stored = json.loads(_file(source).read_text(encoding="ascii"))
    except (OSError, ValueError):  # none yet, or one that was cut off
        return None
    if stored["key"] != _key(source) or not all(map(_is_linked, stored["needs"])):
        return None
    from llvmlite import binding

    if binding.address_of_symbol(_RELEASE) is None:
        binding.add_symbol(_RELEASE, ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target_machine())
    for kernel in stored["kernels"].values():
        engine.add_object_file(binding.ObjectFileRef.from_data(base64.b64decode(kernel["code"])))
    engine.finalize_object()

    def linked(name: str, kernel: dict[str, Any]) -> Callable[..., Any]:
        result, kinds = _RESULTS[kernel["result"]], kernel["arguments"]
        passed = [kind for each in kinds for kind in _passed(each)]
        call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *passed)
        function = call(engine.get_function_address(kernel["symbol"])), engine  # with which its code would go

        def run(*arguments: Any) -> Any:
            values: list[Any] = []
            if len(arguments) != len(kinds) or not all(map(_flatten, kinds, arguments, [values] * len(kinds))):
                return getattr(numba_module(), name)(*arguments)
            returned, raised = result(), ctypes.c_void_p()
            if function[0](ctypes.addressof(returned), ctypes.addressof(raised), *values):
                raise ArithmeticError(f"The kernel {name} failed.")  # numba kernels check divisors
            return returned.value

        return run

    return SimpleNamespace(**{name: linked(name, kernel) for name, kernel in stored["kernels"].items()})


def store(loaded: ModuleType) -> None:
    """Write the machine code of all kernels of a module that numba has compiled."""
    source = _source(loaded.__name__)
    file = _file(source)
    kernels = {name: kernel for name, kernel in vars(loaded).items() if _is_entry(kernel, loaded)}
    if {kernel.stats.cache_path for kernel in kernels.values()} != {str(file.parent)}:
        return  # that folder cannot be written
    try:
        compiled = {name: _compiled(kernel) for name, kernel in kernels.items()}
        needs = sorted({symbol for kernel in compiled.values() for symbol in kernel.pop("needs")})
        content = {"key": _key(source), "needs": needs, "kernels": compiled}
        unfinished = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        unfinished.write_text(json.dumps(content), encoding="ascii")
        unfinished.replace(file)
    except (OSError, TypeError, ValueError) as failure:  # a full disk, or code of another kind than expected
        _log.warning("Machine code cannot be stored, so the next process loads numba again: %s", failure)


def _source(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


def _file(source: Path) -> Path:
    return source.parent / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.machine_code.json"


def _key(source: Path) -> list[Any]:
    import llvmlite

    stamps = [(str(file), file.stat().st_mtime, file.stat().st_size) for file in (source, _source("numba"))]
    return [newest_source(), *map(list, stamps), llvmlite.__version__, *_processor().values()]


def _processor() -> dict[str, str]:
    from llvmlite import binding

    return {"cpu": binding.get_host_cpu_name(), "features": binding.get_host_cpu_features().flatten()}


def _target_machine() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    reloc = "static" if target.name.startswith("x86") else "default"  # as numba does
    return target.create_target_machine(**_processor(), opt=3, reloc=reloc, codemodel="jitdefault", jit=True)


def _is_entry(kernel: Any, loaded: ModuleType) -> bool:
    """Whether Python calls it, and it is not a kernel that others call."""
    return hasattr(kernel, "nopython_signatures") and (
        kernel.py_func.__module__ == loaded.__name__ and not kernel.__name__.startswith("_")
    )


def _compiled(kernel: Any) -> dict[str, Any]:
    """A kernel without its entry for Python, which would need numba."""
    from llvmlite import binding
    from numba import njit

    signature = kernel.nopython_signatures[0]  # of warming up
    bare = njit(**INNER)(kernel.py_func)
    bare.compile(signature.args)
    code = binding.parse_assembly(bare.inspect_llvm(signature.args))
    (function,) = (each for each in code.functions if not each.is_declaration and each.linkage.name == "external")
    kinds = [_kind(each) for each in signature.args]
    passed = [ctypes.c_void_p] * 2 + [each for kind in kinds for each in _passed(kind)]
    named = {ctypes.c_void_p: "ptr", ctypes.c_int64: "i64", ctypes.c_double: "double"}
    given = ["ptr" if str(each.type).endswith("*") else str(each.type) for each in function.arguments]
    machine_code = _target_machine().emit_object(code)
    needs = _undefined(machine_code) - {_RELEASE}
    missing = sorted(symbol for symbol in needs if symbol.startswith("Py") or not _is_linked(symbol))
    if missing or given != [named[each] for each in passed] or str(signature.return_type) not in _RESULTS:
        raise TypeError(f"{kernel.__name__} is no kernel that can stand alone; it needs {missing}.")
    return {
        "needs": needs,
        "symbol": function.name,
        "arguments": kinds,
        "result": str(signature.return_type),
        "code": base64.b64encode(machine_code).decode("ascii"),
    }


def _is_linked(symbol: str) -> bool:
    """Whether this process has a function of the C libraries; without one, llvmlite would link to address 0."""
    return hasattr(ctypes.CDLL(None), symbol)


def _undefined(machine_code: bytes) -> set[str]:
    """The symbols that a relocatable ELF file needs from outside."""
    from llvmlite import binding

    sections = {each.name(): each.data() for each in binding.ObjectFileRef.from_data(machine_code).sections()}
    symbols = struct.iter_unpack("<IBBHQQ", sections[b".symtab"])
    names = [name for name, _, _, section, _, _ in symbols if name and section == 0]
    return {sections[b".strtab"][name:].partition(b"\0")[0].decode("ascii") for name in names}


def _kind(numba_type: Any) -> Any:
    """The type of an argument as it is stored: a number's name, dtype and dimensions of an array, or named fields."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if isinstance(numba_type, types.NamedTuple):
        return dict(zip(numba_type.fields, map(_kind, numba_type.types), strict=True))
    if isinstance(numba_type, types.Array) and numba_type.layout == "C" and numba_type.mutable and numba_type.aligned:
        return [as_dtype(numba_type.dtype).str, numba_type.ndim]
    if numba_type not in (types.float64, types.int64):
        raise TypeError(f"Machine code takes no {numba_type}.")
    return str(numba_type)


def _passed(kind: Any) -> list[Any]:
    """How an argument is passed."""
    if isinstance(kind, dict):
        return [each for field in kind.values() for each in _passed(field)]
    if isinstance(kind, list):
        owner, sizes, data = [ctypes.c_void_p] * 2, [ctypes.c_int64] * 2, ctypes.c_void_p
        return [*owner, *sizes, data, *[ctypes.c_int64] * (2 * kind[1])]
    return [_RESULTS[kind]]


def _flatten(kind: Any, value: Any, into: list[Any]) -> bool:
    """Append what is passed for a value; False if it is of another type."""
    if isinstance(kind, dict):
        fields = getattr(value, "_fields", ())
        return fields == tuple(kind) and all(map(_flatten, kind.values(), value, [into] * len(fields)))
    if isinstance(kind, list):
        fits = isinstance(value, np.ndarray) and [value.dtype.str, value.ndim] == kind and value.flags.carray
        if fits:
            into += (None, None, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
        return fits
    into.append(value)
    return type(value) in (float, np.float64) if kind == "float64" else type(value) in (int, np.int64)
