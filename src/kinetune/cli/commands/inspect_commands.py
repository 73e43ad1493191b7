"""Commands that look and change nothing: info, doctor, measure, samples, operations, version."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.options import (
    ClipTimeoutOption,
    FileArgument,
    JobsOption,
    JsonOption,
    SchedulerOption,
    StrictOption,
    WrongUsage,
    flag_of,
    reads_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kinetune.body.clip import Clip
    from kinetune.doctor.examine import Examination
    from kinetune.doctor.limits import CheckLimits
    from kinetune.findings import Finding
    from kinetune.operations import Operation


@reads_files
def info(file: FileArgument, as_json: JsonOption = False, *, reading: dict[str, Any]) -> None:
    """Show what is in a motion file: its length, its joints and their roles, its history."""
    from kinetune.cli.show import console, print_facts
    from kinetune.recipes import open_clip

    clip = open_clip(file, **reading)
    if as_json:
        print(json.dumps(_described(file, clip), indent=2))
        return
    print_facts(_facts(file, clip))
    console().print("\njoints and their roles")
    for line in _tree_lines(clip):
        console().print(line)
    if clip.history:
        from kinetune.operations._parameters import shown_value

        console().print("\nhistory")
        for step in clip.history:
            parameters = ", ".join(f"{name} {shown_value(value)}" for name, value in step.items() if name != "op")
            console().print(f"  {step.get('op')}" + (f": {parameters}" if parameters else ""))


@reads_files
def doctor(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE", help="Motion files, folders, patterns such as 'clips/**/*.bvh', or sample:NAME."
        ),
    ],
    as_json: JsonOption = False,
    ci: Annotated[
        bool,
        typer.Option("--ci", metavar="", help="Exit with 1 if anything fails; one line for each finding."),
    ] = False,
    limits: Annotated[
        Path | None,
        typer.Option("--limits", metavar="FILE", help="What fails, as YAML: fail, ignore, checks.", show_default=False),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit report.", show_default=False)
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Write a SARIF report.", show_default=False)
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures.", show_default=False)
    ] = None,
    fix: Annotated[
        Path | None,
        typer.Option("--fix", metavar="OUT", help="Write the clip with the safe remedies applied.", show_default=False),
    ] = None,
    physics: Annotated[bool, typer.Option(help="Judge the motion by physics as well.")] = True,
    jobs: JobsOption = None,
    *,
    reading: dict[str, Any],
) -> None:
    """Find what is wrong with motion files and how to fix it: one file, a folder, or a pipeline."""
    from kinetune.doctor.limits import CheckLimits
    from kinetune.recipes.sources import is_pattern

    known = CheckLimits() if limits is None else CheckLimits.read(limits)
    many = len(files) > 1 or is_pattern(files[0]) or Path(files[0]).is_dir()
    if many or ci or junit or sarif or html or limits:
        if fix is not None:
            raise WrongUsage("give one file, and no report.", param_hint="--fix")
        examined = _examine_many(files, known, physics=physics, jobs=jobs, reading=reading)
        _report_many(examined, known, as_json=as_json, reports=(junit, sarif, html), reading=reading)
        if ci and any(known.failing(one.findings) for one in examined):
            raise typer.Exit(1)
        return
    file = files[0]
    if fix is not None:
        _fix_file(file, fix, physics=physics, as_json=as_json, reading=reading)
        return
    _examine_one(file, known.checks, as_json=as_json, physics=physics, reading=reading)


def _examine_one(
    file: str, checks: Mapping[str, float], *, as_json: bool, physics: bool, reading: dict[str, Any]
) -> None:
    from kinetune.cli.show import console, print_facts
    from kinetune.diagnosis.examination import examine_clip
    from kinetune.recipes import open_clip

    clip = open_clip(file, **reading)
    raised, verdict = examine_clip(clip, checks, physics=physics)
    findings = [replace(_with_flag(finding), remedy=_for_file(_with_flag(finding).remedy, file)) for finding in raised]
    if as_json:
        listed = [finding.as_dict() for finding in findings]
        print(json.dumps({**_described(file, clip), "verdict": verdict, "findings": listed}, indent=2))
        return
    out = console()
    print_facts(_facts(file, clip) | ({"physics": verdict} if verdict else {}))
    of_file = [f for f in findings if f.kind.startswith(("guess", "repaired")) or f.override is not None]
    of_motion = [f for f in findings if f not in of_file]
    sections: dict[str, list[Finding]] = {
        "Guessed": [f for f in of_file if f.kind.startswith("guess")],
        "Repaired while reading": [f for f in of_file if f.kind.startswith("repaired")],
        "Issues in the motion": [f for f in of_motion if f.severity != "info"],
        "Worth knowing": [f for f in of_motion if f.severity == "info"],
    }
    for title, findings_of in sections.items():
        if findings_of:
            out.print(f"\n{title}")
        for finding in findings_of:
            out.print(f"  - {' '.join(filter(None, (finding.message, finding.remedy)))}")
    if not sections["Issues in the motion"]:
        out.print("\nNo issues in the motion.")


def _examine_many(
    files: list[str], limits: CheckLimits, *, physics: bool, jobs: int | None, reading: dict[str, Any]
) -> list[Examination]:
    from kinetune.batch.jobs import find_sources
    from kinetune.cli.show import bar
    from kinetune.doctor.many_files import examine_files
    from kinetune.progress import report
    from kinetune.recipes.sources import is_sample

    others = [file for file in files if not is_sample(file)]
    listed = find_sources(others).files if others else ()
    sources = [*(file for file in files if is_sample(file)), *(str(file) for file, _ in listed)]
    examined: list[Examination] = []
    with bar():
        for one in examine_files(sources, limits.checks, physics=physics, jobs=jobs, reading=reading):
            examined.append(one)
            report(len(examined) / len(sources), one.file)
    return examined


def _report_many(
    examined: list[Examination],
    limits: CheckLimits,
    *,
    as_json: bool,
    reports: tuple[Path | None, Path | None, Path | None],
    reading: dict[str, Any],
) -> None:
    from kinetune.doctor.reports import as_json as report_json
    from kinetune.doctor.reports import as_junit, as_page, as_sarif
    from kinetune.formats import write_files

    makers: tuple[Callable[[], str], ...] = (
        lambda: as_junit(examined, limits),
        lambda: as_sarif(examined, limits),
        lambda: as_page(examined, limits, reading),
    )
    files = {path: make().encode() for path, make in zip(reports, makers, strict=True) if path is not None}
    if files:
        write_files(files)
    if as_json:
        print(report_json(examined, limits))
        return
    failed = 0
    for one in examined:
        against = limits.failing(one.findings)
        failed += bool(against)
        for finding in against:
            named = replace(finding, remedy=_for_file(finding.remedy, one.file))
            print(f"{one.file}: {finding.severity}: {finding.kind}: {named}")
    print(f"{len(examined)} clip{'s' * (len(examined) != 1)} examined, {failed} with findings that fail.")
    for path in files:
        print(path)


def _fix_file(file: str, target: Path, *, physics: bool, as_json: bool, reading: dict[str, Any]) -> None:
    """Write the clip after the steps that its findings carry, and say what was done and what is left."""
    from kinetune.diagnosis.examination import examine_clip
    from kinetune.operations.clean import Clean, CleaningStep
    from kinetune.runs import run

    result = run(Clean(), file, {}, target, **reading)
    steps = result.reports[0].get("cleaning", []) if result.reports else []
    findings, verdict = examine_clip(result.clip, physics=physics)
    left = [finding for finding in findings if finding.severity != "info"]
    if as_json:
        report = {"target": str(target), "steps": steps, "verdict": verdict}
        print(json.dumps({**report, "left": [finding.as_dict() for finding in left]}, indent=2))
        return
    print(f"{target}: {', '.join(step['step']['op'].replace('_', ' ') for step in steps) or 'nothing to fix'}.")
    for step in steps:
        print(CleaningStep.sentence(step))
    for finding in left:
        print(f"Left: {finding}")


def _with_flag(finding: Finding) -> Finding:
    """A finding of a reader whose remedy names the flag that decides otherwise."""
    if finding.override is None:
        return finding
    return replace(finding, remedy=f"Decide otherwise with {flag_of(finding.override)}.")


@reads_files
def measure(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Motion files, patterns such as 'clips/**/*.bvh', or sample:NAME."),
    ],
    as_json: JsonOption = False,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write a table for a spreadsheet; - prints it.")
    ] = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    clip_timeout: ClipTimeoutOption = None,
    strict: StrictOption = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Measure the quality of motion: foot slide, jerk, floor penetration and more, side by side."""
    from kinetune.cli.show import csv_text, print_measures
    from kinetune.recipes.sources import is_pattern

    many = jobs is not None or scheduler is not None or any(is_pattern(file) for file in files)
    if many:
        from kinetune.cli.commands.library_commands import measure_many

        measured, failed = measure_many(
            files, jobs=jobs, scheduler=scheduler, clip_timeout=clip_timeout, reading=reading
        )
    else:
        measured, failed = _measured(files, reading), 0
    if csv == "-":
        print(csv_text(measured), end="")
    elif csv is not None:
        from kinetune.formats import write_files

        write_files({Path(csv): csv_text(measured).encode()})
        print(f"{csv}: {len(measured)} clips.")
    if as_json:
        print(json.dumps(measured, indent=2))
    elif csv is None:
        print_measures(measured)
    if failed and strict:
        raise typer.Exit(1)


