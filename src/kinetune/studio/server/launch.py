"""A server for the studio on this machine, and the address that opens it."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kinetune.errors import KinetuneError
from kinetune.extras import require
from kinetune.formats import write_files

if TYPE_CHECKING:
    import uvicorn

    from kinetune.studio.server.security import Tokens
    from kinetune.studio.studio import Studio

HOST = "127.0.0.1"
PORT = 8642
OPENING = "open-"
"""How the names of files begin that lead a browser to the page."""
_TRIES = 20
_WAITING = 128


@dataclass(frozen=True)
class Serving:
    """A studio with its open socket.

    tokens : each opens the page once and sets a cookie.
    """

    studio: Studio
    port: int
    tokens: Tokens
    server: uvicorn.Server
    listener: socket.socket

    def new_address(self, then: Callable[[], object] = lambda: None) -> str:
        """An address that opens the page once; ``then`` is called when it has."""
        return f"http://{HOST}:{self.port}/?token={self.tokens.new(then)}"


def prepare(data: Path | None = None, target: Path | None = None, port: int | None = None) -> Serving:
    """A studio that is ready to serve.

    Parameters
    ----------
    data : where documents are kept; the user's own folder when left out.
    target : a file to open, or a folder whose files may be opened.
    port : None takes 8642 or the next one that is free, 0 any.
    """
    require("studio")
    import uvicorn

    from kinetune.studio.documents.autosave import data_folder
    from kinetune.studio.server._head_timeout import TimedHeads
    from kinetune.studio.server._web_app import make_app
    from kinetune.studio.server.security import Tokens
    from kinetune.studio.studio import Studio

    folder, file = _target(target)
    listener = _listen(port)
    try:
        studio = Studio(data or data_folder(), folder)
        _clear_openings(studio.data.folder)
        if file is not None:
            studio.first = _open(studio, file)
        studio.browse = folder is not None and file is None
    except BaseException:
        listener.close()
        raise
    tokens = Tokens()
    number = int(listener.getsockname()[1])
    config = uvicorn.Config(
        make_app(studio, tokens, lambda: number),
        log_level="warning",
        http=TimedHeads,
        ws="websockets-sansio",
        ws_per_message_deflate=False,  # compressing a window takes longer than sending it to the same machine
        ws_max_size=_MOST_MESSAGE,
        ws_ping_timeout=None,  # pongs are not read while messages wait: a studio that is busy would close its tabs
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    return Serving(studio, number, tokens, uvicorn.Server(config), listener)


_MOST_MESSAGE = 4 << 20
"""Frames up to this size get an error message; larger ones close the socket."""


def serve(serving: Serving, ready: Callable[[], None] | None = None) -> None:
    """Serve until the user stops it."""
    if ready is not None:
        started = threading.Thread(target=_when_started, args=(serving, ready), daemon=True)
        started.start()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            serving.server.run(sockets=[serving.listener])
    finally:
        _clear_openings(serving.studio.data.folder)


def show_page(serving: Serving) -> None:
    """Open the page in the browser.

    The command line of a browser is there for everybody on the machine to read, so it names a file that only the user
    can read, and that leads to the address. The file goes when the page has been opened.
    """
    import webbrowser

    path = serving.studio.data.folder / f"{OPENING}{secrets.token_hex(8)}.html"
    address = serving.new_address(lambda: path.unlink(missing_ok=True))
    text = f'<!doctype html><meta http-equiv="refresh" content="0; url={address}"><title>Kinetune</title>'
    write_files({path: f'{text}<a href="{address}">Open the studio</a>'.encode()}, private=True)
    webbrowser.open(path.absolute().as_uri())


@contextlib.contextmanager
def served(data: Path, target: Path | None = None) -> Iterator[Serving]:
    """A studio that is served in a thread, for tests and benchmarks."""
    serving = prepare(data, target, 0)
    thread = threading.Thread(target=serving.server.run, kwargs={"sockets": [serving.listener]}, daemon=True)
    thread.start()
    while not serving.server.started:
        thread.join(0.01)
        if not thread.is_alive():
            raise KinetuneError("The studio did not start; the terminal shows why.")
    try:
        yield serving
    finally:
        serving.server.should_exit = True
        thread.join(20.0)


def _clear_openings(folder: Path) -> None:
    for path in folder.glob(f"{OPENING}*.html"):
        path.unlink(missing_ok=True)


def _when_started(serving: Serving, ready: Callable[[], None]) -> None:
    waiting = threading.Event()
    while not serving.server.started and not serving.server.should_exit:
        waiting.wait(0.02)
    if serving.server.started:
        ready()


def _listen(port: int | None) -> socket.socket:
    """A socket on this machine only."""
    ports = range(PORT, PORT + _TRIES) if port is None else [port]
    for number in ports:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen(_WAITING)  # a browser that opens the address at once waits instead of being refused
            return listener
        except (OSError, OverflowError):
            listener.close()
    taken = f"port {port} is" if port is not None else f"ports {PORT} to {PORT + _TRIES - 1} are"
    raise KinetuneError(f"The {taken} taken. Choose another one with --port NUMBER, or --port 0 for any.")


def _target(target: Path | None) -> tuple[Path | None, Path | None]:
    """The folder to serve and the file to open."""
    if target is None:
        return None, None
    if str(target).startswith("sample:"):
        return None, target
    whole = target.resolve()
    if whole.is_dir():
        return whole, None
    return whole.parent, whole


def _open(studio: Studio, file: Path) -> str:
    from kinetune.recipes import Recipe
    from kinetune.studio.documents.origins import Origin, kind_of
    from kinetune.studio.documents.stack import Stack
    from kinetune.studio.rooms.drawing_messages import new_drawing

    origin = Origin(str(file))
    kind = "clip" if not origin.is_file else kind_of(file)
    if kind == "drawing":
        return new_drawing(studio, [origin]).id
    if kind == "recipe":
        with studio.origins.confined():
            recipe = Recipe.read(file)
        stack = Stack(Origin("sample:walk")).with_recipe(recipe, studio.origins.named)
        return studio.library.add("motion", recipe.name or file.stem, stack).id
    return studio.new_motion(origin).id
