"""Work that takes minutes says how far it has come, and whoever listens may stop it.

Long loops call :func:`pause` between their parts. Nobody listens unless a caller says so with :func:`watched_by`; work
that consists of several such loops says with :func:`stage` which share of the whole each of them is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class _Watch(NamedTuple):
    hear: Callable[[float], None]
    first: float = 0.0
    last: float = 1.0


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


def pause(share: float) -> None:
    """Say how much of the work at hand is done, 0 to 1. An exception of whoever listens ends the work."""
    watch = _watch.get()
    if watch is not None:
        watch.hear(watch.first + share * (watch.last - watch.first))


@contextmanager
def watched_by(hear: Callable[[float], None]) -> Iterator[None]:
    """Let someone hear, inside, how much is done; it stops the work by raising an exception of its own."""
    token = _watch.set(_Watch(hear))
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def stage(number: int, of: int) -> Iterator[None]:
    """The work inside is one of several parts, counted from 0."""
    watch = _watch.get()
    if watch is None:
        yield
        return
    each = (watch.last - watch.first) / of
    token = _watch.set(_Watch(watch.hear, watch.first + number * each, watch.first + (number + 1) * each))
    try:
        yield
    finally:
        _watch.reset(token)
