"""Tournaments on disk: an SQLite file for each, a row for each game, a transaction for each unit of work.

The file is in write-ahead mode, so it can be read while games are played. A process that is killed at any moment leaves
only whole units.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_type_hints

from coven.arena.match import GameRow
from coven.arena.reading import BadFile, check_name, decode, shortened
from coven.arena.schedule import Tournament, Unit, check_same
from coven.arena.sources import differing, sources
from coven.games.core import files
from coven.games.core.errors import CannotWrite, CovenError

FORMAT = "coven-arena-2"
COLUMNS = GameRow._fields
_KINDS = get_type_hints(GameRow)
_TYPES = {int: "INTEGER NOT NULL", str: "TEXT NOT NULL", bytes: "BLOB NOT NULL"}
_DEFINITIONS = ", ".join(f"{name} {_TYPES[kind]}" for name, kind in _KINDS.items())
_CREATE = (
    "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    f"CREATE TABLE games ({_DEFINITIONS}, PRIMARY KEY (number))",
)


MOST_BYTES = 1 << 24
"""The most bytes of one value; no game is so long."""
BESIDE = ("-journal", "-wal", "-shm")
"""Endings of the files that SQLite keeps beside one."""
_OF_SEVERAL = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that belongs to several databases."""


class BadStore(CovenError):
    """A file that is not a tournament, or one that this version cannot continue."""


