"""Numbers of recorded runs for the pages.

Of ``benchmarks/bench_*.py``: ``{{ claims_reach }}`` is a table and ``{{ lines_keys }}`` a list.
``{{ quality_replay }}`` is what ``benchmarks/quality_replay.py`` printed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOT_YET = "*Not recorded yet; `make bench` measures it and writes it here.*"


UNJUDGED = "*Not recorded yet; `make quality` runs it on real clips and writes it here.*"


def substitutions(folder: Path, names: list[str], scripts: list[str]) -> dict[str, str]:
    """What a page may name: for every benchmark its claims and what else it printed, for every script its lines."""
    claims, judgements = _records(folder / "claims.json", "benchmarks"), _records(folder / "quality.json", "scripts")
    blocks = {}
    for name in scripts:
        record = judgements.get(name)
        block = None if record is None else "\n".join(["```text", *record["lines"], "```"])
        blocks[f"quality_{name}"] = block or UNJUDGED
    for name in names:
        one = claims.get(name)
        blocks[f"claims_{name}"] = NOT_YET if one is None else _claims(one)
        blocks[f"lines_{name}"] = NOT_YET if one is None else _lines(one)
    return blocks


def _records(path: Path, key: str) -> dict[str, dict[str, Any]]:
    """Name to what was recorded; nothing where there is no record."""
    return {one["name"]: one for one in json.loads(path.read_text(encoding="utf-8"))[key]} if path.exists() else {}


def _claims(one: dict[str, Any]) -> str:
    rows = [f"| recorded on {one['recorded']} | measured | promised |"]
    rows.append("|---|---|---|")
    for claim in one["claims"]:
        sign = "at least" if claim["at_least"] else "at most"
        rows.append(f"| {_plain(claim['text'])} | {_number(claim['value'])} | {sign} {claim['limit']:g} |")
    return "\n".join(rows)


def _lines(one: dict[str, Any]) -> str:
    return "\n".join(f"- {_plain(line)}" for line in one["lines"])


def _number(value: float) -> str:
    """Three digits that count, without an exponent."""
    if 0.0 < abs(value) < 0.001:
        return "under 0.001" if value > 0.0 else "above -0.001"
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def _plain(text: str) -> str:
    return "".join(f"\\{character}" if character in "|*_[]<>`$" else character for character in text)
