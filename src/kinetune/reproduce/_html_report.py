"""The report: one HTML file that holds everything, pictures too."""

from __future__ import annotations

import base64
import html
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kinetune.reproduce.experiments import Paper, Picture, Value
from kinetune.reproduce.running import Ran, files_used

_WORDS = {
    "same": ("✓", "as the paper says"),
    "better": ("▲", "the same, better"),
    "deviates": ("≠", "other than the paper, and why"),
    "erratum": ("✎", "the paper is wrong here"),
    "left out": ("–", "a file of yours that cannot be used there, and why"),
    "failed": ("✗", "not what we claim, or an error"),
}

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --good: #1a7f37; --odd: #9a6700; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --odd: #d4a72c; --bad: #ff7b72; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
h3 { margin: 2rem 0 .4rem; } .where { opacity: .7; margin-top: -.6rem; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } .v { white-space: nowrap; }
.same, .better { color: var(--good); } .deviates, .erratum { color: var(--odd); } .failed { color: var(--bad); }
.values td:nth-child(-n+3) { min-width: 9em; }
.left { opacity: .75; } .files { table-layout: fixed; } .files td { overflow-wrap: anywhere; }
figure { margin: .8rem 0; } img { max-width: 100%; background: #fff; border: 1px solid var(--line); }
figcaption, .time { opacity: .7; font-size: .87rem; }
pre { white-space: pre-wrap; background: var(--soft); padding: .6rem; }
nav a { margin-right: 1rem; }
@media (max-width: 700px) { body { padding: 0 .5rem; } table { display: block; overflow-x: auto; } }
"""


def write_report(path: Path, ran: Sequence[Ran]) -> None:
    """Write the report; it needs no other file."""
    papers = list({one.paper.name: one.paper for one in ran}.values())
    parts = [_head(ran, papers), _failures(ran), _differences(ran), _files(ran)]
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
        f"<tr><td class='v {verdict}'>{sign} {verdict}</td><td>{text}</td><td>{counts[verdict]}</td></tr>"
        for verdict, (sign, text) in _WORDS.items()
    )
    links = "".join(f"<a href='#{paper.name}'>{html.escape(paper.title)}</a><br>" for paper in papers)
    seconds = sum(one.seconds for one in ran)
    return (
        f"<h1>The papers, run again</h1><p>Kinetune {__version__}, Python {platform.python_version()}, "
        f"{html.escape(platform.machine())}; {len(ran)} experiments in {seconds:.0f} s.</p>"
        "<p>Every figure and table of five papers, done again, with what the paper says beside what came out now.</p>"
        f"<table><tr><th>verdict</th><th>meaning</th><th>values</th></tr>{legend}</table><nav>{links}</nav>"
    )


def _failures(ran: Sequence[Ran]) -> str:
    """What has failed, with links; nothing where all is well."""
    failed = [one for one in ran if one.result.verdict == "failed"]
    links = ", ".join(f"<a class=failed href='#{_anchor(one)}'>{_name(one)}</a>" for one in failed)
    return f"<p><b>Failed:</b> {links}.</p>" if failed else ""


def _differences(ran: Sequence[Ran]) -> str:
    """Every deviation and every erratum, a line each."""
    rows = [
        f"<tr><td><a href='#{_anchor(one)}'>{_name(one)}</a></td><td>{_verdict(value)}</td>"
        f"<td>{html.escape(value.what)}</td><td>{html.escape(value.note)}</td></tr>"
        for one in ran
        for value in one.result.values
        if value.verdict in ("deviates", "erratum") and not value.files
    ]
    head = "<tr><th>where</th><th></th><th>what</th><th>why, or how we know</th></tr>"
    return f"<h2 id=differences>Deviations and errata</h2><table>{head}{''.join(rows)}</table>" if rows else ""


def _files(ran: Sequence[Ran]) -> str:
    """Which of the user's files was used where, and which could not be, and why."""
    used = files_used(ran)
    if not used:
        return ""
    papers = list(dict.fromkeys(paper for uses in used.values() for paper in uses))
    head = "".join(f"<th>{paper}</th>" for paper in papers)
    rows = "".join(
        f"<tr><td>{html.escape(name)}</td>{''.join(_use(uses.get(paper)) for paper in papers)}</tr>"
        for name, uses in used.items()
    )
    text = "The outcome of each file is listed under its paper; where one was not used, the reason is given here."
    table = f"<table class=files><tr><th>file</th>{head}</tr>{rows}</table>"
    return f"<h2 id=files>Your files</h2><p>{text}</p>{table}"


def _use(use: dict[str, Any] | None) -> str:
    if use is None:
        return "<td></td>"
    sign, word = _WORDS[use["verdict"]][0], "used" if use["used"] else "not used"
    why = "" if use["used"] else f"<div class=time>{html.escape(use['text'])}</div>"
    return f"<td><span class='v {use['verdict']}'>{sign} {word}</span>{why}</td>"


def _name(one: Ran) -> str:
    return html.escape(f"{one.paper.name}, {one.experiment.label}")


def _verdict(value: Value) -> str:
    return f"<span class='v {value.verdict}'>{_WORDS[value.verdict][0]} {value.verdict}</span>"


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
    table = f"<table class=values>{head}{values}</table>" if values else ""
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
        f"<td>{_verdict(value)}{note}</td></tr>"
    )


def _picture(picture: Picture) -> str:
    kind = {".png": "image/png", ".gif": "image/gif", ".svg": "image/svg+xml"}[picture.path.suffix]
    data = base64.b64encode(picture.path.read_bytes()).decode("ascii")
    caption = html.escape(picture.caption, quote=True)
    image = f"<img loading=lazy alt='{caption}' src='data:{kind};base64,{data}'>"
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _anchor(one: Ran) -> str:
    return f"{one.paper.name}-{one.experiment.label.lower().replace(' ', '-').replace(',', '')}"
