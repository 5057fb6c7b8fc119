"""What stands before every request: who may ask, how much and how often; and the headers of every answer.

A page elsewhere must not reach a server on this machine through the user's browser: the Host header must name this
machine (or a name that was allowed), and what changes something must come from our own page. Secrets are in the paths.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 4096
LONGEST_PATH = 512
SECONDS_FOR_BODY = 10
RATE, BURST = 40.0, 160.0  # requests a second of one page, and how many at once
SEATS = 25  # one client may ask for so many pages at that rate
CLIENTS = 4096  # of which rates are remembered
_HOST = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+))(?::[0-9]{1,5})?")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class Buckets:
    """How many requests each client has left: so many at once, refilled at a steady rate."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self.rate, self.burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> bool:
        """May this client ask once more?"""
        now = time.monotonic()
        left, then = self._left.pop(client, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        self._left[client] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > CLIENTS:
            self._left.popitem(last=False)
        return left >= 1


class Guard:
    """Refuses what should not be answered; the app behind it sees only the rest."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = (), rate: float = RATE, burst: float = BURST) -> None:
        self.app, self.names = app, {"localhost", *(name.lower() for name in names)}
        self.pages, self.clients = Buckets(rate, burst), Buckets(SEATS * rate, SEATS * burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self.refusal(request)
        if refusal is not None:
            status, words = refusal
            answer = JSONResponse({"error": words}, status, headers=HEADERS)
            await answer(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in HEADERS.items())]
            await send(message)

        await self.app(scope, receive, with_headers)

    def refusal(self, request: Request) -> tuple[int, str] | None:
        """Why a request is not answered: status and words; None if it is."""
        host = request.headers.get("host", "")
        if not self._known(host):
            return 421, f"this server does not answer for the host {host[:80]!r}"
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "same-origin")
        if origin is not None and origin != f"{request.scope.get('scheme', 'http')}://{host}":
            return 403, "requests from other pages are not answered"
        if request.method not in ("GET", "HEAD") and site not in ("same-origin", "none"):
            return 403, "requests from other pages are not answered"
        path = request.scope["path"]
        if len(path) > LONGEST_PATH or len(request.scope["query_string"]) > LONGEST_PATH:
            return 414, "the address is too long"
        client = request.client.host if request.client else ""
        page = "/".join(path.split("/")[:3])[:60]
        if not self.clients.take(client) or not self.pages.take(f"{client} {page}"):
            return 429, "too many requests; wait a moment"
        return None

    def _known(self, host: str) -> bool:
        """Is this a name of this machine? An address always is: no other page can have it as its own."""
        found = _HOST.fullmatch(host)
        name = (found[1] or found[2]).lower() if found else ""
        if name in self.names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class TooMuch(Exception):
    """A body that is too large, of another type, or does not come."""


async def body(request: Request) -> bytes:
    """The body of a request, if it is JSON, small, and comes in time."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise TooMuch("a request is JSON (content-type: application/json)")
    parts: list[bytes] = []

    async def read() -> None:
        async for part in request.stream():
            parts.append(part)
            if sum(map(len, parts)) > LARGEST_BODY:
                raise TooMuch(f"a request has at most {LARGEST_BODY} bytes")

    try:
        await asyncio.wait_for(read(), SECONDS_FOR_BODY)
    except TimeoutError as error:
        raise TooMuch(f"a request comes within {SECONDS_FOR_BODY} seconds") from error
    return b"".join(parts)


def with_first_request_timeout(protocol: type[Any], seconds: float) -> type[Any]:
    """A protocol of uvicorn that closes connections which do not get their first request said in time."""

    class Hurried(protocol):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)

            def close() -> None:
                if self.cycle is None and not transport.is_closing():
                    transport.close()

            self.loop.call_later(seconds, close)

    return Hurried
