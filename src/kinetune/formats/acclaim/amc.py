"""Acclaim motion (``.amc``), read and written with the skeleton (``.asf``) beside it.

The skeleton is the file given as ``skeleton``, or the one with the same stem, or the only one in the folder whose name
begins the motion's name (``02.asf`` for ``02_01.amc``). What the numbers mean is told in
:mod:`kinetune.formats.acclaim.asf`.
"""

from __future__ import annotations

from pathlib import Path

from kinetune.body.clip import Clip
from kinetune.body.source import Source
from kinetune.errors import FileError
from kinetune.findings import Finding, guessed
from kinetune.formats.acclaim.acclaim_motion import motion_arrays, parse_amc
from kinetune.formats.acclaim.amc_writer import AmcLayout, write
from kinetune.formats.acclaim.asf import metres_per_unit, parse_asf, skeleton_of, up_axis
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.guess.guessing import turn_rotations_to_y, turn_vectors_to_y
from kinetune.formats.moving_joints import moving_only
from kinetune.formats.text.plain_text import read_text

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
    found = same or begins
    if len(found) == 1:
        return found[0]
    problem = "there is no .asf skeleton beside it" if not found else f"{len(found)} skeletons beside it fit its name"
    raise FileError(path, f"{problem}.", advice="Name one with skeleton=PATH (--skeleton PATH).")


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from an ``.amc`` and its skeleton."""
    text = read_text(path, "AMC")
    body_path = find_skeleton(path, options.skeleton)
    body_text = read_text(body_path, "ASF")
    body = parse_asf(body_text, body_path)
    motion = parse_amc(text, path, body, body_path, options.partial)
    unit, metres, unit_guess = metres_per_unit(body, options.unit)
    findings = [*body.findings, *motion.findings, *((unit_guess,) if unit_guess else ())]
    fps = options.fps or motion.fps
    if fps is None:
        fps = USUAL_FPS
        findings.append(guessed("fps", "An .amc names no frame rate, so the usual 120 frames per second are assumed."))
    up, up_guess = up_axis(body, options.up)
    findings += [up_guess] if up_guess else []
    skeleton = skeleton_of(body, metres, up)
    root, rotations, translations = motion_arrays(body, motion)
    moving = moving_only(skeleton_of(body, 1.0, "y").offsets, translations, 1e-9)
    if moving is not None:
        findings.append(
            Finding("stretching-bones", "Some bones move or stretch, which few programs read from an .amc.")
        )
    layout = AmcLayout(body_text, body, motion, skeleton, metres, up, "\r\n" if "\r\n" in text else "\n")
    return Clip(
        skeleton,
        fps,
        turn_vectors_to_y(root * metres, up),
        turn_rotations_to_y(rotations, up),
        None if moving is None else turn_vectors_to_y(moving * metres, up),
        source=Source("amc", str(path), unit, metres, up, tuple(findings), layout),
    )


FORMAT = Format("amc", (".amc",), "Acclaim motion with its .asf skeleton (CMU, HDM05)", read=read, write=write)