def _measured(files: list[str], reading: dict[str, Any]) -> dict[str, Any]:
    """The measures of each file in turn; the first one that cannot be read ends it."""
    from kinetune.body.quality.measures import measure as measure_clip
    from kinetune.cli.show import bar
    from kinetune.progress import report
    from kinetune.recipes import open_clip

    measured = {}
    with bar():
        for number, file in enumerate(files):
            report(number / len(files), file)
            measured[file] = measure_clip(open_clip(file, **reading))
    return measured


def samples(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The sample to write.", show_default=False)] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="The file to write; its suffix chooses the format."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the clips that ship with Kinetune, or write one to a file."""
    from kinetune.cli.show import print_facts
    from kinetune.samples import describe
    from kinetune.samples import samples as sample_names

    if name is None:
        if output is not None:
            raise WrongUsage("name the sample to write.", param_hint="NAME")
        described = {name: describe(name) for name in sample_names()}
        if as_json:
            print(json.dumps(described, indent=2))
        else:
            _list_samples(described)
        return
    from kinetune.cli.commands.run_commands import run_and_report
    from kinetune.recipes import open_clip
    from kinetune.recipes.sources import SAMPLE

    if output is not None:
        run_and_report((), SAMPLE + name.removeprefix(SAMPLE), {}, output, force=False, as_json=as_json, reading={})
        return
    clip = open_clip(SAMPLE + name.removeprefix(SAMPLE))
    if as_json:
        print(json.dumps(_described(name, clip), indent=2))
    else:
        print_facts(_facts(name, clip))


def _list_samples(described: Mapping[str, str]) -> None:
    """The samples in groups; a set of examples takes one line."""
    from kinetune.cli.show import console, print_facts
    from kinetune.samples import sample
    from kinetune.samples.drawings import sample_drawings

    groups: dict[str, dict[str, str]] = {}
    sets: dict[str, list[str]] = {}
    usual = sample("walk").skeleton
    for name, text in described.items():
        stem, _, number = name.rpartition("-")
        if len(number) == 2 and number.isdigit():
            sets.setdefault(stem, []).append(name)
        elif sample(name).skeleton != usual:
            groups.setdefault("Other skeletons", {})[name] = text
        else:
            groups.setdefault("Walks and runs" if "heel strike" in _events(name) else "Actions", {})[name] = text
    groups["Sets of examples, for reach and walk"] = {
        f"{names[0]} to {names[-1]}": described[names[0]].partition(": ")[0] + "." for names in sets.values()
    }
    groups["Drawings, for morph and gait"] = {", ".join(sample_drawings()): ""}
    for title, entries in groups.items():
        console().print(f"{title}")
        print_facts({f"  {name}": text for name, text in entries.items()})
        console().print()
    console().print("Use one as a file: kinetune info sample:walk. Write one: kinetune samples walk -o walk.bvh")


def _events(name: str) -> str:
    from kinetune.samples import sample

    return ", ".join(marker.name for marker in sample(name).markers)


def operations(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The operation to explain.", show_default=False)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the operations, or explain the parameters of one."""
    from kinetune.cli.generated.flags import flags_of
    from kinetune.cli.generated.operation_list import tag_of, unmarked
    from kinetune.cli.show import console, print_table
    from kinetune.operations import OPERATIONS, find_operation

    if name is None:
        if as_json:
            print(json.dumps({tag: _declared(operation) for tag, operation in OPERATIONS.items()}, indent=2))
        else:
            print_table(
                ["operation", "what it does"], [[tag, unmarked(op.summary())] for tag, op in OPERATIONS.items()]
            )
            console().print("The parameters of one: kinetune operations NAME")
        return
    operation = find_operation(tag_of(name))
    if as_json:
        print(json.dumps(_declared(operation), indent=2))
        return
    console().print(f"{operation.tag()}: {unmarked(operation.summary())}\n")
    print_table(["parameter", "takes", "what it does"], [[f.name, f.takes, f.help] for f in flags_of(operation)])


def version(as_json: JsonOption = False) -> None:
    """Print the version."""
    import platform

    from kinetune import __version__

    if as_json:
        print(json.dumps({"kinetune": __version__, "python": platform.python_version()}))
    else:
        print(f"kinetune {__version__}")


def _tree_lines(clip: Clip) -> Iterator[str]:
    """The hierarchy as a tree, each joint with the role that it is taken for."""
    skeleton = clip.skeleton
    roles = {joint: role for role, joint in skeleton.roles.items()}
    stack = [(root, "  ", "  ") for root in reversed(skeleton.roots)]
    while stack:
        joint, branch, below = stack.pop()
        yield f"{branch}{skeleton.names[joint]}" + (f"  ({roles[joint]})" if joint in roles else "")
        children = skeleton.children[joint]
        for child in reversed(children):
            last = child == children[-1]
            stack.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))


