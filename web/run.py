"""Starts the server: the socket first, so that a port that is taken is one clear line."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from typing import Any

from coven.games.core.errors import CovenError, extra

PORT = 8710
"""Tried first if no port is asked for."""
MOST_CONNECTIONS = 1000
SECONDS_FOR_FIRST_REQUEST = 10


class PortTaken(CovenError):
    """A port on which somebody else listens, or that may not be used."""


def bind(host: str, port: int | None) -> socket.socket:
    """A socket that listens; without a port the usual one or, where that is taken, any that is free."""
    try:
        return _listen(host, PORT if port is None else port)
    except PortTaken:
        if port is None:
            return _listen(host, 0)
        raise


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(128)
    except (OSError, OverflowError, TypeError, ValueError) as error:  # names that are none are of the last two kinds
        sock.close()
        why = getattr(error, "strerror", None) or str(error)
        raise PortTaken(f"{host}:{port} cannot be listened to: {why}; choose another with --port") from error
    return sock


def serve(app: Any, sock: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until Ctrl-C."""
    check()
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    from coven.web.guard import with_first_request_timeout

    config = uvicorn.Config(
        app,
        http=with_first_request_timeout(H11Protocol, SECONDS_FOR_FIRST_REQUEST),
        ws="none",
        log_level="critical",  # what a client does wrong is answered, and streams that Ctrl-C cuts are no news
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=1 << 15,
    )
    server = uvicorn.Server(config)
    ready()
    server.run(sockets=[sock])


def check() -> None:
    """MissingExtra unless a server can be run here."""
    with extra("web", "playing and watching in a browser"):
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401


def address(sock: socket.socket, host: str) -> str:
    """Where a browser on this machine finds the server."""
    port = sock.getsockname()[1]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def open_browser(link: str) -> bool:
    """Show a link in a browser; False where there is none."""
    try:
        return webbrowser.open(link)
    except webbrowser.Error:
        return False
