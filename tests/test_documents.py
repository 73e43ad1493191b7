"""The documents tell what the code has: every operation, every public name, and pictures that scripts make."""

import dataclasses
import datetime
import doctest
import importlib.util
import inspect
import io
import itertools
import pkgutil
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kinetune
from kinetune.operations import OPERATIONS

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts and "reference" not in path.parts)


def load(name: str) -> Any:
    """A module of docs/_ext."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def examples() -> Any:
    return load("operation_examples")


@pytest.mark.parametrize("tag", OPERATIONS)
def test_every_operation_has_a_page_with_a_command_and_a_recipe(tag: str) -> None:
    page = (DOCS / "operations" / f"{tag}.md").read_text(encoding="utf-8")
    assert f"kinetune {tag.replace('_', '-')}" in page
    assert f"op: {tag}" in page
    assert f"<!-- operation {tag} -->" in page
    assert f"]({tag}.md)" in (DOCS / "operations" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("tag", OPERATIONS)
def test_a_page_ends_with_picture_command_recipe_and_parameters(tag: str, examples: Any) -> None:
    page = examples.page_end(tag)
    assert f"../pictures/operation_{tag}.png" in page
    assert f"../pictures/operation_{tag}_captured.png" in page
    assert any(f"*Motion from {credit}.*" in page for credit in examples.CREDITS.values())
    assert f"kinetune {tag.replace('_', '-')} sample:" in page
    assert f"op: {tag}" in page
    knobs = re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)
    assert knobs == list(OPERATIONS[tag].parameters())


def test_the_readme_names_every_operation() -> None:
    lines = (DOCS.parent / "README.md").read_text(encoding="utf-8").splitlines()
    (row,) = (line for line in lines if line.startswith("| Operations"))
    assert set(re.findall(r"`(\w+)`", row)) == {operation.__name__ for operation in OPERATIONS.values()}


def test_every_operation_has_an_example(examples: Any) -> None:
    assert set(examples.EXAMPLES) == set(examples.CAPTURED) == set(OPERATIONS)


@pytest.mark.parametrize("tag", OPERATIONS)
def test_the_command_of_an_example_is_understood(tag: str, examples: Any) -> None:
    words = shlex.split(examples.command(tag))
    parse(words)


def test_the_page_of_public_names_is_the_front_door(tmp_path: Path) -> None:
    load("api_page").write_api(tmp_path / "api.md")
    told = re.findall(r"^## kt\.(\w+)", (tmp_path / "api.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert told == [name for name in kinetune.__all__ if not isinstance(getattr(kinetune, name), ModuleType)]


NAMES = {name: getattr(kinetune, name) for name in sorted({*kinetune.__all__, *kinetune._HOME_OF})}
NAMES |= {name: getattr(getattr(kinetune, module), name) for name, module in kinetune._MOVED.items()}
PUBLIC = [name for name, value in NAMES.items() if not isinstance(value, str | ModuleType)]


FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(inspect.unwrap(NAMES[name]))]
VALUES = [
    name
    for name in PUBLIC
    if dataclasses.is_dataclass(NAMES[name]) or name in ("DynamicFilter", "Recipe", "StepSet", "Walker")
]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_words(name: str) -> None:
    words = inspect.getdoc(NAMES[name])
    assert words
    assert len(words) > 20


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_tells_what_it_takes_and_returns(name: str) -> None:
    function = NAMES[name]
    sections = told_sections(inspect.getdoc(function) or "")
    taken = list(inspect.signature(function).parameters)
    assert [p for p in taken if p not in told_names(sections.get("Parameters", ""))] == []
    assert len(sections["Returns"]) > 2
    assert ">>>" in sections["Examples"]


@pytest.mark.parametrize("name", VALUES)
def test_a_public_value_tells_what_it_holds_with_an_example(name: str) -> None:
    value = NAMES[name]
    sections = told_sections(inspect.getdoc(value) or "")
    fields = [p for p in inspect.signature(value).parameters if not p.startswith("_")]
    told = told_names(sections["Parameters"])
    assert [p for p in fields if p not in told and not p.startswith("step_")] == []
    assert ">>>" in sections["Examples"]


def told_sections(words: str) -> dict[str, str]:
    """The sections of a docstring, by title."""
    parts = re.split(r"^(\w+)\n-{4,}\n", words, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def told_names(section: str) -> set[str]:
    """Every name before a colon, ``a, b : type``, and those that stand on a line alone."""
    entries = re.findall(r"^((?:\w+, )*\w+)(?: : |$)", section, flags=re.MULTILINE)
    return {name for entry in entries for name in entry.split(", ")}


@pytest.mark.slow
def test_the_examples_of_public_names_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kinetune.write(kinetune.sample("walk"), "walk.bvh")
    for name, drawing in (("cat", "face-happy"), ("rabbit", "face-sad")):
        kinetune.write_drawing(kinetune.sample_drawing(drawing), f"{name}.svg")
    Path("steps.csv").write_text("side,x,z,heading_deg\nleft,0.1,0.6,0\nright,-0.08,1.05,-3\n", encoding="utf-8")
    runner, told = doctest.DocTestRunner(verbose=False), io.StringIO()
    for name in PUBLIC:
        words = inspect.getdoc(NAMES[name]) or ""
        runner.run(doctest.DocTestParser().get_doctest(words, dict(NAMES), name, None, 0), out=told.write)
    assert runner.tries > 20
    assert runner.failures == 0, told.getvalue()


MEASURED = re.compile(
    r"\d ?(ms|µs|microseconds?|milliseconds?)\b|\d times (faster|slower|quicker|as (long|fast|many|much))|"
    r"\d+ (captured|random) |\bin the (median|mean)\b|\d (falls?|fell|good|are good)\b|"
    r"\b(off|apart|errors?|drifts?|agrees?|falls?|slides?|differs?)\b( \w+){0,3} -?\d[\d.]* ?(mm|cm|deg|m/s²)"
)
FIXED = ("The paper prints", "150 ms after", "slide under 10 mm", "slide by more than 5 mm")
"""Where such words are no measurement of ours: a quotation, a setting."""
CELL = re.compile(r"-?\d[\d.,/ -]*(?P<unit> ?(mm|cm|m|deg|degrees|Hz|s|ms|kg|N|N m|%|x|times|m/s²))?")


def measured_row(line: str) -> bool:
    """Whether a row of a table shows measurements: a cell that is a decimal or has a unit, or several bare numbers."""
    if not line.startswith("|"):
        return False
    numbers = [found for cell in line.strip("| ").split("|") if (found := CELL.fullmatch(cell.strip()))]
    return any(found["unit"] or "." in found[0] for found in numbers) or len(numbers) > 1


@pytest.mark.parametrize(
    "page", [DOCS.parent / "README.md", *PAGES], ids=lambda path: path.relative_to(DOCS.parent).as_posix()
)
def test_no_measured_number_is_typed_by_hand(page: Path) -> None:
    """Blocks between comments such as ``<!-- fuzz -->`` and ``<!-- end fuzz -->`` are written by a script."""
    if page.parent.name in ("benchmarks", "decisions"):  # a decision records what was measured when it was taken
        return
    text = re.sub(r"<!-- (\w+)[^\n]*-->.*?<!-- end \1 -->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = text.splitlines()
    typed = [line for line in lines if MEASURED.search(line) or measured_row(line)]
    assert [line for line in typed if not any(words in line for words in FIXED)] == []


@pytest.mark.parametrize(
    "line",
    [
        "| sample walk | 60 Hz | 0.00 / 0.00 mm | 27 / 18 mm |",
        "| one plan for the whole clip | 10 | 6 |",
        "| walk | 0.44 |",
        "with the search, none falls and 11 are good",
        "the centre of mass falls with 39.1 m/s² in the air",
        "they agree to about 0.02 mm",
    ],
)
def test_a_typed_measurement_is_seen(line: str) -> None:
    assert MEASURED.search(line) or measured_row(line)


def test_what_was_not_recorded_is_said(tmp_path: Path) -> None:
    recorded = load("recorded")
    told = recorded.substitutions(tmp_path, ["warp"], ["replay"])
    assert "make bench" in told["claims_warp"]
    assert "make quality" in told["quality_replay"]
    kept = recorded.substitutions(DOCS / "benchmarks", ["keys"], [])
    assert "a key for every frame" in kept["claims_keys"]
    assert "keys" in kept["lines_keys"]


@pytest.fixture(scope="module")
def blocks() -> Any:
    sys.path.insert(0, str(DOCS / "_ext"))
    return load("page_blocks")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_a_page_holds_what_the_scripts_write(page: Path, blocks: Any) -> None:
    """Fill them with: python docs/_ext/page_blocks.py."""
    text = page.read_text(encoding="utf-8")
    assert blocks.filled(text) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_a_page_reads_as_it_is_in_the_repository(page: Path) -> None:
    """No directive, role, placeholder or empty block is left for a build."""
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"^ *```\{|^:::|\{\{ \w|\{\w+\}`|Not recorded yet", text, re.M)
    assert not re.findall(r"<!-- (\w+)[^\n]*-->\s*<!-- end \1 -->", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_headings_skip_no_level(page: Path) -> None:
    """The site takes that for an error."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.M)]
    assert all(below - above <= 1 for above, below in itertools.pairwise(levels))


