"""The documents tell what the code has: every operation, every public name, and pictures that scripts make."""

import re
import runpy
from pathlib import Path

import pytest

import kinetune
from kinetune.operations import OPERATIONS

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts and "reference" not in path.parts)


@pytest.mark.parametrize("tag", OPERATIONS)
def test_every_operation_has_a_page_with_a_command_and_a_recipe(tag: str) -> None:
    page = (DOCS / "operations" / f"{tag}.md").read_text(encoding="utf-8")
    assert f"kinetune {tag.replace('_', '-')}" in page
    assert f"op: {tag}" in page


def test_the_page_of_public_names_is_the_front_door(tmp_path: Path) -> None:
    build = runpy.run_path(str(DOCS / "build.py"))
    build["write_api"](tmp_path / "api.md")
    told = re.findall(r"^- `kt\.(\w+)`", (tmp_path / "api.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert told == list(kinetune.__all__)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_every_picture_is_made_by_a_script(page: Path) -> None:
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "pictures").glob("*.py"))
    examples = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS.parent / "examples").glob("*.py"))
    for name in re.findall(r"pictures/([\w.-]+\.(?:png|gif|txt|svg))", page.read_text(encoding="utf-8")):
        stem = Path(name).stem
        if stem.startswith("start_"):
            example = next(
                e.stem for e in (DOCS.parent / "examples").glob("*.py") if stem.startswith(f"start_{e.stem}")
            )
            made = stem.removeprefix(f"start_{example}").lstrip("_")
            assert not made or f"{made}{Path(name).suffix}" in examples, name
            assert f'"{example}"' in scripts, name
        else:
            assert stem in scripts or any(re.fullmatch(pattern, stem) for pattern in _patterns(scripts)), name


def _patterns(scripts: str) -> list[str]:
    """File names that a script puts together, f"look_{name}.png", as patterns."""
    found = re.findall(r'f"([^"\n]*\{[^"\n]*\.(?:png|gif|txt|svg))"', scripts)
    return [re.sub(r"\{[^}]*\}", "[\\\\w-]+", Path(name).stem) for name in found]
