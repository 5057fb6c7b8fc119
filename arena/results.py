"""Result files of evaluations: JSON Lines, xz-compressed. The first line is the head, then a line for every game.

The games are in the protocol's order, and each has a checksum of itself and all games before it. So if a file is not
complete and unchanged, the first game that does not fit can be named.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from coven.arena import anchors
from coven.arena.figure import Points
from coven.arena.protocol import PROTOCOL, Match, matches
from coven.arena.reading import MOST_TEXT, BadFile, check_name, decode
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.errors import CovenError
from coven.games.core.game import Game

FORMAT: Literal["coven-evaluation-1"] = "coven-evaluation-1"
ENDING = ".jsonl.xz"
MOST_BYTES = 1 << 30
"""The most bytes of an uncompressed file."""
MOST_MEMORY = 1 << 28
"""The most memory for decompression."""
_CHUNK = 1 << 16


class BadResult(CovenError):
    """A file that is not the result of an evaluation, or that was changed."""


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a result: what was evaluated, with which versions, and the figures."""

    format: Literal["coven-evaluation-1"]
    protocol: int
    quick: bool
    game: str
    version: int
    """The version of the game."""
    agent: str
    """Its spec."""
    name: str
    """Its name on the leaderboard."""
    timed: bool
    """Whether the agent has a time limit or is an outside program; evaluated again, it may then play other games."""
    coven: str
    date: str
    machine: str
    sources: dict[str, str]
    """Digests of the rules and the agents."""
    changes: list[str]
    """From which games on the sources are different, in words."""
    anchors: dict[int, dict[str, float]]
    figures: dict[str, Any]
    """As `evaluation.figures` computes them."""

    def __post_init__(self) -> None:
        for value, what in (
            (self.game, "game"),
            (self.agent, "agent"),
            (self.name, "name"),
            (self.coven, "version"),
            (self.date, "date"),
            (self.machine, "machine"),
            *((change, "change") for change in self.changes),
            *((word, "source") for pair in self.sources.items() for word in pair),
        ):
            check_name(value, what)
        anchors.check(self.anchors)

    @property
    def rules(self) -> Game:
        """The game, in the version that was played."""
        game = find_game(self.game)
        if game.version != self.version:
            raise BadResult(f"this result is of {self.game}_v{self.version}; the game is now v{game.version}")
        return game

    @property
    def matches(self) -> list[Match]:
        """The matches that the protocol requires."""
        return matches(self.rules, self.agent, self.quick)