def test_every_page_is_in_a_menu(blocks: Any) -> None:
    """The site builds without a page that no list of pages leads to."""
    listed = set()
    for page in PAGES:
        for menu in re.findall(r"```\{toctree\}\n(.*?)```", blocks.toctrees(page.read_text(encoding="utf-8")), re.S):
            targets = (line for line in menu.splitlines() if line and not line.startswith(":"))
            listed |= {(page.parent / f"{target}.md").resolve() for target in targets}
    unlisted = {page.relative_to(DOCS).as_posix() for page in PAGES if page.resolve() not in listed}
    assert unlisted == {"index.md", "benchmarks/claims.md", "benchmarks/growth.md"}


def test_a_link_of_the_site_that_leads_nowhere_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top"></h1><a href="a/">a</a><a href="a/#end">b</a><a href="#no">c</a>'
    )
    (tmp_path / "a" / "index.html").write_text(
        '<p id="end"><a href="../#top">d</a><img src="e.png"><a href="http://f">'
    )
    assert load("site_links").dead_links(tmp_path) == ["a/index.html: e.png", "index.html: #no"]


PARTS = 20
SLOW_COMMANDS = ("film", "filter-dynamics", "physics", "batch", "index", "find", "duplicates", "transitions", "doctor")
SLOW_COMMANDS += ("clean", "morph", "gait", "inbetween")
ROOT = DOCS.parent
TOLD = [ROOT / "README.md", *PAGES]


