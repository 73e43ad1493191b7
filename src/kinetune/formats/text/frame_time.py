"""Frame times as files print them, and the frame rates that they mean."""

from __future__ import annotations

import math
import re

from kinetune.findings import Finding, guessed

USUAL = (12, 15, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 400, 480, 500, 1000)
BROADCAST = (23.976, 29.97, 59.94, 119.88, 239.76)
"""Rates of colour television, as people write them."""

ASSUMED = 30.0
_LONGEST = 10.0  # seconds; a larger "frame time" must be a rate
_FASTEST = 100_000.0
_NUMBER = re.compile(r"[+]?(\d*)[.,]?(\d*)(?:[eE]([+-]?\d+))?")


def rate_of(text: str | None) -> tuple[float, tuple[Finding, ...]]:
    """Frames per second that the text of a frame time means: ".0083333" is 120, "0.008342" is 119.88.

    Printed digits are few, so that a usual rate is taken whenever the text could be its frame time, rounded or cut off.
    """
    if text is None or not text:
        return ASSUMED, (guessed("fps", f"The file gives no frame time; {ASSUMED:g} fps is assumed."),)
    found = _NUMBER.fullmatch(text)
    seconds = float(text.replace(",", ".")) if found and (found.group(1) or found.group(2)) else math.nan
    if not (math.isfinite(seconds) and seconds >= 1.0 / _FASTEST):
        words = f'The frame time "{text[:20]}" makes no sense; {ASSUMED:g} fps is assumed.'
        return ASSUMED, (guessed("fps", words),)
    if seconds > _LONGEST:
        words = f'The frame time "{text[:20]}" is read as frames per second, since no frame lasts that long.'
        return seconds, (guessed("fps", words),)
    assert found is not None
    step = 10.0 ** (int(found.group(3) or 0) - len(found.group(2)))  # worth of the last digit
    return snap(seconds, step), ()


def snap(seconds: float, step: float) -> float:
    """The rate whose frame time, printed to multiples of ``step``, is ``seconds``."""
    rate = 1.0 / seconds
    whole = round(rate)
    if whole and abs(rate - whole) < 1e-9 * rate:
        return float(whole)
    television = [k * 1000.0 / 1001.0 for k in (24, 30, 60, 120, 240)]
    slack = 1e-12 * seconds
    for rates in (USUAL, BROADCAST, television, (max(whole, 1),)):
        close = [r for r in rates if -slack <= 1.0 / r - seconds < step or abs(1.0 / r - seconds) <= 0.5 * step + slack]
        if close:
            return float(min(close, key=lambda r: abs(1.0 / r - seconds)))
    near = min(USUAL, key=lambda r: abs(1.0 / r - seconds))
    if abs(1.0 / near - seconds) < step:  # rounded up
        return float(near)
    return rate


def frame_time_text(fps: float) -> str:
    """A frame time that is read back as this rate, in as few digits as are usual."""
    for digits in (6, 7, 9, 12):
        text = f"{1.0 / fps:.{digits}f}"
        if float(text) > 0 and rate_of(text)[0] == fps:
            return text
    return repr(1.0 / fps) if fps < _FASTEST else f"{1.0 / fps:.17f}"
