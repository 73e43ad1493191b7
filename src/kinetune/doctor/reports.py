"""The findings of many files, for pipelines and for people.

===========  =====================================================================
as_json      everything, for programs
as_sarif     static analysis results, which code hosts show beside a change
as_junit     a test suite, which build servers show
as_page      one HTML page with pictures of the poses in question
===========  =====================================================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree

import numpy as np

from kinetune.doctor.examine import Examination
from kinetune.doctor.limits import CheckLimits
from kinetune.errors import KinetuneError, printable
from kinetune.findings import Finding

DOCS = "https://kinetune.readthedocs.io/en/latest/findings.html"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_POSES, _PICTURES = 6, 60
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;color:#222}"
    "li.error b{color:#b00020}li.warning b{color:#9a5b00}li.info{color:#666}"
    "svg{background:#f6f6f4;max-width:100%;border-radius:6px;margin:.4em 0}"
    "section{border-top:1px solid #ddd;padding:.6em 0}"
)


def as_json(examined: Sequence[Examination], limits: CheckLimits) -> str:
    """Everything, with what fails."""
    files = [{**one.as_dict(), "failing": [f.kind for f in limits.failing(one.findings)]} for one in examined]
    failed = sum(bool(one["failing"]) for one in files)
    return json.dumps({"files": files, "examined": len(files), "failed": failed}, indent=2)


def as_sarif(examined: Sequence[Examination], limits: CheckLimits) -> str:
    """Static analysis results in the format SARIF 2.1.0; what the limits leave out is not in it."""
    from kinetune import __version__

    rules = sorted({finding.kind for one in examined for finding in one.findings})
    results = [
        {
            "ruleId": finding.kind,
            "level": _LEVELS[finding.severity],
            "message": {"text": str(finding)},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": one.file.replace("\\", "/")}}}],
        }
        for one in examined
        for finding in one.findings
        if finding.kind not in limits.ignore
    ]
    driver = {
        "name": "kinetune doctor",
        "version": __version__,
        "rules": [{"id": rule, "helpUri": f"{DOCS}#{rule}"} for rule in rules],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2)


def as_junit(examined: Sequence[Examination], limits: CheckLimits) -> str:
    """A test suite with one case for each file; findings that fail are failures."""
    failing = [limits.failing(one.findings) for one in examined]
    suite = ElementTree.Element(
        "testsuite", name="kinetune doctor", tests=str(len(examined)), failures=str(sum(map(bool, failing)))
    )
    for one, against in zip(examined, failing, strict=True):
        case = ElementTree.SubElement(suite, "testcase", classname="kinetune.doctor", name=printable(one.file))
        for finding in against:
            failure = ElementTree.SubElement(case, "failure", type=finding.kind, message=printable(finding.message))
            failure.text = printable(str(finding))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def as_page(examined: Sequence[Examination], limits: CheckLimits, reading: Mapping[str, Any] | None = None) -> str:
    """One page: the worst files first, each with its findings, and pictures of the poses in question.

    ``reading`` has the options with which the files were read.
    """
    ranked = sorted(examined, key=lambda one: (-len(limits.failing(one.findings)), one.file))
    failed = sum(bool(limits.failing(one.findings)) for one in ranked)
    parts = [
        f"<!doctype html><meta charset=utf-8><title>kinetune doctor</title><style>{_STYLE}</style>",
        f"<h1>{len(ranked)} clip{'s' * (len(ranked) != 1)}, {failed} with findings that fail</h1>",
    ]
    pictures = 0
    for one in ranked:
        against = limits.failing(one.findings)
        verdict = f", {one.verdict}" if one.verdict else ""
        size = f"<p>{one.frames} frames at {one.fps:g} fps{verdict}</p>" if one.frames else ""
        parts.append(f"<section><h2>{escape(one.file)}</h2>{size}<ul>")
        parts += [
            f'<li class="{finding.severity}"><b>{escape(finding.kind)}</b> {escape(str(finding))}</li>'
            for finding in one.findings
        ]
        parts.append("</ul>")
        shown = next((finding for finding in against if finding.frame is not None), None)
        if shown is not None and pictures < _PICTURES:
            parts.append(_picture(one.file, shown, dict(reading or {})))
            pictures += 1
        parts.append("</section>")
    return "\n".join(parts) + "\n"


def _picture(file: str, finding: Finding, reading: dict[str, Any]) -> str:
    """Poses of a finding's frames side by side, as SVG."""
    from kinetune.recipes import open_clip

    try:
        clip = open_clip(file, **reading)
    except KinetuneError:
        return ""
    first, last = (finding.frame, finding.frame) if isinstance(finding.frame, int) else finding.frame or (0, 0)
    span = np.unique(np.linspace(max(0, first - 2), min(len(clip) - 1, last + 2), _POSES).astype(int))
    joints = clip.positions()[span]  # (poses, joints, 3)
    root = clip.skeleton.roles.get("hips", 0)
    flat = np.stack([joints[..., 0] - joints[:, root, None, 0], joints[..., 1]], axis=-1)
    low, high = flat[..., 1].min(), flat[..., 1].max()
    scale = 160.0 / max(float(high - low), 1e-6)
    lines = []
    for number, pose in enumerate(flat):
        for joint, parent in enumerate(clip.skeleton.parents.tolist()):
            if parent >= 0:
                (x1, y1), (x2, y2) = (
                    (90.0 + 150.0 * number + scale * float(p[0]), 170.0 - scale * float(p[1] - low))
                    for p in (pose[parent], pose[joint])
                )
                lines.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
        lines.append(f'<text x="{60 + 150 * number}" y="192" stroke="none" font-size="12">frame {span[number]}</text>')
    width = 180 + 150 * (len(span) - 1)
    size = f'viewBox="0 0 {width} 200" width="{width}"'
    return f'<svg {size} stroke="#333" stroke-width="2">{"".join(lines)}</svg>'
