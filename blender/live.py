"""Faders that move the pose while they are dragged.

The bands of a motion do not depend on the gains, so they are split once. While a fader moves, the frames round the
playhead are mixed and written first; when the hand rests, the whole action follows, with its feet standing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import bpy

from . import actions, tasks
from .actions import ArmatureError, Reading
from .border.bone_space import Channels, Pose
from .border.engine import Job
from .settings import WHOLE_BODY

VIEW = 240
"""How many frames round the playhead come first."""
_REST_S, _POLL_S = 0.2, 0.05
_PANEL_GROUPS = ("left arm", "right arm", "arms", "legs", "spine", "head", "upper body", "lower body")
_sessions: dict[str, Session] = {}


class Session:
    """The motion behind the faders of one armature."""

    def __init__(self, owner: Any, scene: Any, source: Any, reading: Reading) -> None:
        self.owner_name, self.source_name, self.reading = owner.name_full, source.name_full, reading
        self.key = f"faders/{owner.name_full}"
        self.job: Job | None = None
        self.settling: Callable[[], float | None] | None = None
        self.facts = tasks.engine().ask({"do": "open", "key": self.key, "motion": reading.motion})

    def drop_job(self) -> None:
        """Give up what is being computed for faders that have moved since."""
        if self.job is not None:
            self.job.cancel()
        self.job = None
        if self.settling is not None and bpy.app.timers.is_registered(self.settling):
            bpy.app.timers.unregister(self.settling)

    def window(self, scene: Any) -> tuple[int, int]:
        """The rows round the playhead; all where they are few."""
        count = len(self.reading.frames)
        at = int(scene.frame_current - self.reading.frames[0])
        first = max(0, min(at - VIEW // 2, count - VIEW))
        return first, min(count, first + VIEW)

    def preview(self, step: dict[str, Any], first: int, last: int, *, feet: bool) -> dict[str, Any]:
        """Some frames of the result."""
        request = {"do": "preview", "clip": self.key, "step": step, "first": first, "last": last, "feet": feet}
        motion: dict[str, Any] = tasks.engine().ask(request)["motion"]
        return motion


def start(owner: Any, scene: Any) -> Session:
    """Give an armature faders for its action, and a new action for what they do."""
    animation = owner.animation_data
    if animation is None or animation.action is None:
        raise ArmatureError(f"{owner.name} has no action. The faders need a motion to work on.")
    settings, source = owner.kinetune, animation.action
    reading = actions.read_motion(owner, scene, bones=scene.kinetune.bones)
    session = _sessions[owner.name_full] = Session(owner, scene, source, reading)
    settings.result = None  # faders may be set now without moving anything
    settings.faders.clear()
    groups = [WHOLE_BODY, *(name for name in _PANEL_GROUPS if name in session.facts["groups"])]
    settings.group_names = "\n".join(groups)
    settings.amount = 1.0
    for group in groups:
        for hz, title in session.facts["bands"]:
            fader = settings.faders.add()
            fader.group, fader.hz, fader.title = group, hz, title
    settings.source = source
    settings.result = actions.write_action(owner, reading, reading.motion, f"{source.name}.equalized")
    settings.result[tasks.STANCE] = source.get(tasks.STANCE) or source
    return session


def step_of(owner: Any) -> dict[str, Any]:
    """What the faders say, as a step of a recipe."""
    settings = owner.kinetune
    gains: dict[str, list[float]] = {}
    for fader in settings.faders:
        gains.setdefault(fader.group, []).append(round(fader.gain, 6))
    common = gains.pop(WHOLE_BODY, [])
    groups = {name: each for name, each in gains.items() if any(gain != 1.0 for gain in each)}
    step: dict[str, Any] = {"op": "equalize", "gains": common, "amount": settings.amount}
    return {**step, "groups": groups, "keep_feet": settings.keep_feet}


def fader_moved(owner: Any) -> None:
    """Show what a fader does: the frames round the playhead at once, the rest when the hand rests."""
    if owner.kinetune.result is None:
        return
    scene = bpy.context.scene
    try:
        session = _session(owner, scene)
        first, last = session.window(scene)
        write_rows(owner, session, session.preview(step_of(owner), first, last, feet=False), first, last)
    except tasks.PROBLEMS as error:
        tasks.show_messages(scene, [("error", str(error))])
        return
    session.drop_job()
    session.settling = functools.partial(settle_later, owner.name_full)
    if not bpy.app.background:
        bpy.app.timers.register(session.settling, first_interval=_REST_S)


def settle_later(name: str) -> float | None:
    """Compute the whole result beside the interface; called again after so many seconds until it returns None."""
    owner, session = bpy.data.objects.get(name), _sessions.get(name)
    if owner is None or session is None or owner.kinetune.result is None:
        return None
    if session.job is None:
        session.job = Job(tasks.engine(), _whole_request(owner, session))
    if not session.job.done():
        return _POLL_S
    job, session.job = session.job, None
    try:
        write_rows(owner, session, job.result()["motion"], 0, len(session.reading.frames))
    except tasks.PROBLEMS as error:
        tasks.show_messages(bpy.context.scene, [("error", str(error))])
    return None


def settle(owner: Any, scene: Any) -> None:
    """Write the whole result, exactly, and wait for it."""
    session = _session(owner, scene)
    motion = tasks.engine().ask(_whole_request(owner, session))["motion"]
    write_rows(owner, session, motion, 0, len(session.reading.frames))


def _whole_request(owner: Any, session: Session) -> dict[str, Any]:
    return {"do": "apply", "clip": session.key, "steps": [step_of(owner)]}


def write_rows(owner: Any, session: Session, motion: dict[str, Any], first: int, last: int) -> None:
    """Put some frames of a motion into the action of the faders, and show them."""
    action = owner.kinetune.result
    slot = actions.slot_of(owner, action)
    actions.fill_rows(action, slot, _part(session.reading, first, last), motion, session.reading.frames)
    actions.refresh(owner)


def _part(reading: Reading, first: int, last: int) -> Reading:
    """Some frames of a reading."""
    rows = slice(first, last)
    return replace(
        reading,
        frames=reading.frames[rows],
        channels=Channels(*(each[rows] for each in reading.channels)),
        pose=Pose(*(each[rows] for each in reading.pose)),
        curves={path: values[rows] for path, values in reading.curves.items()},
    )


def _session(owner: Any, scene: Any) -> Session:
    """What is behind the faders; made anew after a file was loaded or undone."""
    source = owner.kinetune.source
    known = _sessions.get(owner.name_full)
    if known is not None and source is not None and known.source_name == source.name_full:
        return known
    if source is None:
        raise ArmatureError("The action that the faders worked on is gone. Start the faders again.")
    reading = actions.read_motion(owner, scene, action=source, bones=scene.kinetune.bones)
    session = _sessions[owner.name_full] = Session(owner, scene, source, reading)
    return session


def forget() -> None:
    """Drop all motions."""
    for session in _sessions.values():
        session.drop_job()
    _sessions.clear()