class PlayedGame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One game; all lists except the actions are by seat.

    The agent has the seat `rotation`; the seconds and faults are its own.
    """

    players: int
    opponent: str
    deal: int
    rotation: int
    actions: list[int]
    ranks: list[int]
    scores: list[int]
    moves: list[int]
    seconds: float
    faults: int
    """How often the agent failed to decide and a random action was played instead."""
    check: str = ""

    @property
    def where(self) -> str:
        """Which one it is, in words."""
        return f"{self.players} players against {self.opponent}, deal {self.deal}, rotation {self.rotation}"


@dataclass(frozen=True)
class Result:
    """An evaluation."""

    head: Head
    games: list[PlayedGame]

    @property
    def points(self) -> list[Points]:
        """How often the agent finished ahead in every match."""
        return [_points(match, games) for match, games in self.by_match()]

    def by_match(self) -> Iterator[tuple[Match, list[PlayedGame]]]:
        """The games of every match."""
        begun = 0
        for match in self.head.matches:
            games = match.deals * match.players
            yield match, self.games[begun : begun + games]
            begun += games

    def digest(self) -> str:
        """A digest of all games without their timings: the same whenever the same agent is evaluated again."""
        digest = hashlib.sha256(self.head.agent.encode())
        for game in self.games:
            digest.update(repr((game.where, game.actions)).encode())
        return digest.hexdigest()[:16]


def _points(match: Match, games: list[PlayedGame]) -> Points:
    ranks = np.array([game.ranks for game in games])
    own = ranks[np.arange(len(games)), [game.rotation for game in games]][:, None]
    level = (ranks == own).sum(axis=1) - 1  # without itself
    ahead = (own < ranks).sum(axis=1) + 0.5 * level
    by_deal = ahead.reshape(match.deals, match.players).sum(axis=1)
    return Points(match.players, match.opponent, by_deal, np.full(match.deals, match.players * (match.players - 1.0)))


def chained(before: str, game: PlayedGame) -> str:
    """The checksum of a game: over all its values and the checksum of the game before it."""
    body = msgspec.json.encode(msgspec.structs.replace(game, check=before))
    return hashlib.sha256(body).hexdigest()[:8]


def write(result: Result, path: Path) -> None:
    """Write a result file; the checks are made here."""
    packed, check = lzma.LZMACompressor(preset=6), ""
    with files.writing(path) as partial, partial.open("wb") as file:
        file.write(packed.compress(msgspec.json.encode(result.head) + b"\n"))
        for game in result.games:
            check = chained(check, game)
            line = msgspec.json.encode(msgspec.structs.replace(game, check=check))
            file.write(packed.compress(line + b"\n"))
        file.write(packed.flush())


def read(path: Path) -> Result:
    """Read a complete result file whose checks fit; `verify` also plays its games again.

    BadResult for anything else.
    """
    if not path.is_file():
        raise BadResult(f"there is no file {path}")
    try:
        lines = _lines(path)
        head: Head = decode(next(lines, b""), Head, "the first line")
        if head.protocol != PROTOCOL:
            raise BadResult(f"{path} follows protocol {head.protocol}; this version knows {PROTOCOL}")
        return Result(head, list(_games(head, lines)))
    except BadFile as error:
        raise BadResult(f"{path} is not the result of an evaluation: {error}") from error
    except BadResult as error:
        raise BadResult(f"{path}: {error}") from error
    except (OSError, lzma.LZMAError, MemoryError) as error:
        raise BadResult(f"{path} cannot be read as the result of an evaluation: {error}") from error


def _games(head: Head, lines: Iterator[bytes]) -> Iterator[PlayedGame]:
    """The games, in the order of the protocol."""
    check, rules = "", head.rules
    for match in head.matches:
        for k in range(match.deals * match.players):
            deal, rotation = divmod(k, match.players)
            where = f"{match.players} players against {match.opponent}, deal {deal}, rotation {rotation}"
            line = next(lines, None)
            if line is None:
                raise BadResult(f"it ends before the game {where}")
            try:
                game: PlayedGame = decode(line, PlayedGame, "it")
            except BadFile as error:
                raise BadResult(f"the game {where} does not fit: {error}") from error
            if (game.players, game.opponent, game.deal, game.rotation) != (*match[:2], deal, rotation):
                raise BadResult(f"the game {where} does not fit: another game stands in its place")
            if len(game.actions) > rules.facts.longest[match.players]:
                raise BadResult(f"the game {where} does not fit: no game of {rules.name} has {len(game.actions)} moves")
            if {len(game.ranks), len(game.scores), len(game.moves)} != {match.players}:
                raise BadResult(f"the game {where} does not fit: its lists are not by seat")
            check = chained(check, game)
            if check != game.check:
                raise BadResult(f"the game {where} does not fit: it was changed after it was written")
            yield game
    if next(lines, None) is not None:
        raise BadResult("it has more games than the protocol")


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a compressed file; too many bytes, in one or in all, are refused."""
    unpack, rest, total = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY), b"", 0
    with path.open("rb") as file:
        while not unpack.eof:
            data = file.read(_CHUNK) if unpack.needs_input else b""
            if unpack.needs_input and not data:
                raise BadResult("it is cut off")
            unpacked = unpack.decompress(data, MOST_TEXT)
            total += len(unpacked)
            *lines, rest = (rest + unpacked).split(b"\n")
            yield from lines
            if len(rest) > MOST_TEXT or total > MOST_BYTES:
                raise BadResult("it is too long")
        if unpack.unused_data or file.read(1):
            raise BadResult("there is more behind its end")
    if rest:
        yield rest
