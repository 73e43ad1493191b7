"""Packages that load their public names on first use: tables, editors and the names themselves agree."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ("kinetune.contours", "kinetune.figures")


@pytest.mark.parametrize("package", PACKAGES)
def test_the_table_and_the_block_for_type_checkers_agree(package: str) -> None:
    module = importlib.import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    for_checkers = {
        (str(node.module), alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert for_checkers == {(home, name) for home, names in module._HOMES.items() for name in names}
    assert dir(module) == sorted(module.__all__) == sorted(name for _, name in for_checkers)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_loads_and_is_no_module(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert type(getattr(module, name)).__name__ != "module", name
        assert name in (module.__doc__ or "") or name[0].isupper(), f"{name} is missing in the index"
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'moprh'"):
        module.moprh  # noqa: B018


def test_a_name_stays_a_function_after_its_shelves_were_imported() -> None:
    contours = importlib.import_module("kinetune.contours")
    for shelf in ("gait_cycle", "elastic.stiffness", "morphing.morph"):
        importlib.import_module(f"kinetune.contours.{shelf}")
    assert callable(contours.walk_cycle)
    assert callable(contours.stiffness)
    assert callable(contours.morph)


@pytest.mark.slow
def test_writing_svg_loads_no_plotting_code(tmp_path: Path) -> None:
    script = f"""
import sys
import kinetune as kt
drawing = kt.Drawing((kt.contours.Layer((kt.Contour([(0, 0), (10, 0), (10, 10)]),)),))
kt.write_drawing([drawing, drawing], {str(tmp_path / "film.svg")!r})
print(*(name for name in sys.modules if name.startswith(("matplotlib", "kinetune.figures", "kinetune.physics"))))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {
        "kinetune.figures",
        "kinetune.figures.palette",
        "kinetune.figures.drawings",
        "kinetune.figures.drawings.drawing_files",
    }
