"""An example of every operation, for its page: a picture, a command, a recipe and the table of parameters."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import kinetune as kt
from kinetune.operations import OPERATIONS
from kinetune.operations.base import Operation

BANDS = "[Bruderlin, section 2](../derivations/bruderlin.md)"
WARPS = "[Bruderlin, section 3](../derivations/bruderlin.md)"
SHAPES = "[Bruderlin, sections 4 and 5](../derivations/bruderlin_shaping.md)"
KEYS = "[Kochanek and Bartels](../derivations/kochanek_bartels.md)"
BLENDS = "[Huang and Kallmann](../derivations/inverse_blending.md)"
STEPS = "[Huang and Kallmann, section 5](../derivations/inverse_blending_walking.md)"
PHYSICS = "[Pollard and Reitsma](../derivations/dynamic_filter.md)"
NONE = ""

DATA = Path(os.environ.get("KINETUNE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
"""Captured clips, which are no part of the repository: $KINETUNE_DATA, or ``shared/data`` beside the checkout."""
CREDITS = {
    "cmu": "CMU: mocap.cs.cmu.edu; the database was created with funding from NSF EIA-0196217",
    "accad": "ACCAD, Ohio State University: CC BY 3.0",
    "hdm05": "HDM05: CC BY-SA 3.0",
}

Look = Literal["over", "below", "above", "curve"]
"""over: the result over the clip in grey. below: clip and result in rows. above: ways and feet on the floor, seen from
above. curve: one joint over time."""


@dataclass(frozen=True)
class Example:
    """What is shown of an operation.

    clip : the name of a sample, or a file of the data folder. parameters : those that differ from their defaults.
    inputs : name to sample or file.
    before : steps that come first, so that there is something to mend.
    look : how clip and result are drawn. joint : which one, for a curve. view : of rows. part : frames that are drawn.
    paper : where it comes from.
    """

    clip: str
    paper: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    before: tuple[Operation, ...] = ()
    look: Look = "over"
    joint: str = "left lower leg"
    view: Literal["side", "front"] = "side"
    part: tuple[int, int | None] = (0, None)

    def steps(self, tag: str) -> tuple[Operation, ...]:
        return (*self.before, OPERATIONS[tag](**self.parameters))

    def run(self, tag: str) -> tuple[kt.Clip, kt.Clip]:
        """The clip that comes to the operation, and its result."""
        others = {name: _read(clip) for name, clip in self.inputs.items()}
        source = _read(self.clip)
        before = kt.Recipe(steps=self.before)(source) if self.before else source
        recipe = kt.Recipe(inputs=dict.fromkeys(others), steps=self.steps(tag))
        return before, recipe(source, **others)


def _read(clip: str) -> kt.Clip:
    """A sample, or a file of the data folder without the T-pose that CMU's begin with."""
    if "/" not in clip:
        return kt.sample(clip)
    return kt.read(DATA / clip)[1 if clip.startswith("cmu/") else 0 :]


_REACHES = {f"reach_{number}": f"reach-{number:02}" for number in range(2, 7)}
_LARGER = (kt.Equalize(preset="exaggerate", keep_feet=False),)

