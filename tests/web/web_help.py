"""Helpers of the tests of the table: positions, an app asked without a network, and a server in a thread."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import contextmanager

import uvicorn

import coven
from coven.playthrough import random_game
from coven.web import run, store
from coven.web.server import build_app
from coven.web.table import HUMAN, Setup, Table

DRAWN = [name for name in coven.games.built_in() if coven.game(name)._clicks]
TABLES = [(name, players) for name in DRAWN for players in coven.game(name).players]


def kept_table(folder, setup, seed=7, actions=(), start=None, links=None, port=0):
    """A table as a server has it, with known links."""
    table = Table(setup, seed, actions, start)
    links = links or {f"secret-of-{p}": (p,) for p in setup.humans}
    folder.mkdir(parents=True, exist_ok=True)
    kept = store.Kept(table, folder / "table-0.json", links, "secret-of-library", port)
    kept.save()
    return kept


def humans(name, players=None, **options):
    """A setup in which everybody is human."""
    game = coven.game(name)
    return Setup(game, (HUMAN,) * (players or game.players[0]), options)


class Answer:
    """What an app answered."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


async def _ask(app, method, path, body, headers, most):
    path, _, query = path.partition("?")
    sent, parts, begun, enough = [{"type": "http.request", "body": body}], [], {}, asyncio.Event()
    given = {"host": "127.0.0.1:8710"} | ({"content-type": "application/json"} if method == "POST" else {}) | headers
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode()) for k, v in given.items()],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8710),
        "scheme": "http",
        "root_path": "",
    }

    async def receive():
        if sent:
            return sent.pop()
        await enough.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        if message["type"] == "http.response.start":
            begun.update(message)
        else:
            parts.append(message.get("body", b""))
            if not message.get("more_body") or sum(map(len, parts)) >= most:
                enough.set()

    await asyncio.wait_for(app(scope, receive, send), 60)
    headers = {k.decode(): v.decode() for k, v in begun["headers"]}
    return Answer(begun["status"], headers, b"".join(parts))


def ask(app, path, body=None, method=None, headers=None, most=1 << 30):
    """One request to an app; a body makes it a POST. Streams end after `most` bytes."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    return asyncio.run(_ask(app, method or ("GET" if body is None else "POST"), path, data, headers or {}, most))


def positions(name, players, seed, every):
    """Every so many positions of a random game."""
    game = coven.game(name)
    s = game.new(players, seed=seed)
    for number, action in enumerate(random_game(game, s, seed)):
        if action is not None and number % every == 0:
            yield s, action


@contextmanager
def served(tables=(), **settings):
    """A real server in a thread: its address."""
    app = build_app(tables, pace=0, **settings)
    sock = run._listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.force_exit = server.should_exit = True
        thread.join(10)