@pytest.fixture(scope="module")
def page_commands() -> Any:
    return load("page_commands")


@pytest.mark.parametrize("page", TOLD, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_on_a_page_is_understood(page: Path, page_commands: Any) -> None:
    """Commands of code blocks: they exist, and so do their flags."""
    for words in page_commands.commands(page):
        parse(["kinetune", *words])


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {kinetune.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", TOLD, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_named_in_a_sentence_exists(page: Path) -> None:
    import typer

    from kinetune.cli.app import app

    group: Any = typer.main.get_command(app)
    known = group.list_commands(typer.Context(group))
    assert set(re.findall(r"`kinetune ([a-z][a-z-]*)", page.read_text(encoding="utf-8"))) <= set(known)


def test_commands_of_the_pages_run(page_commands: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of them, another one each day; ``python docs/_ext/page_commands.py`` runs all, as the docs build does."""
    monkeypatch.chdir(tmp_path)
    shown = {tuple(words): None for page in TOLD for words in page_commands.commands(page) if page_commands.runs(words)}
    quick = [words for words in shown if words[0] not in SLOW_COMMANDS and not re.search(r"[*]|--filter", str(words))]
    for words in quick[datetime.date.today().toordinal() % PARTS :: PARTS]:
        page_commands.make_files(words)
        code, printed = page_commands.run(words)
        assert code == 0, f"kinetune {shlex.join(words)}\n{printed}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["library.md", "tensors.md"])
def test_python_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "tensors.md":
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clips").mkdir()
    kinetune.write(kinetune.sample("walk")[:120], "clips/walk.bvh")
    kinetune.write(kinetune.sample("kick-1"), "kick.bvh")
    kinetune.write(kinetune.sample("kick-1"), "clips/kick.bvh")
    parts = re.findall(r"^```python\n(.*?)^```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert parts
    exec(compile("\n".join(parts), name, "exec"), {})


def parse(words: list[str]) -> None:
    """Read a command line as the program does, without running it."""
    import typer

    from kinetune.cli.app import app

    group: Any = typer.main.get_command(app)
    context = typer.Context(group, info_name="kinetune")
    name, found, rest = group.resolve_command(context, words[1:])
    found.make_context(name, list(rest), parent=context)


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *TOLD], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_link_is_broken(page: Path) -> None:
    """Pages, pictures and headings that are linked exist; code is no link."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target, heading in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", text):
        if target.startswith(("http", "mailto:")):
            continue
        linked = page if not target else page.parent / target
        assert linked.exists(), target
        assert not heading or heading[1:] in headings(linked), f"{target}{heading}"


def headings(page: Path) -> set[str]:
    """The anchors of a page, as forges and the site make them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", TOLD, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_code_that_a_page_names_exists(page: Path) -> None:
    """Modules, what is in them, and files of the checkout; a file in a code block may be the reader's."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for name in re.findall(r"`kinetune\.([\w.]+)`", text):
        assert pkgutil.resolve_name(f"kinetune.{name}") is not None
    for name in re.findall(r"`((?:[a-z_]+/)+(?:[\w*]+\.py)?)`", text):
        if (ROOT / "src" / "kinetune" / name.split("/")[0]).exists() or (ROOT / name.split("/")[0]).exists():
            assert [*ROOT.glob(name), *ROOT.glob(f"src/kinetune/{name}")], name


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_every_picture_is_made_by_a_script(page: Path) -> None:
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "pictures").glob("*.py"))
    examples = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS.parent / "examples").glob("*.py"))
    for name in re.findall(r"pictures/([\w.-]+\.(?:png|gif|txt|svg|webp))", page.read_text(encoding="utf-8")):
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


def test_the_pictures_are_small_in_all() -> None:
    """A clone holds every version of them."""
    pictures = [path for path in DOCS.rglob("*") if path.suffix in (".gif", ".png", ".svg", ".webp")]
    committed = [path for path in pictures if "_build" not in path.parts]
    assert sum(path.stat().st_size for path in committed) < 8e6


def _patterns(scripts: str) -> list[str]:
    """File names that a script puts together, f"look_{name}.png", as patterns."""
    found = re.findall(r'f"([^"\n]*\{[^"\n]*\.(?:png|gif|txt|svg|webp))"', scripts)
    return [re.sub(r"\{[^}]*\}", "[\\\\w-]+", Path(name).stem) for name in found]
