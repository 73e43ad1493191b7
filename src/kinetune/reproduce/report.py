"""The report: one HTML file that holds everything, pictures too."""

from __future__ import annotations

import base64
import html
import platform
from collections.abc import Sequence
from pathlib import Path

from kinetune.reproduce.experiments import Paper, Picture, Value
from kinetune.reproduce.running import Ran

_WORDS = {
    "same": ("✓", "as the paper says"),
    "better": ("▲", "the same, better"),
    "deviates": ("≠", "other than the paper, and why"),
    "erratum": ("✎", "the paper is wrong here"),
    "failed": ("✗", "failed"),
}

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --good: #1a7f37; --odd: #9a6700; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --odd: #d4a72c; --bad: #ff7b72; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
h3 { margin: 2rem 0 .4rem; } .where { opacity: .7; margin-top: -.6rem; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } td.v { white-space: nowrap; }
.same, .better { color: var(--good); } .deviates, .erratum { color: var(--odd); } .failed { color: var(--bad); }
figure { margin: .8rem 0; } img { max-width: 100%; background: #fff; border: 1px solid var(--line); }
figcaption, .time { opacity: .7; font-size: .87rem; }
pre { white-space: pre-wrap; background: var(--soft); padding: .6rem; }
nav a { margin-right: 1rem; }
"""


def write_report(path: Path, ran: Sequence[Ran]) -> None:
    """Write the report; it needs no other file."""
    papers = list({one.paper.name: one.paper for one in ran}.values())
    parts = [_head(ran, papers)]
    parts += [_paper(paper, [one for one in ran if one.paper.name == paper.name]) for paper in papers]
    page = "<!doctype html><html lang=en><meta charset=utf-8><title>Kinetune: the papers, run again</title>"
    page += (
        f"<meta name=viewport content='width=device-width'><style>{_STYLE}</style><body>{''.join(parts)}</body></html>"
    )
    path.write_text(page, encoding="utf-8")


def _head(ran: Sequence[Ran], papers: Sequence[Paper]) -> str:
    from kinetune import __version__

    counts = {verdict: sum(v.verdict == verdict for one in ran for v in one.result.values) for verdict in _WORDS}
    legend = "".join(
        f"<tr><td class='v {verdict}'>{sign} {verdict}</td><td>{words}</td><td>{counts[verdict]}</td></tr>"
        for verdict, (sign, words) in _WORDS.items()
    )
    links = "".join(f"<a href='#{paper.name}'>{html.escape(paper.title)}</a><br>" for paper in papers)
    seconds = sum(one.seconds for one in ran)
    return (
        f"<h1>The papers, run again</h1><p>Kinetune {__version__}, Python {platform.python_version()}, "
        f"{html.escape(platform.machine())}; {len(ran)} experiments in {seconds:.0f} s.</p>"
        f"<table><tr><th>verdict</th><th>meaning</th><th>values</th></tr>{legend}</table><nav>{links}</nav>"
    )


def _paper(paper: Paper, ran: Sequence[Ran]) -> str:
    rows = "".join(
        f"<tr><td><a href='#{_anchor(one)}'>{html.escape(one.experiment.label)}</a></td>"
        f"<td>{html.escape(one.experiment.title)}</td><td class='v {one.result.verdict}'>"
        f"{_WORDS[one.result.verdict][0]} {one.result.verdict}</td></tr>"
        for one in ran
    )
    return (
        f"<h2 id='{paper.name}'>{html.escape(paper.title)}</h2>"
        f"<p class=where>{html.escape(paper.authors)}. {html.escape(paper.where)}</p>"
        f"<table>{rows}</table>{''.join(_experiment(one) for one in ran)}"
    )


def _experiment(one: Ran) -> str:
    values = "".join(_value(value) for value in one.result.values)
    head = "<tr><th></th><th>paper</th><th>ours</th><th>verdict</th></tr>"
    table = f"<table>{head}{values}</table>" if values else ""
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in one.result.notes)
    pictures = "".join(_picture(picture) for picture in one.result.pictures)
    return (
        f"<h3 id='{_anchor(one)}'>{html.escape(one.experiment.label)}: {html.escape(one.experiment.title)}</h3>"
        f"{pictures}{table}{notes}<p class=time>{one.seconds:.1f} s</p>"
    )


def _value(value: Value) -> str:
    note = ""
    if value.note:
        tag = "pre" if "\n" in value.note else "div"
        note = f"<{tag}>{html.escape(value.note)}</{tag}>"
    return (
        f"<tr><td>{html.escape(value.what)}</td><td>{html.escape(value.paper)}</td><td>{html.escape(value.ours)}</td>"
        f"<td><span class='v {value.verdict}'>{_WORDS[value.verdict][0]} {value.verdict}</span>{note}</td></tr>"
    )


def _picture(picture: Picture) -> str:
    kind = {".png": "image/png", ".gif": "image/gif", ".svg": "image/svg+xml"}[picture.path.suffix]
    data = base64.b64encode(picture.path.read_bytes()).decode("ascii")
    caption = html.escape(picture.caption)
    return f"<figure><img alt='{caption}' src='data:{kind};base64,{data}'><figcaption>{caption}</figcaption></figure>"


def _anchor(one: Ran) -> str:
    return f"{one.paper.name}-{one.experiment.label.lower().replace(' ', '-').replace(',', '')}"
