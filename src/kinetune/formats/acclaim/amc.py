"""Acclaim motion (``.amc``), read and written with the skeleton (``.asf``) beside it.

The skeleton is the file given as ``skeleton``, or the one with the same stem, or the only one in the folder whose name
begins the motion's name (``02.asf`` for ``02_01.amc``). What the numbers mean:
:mod:`kinetune.formats.acclaim.asf`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding, guessed
from kinetune.formats.acclaim.amc_motion import RATE_KEYS, AmcLayout, AmcMotion, motion_arrays
from kinetune.formats.acclaim.asf import AsfSkeleton, metres_per_unit, parse_asf, skeleton_of, up_axis
from kinetune.formats.file_limits import check_poses, is_frame_rate
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.moving_joints import moving_translations
from kinetune.formats.text.number_text import LARGEST_NUMBER, read_text
from kinetune.formats.unit_and_up import turn_rotations_to_y, turn_vectors_to_y

USUAL_FPS = 120.0


def find_skeleton(path: Path, asked: Path | None) -> Path:
    """The ``.asf`` that belongs to an ``.amc``."""
    if asked is not None:
        if not asked.is_file():
            raise FileError(asked, "this skeleton file does not exist.", advice="Check the path given as skeleton.")
        return asked
    beside = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf")
    same = [p for p in beside if p.stem == path.stem]
    begins = [p for p in beside if path.stem.lower().startswith(p.stem.lower())]
    fitting = same or begins
    if len(fitting) == 1:
        return fitting[0]
    several = f"{len(fitting)} skeletons beside it fit its name"
    problem = several if fitting else "there is no .asf skeleton beside it"
    raise FileError(path, f"{problem}.", advice="Name one with skeleton=PATH (--skeleton PATH).")


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from an ``.amc`` and its skeleton."""
    text = read_text(path, "AMC")
    asf_path = find_skeleton(path, options.skeleton)
    asf_text = read_text(asf_path, "ASF")
    asf = parse_asf(asf_text, asf_path)
    motion = parse_amc(text, path, asf, asf_path, options.partial)
    unit, metres, unit_guess = metres_per_unit(asf, options.unit)
    findings = [*asf.findings, *motion.findings, *((unit_guess,) if unit_guess else ())]
    fps = options.fps or motion.fps
    if fps is None:
        fps = USUAL_FPS
        findings.append(guessed("fps", "An .amc states no frame rate, so the usual 120 frames per second are assumed."))
    up, up_guess = up_axis(asf, options.up)
    findings += [up_guess] if up_guess else []
    skeleton = skeleton_of(asf, metres, up)
    root, rotations, translations = motion_arrays(asf, motion)
    moving = moving_translations(skeleton_of(asf, 1.0, "y").offsets, translations, 1e-9)
    if moving is not None:
        findings.append(
            Finding("stretching-bones", "Some bones move or stretch, which few programs read from an .amc.")
        )
    layout = AmcLayout(asf_text, asf, motion, skeleton, metres, up, "\r\n" if "\r\n" in text else "\n")
    return Clip(
        skeleton,
        fps,
        turn_vectors_to_y(root * metres, up),
        turn_rotations_to_y(rotations, up),
        None if moving is None else turn_vectors_to_y(moving * metres, up),
        source=Source("amc", str(path), unit, metres, up, tuple(findings), layout),
    )


def parse_amc(text: str, path: Path, asf: AsfSkeleton, asf_path: Path, partial: bool = False) -> AmcMotion:
    """Read the text of an ``.amc`` for its skeleton."""
    parser = _AmcParser(path, asf, asf_path, len(text))
    try:
        parser.run(text)
        parser.finish_frame()
    except MalformedFileError:
        if not partial or not parser.rows:
            raise
        message = f"The file is cut off or damaged after frame {len(parser.rows)}; the frames before are kept."
        parser.findings.append(Finding("repaired-end", message))
    if not parser.rows:
        raise MalformedFileError(path, "there is no frame in it.", advice="Is this an .amc file?")
    return parser.motion()


