"""Recorded games to watch: a file of replays or a tournament, its list, and single games with all their positions."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from coven.arena import replay as replays
from coven.arena.replay import BadReplay, Replay
from coven.arena.store import BadStore, Store
from coven.games.core.errors import CovenError
from coven.games.core.game import State
from coven.web import position
from coven.web.analysis import has_estimate

_SQLITE = b"SQLite format 3\x00"
KEPT = 8
"""Games that are kept in memory with all their positions."""


@dataclass(frozen=True)
class Line:
    """A game in the list."""

    number: int
    agents: list[str]
    scores: list[int]
    ranks: list[int]
    moves: int

    @property
    def winners(self) -> list[str]:
        """Who won it; several where they share."""
        return [agent for agent, rank in zip(self.agents, self.ranks, strict=False) if rank == 1]

    def shown(self) -> dict[str, Any]:
        """For a page."""
        return {
            "number": self.number,
            "agents": self.agents,
            "scores": self.scores,
            "ranks": self.ranks,
            "moves": self.moves,
        }


class Film:
    """A recorded game with all its positions."""

    def __init__(self, replay: Replay) -> None:
        self.replay, self.game = replay, replay.rules
        viewers: list[int | None] = [None, *range(replay.num_players)]
        self.states: list[State] = []
        self.events: dict[int | None, list[str | None]] = {viewer: [] for viewer in viewers}
        for s, action in replay.states():
            self.states.append(self.game.clone(s))
            if action is not None:
                for viewer in viewers:
                    self.events[viewer].append(self.game.event(s, action, viewer))
        self.returns = self.game.returns(self.states[-1])

    def about(self) -> dict[str, Any]:
        """The game in short."""
        replay = self.replay
        return {
            "title": self.game.title,
            "players": replay.num_players,
            "agents": replay.agents or [f"player {p}" for p in range(replay.num_players)],
            "scores": replay.scores,
            "ranks": replay.ranks,
            "positions": len(self.states),
            "seed": str(replay.seed),
            "options": replay.options,
            "estimate": has_estimate(self.game),
        }

    def shown(self, number: int, viewer: int | None) -> dict[str, Any]:
        """One position as a viewer sees it; who decides also sees what it may do, and what was done."""
        s = self.states[number]
        mine = viewer is None or viewer == self.game.current_player(s)
        next_action = self.replay.actions[number] if number < len(self.replay.actions) and mine else None
        return position.shown(self.game, s, viewer, mine) | {"number": number, "done": next_action}


class Library:
    """The recorded games of one file; it may not exist yet, or grow."""

    def __init__(self, path: Path, secret: str | None = None) -> None:
        self.path, self.secret = path, secret or secrets.token_urlsafe(16)
        self._films: OrderedDict[int, Film] = OrderedDict()

    def film(self, number: int) -> Film:
        """A game with all its positions; BadReplay if there is none, or it does not fit."""
        if number not in self._films:
            with self._by_name():
                self._films[number] = Film(replays.read(self.path, number))
            if len(self._films) > KEPT:
                self._films.popitem(last=False)
        self._films.move_to_end(number)
        return self._films[number]

    def lines(self) -> list[Line]:
        """All games in short."""
        with self._by_name():
            try:
                with self.path.open("rb") as file:
                    stored = file.read(len(_SQLITE)) == _SQLITE
                return self._of_tournament() if stored else self._of_replays()
            except OSError as error:
                raise BadReplay(f"{self.path} cannot be read: {error.strerror}") from error

    @contextmanager
    def _by_name(self) -> Iterator[None]:
        """Errors name the file alone: where it lies on the server is nobody's business."""
        try:
            yield
        except CovenError as error:
            raise BadReplay(str(error).replace(str(self.path), self.path.name)) from error

    def _of_tournament(self) -> list[Line]:
        names = ("number", "agents", "scores", "ranks", "moves")
        try:
            with Store(self.path) as store:
                rows = store.columns(names)
            return [
                Line(number, json.loads(agents), json.loads(scores), json.loads(ranks), sum(json.loads(moves)))
                for number, agents, scores, ranks, moves in rows
            ]
        except (sqlite3.Error, KeyError, TypeError, ValueError) as error:
            raise BadStore(f"{self.path} is damaged: {error}") from error

    def _of_replays(self) -> list[Line]:
        found = []
        lines = [line for line in self.path.read_bytes().splitlines() if line.strip()]
        for number, line in enumerate(lines):
            try:
                replay = msgspec.json.decode(line, type=Replay)
            except msgspec.DecodeError as error:
                raise BadReplay(f"line {number + 1} of {self.path} is not a replay: {error}") from error
            agents = replay.agents or ["unknown"] * replay.num_players
            found.append(Line(number, agents, replay.scores, replay.ranks, len(replay.actions)))
        return found
