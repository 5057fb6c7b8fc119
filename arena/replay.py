"""Replays: a game as its seed and its actions, one line of JSON each, checked as it is played again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from coven.arena.match import GameRow
from coven.arena.schedule import Tournament
from coven.arena.store import BadStore, Store
from coven.games import game as find_game
from coven.games.core.errors import CovenError, IllegalAction
from coven.games.core.game import Game, State

FORMAT: Literal["coven-replay-1"] = "coven-replay-1"
_SQLITE = b"SQLite format 3\x00"


class BadReplay(CovenError):
    """Something that is not a replay, or one that does not fit the game."""


class Replay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game that was played; lists but the actions are by seat."""

    format: Literal["coven-replay-1"]
    game: str
    version: int
    num_players: int
    seed: int
    actions: list[int]
    ranks: list[int]
    scores: list[int]
    agents: list[str] = []
    options: dict[str, Any] = {}

    @property
    def rules(self) -> Game:
        """The game, in the version that was played."""
        game = find_game(self.game)
        if self.version != game.version:
            raise BadReplay(f"this replay is of {self.game}_v{self.version}; the game is now v{game.version}")
        return game

    def states(self) -> Iterator[tuple[State, int | None]]:
        """Every state (the same array, moved on) with the action taken there; None at the end.

        BadReplay says at which move it stops fitting the game, or what else does not fit.
        """
        game, total = self.rules, len(self.actions)
        s = game.new(self.num_players, self.seed, **self.options)
        for move, action in enumerate(self.actions, 1):
            try:
                game.apply(game.clone(s), action)
            except IllegalAction as error:
                raise BadReplay(f"this replay stops fitting at move {move} of {total}: {error}") from error
            yield s, action
            game.apply(s, action)
        if not game.is_over(s):
            raise BadReplay(f"this replay stops after move {total}, before the game is over")
        if game.ranks(s) != self.ranks or game.scores(s) != self.scores:
            raise BadReplay(
                f"all {total} moves fit, but the game ends with scores {game.scores(s)} and ranks {game.ranks(s)}; "
                f"the replay says {self.scores} and {self.ranks}"
            )
        yield s, None

    def check(self) -> None:
        """Play it all again; BadReplay if it does not fit."""
        for _ in self.states():
            pass

    def to_json(self) -> str:
        """As one line of JSON."""
        return msgspec.json.encode(self).decode()


def of_row(tournament: Tournament, row: GameRow) -> Replay:
    """The replay of a stored game."""
    return Replay(
        format=FORMAT,
        game=tournament.game,
        version=tournament.version,
        num_players=tournament.players,
        options=json.loads(row.options),
        seed=row.seed,
        agents=json.loads(row.agents),
        actions=np.frombuffer(row.actions, "<u2").tolist(),
        ranks=json.loads(row.ranks),
        scores=json.loads(row.scores),
    )


def record(game: Game, s: State, seed: int, actions: Iterable[int], agents: Iterable[str] = ()) -> Replay:
    """The replay of a game that you played yourself: its final state, the seed it was dealt with and its actions."""
    return Replay(
        format=FORMAT,
        game=game.name,
        version=game.version,
        num_players=int(s["num_players"]),
        options=game.options_of(s),
        seed=seed,
        agents=list(agents),
        actions=[int(action) for action in actions],
        ranks=game.ranks(s) or [],
        scores=game.scores(s),
    )


def write(replays: Iterable[Replay], path: Path) -> None:
    """Write replays to a file, a line each."""
    path.write_text("".join(f"{replay.to_json()}\n" for replay in replays), encoding="utf-8")


def read(path: Path, number: int) -> Replay:
    """Game `number` (from 0) of a file of replays or of a tournament."""
    try:
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                return _stored(path, number)
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadReplay(f"{path} cannot be read: {error.strerror}") from error
    lines = [line for line in lines if line.strip()]
    if not 0 <= number < len(lines):
        raise BadReplay(f"{path} has no game {number}; it holds {len(lines)}, numbered from 0")
    try:
        return msgspec.json.decode(lines[number], type=Replay)
    except msgspec.DecodeError as error:
        raise BadReplay(f"line {number + 1} of {path} is not a replay: {error}") from error


def _stored(path: Path, number: int) -> Replay:
    try:
        with Store(path) as store:
            return of_row(store.tournament, store.game(number))
    except (sqlite3.Error, KeyError, json.JSONDecodeError) as error:
        raise BadStore(f"{path} is damaged: {error}") from error


def lines(replay: Replay, viewer: int | None = None, tables: bool = False) -> Iterator[str]:
    """A game aloud: the table at the start, the moves (with `tables`, the table before each) and the table at the end.

    A viewer sees the table and the moves as that seat does.
    """
    game = replay.rules
    in_force = ", ".join(f"{name}={value!r}" for name, value in replay.options.items()) or "no options"
    yield f"{game.title}, {replay.num_players} players, seed {replay.seed}, {in_force}"
    if replay.agents:
        yield ", ".join(f"player {p}: {agent}" for p, agent in enumerate(replay.agents))
    for number, (s, action) in enumerate(replay.states(), 1):
        if tables or number == 1 or action is None:
            yield f"\n{game.text(s, viewer)}\n"
        event = None if action is None else game.event(s, action, viewer)
        if event is not None:
            yield f"{number:>4}  {event}"
