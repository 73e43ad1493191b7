"""Who may come in: this machine, this page, with a token of this launch.

A page of another site must not drive the studio from the user's browser (cross-site requests, DNS rebinding), and
another user of the machine must not open it. So: a ``Host`` that is ours, an ``Origin`` that is ours on the socket
and on everything that changes something, and a cookie that only a token gives. A token works once: whoever finds it
later in a history, a log or a terminal can do nothing with it.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_SAFE = ("GET", "HEAD")
_REFUSED = "This address is missing the token of this studio. Open the address that the command printed."
_SPENT = (
    "Every address opens the studio once, and this one is of an earlier time. Go on in the browser in which it was "
    "opened, or start the studio again."
)
_ONWARD = '<!doctype html><meta http-equiv="refresh" content="0; url={0}"><title>Kinetune</title><a href="{0}">Open</a>'


class Tokens:
    """What opens the page: tokens that work once each, and the cookie that each of them gives.

    session : the value of the cookie, for as long as the server runs.
    """

    def __init__(self) -> None:
        self.session = secrets.token_urlsafe(32)
        self._unused: dict[str, Callable[[], object]] = {}

    def new(self, then: Callable[[], object] = lambda: None) -> str:
        """Another token; ``then`` is called when it has been used."""
        token = secrets.token_urlsafe(32)
        self._unused[token] = then
        return token

    def use(self, given: str) -> bool:
        """Whether a token opens the page; from then on it does not."""
        matching = [token for token in self._unused if secrets.compare_digest(token.encode(), given.encode())]
        for token in matching:
            self._unused.pop(token)()
        return bool(matching)


def policy(nonce: str) -> str:
    """The content security policy of a page whose inline import map carries ``nonce``."""
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self'; media-src 'self' blob:; connect-src 'self'; "
        "worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class Guard:
    """The door, as an ASGI layer around the application.

    Parameters
    ----------
    port : callable that gives the port we listen on; the cookie is named after it, since cookies ignore ports.
    """

    def __init__(self, app: App, *, tokens: Tokens, port: Callable[[], int]) -> None:
        self.app, self.tokens, self.port = app, tokens, port

    @property
    def cookie(self) -> str:
        return f"kinetune-{self.port()}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        answer = self._answer(scope, headers)
        if answer is None:
            await self.app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await answer(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope, headers: dict[bytes, str]) -> Response | None:
        """What to say instead of the application; None for who may come in."""
        if headers.get(b"host", "") not in self._hosts():
            return JSONResponse({"error": "This studio has another address."}, 400)
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if changes and headers.get(b"origin", "") not in [f"http://{host}" for host in self._hosts()]:
            return _refuse("This request comes from another page, so it is refused.")
        page = scope["type"] == "http" and scope["path"] == "/" and scope["method"] == "GET"
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token") if page else None
        known = secrets.compare_digest(_cookie(headers.get(b"cookie", ""), self.cookie), self.tokens.session)
        opened = given is not None and self.tokens.use(given)
        if not known and not opened:
            return _refuse(_REFUSED if given is None else _SPENT)
        return None if given is None else self._without_token(query, headers)

    def _hosts(self) -> list[str]:
        names = ("127.0.0.1", "localhost")
        return [f"{name}:{self.port()}" for name in names] + (list(names) if self.port() == 80 else [])

    def _without_token(self, query: list[tuple[str, str]], headers: dict[bytes, str]) -> Response:
        """On to the page without the token in its address, so that it stays in no history; the cookie lets it in."""
        parameters = [(name, value) for name, value in query if name != "token"]
        rest = "&".join(quote(name) if value == "" else urlencode([(name, value)]) for name, value in parameters)
        place = f"/?{rest}" if rest else "/"
        answer: Response = RedirectResponse(place, 303)
        if headers.get(b"sec-fetch-site", "none") != "none":
            # Another page led here, the file that our command opens: browsers hold a strict cookie back until a page
            # of our own leads on.
            answer = HTMLResponse(_ONWARD.format(escape(place)))
        answer.headers["cache-control"] = "no-store"
        answer.headers["referrer-policy"] = "no-referrer"
        answer.set_cookie(self.cookie, self.tokens.session, httponly=True, samesite="strict", path="/")
        return answer


def _refuse(text: str) -> Response:
    return JSONResponse({"error": text}, 403)


def _cookie(header: str, name: str) -> str:
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    value = "" if morsel is None else morsel.value
    return value if value.isascii() else ""


def _with_headers(send: Send) -> Send:
    """Answers that no other page may read, frame or guess the type of."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            extra = [
                (b"x-content-type-options", b"nosniff"),
                (b"referrer-policy", b"no-referrer"),
                (b"cross-origin-resource-policy", b"same-origin"),
                (b"cross-origin-opener-policy", b"same-origin"),
                (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
                (b"cache-control", b"no-store"),
            ]
            message["headers"] = [*message["headers"], *(pair for pair in extra if pair[0] not in present)]
        await send(message)

    return sending
