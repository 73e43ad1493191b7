"""Fuzz the readers: ``python -m tests.fuzz`` (all of them), ``python -m tests.fuzz bvh svg --cases 5000``.

With ``--record out/fuzz.jsonl``, finished parts are kept there, and the same command takes up a run that was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.readers import READERS
from tests.fuzz.workers import Failure, Tally, chunks, run_cases, warm_up

_CHUNK = 1000
_TABLE = re.compile(r"(<!-- fuzz -->\n)(.*?)(<!-- end fuzz -->\n)", re.DOTALL)
_KINDS = ("stray", "unforeseen", "slow", "memory", "crash", "message")


def main() -> int:
    """Run the cases, print what failed, and put the table into a page."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", default=list(READERS), help=f"of {', '.join(READERS)}")
    parser.add_argument("--cases", type=int, default=100_000, help="how many of each reader")
    parser.add_argument("--start", type=int, default=0, help="the number of the first case")
    parser.add_argument("--case", type=int, help="run this one, and leave its files in out/fuzz")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--page", type=Path, help="the page whose table gets the results")
    parser.add_argument("--record", type=Path, help="where finished parts are kept, so that they are not run again")
    asked = parser.parse_args()
    warm_up()
    done = _recorded(asked.record)
    if asked.case is not None:
        return _show(asked.readers[0], asked.case)
    tallies = {}
    for name in asked.readers:
        begun = time.perf_counter()
        tallies[name] = _run(name, range(asked.start, asked.start + asked.cases), asked.jobs, asked.record, done)
        _report(name, tallies[name], time.perf_counter() - begun)
    if asked.page is not None:
        text = asked.page.read_text(encoding="utf-8")
        text = _TABLE.sub(lambda match: match[1] + _table(match[2], tallies) + match[3], text)
        asked.page.write_text(text, encoding="utf-8")
    return int(any(tally.failures for tally in tallies.values()))


_Parts = dict[tuple[str, int, int], Tally]
"""What became of parts, by reader, first case and number of cases."""


def _recorded(record: Path | None) -> _Parts:
    parts: _Parts = {}
    for line in record.read_text(encoding="utf-8").splitlines() if record and record.exists() else []:
        row = json.loads(line)
        name, start, plain = row["reader"], row["start"], row["tally"]
        tally = Tally(**plain | {"failures": [Failure(**failure) for failure in plain["failures"]]})
        parts[name, start, tally.cases] = tally
    return parts


def _run(name: str, numbers: range, jobs: int, record: Path | None, done: _Parts) -> Tally:
    def run(part: Sequence[int]) -> Tally:
        known = done.get((name, part[0], len(part)))
        if known is not None:
            return known
        tally = run_cases(name, part)
        if record is not None:
            row = {"reader": name, "start": part[0], "tally": asdict(tally)}
            with record.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
        return tally

    tally = Tally()
    with ThreadPoolExecutor(jobs) as pool:
        for part in pool.map(run, chunks(numbers, _CHUNK)):
            tally.add(part)
    return tally


def _report(name: str, tally: Tally, seconds: float) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in tally.kinds().items()) or "no failure"
    print(
        f"{name}: {tally.cases:,} cases in {seconds:.0f} s, {tally.read:,} read, "
        f"slowest {tally.slowest_s:.2f} s, {kinds}"
    )
    shown: Counter[str] = Counter()
    for failure in tally.failures:
        last = failure.detail.strip().splitlines()[-1] if failure.detail.strip() else ""
        shown[f"{failure.kind} {last[:80]}"] += 1
        if shown[f"{failure.kind} {last[:80]}"] <= 2:
            print(f"  case {failure.case}, {failure.kind}\n    " + "\n    ".join(failure.detail.splitlines()[-9:]))


def _table(recorded: str, tallies: dict[str, Tally]) -> str:
    """The table with new rows for these readers; those of the others stay."""
    rows = {line.split("|")[1].strip(): line for line in recorded.splitlines()[2:]}
    for name, tally in tallies.items():
        kinds = " | ".join(str(tally.kinds()[kind]) for kind in _KINDS)
        rows[name] = (
            f"| {name} | {tally.cases:,} | {tally.read:,} | {tally.refused:,} | {kinds} | {tally.slowest_s:.1f} s "
            f"| {tally.day} |"
        )
    header = ["| reader | cases | read | refused | " + " | ".join(_KINDS) + " | slowest | run |", "|---" * 12 + "|"]
    return "\n".join([*header, *(rows[name] for name in READERS if name in rows)]) + "\n"


def _show(name: str, number: int) -> int:
    folder = Path("out/fuzz")
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in READERS[name].case(name, number).items():
        (folder / file).write_bytes(content)
        print(folder / file)
    tally = run_cases(name, [number])
    _report(name, tally, 0.0)
    return int(bool(tally.failures))


if __name__ == "__main__":
    raise SystemExit(main())
