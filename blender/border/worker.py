"""The process that runs Kinetune for a Blender that cannot: requests come in through a pipe, answers go out.

The extension starts it with a Python that has Kinetune: ``python worker.py``. It ends with the pipe.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from typing import Any

import messages


def main() -> None:
    """Answer requests until the pipe closes."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print does not go into the pipe
    incoming = os.fdopen(os.dup(0), "rb")
    from kinetune.blender import ClipService, Stopped

    service, requests, stop = ClipService(), queue.SimpleQueue[dict[str, Any] | None](), threading.Event()

    def listen() -> None:
        while (message := messages.receive(incoming)) is not None:
            if message.get("do") == "stop":
                stop.set()
            else:
                requests.put(message)
        stop.set()
        requests.put(None)

    def show(share: float | None, text: str) -> None:
        if stop.is_set():
            raise Stopped
        messages.send(outgoing, {"share": share, "text": text})

    threading.Thread(target=listen, daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        while (request := requests.get()) is not None:
            stop.clear()
            messages.send(outgoing, service.safe_answer(request, show))


if __name__ == "__main__":
    main()
