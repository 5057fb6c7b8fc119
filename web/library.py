"""Recorded games to watch: a file of replays or a tournament, its list, and single games with all their positions."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coven.arena import replay as replays
from coven.arena.reading import BadFile, list_readers
from coven.arena.replay import BadReplay, Replay
from coven.arena.store import BadStore, Store
from coven.games.core.errors import CovenError
from coven.games.core.game import State
from coven.web import position
from coven.web.analysis import has_estimate

COLUMNS = ("agents", "scores", "ranks", "moves")
"""What the list tells of a stored game."""
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
            return self._of_tournament() if replays.is_tournament(self.path) else self._of_replays()

    @contextmanager
    def _by_name(self) -> Iterator[None]:
        """Errors name the file alone: where it lies on the server is nobody's business."""
        try:
            yield
        except CovenError as error:
            raise BadReplay(str(error).replace(str(self.path), self.path.name)) from error

    def _of_tournament(self) -> list[Line]:
        with Store(self.path) as store:
            read = list_readers(store.tournament.rules, store.tournament.players, store.tournament.agents)
            found = []
            for number, *lists in store.columns(("number", *COLUMNS)):
                try:
                    agents, scores, ranks, moves = (read[name](text) for name, text in zip(COLUMNS, lists, strict=True))
                except BadFile as error:
                    raise BadStore(f"game {number} of {self.path} is damaged: {error}") from error
                found.append(Line(number, agents, scores, ranks, sum(moves)))
            return found

    def _of_replays(self) -> list[Line]:
        return [
            Line(n, replay.agents or ["unknown"] * replay.num_players, replay.scores, replay.ranks, len(replay.actions))
            for n, replay in enumerate(replays.read_all(self.path))
        ]