EXAMPLES: Mapping[str, Example] = {
    "aim": Example(
        "reach-01",
        BLENDS,
        {"others": list(_REACHES), "joint": "RightHand", "at": [-0.25, 1.3, 0.42]},
        _REACHES,
    ),
    "align": Example("walk-sad", WARPS, {"to": "happy"}, {"happy": "walk-happy"}, look="curve"),
    "arrange": Example("walk", NONE, {"clips": ["wave"], "fade_s": 0.5}, {"wave": "wave"}, look="below"),
    "blend": Example("walk-sad", WARPS, {"other": "happy", "weight": 0.5}, {"happy": "walk-happy"}),
    "clean": Example("walk-happy", NONE, before=(kt.Equalize(preset="nervous", keep_feet=False), kt.Move(y=0.2))),
    "denoise": Example("walk", NONE, before=(kt.Equalize(preset="nervous", keep_feet=False),), look="curve"),
    "displace": Example(
        "knock",
        f"{SHAPES}, on splines after {KEYS}",
        {"keys": [{"time_s": 1.1, "joint": "right hand", "move": [0.0, 0.2, 0.0]}]},
    ),
    "equalize": Example("walk-happy", BANDS, {"preset": "exaggerate"}),
    "filter_dynamics": Example("kick-2", PHYSICS, {"mu": 0.8}),
    "follow_footsteps": Example("walk", STEPS, {"path": "circle:r=2,turns=0.5", "steps": "samples"}, look="above"),
    "hold": Example("wave", NONE, {"joint": "right hand", "start_s": 0.8, "end_s": 1.6}),
    "in_place": Example("walk", NONE, {"travel": "steady"}, look="above"),
    "keep_above_floor": Example("walk", NONE, {"floor_m": 0.0}, before=(kt.Move(y=-0.06),), part=(40, 200)),
    "limit": Example("kick-1", NONE, {"scale": 0.6}),
    "loop": Example("walk", NONE, {"cycles": 3}, look="curve"),
    "mirror": Example("kick-1", NONE, {"across": "figure"}, look="below"),
    "move": Example("walk", NONE, {"x": 1.0, "z": -0.5}, look="above"),
    "plant_feet": Example("walk-happy", NONE, before=_LARGER),
    "reduce_keys": Example("kick-1", KEYS, {"tolerance_mm": 20.0}, look="curve", joint="right lower leg"),
    "reinterpret": Example("walk", NONE, {"fps": 30.0}, look="curve", part=(0, 120)),
    "resample": Example("walk", NONE, {"fps": 12.0}, look="curve", part=(0, 120)),
    "retarget": Example("walk", NONE, {"to": "child"}, {"child": "walk-child"}, look="below"),
    "retime": Example("kick-1", NONE, {"speed": 0.5}, look="curve", joint="right lower leg"),
    "shape": Example("wave", SHAPES, {"curve": "cap(-0.5, 0.5)", "joints": "right arm"}),
    "smooth": Example("walk", NONE, {"cutoff_hz": 2.0}, look="curve"),
    "splice": Example("kick-1", PHYSICS, {"second": "again"}, {"again": "kick-2"}, look="below"),
    "trim": Example("walk", NONE, {"start_s": 1.0, "end_s": 4.0}, look="curve"),
    "turn": Example("walk", NONE, {"angle_deg": 60.0}, look="above"),
}

_GRABS = {f"grab_{number}": f"hdm05/HDM_dg_grabHighR_{number:03}_120.amc" for number in range(13, 17)}
_CHANGES: Mapping[str, Mapping[str, Any]] = {
    "aim": {
        "clip": "hdm05/HDM_dg_grabHighR_011_120.amc",
        "parameters": {"others": list(_GRABS), "joint": "right hand", "at": [0.05, 1.3, 1.5]},
        "inputs": _GRABS,
    },
    "align": {"clip": "cmu/82_10.bvh", "inputs": {"happy": "cmu/82_12.bvh"}},
    "arrange": {
        "clip": "accad/Male1_B2_WalkToStand.bvh",
        "parameters": {"clips": ["box"], "fade_s": 0.5},
        "inputs": {"box": "accad/Male1_A5_PickUpBox.bvh"},
    },
    "blend": {"clip": "cmu/104_28.bvh", "look": "below", "inputs": {"happy": "cmu/104_11.bvh"}},
    "clean": {"clip": "cmu/07_01.bvh"},
    "denoise": {"clip": "cmu/74_06.bvh", "before": (), "joint": "left foot"},
    "displace": {
        "clip": "cmu/79_38.bvh",
        "parameters": {"keys": [{"time_s": 2.0, "joint": "right hand", "move": [0.0, 0.2, 0.0]}]},
    },
    "equalize": {"clip": "cmu/138_05.bvh"},
    "filter_dynamics": {"clip": "cmu/74_03.bvh"},
    "follow_footsteps": {"clip": "cmu/104_02.bvh", "parameters": {"path": "circle:r=2,turns=0.5", "steps": "clip"}},
    "hold": {
        "clip": "cmu/143_25.bvh",
        "parameters": {"joint": "right hand", "start_s": 3.5, "end_s": 4.4},
        "part": (380, 560),
        "view": "front",
    },
    "in_place": {"clip": "cmu/16_17.bvh"},
    "keep_above_floor": {"clip": "cmu/69_24.bvh", "part": (0, None)},
    "limit": {"clip": "cmu/74_05.bvh"},
    "loop": {"clip": "accad/Male1_B3_Walk.bvh"},
    "mirror": {"clip": "cmu/74_04.bvh"},
    "move": {"clip": "cmu/69_20.bvh"},
    "plant_feet": {"clip": "cmu/82_12.bvh"},
    "reduce_keys": {"clip": "cmu/79_18.bvh", "joint": "right lower arm", "part": (0, 240)},
    "reinterpret": {"clip": "cmu/141_16.bvh", "parameters": {"fps": 60.0}, "look": "below"},
    "resample": {"clip": "cmu/104_12.bvh"},
    "retarget": {"clip": "accad/Male1_B20_WalkWithBox.bvh"},
    "retime": {"clip": "accad/Male1_A13_Skipping.bvh", "look": "below"},
    "shape": {"clip": "cmu/104_11.bvh", "parameters": {"curve": "cap(-0.5, 0.5)", "joints": "arms"}},
    "smooth": {"clip": "accad/Male1_C12_RunTurnLeft45.bvh"},
    "splice": {"clip": "cmu/74_03.bvh", "inputs": {"again": "cmu/74_06.bvh"}},
    "trim": {"clip": "accad/Male1_A5_PickUpBox.bvh", "look": "below"},
    "turn": {"clip": "cmu/83_36.bvh"},
}
CAPTURED: Mapping[str, Example] = {tag: replace(EXAMPLES[tag], **changes) for tag, changes in _CHANGES.items()}
"""The examples on captured clips; what is not given is that of the sample."""