class Store:
    """A tournament's file."""

    def __init__(self, path: Path, tournament: Tournament | None = None, anyway: bool = False) -> None:
        """Open a file; with a tournament, begin it there or go on with it.

        If the sources have changed, new games are refused or, with `anyway`, added, and the file records the change.
        """
        self.path = path
        if tournament is None and not path.is_file():
            raise BadStore(f"there is no file {path}")
        with self._reading():
            path.parent.mkdir(parents=True, exist_ok=True)
            _check_beside(path)
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
            self._db.execute("PRAGMA trusted_schema = OFF")
            self._db.execute("PRAGMA cell_size_check = ON")
            try:
                self.tournament = self._held() if tournament is None else self._begin(tournament, anyway)
            except BaseException:
                self._db.close()  # a file that is refused is not kept locked
                raise

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn errors of SQLite into BadStore, with the name of the file."""
        try:
            yield
        except (OSError, sqlite3.Error, OverflowError, UnicodeError) as error:
            raise BadStore(f"{self.path} cannot be used as the file of a tournament: {error}") from error
        except BadFile as error:
            raise BadStore(f"{self.path} is damaged: {error}") from error

    def _begin(self, tournament: Tournament, anyway: bool) -> Tournament:
        """Begin a tournament in a new file, or go on with the one that is there."""
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("BEGIN IMMEDIATE")
        if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in _CREATE:
                self._db.execute(statement)
            self._write_about(tournament, sources(tournament))
        held, begun_with, now = self._held(), self._about().get("versions"), _versions(tournament)
        check_same(held, tournament)
        if begun_with != now:
            raise BadStore(f"{self.path} was begun with {shortened(begun_with)}, this is {now}; choose another file")
        now_sources = sources(tournament)
        self._note_changes(
            differing(decode(self._about().get("sources", "{}"), dict[str, str], "sources"), now_sources), anyway
        )
        self._write_about(tournament, now_sources)  # it may have more deals now
        self._db.execute("COMMIT")
        return tournament

    def _note_changes(self, changed: list[str], anyway: bool) -> None:
        """Refuse to mix games of different sources, or record in the file from which game on they are mixed."""
        if not changed or not len(self):
            return
        what = ", ".join(changed)
        if not anyway:
            raise BadStore(
                f"{self.path} holds {len(self)} games, and since then the sources of {what} have changed; choose "
                "another file, or go on with --anyway: the file will then hold games of different sources, and say so"
            )
        note = f"from game {len(self)} on, other sources of {what}"
        values = ("changes", json.dumps([*self.changes, note]))
        self._db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", values)

    @property
    def sources(self) -> dict[str, str]:
        """Digests of the sources that played the games."""
        with self._reading():
            held: dict[str, str] = decode(self._about().get("sources", "{}"), dict[str, str], "sources")
        return held

    @property
    def changes(self) -> list[str]:
        """Where the sources changed between games, in words; empty if all games have the same sources."""
        with self._reading():
            noted: list[str] = decode(self._about().get("changes", "[]"), list[str], "changes")
            for note in noted:
                check_name(note, "change")
        return noted

    def _held(self) -> Tournament:
        """The tournament in the file."""
        if not self._is_ours():
            raise BadStore(f"{self.path} is not the file of a tournament of this version ({FORMAT})")
        about = self._about()
        if about.get("format") != FORMAT:
            raise BadStore(f"{self.path} has the format {shortened(about.get('format'))}, not {FORMAT!r}")
        return Tournament.from_json(about.get("tournament"))

    def _is_ours(self) -> bool:
        """Whether there are our two tables and nothing else: views, triggers and computed columns could run code."""
        query = "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%' LIMIT 9"
        return sorted(str(sql) for (sql,) in self._db.execute(query)) == sorted(_CREATE)

    def _about(self) -> dict[str, str]:
        return dict(self._db.execute("SELECT key, value FROM about LIMIT 99").fetchall())

    def _write_about(self, tournament: Tournament, played_by: dict[str, str]) -> None:
        values = {
            "format": FORMAT,
            "tournament": json.dumps(tournament.to_dict()),
            "versions": _versions(tournament),
            "sources": json.dumps(played_by),
        }
        self._db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", values.items())

    def add(self, rows: Iterable[GameRow]) -> None:
        """Store the games of a unit, all or none; games that are there already stay."""
        marks = ", ".join("?" * len(COLUMNS))
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(f"INSERT OR IGNORE INTO games VALUES ({marks})", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise CannotWrite(self.path, error) from error

    def done(self) -> set[Unit]:
        """The units whose games are stored."""
        query = f"SELECT DISTINCT lineup, deal / {self.tournament.block} FROM games"
        with self._reading():
            return {Unit(*row) for row in self._db.execute(query)}

    def __len__(self) -> int:
        with self._reading():
            return int(self._db.execute("SELECT count(*) FROM games").fetchone()[0])

    def games(self) -> Iterator[GameRow]:
        """All games, by number."""
        with self._reading():
            for row in self._db.execute(f"SELECT {', '.join(COLUMNS)} FROM games ORDER BY number"):
                yield self._checked(row)

    def _checked(self, row: tuple[Any, ...]) -> GameRow:
        """A checked row of a game; BadFile if it cannot be one of this tournament."""
        t = self.tournament
        for name, value in zip(COLUMNS, row, strict=True):
            if type(value) is not _KINDS[name]:
                raise BadFile(f"{name} of a game is {shortened(value)}; allowed: {_KINDS[name].__name__}")
        game = GameRow(*row)
        seats = 0 <= game.deal < t.deals and 0 <= game.lineup < len(t.lineups) and 0 <= game.rotation < t.players
        if not seats or game.number != t.number(game.deal, game.lineup, game.rotation):
            raise BadFile(f"there is no game {game.number} of deal {game.deal} at lineup {game.lineup}")
        return game

    def columns(self, names: Iterable[str], deals: int | None = None) -> list[tuple[Any, ...]]:
        """Some columns of the games of the first deals (or of all), by number."""
        where = "" if deals is None else f"WHERE deal < {int(deals)}"
        wanted = ", ".join(names)
        with self._reading():
            return self._db.execute(f"SELECT {wanted} FROM games {where} ORDER BY number").fetchall()

    def game(self, number: int) -> GameRow:
        """One game."""
        row = None
        if 0 <= number < 1 << 63:
            with self._reading():
                query = f"SELECT {', '.join(COLUMNS)} FROM games WHERE number = ?"
                row = self._db.execute(query, (number,)).fetchone()
        if row is None:
            raise BadStore(f"{self.path} has no game {number}; it holds {len(self)} games, numbered from 0")
        with self._reading():
            return self._checked(row)

    def digest(self) -> str:
        """A digest of all games without the seconds: the same for the same tournament, however it was played."""
        digest = hashlib.sha256()
        for row in self.columns(name for name in COLUMNS if name != "seconds"):
            digest.update(repr(row).encode())
        return digest.hexdigest()[:16]

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_beside(path: Path) -> None:
    """BadFile if what lies beside a file, and is used with it, is none of ours.

    SQLite takes back what was half done by a journal that it finds. One that belongs to several databases names a file,
    and SQLite then deletes that file, wherever it is; our tournaments have no such journals.
    """
    for ending in BESIDE:
        beside = path.with_name(path.name + ending)
        if beside.is_symlink() or (beside.exists() and not beside.is_file()):
            raise BadFile(f"{beside.name} beside it is a link, a pipe or a folder; take it away")
    journal = path.with_name(path.name + BESIDE[0])
    if journal.exists():
        with journal.open("rb") as file:
            file.seek(max(0, journal.stat().st_size - len(_OF_SEVERAL)))
            if file.read() == _OF_SEVERAL:
                raise BadFile(f"{journal.name} beside it is of several databases, which no tournament is; take it away")


def lock(path: Path) -> AbstractContextManager[None]:
    """A `with` block in which no other process can play the tournament in a file; all can read it."""
    return files.lock(path.with_name(f".{path.name}.lock"), str(path))


def _versions(tournament: Tournament) -> str:
    """What must be the same for games to come out the same."""
    return f"coven-rl {version('coven-rl')}, {tournament.rules.id}"