def _facts(file: str, clip: Clip) -> dict[str, str]:
    source = clip.source
    unit = source.unit if source.unit == "m" else f"{source.unit} (1 = {source.metres_per_unit:g} m)"
    facts = {
        "file": file,
        "format": source.format,
        "frames": f"{len(clip)} at {clip.fps:.6g} fps, {clip.duration:.3g} s",
        "joints": f"{len(clip.skeleton)}, and {len(clip.skeleton.end_sites)} end sites",
        "size": f"{clip.skeleton.height:.2f} m in the rest pose",
        "unit": unit,
        "up": source.up.upper(),
    }
    bands = _bands_hz(clip)
    if bands:
        facts["bands"] = f"{len(bands)}, centred at {', '.join(f'{hz:.3g}' for hz in bands)} Hz"
    if clip.translations is not None:
        facts["moving joints"] = "joints also change their distance to the parent"
    facts |= _layout_facts(clip)
    if clip.markers:
        facts["markers"] = ", ".join(f"{marker.name} at {marker.frame}" for marker in clip.markers)
    return facts


def _layout_facts(clip: Clip) -> dict[str, str]:
    """What a format knows beyond the clip, such as the limits of a robot or the markers of a recording."""
    facts = getattr(clip.source.layout, "facts", None)
    return dict(facts()) if facts is not None else {}


