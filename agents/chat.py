"""One question to a server with the usual chat-completions interface. Its answers are not trusted.

Redirects are not followed: the key goes only to the machine that was named. The whole answer has to arrive in time, in
however many parts, and may have at most `MOST_BYTES`.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import threading
from dataclasses import dataclass
from typing import Any

import msgspec

from coven.agents.outside import quoted
from coven.games.core.errors import BadOption

MOST_BYTES = 1 << 20
MOST_WAIT = 60.0
"""Seconds that a server may ask us to wait before we try again."""
LOCAL = ("localhost", "127.0.0.1", "[::1]")
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[^/:@?#\s\[\]]+)(?::(?P<port>\d{1,5}))?(?P<path>/[^:?#\s]*)?"
    r":(?P<model>\S.*)",
    re.IGNORECASE,
)


class ChatError(Exception):
    """What went wrong with a question; `again` says after how many seconds another try makes sense, None for never."""

    def __init__(self, message: str, again: float | None = None) -> None:
        super().__init__(message)
        self.again = again


@dataclass(frozen=True)
class Server:
    """Where to ask, and for which model."""

    scheme: str
    host: str
    port: int | None
    path: str
    model: str

    @property
    def local(self) -> bool:
        """Is it on this machine?"""
        return self.host.lower() in LOCAL


def server_of(text: str) -> Server:
    """The server and the model of `URL:MODEL`; BadOption says what is allowed."""
    found = _URL.fullmatch(text)
    secret = re.match(r"[^/]*//[^/]*@", text)  # specs are stored and shown: a password has no place in them
    if found is None or secret or int(found["port"] or 0) > 65535:
        raise BadOption(
            f"{quoted(text)} is no URL:MODEL; allowed: such as http://localhost:8080/v1:llama3, without a key, a "
            "password, a question mark or a colon in its path"
        )
    path = (found["path"] or "").rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    port = int(found["port"]) if found["port"] else None
    return Server(found["scheme"].lower(), found["host"], port, path, found["model"])


@dataclass(frozen=True)
class Answer:
    """What a model said."""

    text: str
    tokens: int
    cut: bool
    """Was it stopped by the limit of tokens?"""


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    total_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


def ask(server: Server, question: dict[str, Any], key: str, seconds: float) -> Answer:
    """The answer to a question; ChatError says what went wrong instead, without a word of the key."""
    try:
        status, data, wait = _post(server, msgspec.json.encode(question), key, seconds)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ChatError(_hidden(f"the server cannot be asked: {type(error).__name__}: {error}", key), 1.0) from None
    if len(data) > MOST_BYTES:
        raise ChatError(f"its answer is longer than {MOST_BYTES} bytes; it begins with {quoted(data[:80])}")
    if status != http.client.OK:
        said = quoted(_hidden(data[:2000].decode("utf-8", "replace"), key), 200)
        if 300 <= status < 400:
            raise ChatError(f"the server redirects (status {status}), which is not followed: name the right URL")
        again = wait if status in (408, 409, 425, 429) or status >= 500 else None
        raise ChatError(f"the server refuses with status {status}: {said}", again)
    return _read(data, key)


def _post(server: Server, body: bytes, key: str, seconds: float) -> tuple[int, bytes, float]:
    """Status, body and the seconds that the server asks us to wait."""
    kind = http.client.HTTPSConnection if server.scheme == "https" else http.client.HTTPConnection
    connection = kind(server.host.strip("[]"), server.port, timeout=seconds)
    late = threading.Event()
    watch: threading.Timer | None = None
    try:
        connection.connect()
        watch = threading.Timer(seconds, _hang_up, (connection.sock, late))
        watch.daemon = True
        watch.start()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        connection.request("POST", server.path, body, headers)
        response = connection.getresponse()
        data = response.read(MOST_BYTES + 1)
        if late.is_set():
            raise TimeoutError(f"no whole answer within {seconds:.3g} s")
        asked = response.getheader("Retry-After", "")
        return response.status, data, min(float(asked), MOST_WAIT) if asked.isdecimal() else 1.0
    except (OSError, http.client.HTTPException):
        if late.is_set():
            raise TimeoutError(f"no whole answer within {seconds:.3g} s") from None
        raise
    finally:
        if watch is not None:
            watch.cancel()
        connection.close()


def _hang_up(sock: socket.socket, late: threading.Event) -> None:
    late.set()
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def _read(data: bytes, key: str) -> Answer:
    """The text and facts in the body of an answer."""
    try:
        data.decode("utf-8")
        found = msgspec.json.decode(data, type=_Completion)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        begun = quoted(_hidden(data[:400].decode("utf-8", "replace"), key))
        raise ChatError(f"its answer {begun} is no chat completion: {_hidden(str(error), key)}", 0.0) from None
    if not found.choices:
        raise ChatError("its answer holds no choice", 0.0)
    content = found.choices[0].message.content
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    used = found.usage.total_tokens if found.usage else 0
    return Answer(_hidden(content or "", key), max(0, used), found.choices[0].finish_reason == "length")


def _hidden(text: str, key: str) -> str:
    """A text without the key: a server may send back what it was sent."""
    return text.replace(key, "[key]") if key else text
