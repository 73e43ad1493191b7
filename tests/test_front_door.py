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
    "Aim",
    "Align",
    "Arrange",
    "AtPoint",
    "Blend",
    "Body",
    "Clean",
    "Clip",
    "Contour",
    "Denoise",
    "Displace",
    "Drawing",
    "Equalize",
    "Facing",
    "FilterDynamics",
    "Footstep",
    "Hold",
    "InverseBlend",
    "Loop",
    "Mirror",
    "OnLine",
    "Operation",
    "PlantFeet",
    "Recipe",
    "ReduceKeys",
    "Resample",
    "Retarget",
    "Retime",
    "Shape",
    "ShapingCurve",
    "Skeleton",
    "Smooth",
    "TCB",
    "Trim",
    "Turn",
    "filter_dynamics",
    "join_bands",
    "keyframe",
    "measure",
    "morph",
    "physics_report",
    "read",
    "read_drawing",
    "refinement_integrals",
    "relax",
    "run",
    "sample",
    "samples",
    "splice",
    "split_bands",
    "stiffness",
    "time_warp",
    "walk",
    "write",
}
"""Names that scripts written against the design use; they work without a warning."""
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
    modules = {**dict.fromkeys(kt._SUBMODULES, "kinetune"), "samples": "kinetune.samples"}  # that one can be called
    assert checked_imports() == {**kt._HOME_OF, **modules}
    assert set(kt.__all__) == {"__version__", *everyday(), *kt._SUBMODULES}
    assert dir(kt) == kt.__all__


def everyday() -> list[str]:
    return [name for names in kt._EVERYDAY.values() for name in names]


def test_the_names_of_every_day_can_be_read_at_a_glance() -> None:
    """Operations, and little else; anything new goes into a sub-module (decision 32)."""
    assert len(set(everyday()) - {operation.__name__ for operation in OPERATIONS.values()}) <= 17


@pytest.mark.parametrize("name", sorted({*kt.__all__, *kt._HOME_OF}))
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(kt, name)
    assert name == "__version__" or (value.__doc__ or "").strip()


@pytest.mark.parametrize("name", sorted(CONTRACT))
def test_the_contract_is_kept(name: str) -> None:
    vars(kt).pop(name, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert callable(getattr(kt, name))


def test_every_shortcut_is_at_home_in_a_submodule() -> None:
    for names in kt._SHORTCUTS.values():
        for name in names:
            homes = [each for each in kt._SUBMODULES if getattr(getattr(kt, each), name, None) is getattr(kt, name)]
            assert homes, name


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
