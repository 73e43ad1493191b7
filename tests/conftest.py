"""Shared by all tests: where the real data is, if it is here at all."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The first call of a process may load kernels; a time limit on single examples would then fail by chance.
settings.register_profile("kinetune", deadline=None)
settings.load_profile("kinetune")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def data_folder() -> Path | None:
    """The folder of real clips: $KINETUNE_DATA, or ../shared/data beside the checkout, or None."""
    folder = Path(os.environ["KINETUNE_DATA"]) if "KINETUNE_DATA" in os.environ else _BESIDE
    return folder if folder.is_dir() else None


_ONLY_COMPLETE = (
    "batch",
    "external",
    "figures",
    "fuzz",
    "reproduce",
    "samples",
    "studio",
    "studio_stories",
    "test_benchmarks.py",
    "test_documents.py",
    "test_examples.py",
    "torch",
)


_SMOKE = (
    "test_front_door.py",
    "test_extras.py",
    "test_runs.py",
    "recipes",
    "formats/test_formats.py",
    "operations/test_conformance.py",
    "operations/test_registry.py",
    "batch/test_manifest.py",
    "batch/test_clusters.py",
    "studio/server",
    "studio/test_saving.py",
    "studio/test_protocol.py",
)
"""A look into every room, for other versions of Python and of the libraries: ``pytest --smoke``."""


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "leave out tests marked slow, and folders that need a browser, a server, figures, papers or many files"
    parser.addoption("--quick", action="store_true", help=text)
    parser.addoption("--smoke", action="store_true", help="a few tests of every room, for other versions of libraries")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if config.getoption("--smoke"):
        place = f"{collection_path.relative_to(Path(__file__).parent).as_posix()}/".removeprefix("./")
        return not any(f"{name}/".startswith(place) or place.startswith(f"{name}/") for name in _SMOKE) or None
    if config.getoption("--quick") and collection_path.parent == Path(__file__).parent:
        return collection_path.name in _ONLY_COMPLETE or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without looking for garbage: twelve thousand tests are none, and stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    if config.getoption("--quick"):
        slow = {item for item in items if item.get_closest_marker("slow") or "shared_data" in item.fixturenames}
        config.hook.pytest_deselected(items=list(slow))
        items[:] = [item for item in items if item not in slow]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = data_folder()
    if folder is None:
        pytest.skip("no real clips here: set KINETUNE_DATA to a folder with bvh, amc and glb files")
    return folder


@pytest.fixture
def made_up_operations() -> Iterator[None]:
    """Two small operations of our own in the registry, while a test runs."""
    from kinetune.operations import OPERATIONS
    from tests.made_up import Mingle, Nudge

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(OPERATIONS, "nudge_it", Nudge)
        patch.setitem(OPERATIONS, "mingle", Mingle)
        yield
