"""What a run was measured on, in words that fit any machine: no host name, no path."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "numba", "scipy", "pydantic", "shapely", "PyWavelets", "mujoco-core", "clarabel")
LOAD = "load when it began"


def describe_machine() -> dict[str, str]:
    """Name to words: processor, cores, caches, memory, system, Python and the packages that count."""
    found = {
        "processor": _processor(),
        "cores": f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()}",
        "caches": _caches() or "not told by this system",
        "memory": _memory(),
        "system": f"{platform.system()}, {platform.machine()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    if hasattr(os, "getloadavg"):
        found[LOAD] = f"{os.getloadavg()[0]:.1f} programs wanting a core"
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _caches() -> str:
    """The caches of the first core, as Linux tells them."""
    told = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            kibibytes = int(size.removesuffix("K"))
            told.append(f"L{level} {kibibytes // 1024} MiB" if kibibytes >= 1024 else f"L{level} {kibibytes} KiB")
    return ", ".join(told)


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "not told by this system"
    return f"{size / 2**30:.0f} GiB"