def _bands_hz(clip: Clip) -> list[float]:
    """Where the frequency bands lie that the equalizer turns, band 0 first."""
    from kinetune.signals.bands.pyramid import band_centres_hz, count_bands

    return [float(hz) for hz in band_centres_hz(count_bands(len(clip)), clip.fps)]


def _described(file: str, clip: Clip) -> dict[str, Any]:
    source = clip.source
    return {
        "file": file,
        "format": source.format,
        "frames": len(clip),
        "fps": clip.fps,
        "duration_s": clip.duration,
        "unit": source.unit,
        "metres_per_unit": source.metres_per_unit,
        "up": source.up,
        "size_m": clip.skeleton.height,
        "bands_hz": _bands_hz(clip),
        "joints": list(clip.skeleton.names),
        "parents": clip.skeleton.parents.tolist(),
        "end_sites": len(clip.skeleton.end_sites),
        "details": _layout_facts(clip),
        "roles": {role: clip.skeleton.names[joint] for role, joint in clip.skeleton.roles.items()},
        "markers": [{"frame": marker.frame, "name": marker.name} for marker in clip.markers],
        "history": [dict(step) for step in clip.history],
    }


def _declared(operation: type[Operation]) -> dict[str, Any]:
    """An operation for a program: its summary and the JSON schema of its parameters."""
    return {"summary": operation.summary(), "schema": operation.model_json_schema()}


def _for_file(advice: str | None, file: str) -> str | None:
    """Advice with the user's own file in the command that it proposes."""
    import shlex
    import subprocess

    quoted = subprocess.list2cmdline([file]) if os.name == "nt" else shlex.quote(file)
    return None if advice is None else advice.replace("FILE", quoted)
