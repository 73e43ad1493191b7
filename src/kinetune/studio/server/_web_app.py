"""The web application: the page, a few routes, and the socket."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from kinetune.errors import KinetuneError
from kinetune.studio.documents.origins import kind_of, one_line
from kinetune.studio.documents.uploads import TooLarge
from kinetune.studio.export.exports import clean_name, document_as_text
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.panels import panels
from kinetune.studio.rooms.commands import MessageHandlers
from kinetune.studio.server.security import Guard, Tokens, policy
from kinetune.studio.server.session import Session
from kinetune.studio.studio import Studio

WEB = Path(__file__).parents[1] / "web"
_NO_PAGE = (
    "<!doctype html><title>Kinetune studio</title><p>The page is not built into this installation. "
    "Install the wheel, or run <code>make studio</code> in a checkout.</p>"
)


def _send_saved(loop: asyncio.AbstractEventLoop, studio: Studio, id: str) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has closed
        loop.call_soon_threadsafe(studio.send_saved, id)


def make_app(studio: Studio, tokens: Tokens, port: Callable[[], int], web: Path = WEB) -> Starlette:
    """The application around a studio.

    Parameters
    ----------
    tokens : what opens the page.
    port : callable that gives the port; it is known once the server listens.
    web : the folder of the page.
    """
    commands = MessageHandlers(studio)

    async def socket(websocket: WebSocket) -> None:
        await Session(websocket, commands.handle).run()

    async def page(request: Request) -> Response:
        index = web / "index.html"
        nonce = secrets.token_urlsafe(16)
        text = index.read_text(encoding="utf-8").replace("%NONCE%", nonce) if index.is_file() else _NO_PAGE
        return HTMLResponse(text, headers={"content-security-policy": policy(nonce)})

    async def hello(request: Request) -> Response:
        return JSONResponse(studio.hello())

    async def operations(request: Request) -> Response:
        return JSONResponse({"operations": panels()})

    async def uploads(request: Request) -> Response:
        name = request.query_params.get("name", "")
        size = request.headers.get("content-length", "")
        try:
            taken = await studio.origins.uploads.take(
                name, request.query_params.get("batch"), int(size) if size.isdigit() else None, request.stream()
            )
        except TooLarge as error:
            return JSONResponse({"error": one_line(error)}, 413, headers={"connection": "close"})
        except ClientDisconnect:
            return Response(status_code=400)
        kind = await asyncio.to_thread(kind_of, studio.origins.uploads.path(str(taken["upload"])))
        return JSONResponse({**taken, "kind": kind})

    async def recipe(request: Request) -> Response:
        form = request.query_params.get("form", "yaml")
        if form not in ("yaml", "python", "cli"):
            raise MessageError("bad_field", "form is yaml, python or cli.")
        document = studio.library.find(request.path_params["doc"])
        text = await asyncio.to_thread(document_as_text, document, form)
        if form != "yaml":
            return PlainTextResponse(text)
        name = clean_name(document.name).encode("ascii", "replace").decode().replace("?", "_")
        disposition = f'attachment; filename="{name}.yaml"'
        return PlainTextResponse(text, headers={"content-disposition": disposition})

    async def exports(request: Request) -> Response:
        folder, name = request.path_params["export"], request.path_params["name"]
        home = studio.data.folder / "exports" / folder
        path = home / name
        if not folder.isalnum() or path.parent != home or not path.is_file():
            return JSONResponse({"error": "There is no such export any more. Export it again."}, 404)
        return FileResponse(path, filename=name, content_disposition_type="attachment")

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, KinetuneError)
        missing = isinstance(error, MessageError) and error.code == "unknown_document"
        return JSONResponse({"error": one_line(error)}, 404 if missing else 400)

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        studio.library.on_saved = lambda id: _send_saved(loop, studio, id)
        studio.warm_up()
        yield
        studio.close()

    routes = [
        Route("/", page),
        Route("/api/hello", hello),
        Route("/api/operations", operations),
        Route("/api/uploads", uploads, methods=["POST"]),
        Route("/api/documents/{doc}/recipe", recipe),
        Route("/api/exports/{export}/{name}", exports),
        WebSocketRoute("/ws", socket),
    ]
    if web.is_dir():
        routes.append(Mount("/", StaticFiles(directory=web)))
    return Starlette(
        routes=routes,
        lifespan=life,
        exception_handlers={KinetuneError: refused},
        middleware=[Middleware(Guard, tokens=tokens, port=port)],
    )
