"""Kernels that have to be compiled first: whoever listens hears what is waited for."""

import sys
import threading
from types import ModuleType

import pytest

from kinetune.kernels import loader as compiled


@pytest.fixture
def slow_module(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """A module of kernels whose compilation ends when the event is set."""
    ready = threading.Event()
    module = ModuleType("kinetune.physics.slow_things_kernels")
    module.warm_up = ready.wait  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(compiled, "_registry", {})
    monkeypatch.setattr(compiled, "_SILENCE_S", 0.01)
    return ready


def test_a_long_wait_is_told(slow_module: threading.Event) -> None:
    heard: list[str] = []

    def tell(words: str) -> None:
        heard.append(words)
        slow_module.set()

    kernels = compiled.Kernels("kinetune.physics.slow_things_kernels")
    with compiled.hear_waits(lambda _: None), compiled.hear_waits(tell):
        assert kernels.load() is sys.modules[kernels.module]
        kernels.load()
    assert heard == ["compiling physics.slow things, once on this machine"]


def test_what_is_ready_is_not_told(slow_module: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_SILENCE_S", 60.0)
    slow_module.set()
    heard: list[str] = []
    with compiled.hear_waits(heard.append):
        compiled.Kernels("kinetune.physics.slow_things_kernels").load()
    assert heard == []
