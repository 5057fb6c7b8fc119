"""Replays: a game as its seed and its actions, one line of JSON each, checked as it is played again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from coven.agents.following import behind
from coven.arena.match import GameRow
from coven.arena.reading import MOST_TEXT, BadFile, check_name, decode, list_readers, read_actions, shortened
from coven.arena.schedule import Tournament
from coven.arena.store import BadStore, Store
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.errors import CovenError, IllegalAction
from coven.games.core.game import Game, State

FORMAT: Literal["coven-replay-1"] = "coven-replay-1"
_SQLITE = b"SQLite format 3\x00"


class BadReplay(CovenError):
    """Not a replay, or one that does not fit the game."""


MOST_BYTES = 1 << 30
"""A larger file of replays is not read."""


class Replay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recorded game; all lists except the actions are by seat."""

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
    forfeits: list[int] | msgspec.UnsetType = msgspec.UNSET
    """1 for every seat that lost by a fault; left out if no seat did."""

    def __post_init__(self) -> None:
        check_name(self.game, "game")
        for agent in self.agents:
            check_name(agent)
        if len(self.agents) not in (0, self.num_players):
            raise BadReplay(f"{len(self.agents)} agents cannot have played at a table of {self.num_players}")
        if not len(self.ranks) == len(self.scores) == self.num_players:
            raise BadReplay(f"{len(self.ranks)} ranks and {len(self.scores)} scores of {self.num_players} players")
        lost = self.forfeits
        if lost is not msgspec.UNSET and (len(lost) != self.num_players or not set(lost) <= {0, 1}):
            raise BadReplay(f"{shortened(lost)} are no forfeits; allowed: 0 or 1 for each of {self.num_players} seats")

    @property
    def rules(self) -> Game:
        """The game, in the version that was played."""
        game = find_game(self.game)
        if self.version != game.version:
            raise BadReplay(f"this replay is of {self.game}_v{self.version}; the game is now v{game.version}")
        return game

    def states(self) -> Iterator[tuple[State, int | None]]:
        """Every state with the action taken there, None at the end; the state is one array that is changed in place.

        Raises BadReplay, which says which move is the first that does not fit the game, or what else is wrong.
        """
        game, total = self.rules, len(self.actions)
        s = game.new(self.num_players, self.seed, **game.known_options(self.options))
        if total > game.facts.longest[self.num_players]:
            raise BadReplay(f"this replay has {total} moves; no game of {self.game} is so long")
        for move, action in enumerate(self.actions, 1):
            try:
                game.apply(game.clone(s), action)
            except IllegalAction as error:
                raise BadReplay(f"this replay stops fitting at move {move} of {total}: {error}") from error
            yield s, action
            game.apply(s, action)
        if not game.is_over(s):
            raise BadReplay(f"this replay stops after move {total}, before the game is over")
        ranks = self._ranks(game.ranks(s) or [])
        if ranks != self.ranks or game.scores(s) != self.scores:
            raise BadReplay(
                f"all {total} moves fit, but the game ends with scores {game.scores(s)} and ranks {ranks}; "
                f"the replay says {self.scores} and {self.ranks}"
            )
        yield s, None

    def _ranks(self, by_score: list[int]) -> list[int]:
        """The final ranks, with seats that lost by a fault behind all others."""
        if self.forfeits is msgspec.UNSET:
            return by_score
        ranks: list[int] = behind(np.array([by_score]), np.array([self.forfeits]))[0][0].tolist()
        return ranks

    def check(self) -> None:
        """Play the whole game again; BadReplay if it does not fit."""
        for _ in self.states():
            pass

    def to_json(self) -> str:
        """The replay as one line of JSON."""
        return msgspec.json.encode(self).decode()


def of_row(tournament: Tournament, row: GameRow) -> Replay:
    """The replay of a stored game."""
    read = list_readers(tournament.rules, tournament.players, tournament.agents)
    forfeits: list[int] = read["forfeits"](row.forfeits)
    return Replay(
        format=FORMAT,
        game=tournament.game,
        version=tournament.version,
        num_players=tournament.players,
        options=decode(row.options, dict[str, Any], "options"),
        seed=row.seed,
        agents=read["agents"](row.agents),
        actions=read_actions(row.actions, tournament.rules, tournament.players),
        ranks=read["ranks"](row.ranks),
        scores=read["scores"](row.scores),
        forfeits=forfeits if any(forfeits) else msgspec.UNSET,
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
    """Write replays to a file, one per line."""
    with files.writing(path) as partial, partial.open("w", encoding="utf-8") as file:
        file.writelines(f"{replay.to_json()}\n" for replay in replays)


def read(path: Path, number: int) -> Replay:
    """Game `number` (from 0) of a file of replays or of a tournament."""
    if is_tournament(path):
        return _stored(path, number)
    games = 0
    for at, line in _lines(path):
        if games == number:
            return _decoded(path, at, line)
        games += 1
    raise BadReplay(f"{path} has no game {number}; it holds {games}, numbered from 0")


def read_all(path: Path) -> Iterator[Replay]:
    """All games of a file of replays."""
    for at, line in _lines(path):
        yield _decoded(path, at, line)


def is_tournament(path: Path) -> bool:
    """Whether this file is a tournament; BadReplay if it cannot be read."""
    if not path.is_file():  # a device may never end
        raise BadReplay(
            f"{path} cannot be read: {'it is no regular file' if path.exists() else 'there is no such file'}"
        )
    with _reading(path), path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadReplay(f"{path} cannot be read: {error.strerror}") from error


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers; of one that is too long only the beginning."""
    with _reading(path), path.open("rb") as file:
        if path.stat().st_size > MOST_BYTES:
            raise BadReplay(f"{path} has more than {MOST_BYTES >> 20} MB: cut it into several files")
        at, whole_line = 0, True
        while line := file.readline(MOST_TEXT + 1):
            at, begins, whole_line = at + whole_line, whole_line, line.endswith(b"\n")
            if begins and line.strip():
                yield at, line


def _decoded(path: Path, at: int, line: bytes) -> Replay:
    try:
        replay: Replay = decode(line, Replay, "it")
    except BadFile as error:
        raise BadReplay(f"line {at} of {path} is not a replay: {error.__cause__ or error}") from error
    return replay


def _stored(path: Path, number: int) -> Replay:
    with Store(path) as store:
        try:
            return of_row(store.tournament, store.game(number))
        except BadFile as error:
            raise BadStore(f"{path} is damaged: {error}") from error


def lines(replay: Replay, viewer: int | None = None, tables: bool = False) -> Iterator[str]:
    """A game as lines of text: the table at the start, all moves, and the table at the end.

    With `tables` the whole position is shown before each move; with a `viewer` only what that seat may know.
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
