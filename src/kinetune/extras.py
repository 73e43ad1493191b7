"""The optional parts of an installation: ``pip install "kinetune[physics]"`` and so on.

``all`` has all of them but torch and notebook.

A module that cannot work without an extra calls :func:`require` before it imports anything of it, so that a slim
installation says which command is missing instead of showing an ``ImportError``.
"""

from __future__ import annotations

from importlib.util import find_spec

from kinetune.errors import MissingDependencyError

EXTRAS: dict[str, tuple[str, dict[str, str]]] = {
    "physics": ("Physics", {"mujoco": "mujoco-core"}),
    "drawings": ("Working with drawings", {"shapely": "shapely", "pywt": "PyWavelets", "PIL": "pillow"}),
    "figures": (
        "Drawing pictures and films",
        {"matplotlib": "matplotlib", "PIL": "pillow", "imageio_ffmpeg": "imageio-ffmpeg"},
    ),
    "studio": ("The studio", {"starlette": "starlette", "uvicorn": "uvicorn", "websockets": "websockets"}),
    "batch": (
        "Editing a whole library",
        {"dask": "dask", "distributed": "distributed", "cryptography": "cryptography"},
    ),
    "usd": ("Reading and writing USD", {"pxr": "usd-core"}),
    "torch": ("Motion operations on tensors", {"torch": "torch"}),
}
"""What each extra is for, and its modules with the packages that bring them."""


def require(extra: str) -> None:
    """Raise :class:`~kinetune.errors.MissingDependencyError` unless the packages of an extra are installed."""
    purpose, packages = EXTRAS[extra]
    for module, package in packages.items():
        if not _is_installed(module):
            raise MissingDependencyError(package, extra, purpose)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # the second where sys.modules holds None
        return False