class _AmcParser:
    """Goes through the lines once; a line with a whole number alone begins a frame."""

    def __init__(self, path: Path, asf: AsfSkeleton, asf_path: Path, size: int) -> None:
        self.path, self.asf, self.asf_path, self.size = path, asf, asf_path, size
        self.line = 0
        self.header: list[str] = []
        self.present: set[int] = set()
        self.degrees = asf.degrees
        self.complete = False
        self.fps: float | None = None
        self.findings: list[Finding] = []
        self.rows: list[list[float]] = []
        self.columns: dict[str, tuple[int, int, int]] = {}  # spelled name -> bone, first column, count
        self.width = 0
        self.row: list[float] | None = None
        self.digits = 6
        self.number = 0
        self.jumps = 0

    def fail(self, problem: str, advice: str | None = None) -> MalformedFileError:
        return MalformedFileError(self.path, problem, line=self.line or None, advice=advice)

    def run(self, text: str) -> None:
        for self.line, raw in enumerate(text.splitlines(), 1):
            fields = raw.split()
            if not fields or fields[0].startswith("#"):
                if self.row is None:
                    self.header.append(raw)
            elif fields[0].startswith(":"):
                self.header.append(raw)
                self._keyword(fields)
            elif len(fields) == 1 and fields[0].isdecimal():
                self.finish_frame()
                self._start_frame(int(fields[0][:18]))
            elif self.row is None:
                raise self.fail(f'"{raw.strip()[:40]}" stands before the first frame number.', "Is this an .amc file?")
            else:
                self._values(fields)
        self.line = 0

    def _keyword(self, fields: list[str]) -> None:
        key = fields[0].lower()
        if key == ":degrees":
            self.degrees = True
        elif key == ":radians":
            self.degrees = False
        elif key == ":fully-specified":
            self.complete = True
        elif key in RATE_KEYS and len(fields) > 1:
            try:
                rate = float(fields[1])
            except ValueError:
                rate = math.nan
            if not is_frame_rate(rate):
                raise self.fail(f'"{fields[1][:40]}" is not a number of frames per second.')
            self.fps = rate

    def _start_frame(self, number: int) -> None:
        if self.rows and number != self.number + 1:
            self.jumps += 1
        self.number = number
        check_poses(self.path, len(self.rows) + 1, len(self.asf.bones), self.size)
        self.row = [math.nan] * self.width if self.complete or not self.rows else list(self.rows[-1])

    def finish_frame(self) -> None:
        if self.row is None:
            return
        if (self.complete or not self.rows) and any(map(math.isnan, self.row)):
            bone = next(n for n, (_, at, _) in self.columns.items() if math.isnan(self.row[at]))
            raise self.fail(
                f"frame {self.number} has no line for {bone}.",
                "Read it with partial=True (--partial) to keep the frames before.",
            )
        if not self.rows:
            self._check_first()
        self.rows.append(self.row)
        self.row = None

    def _check_first(self) -> None:
        absent = [b.name for i, b in enumerate(self.asf.bones) if b.dof and i not in self.present]
        if absent:
            message = f"{len(absent)} bones with degrees of freedom, such as {absent[0]}, never move."
            self.findings.append(Finding("still-bones", message))

    def _values(self, fields: list[str]) -> None:
        name = fields[0]
        if name not in self.columns:
            if self.rows:
                raise self.fail(f'"{name}" appears in frame {self.number} but not in the first frame.')
            self._new_bone(name)
        _, first, count = self.columns[name]
        try:
            values = [float(field) for field in fields[1:]]
        except ValueError:
            raise self.fail(f'a value of {name} is not a number: "{" ".join(fields[1:])[:60]}".') from None
        if len(values) != count:
            dof = " ".join(self.asf.bones[self.columns[name][0]].dof)
            raise self.fail(
                f"frame {self.number}, {name} has {len(values)} numbers but {self.asf_path.name} declares {count} "
                f"({dof}).",
                "Is it the right skeleton? Name another with skeleton=PATH.",
            )
        if not all(abs(value) < LARGEST_NUMBER for value in values):
            raise self.fail(f"frame {self.number}, {name} has a value that is not a number or is far too large.")
        if self.row is not None:
            self.row[first : first + count] = values
        if not self.rows:
            self.digits = max([self.digits, *map(_significant, fields[1:])])

    def _new_bone(self, name: str) -> None:
        bone = self.asf.find(name)
        if bone is None:
            raise self.fail(
                f'there is no bone "{name}" in {self.asf_path.name}.',
                "Is it the right skeleton? Name another with skeleton=PATH.",
            )
        if bone in self.present:
            raise self.fail(f"{name} appears under two spellings.")
        self.present.add(bone)
        width = len(self.asf.bones[bone].dof)
        self.columns[name] = (bone, self.width, width)
        self.width += width
        if self.row is not None:
            self.row += [math.nan] * width

    def motion(self) -> AmcMotion:
        if self.jumps:
            message = f"The frame numbers jump {self.jumps} times; frames are taken as evenly spaced."
            self.findings.append(Finding("uneven-frames", message))
        columns = tuple((bone, slice(first, first + count)) for bone, first, count in self.columns.values())
        return AmcMotion(
            np.array(self.rows), columns, tuple(self.header), self.degrees, self.fps, self.digits, tuple(self.findings)
        )


def _significant(field: str) -> int:
    """How many digits of a printed number count."""
    digits = field.lower().partition("e")[0].lstrip("+-").replace(".", "").lstrip("0")
    return min(len(digits), 17)


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of an ``.amc`` and of the ``.asf`` beside it."""
    from kinetune.formats.acclaim._amc_writer import write

    return write(clip, path)


FORMAT = Format(
    "amc",
    (".amc",),
    "Acclaim motion with its .asf skeleton (CMU, HDM05)",
    read=read,
    write=write,
    companions=lambda path, options: (find_skeleton(path, options.skeleton),),
)
