"""Progress and cancellation of long work: one channel for every room and every surface.

Long loops call :func:`report` between their parts. A surface that shows progress wraps the work in :func:`reporting`;
without one, reports go nowhere. Work that consists of several such loops scales their shares with :func:`stage`.

A sink cancels the work by raising :class:`Cancelled`: the exception passes through the loop that called
:func:`report`. A sink that calls :func:`report` itself reaches the next sink outside, so that a run inside a batch
can pass on how far it has come.

Sinks belong to the current context (:mod:`contextvars`): other threads have their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

Sink = Callable[[float | None, str], None]
"""Called with the share that is done, 0 to 1, and a text such as "aligning"; the share is None where it is unknown."""


class Cancelled(Exception):
    """Raised by a sink to end the work that reports to it: the user, or a newer edit, no longer needs the result."""


class _Channel(NamedTuple):
    """A sink, the channel around it, the part of the whole that shares stand for, and the stage's text."""

    sink: Sink
    outside: _Channel | None
    first: float = 0.0
    last: float = 1.0
    prefix: str = ""


_channel: ContextVar[_Channel | None] = ContextVar("progress", default=None)


def report(share: float | None, text: str = "") -> None:
    """Say how much of the current work is done and what is being done.

    Parameters
    ----------
    share : float or None
        From 0 to 1; None where it is unknown, for instance while kernels are compiled.
    text : str
        A few words for a progress bar, such as "aligning".
    """
    channel = _channel.get()
    if channel is None:
        return
    token = _channel.set(channel.outside)
    try:
        whole = None if share is None else channel.first + share * (channel.last - channel.first)
        channel.sink(whole, ": ".join(part for part in (channel.prefix, text) if part))
    finally:
        _channel.reset(token)


@contextmanager
def reporting(sink: Sink) -> Iterator[None]:
    """Send the reports of the work inside to ``sink``."""
    token = _channel.set(_Channel(sink, _channel.get()))
    try:
        yield
    finally:
        _channel.reset(token)


@contextmanager
def stage(number: int, of: int, text: str = "") -> Iterator[None]:
    """Mark the work inside as one of ``of`` equal parts of the current work, counted from 0.

    A stage with a text reports its beginning, and the text goes before what the work inside reports.
    """
    channel = _channel.get()
    if channel is None:
        yield
        return
    each = (channel.last - channel.first) / of
    first, last = (channel.first + k * each for k in (number, number + 1))
    prefix = ": ".join(part for part in (channel.prefix, text) if part)
    token = _channel.set(channel._replace(first=first, last=last, prefix=prefix))
    try:
        if text:
            report(0.0)
        yield
    finally:
        _channel.reset(token)