def command(tag: str) -> str:
    """The example as a command line; inputs are samples, and so is the clip."""
    example, operation = EXAMPLES[tag], OPERATIONS[tag]
    words = ["kinetune", tag.replace("_", "-"), f"sample:{example.clip}"]
    for name, value in example.parameters.items():
        words += _flag(name, value, example.inputs if name in operation.input_parameters else {})
    return shlex.join([*words, "-o", f"{tag}.bvh"])


def _flag(name: str, value: Any, inputs: Mapping[str, str]) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if inputs:
        named = [value] if isinstance(value, str) else value
        return [word for one in named for word in (flag, f"sample:{inputs[one]}")]
    if isinstance(value, bool):
        return [flag if value else flag.replace("--", "--no-", 1)]
    if isinstance(value, list) and all(isinstance(one, (int, float)) for one in value):
        return [flag, ",".join(f"{one:g}" for one in value)]
    if isinstance(value, (list, dict)):
        return [flag, json.dumps(value)]
    return [flag, f"{value:g}" if isinstance(value, float) else str(value)]


def recipe(tag: str) -> str:
    """The example as a recipe."""
    example = EXAMPLES[tag]
    inputs = {name: f"sample:{sample}" for name, sample in example.inputs.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.yaml"
        kt.Recipe(inputs=inputs, steps=example.steps(tag)).write(path)
        return path.read_text(encoding="utf-8").strip()


def parameter_table(tag: str) -> list[str]:
    """The parameters of an operation, read off its declaration."""
    rows = ["| parameter | default | unit | what it does |", "|---|---|---|---|"]
    for name, declared in OPERATIONS[tag].parameters().items():
        extra = declared.json_schema_extra
        unit = extra.get("unit", "") if isinstance(extra, dict) else ""
        start = "required" if declared.is_required() else _default(declared.get_default(call_default_factory=True))
        rows.append(f"| `{name}` | {start.replace('|', '/')} | {unit} | {declared.description} |")
    return rows


def _default(value: Any) -> str:
    return "" if value is None else f"`{value!r}`"


def captured_part(tag: str) -> list[str]:
    """The picture of a captured clip, with what differs from the example above it, and whose clip it is."""
    captured, usual = CAPTURED[tag], EXAMPLES[tag]
    files = [Path(name) for name in (captured.clip, *captured.inputs.values()) if "/" in name]
    words = [f"`{file.stem}`" for file in files] + ["as it was captured"] * (captured.before != usual.before)
    for name, value in captured.parameters.items():
        if name not in OPERATIONS[tag].input_parameters and value != usual.parameters.get(name):
            words.append(f"`{name}: {json.dumps(value)}`")
    return [
        f"The same on captured motion ({', '.join(words)}):",
        "",
        f"![{OPERATIONS[tag].__name__} on captured motion: before and after](../pictures/operation_{tag}_captured.png)",
        "",
        f"*Motion from {CREDITS[files[0].parts[0]]}.*",
        "",
    ]


def page_end(tag: str) -> str:
    """What every page of an operation ends with."""
    rows = [
        "## Before and after",
        "",
        f"![{OPERATIONS[tag].__name__}: before and after](../pictures/operation_{tag}.png)",
        "",
        "```",
        command(tag),
        "```",
        "",
        "```yaml",
        recipe(tag),
        "```",
        "",
        *captured_part(tag),
        "## Parameters",
        "",
        *parameter_table(tag),
        "",
        *([f"**Paper:** {EXAMPLES[tag].paper}.", ""] if EXAMPLES[tag].paper else []),
    ]
    return "\n".join(rows)
