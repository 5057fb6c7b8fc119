"""Requests to the server of `coven play` and `coven watch` that no page of ours would make."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import junk
import numpy as np
from web_help import ask, kept_table

import coven
from coven.arena import replay as replays
from coven.playthrough import random_game
from coven.web import guard
from coven.web.library import Library
from coven.web.server import build_app
from coven.web.table import Setup

GAME = coven.game("alchemists")
WORDS = ("", "0", "-1", "--5", "²", "٣", "%", "..", "\x00", "all", "\u202e", "1e9", "9" * 30, "0" * 20 + "9", "a" * 600)
SPECS = ("greedy", "mix:0.5", "ismcts:5", "ismcts:5:horizon=3", "estimate", "py:os:system", "cmd:ls", "ppo:/etc/passwd")
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {"host": "evil.example"},
    {"host": "[::1]:x"},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"content-type": "text/html"},
    {"content-length": "-5"},
    {"range": "bytes=5-1,-,9-"},
    {"accept-encoding": "gzip" * 500},
)


def attack_requests(seed: int, folder: Path) -> Iterator[bool]:
    """Nothing is an error of the server, only a legal act changes a game, and no seat learns another's link."""
    rng, place = np.random.default_rng(seed), folder / "served"
    shutil.rmtree(place, ignore_errors=True)
    s = GAME.new(2, seed=seed)
    actions = list(random_game(GAME, s, seed))
    place.mkdir()
    replays.write([replays.record(GAME, s, seed, actions, ["py:os:system", "greedy"])], place / "games.jsonl")
    tables = [kept_table(place, Setup(GAME, ("human", "human")), links={"link-one": (0,), "link-two": (1,)})]
    tables += [kept_table(place / "b", Setup(GAME, ("human", "greedy"), practice=True), links={"link-three": (0,)})]
    app = build_app(tables, library=Library(place / "games.jsonl", "library"), rate=1e9)
    while True:
        path, body, headers = _request(rng)
        before = [list(kept.table.actions) for kept in tables]
        method = str(rng.choice(["PUT", "OPTIONS", "HEAD"])) if rng.random() < 0.05 else None
        answer = ask(app, path, body, method, headers, most=5)
        assert answer.status < 500, (path, body, headers)
        if (
            answer.status != 200
            or method is not None
            or not path.partition("?")[0].endswith(("/act", "/undo", "/again"))
        ):
            assert [kept.table.actions for kept in tables] == before, (path, body, headers)
        if "link-two" not in path:
            assert b"link-two" not in answer.body
        assert answer.headers["content-security-policy"] == guard.HEADERS["content-security-policy"]
        yield answer.status >= 400


def _request(rng: np.random.Generator) -> tuple[str, Any, dict[str, str]]:
    """An address, a body or none, and headers: mostly sensible, so that what is not is reached."""

    def pick(words: tuple[str, ...]) -> str:
        return words[rng.integers(len(words))]

    seat = f"/s/{pick(('link-one', 'link-two', 'link-three', 'link-three', pick(WORDS)))}"
    one = f"/w/{pick(('library', 'library', 'other'))}/game/{pick(('0', '0', '1', pick(WORDS)))}"
    place = f"{one}/position/{pick(('0', '3', pick(WORDS)))}"
    reads = (seat, f"{seat}/position", f"{seat}/news", f"{seat}/worlds", one, place, f"{place}/worlds")
    reads += ("/w/library/games", f"/static/{pick(('play.js', 'style.css', *WORDS))}", f"/{pick(WORDS)}")
    asks = (f"{seat}/analyse", f"{seat}/graph", f"{place}/analyse")
    acts = (f"{seat}/act", f"{seat}/undo", f"{seat}/again")
    kind, body = rng.random(), None
    if kind < 0.5:
        path = pick(reads)
    elif kind < 0.65:
        path, body = pick(asks), {"agent": pick(SPECS)}
    else:
        path, body = pick(acts), {"action": int(rng.integers(-1, GAME.num_actions)), "moment": int(rng.integers(3))}
    if body is not None and rng.random() < 0.5:
        body = junk.text_of(junk.changed(body, rng))
        body = junk.damaged(body, rng) if rng.random() < 0.4 else body
    path = quote(path, safe="/%")
    if rng.random() < 0.3:
        names = ("epoch", "since", "viewer", "first", "agent", "winner", "game")
        path += "?" + "&".join(f"{pick(names)}={quote(pick(WORDS))}" for _ in range(rng.integers(1, 4)))
    return path, body, HEADERS[rng.integers(len(HEADERS))] if rng.random() < 0.2 else {}
