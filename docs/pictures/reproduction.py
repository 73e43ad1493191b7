"""The tables of the page on reproduction: every experiment of the papers, run now with few repetitions.

    python docs/pictures/reproduction.py

It writes reproduction.txt, which the page includes, and stops where an experiment fails.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import groupby
from pathlib import Path

from kinetune.reproduce import reproduce
from kinetune.reproduce.running import Ran

HERE = Path(__file__).parent
SPECIAL = {ord(character): f"\\{character}" for character in "|*_$[]<>`"}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        done = reproduce(folder=folder, quick=True)
    rows: list[str] = []
    for _, ran in groupby(done.ran, key=lambda one: one.paper.name):
        rows += paper(list(ran))
    (HERE / "reproduction.txt").write_text("\n".join(rows), encoding="utf-8")
    for one in done.failed:
        print(f"{one.paper.name}, {one.experiment.label}: failed", file=sys.stderr)
    return 1 if done.failed else 0


def paper(ran: list[Ran]) -> list[str]:
    """The experiments of a paper, and what is other than it says."""
    about = ran[0].paper
    rows = [f"### {plain(about.title)}", "", f"{plain(about.authors)}, {plain(about.where)}: `{about.name}`", ""]
    rows += ["| | what it shows | verdict |", "|---|---|---|"]
    rows += [f"| {one.experiment.label} | {plain(one.experiment.title)} | {one.result.verdict} |" for one in ran]
    rows.append("")
    for verdict, words in (("erratum", "Where the paper is wrong:"), ("deviates", "Where ours is another:")):
        found = [(one, value) for one in ran for value in one.result.values if value.verdict == verdict]
        if found:
            rows += [words, ""]
        for one, value in found:
            told = f"{plain(value.what)}: {plain(value.paper)}; ours: {plain(value.ours)}. {plain(value.note)}"
            rows.append(f"- **{one.experiment.label}**, {told}")
        rows.append("")
    return rows


def plain(words: str) -> str:
    """Words that Markdown leaves as they are, in one line."""
    return " ".join(words.translate(SPECIAL).split())


if __name__ == "__main__":
    sys.exit(main())
