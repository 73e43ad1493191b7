"""Who may come in: this machine, this page, with this launch's token.

A page of another site must not drive the studio from the user's browser (cross-site requests, DNS rebinding), and
another user of the machine must not open it. So: a ``Host`` that is ours, an ``Origin`` that is ours on the socket
and on everything that changes something, and a cookie that only the printed address gives.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_SAFE = ("GET", "HEAD")
_REFUSED = "This address is missing the token of this studio. Open the address that the command printed."


def new_token() -> str:
    """A token for one launch."""
    return secrets.token_urlsafe(32)


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

    def __init__(self, app: App, *, token: str, port: Callable[[], int]) -> None:
        self.app, self.token, self.port = app, token, port

    @property
    def cookie(self) -> str:
        return f"kinetune-{self.port()}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        problem = self._problem(scope, headers)
        if problem is None:
            await self.app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        elif isinstance(problem, Response):
            await problem(scope, receive, send)
        else:
            await JSONResponse({"error": problem}, 403)(scope, receive, _with_headers(send))

    def _problem(self, scope: Scope, headers: dict[bytes, str]) -> str | Response | None:
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if changes and headers.get(b"origin", "") not in self._origins():
            return "This request comes from another page, so it is refused."
        if secrets.compare_digest(_cookie(headers.get(b"cookie", ""), self.cookie), self.token):
            return self._without_token(scope)
        query = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True))
        given = query.get("token", "")
        page = scope["type"] == "http" and scope["path"] == "/" and scope["method"] == "GET"
        if page and secrets.compare_digest(given.encode(), self.token.encode()):
            return self._without_token(scope, set_cookie=True)
        return _REFUSED

    def _origins(self) -> tuple[str, ...]:
        return f"http://127.0.0.1:{self.port()}", f"http://localhost:{self.port()}"

    def _without_token(self, scope: Scope, set_cookie: bool = False) -> Response | None:
        """The same address without the token, so that it stays in no history; None where there is none in it."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        kept = [(name, value) for name, value in query if name != "token"]
        if len(kept) == len(query) or scope["type"] != "http":
            return None
        words = "&".join(name if value == "" else urlencode([(name, value)]) for name, value in kept)
        answer = RedirectResponse(scope["path"] + (f"?{words}" if words else ""), 303)
        answer.headers["cache-control"] = "no-store"
        answer.headers["referrer-policy"] = "no-referrer"
        if set_cookie:
            answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return answer


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    value = "" if found is None else found.value
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
