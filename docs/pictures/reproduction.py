"""The tables of the page on reproduction: every experiment of the papers, run now with few repetitions.

    python docs/pictures/reproduction.py

It writes reproduction.txt, which the page includes, a sheet with the figures of each paper, and the complete report for
the site (docs/_build/report). It fails where an experiment does.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from itertools import groupby
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from kinetune.reproduce import reproduce
from kinetune.reproduce.running import Ran

HERE = Path(__file__).parent
REPORT = HERE.parent / "_build" / "report"
COLUMNS, TILE, LABEL = 4, (246, 150), 20
SPECIAL = {ord(character): f"\\{character}" for character in "|*_$[]<>`"}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        done = reproduce(folder=folder, quick=True)
        REPORT.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(done.report, REPORT / "report.html")
        rows: list[str] = []
        for name, group in groupby(done.ran, key=lambda one: one.paper.name):
            ran = list(group)
            draw_sheet(ran, HERE / f"reproduction_{name}.png")
            rows += paper(ran)
    (HERE / "reproduction.txt").write_text("\n".join(rows), encoding="utf-8")
    for one in done.failed:
        print(f"{one.paper.name}, {one.experiment.label}: failed", file=sys.stderr)
    return 1 if done.failed else 0


def draw_sheet(ran: list[Ran], path: Path) -> None:
    """The first picture of every experiment that has one, with its label."""
    shown = [(one.experiment.label, one.result.pictures[0].path) for one in ran if one.result.pictures]
    shown = [(label, file) for label, file in shown if file.suffix in (".png", ".gif")]
    rows = -(-len(shown) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * TILE[0], rows * (TILE[1] + LABEL)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(12)
    for number, (label, file) in enumerate(shown):
        left, top = number % COLUMNS * TILE[0], number // COLUMNS * (TILE[1] + LABEL)
        with Image.open(file) as picture:
            flat = Image.new("RGB", picture.size, "white")
            flat.paste(picture.convert("RGBA"), mask=picture.convert("RGBA").getchannel("A"))
        flat.thumbnail((TILE[0] - 10, TILE[1] - 6), Image.Resampling.LANCZOS)
        sheet.paste(flat, (left + (TILE[0] - flat.width) // 2, top + LABEL + (TILE[1] - flat.height) // 2))
        draw.text((left + 6, top + 4), label, "#444444", font)
    sheet.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)


def paper(ran: list[Ran]) -> list[str]:
    """The experiments of a paper, and what is other than it says."""
    about = ran[0].paper
    rows = [f"### {plain(about.title)}", "", f"{plain(about.authors)}, {plain(about.where)}: `{about.name}`", ""]
    rows += [f"![The figures of the paper, run again](pictures/reproduction_{about.name}.png)", ""]
    rows += ["| | what it shows | verdict |", "|---|---|---|"]
    rows += [f"| {one.experiment.label} | {plain(one.experiment.title)} | {one.result.verdict} |" for one in ran]
    rows.append("")
    for verdict, words in (("erratum", "Where the paper is wrong:"), ("deviates", "Where Kinetune differs:")):
        values = [(one, value) for one in ran for value in one.result.values if value.verdict == verdict]
        if values:
            rows += [words, ""]
        for one, value in values:
            line = f"{plain(value.what)}: {plain(value.paper)}; ours: {plain(value.ours)}. {plain(value.note)}"
            rows.append(f"- **{one.experiment.label}**, {line}")
        rows.append("")
    return rows


def plain(words: str) -> str:
    """Words that Markdown leaves as they are, in one line."""
    return " ".join(words.translate(SPECIAL).split())


if __name__ == "__main__":
    sys.exit(main())
