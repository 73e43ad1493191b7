"""The front door: the public names exist, are found by tools, and importing them costs nothing until they are used."""

import ast
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import kinetune as kt
from kinetune.operations import OPERATIONS

SOURCE = ast.parse(Path(kt.__file__).read_text(encoding="utf-8"))
CONTRACT = {
    "Clip",
    "Skeleton",
    "read",
    "write",
    "sample",
    "samples",
    "measure",
    "keyframe",
    "TCB",
    "Recipe",
    "Operation",
}
HEAVY = {"numba", "scipy", "matplotlib", "pydantic", "yaml", "typer", "rich", "pygltflib", "PIL", "pxr", "numpy"} | {
    "pywt",
    "shapely",
    "imageio_ffmpeg",
    "mujoco",
    "clarabel",
}


def checked_imports() -> dict[str, str]:
    """Name to module in the block that only type checkers and editors read."""
    block = next(node for node in SOURCE.body if isinstance(node, ast.If))
    found = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name, "re-exports are spelled: import X as X"
            found[alias.name] = str(node.module)
    return found


def loaded_by(code: str) -> set[str]:
    """The top-level packages that a fresh process has loaded after running some code."""
    script = f"import sys\n{code}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_all_table_and_type_checking_agree() -> None:
    assert checked_imports() == {**kt._HOME_OF, **dict.fromkeys(kt._SUBMODULES, "kinetune")}
    assert kt.__all__ == sorted(["__version__", *kt._HOME_OF, *kt._SUBMODULES])
    assert dir(kt) == kt.__all__


@pytest.mark.parametrize("name", kt.__all__)
def test_every_public_name_exists_and_has_words(name: str) -> None:
    value = getattr(kt, name)
    assert name == "__version__" or (value.__doc__ or "").strip()


def test_the_contract_is_kept() -> None:
    assert set(kt.__all__) >= CONTRACT


@pytest.mark.parametrize("name", kt._MOVED)
def test_a_moved_name_works_and_says_where_it_is(name: str) -> None:
    vars(kt).pop(name, None)
    with pytest.warns(DeprecationWarning, match=rf"kt.{name} is now kt.{kt._MOVED[name]}.{name}"):
        moved = getattr(kt, name)
    assert moved is getattr(getattr(kt, kt._MOVED[name]), name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(kt, name) is moved


def test_every_operation_is_public() -> None:
    for operation in OPERATIONS.values():
        assert getattr(kt, operation.__name__) is operation


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'kinetune' has no attribute 'smoth'"):
        kt.smoth  # noqa: B018


@pytest.mark.parametrize("order", ["kt.samples(); kt.sample(name)", "kt.sample(name); kt.samples()"])
def test_samples_is_callable_whatever_was_imported_before(order: str) -> None:
    """The package ``kinetune.samples`` has the name of the function, and importing it must not hide that."""
    before = "import kinetune as kt; from kinetune.samples import sample; name = 'walk'"
    assert "numpy" in loaded_by(f"{before}\n{order}\nassert name in kt.samples()")


def test_importing_loads_nothing_heavy() -> None:
    assert not loaded_by("import kinetune") & HEAVY


def test_reading_and_looking_load_no_plotting_and_no_compiler() -> None:
    loaded = loaded_by("import kinetune as kt; kt.sample('walk').positions()")
    assert not loaded & {"numba", "matplotlib", "pxr", "typer", "rich"}


def test_help_loads_no_numbers() -> None:
    shown = "import contextlib; from kinetune.cli import main\nwith contextlib.suppress(SystemExit): main(['--help'])"
    assert not loaded_by(shown) & {"numpy", "numba", "scipy", "matplotlib", "pydantic"}
