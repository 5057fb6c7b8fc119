"""Tables on disk: one small JSON file each, replaced as a whole after every move, so that a kill loses nothing.

A folder holds the tables of one server, `table-0.json` and so on, and `games.jsonl` with the games that are over. The
files hold the seed and the secret links: they are readable by their owner only.
"""

from __future__ import annotations

import secrets
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from coven.agents.registry import is_outside
from coven.arena.reading import MOST_TEXT, BadFile, decode
from coven.arena.replay import MOST_BYTES
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.errors import CannotWrite, CovenError
from coven.web.table import Setup, Table

FORMAT: Literal["coven-play-1"] = "coven-play-1"
FINISHED = "games.jsonl"


class BadTable(CovenError):
    """A file that is not a table, or not one that this version can go on with."""


Secret = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]
"""Part of an address, which is printed."""


class Saved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table as it is stored."""

    format: Literal["coven-play-1"]
    game: str
    version: int
    seats: list[str]
    options: dict[str, Any]
    practice: bool
    links: Annotated[dict[Secret, Annotated[list[int], Meta(min_length=1)]], Meta(min_length=1)]
    library: Secret
    port: Annotated[int, Meta(ge=0, le=65535)]
    seed: int
    actions: list[int]


@dataclass
class Kept:
    """A table with its secret links and the file in which it is kept."""

    table: Table
    file: Path
    links: dict[str, tuple[int, ...]]
    """The seats that each secret opens."""
    library: str
    """The secret of the games that are over."""
    port: int = 0

    def save(self) -> None:
        """Write the table, all or nothing."""
        table, setup = self.table, self.table.setup
        saved = Saved(
            format=FORMAT,
            game=table.game.name,
            version=table.game.version,
            seats=list(setup.seats),
            options=setup.options,
            practice=setup.practice,
            links={link: list(seats) for link, seats in self.links.items()},
            library=self.library,
            port=self.port,
            seed=table.seed,
            actions=table.actions,
        )
        _replace(self.file, msgspec.json.encode(saved))

    def finish(self) -> int:
        """Add the finished game to those that are over, unless it is there: its number among them."""
        line = self.table.replay().to_json().encode()
        file = self.file.parent / FINISHED
        lines = [held for held in _read(file, MOST_BYTES).splitlines() if held.strip()] if file.exists() else []
        if line not in lines:
            lines.append(line)
            _replace(file, b"".join(held + b"\n" for held in lines))
        return lines.index(line)


def _read(file: Path, most: int) -> bytes:
    """A file of the folder; BadTable for what leads out of it, is too large, or might let a reader wait."""
    if file.is_symlink() or not file.is_file():
        raise BadTable(f"{file} is a link, a pipe or a folder, which no game makes; take it away to go on")
    try:
        if file.stat().st_size > most:
            raise BadTable(f"{file} is too large; allowed: {most:,} bytes")
        return file.read_bytes()
    except OSError as error:
        raise BadTable(f"{file} cannot be read: {error.strerror}") from error


def _replace(file: Path, content: bytes) -> None:
    """Write a file that only its owner reads: after a kill it is the old one or the new one."""
    with files.writing(file, 0o600) as fresh:
        fresh.write_bytes(content)


def begin(setup: Setup, folder: Path, tables: int = 1, one_screen: bool = False, seed: int | None = None) -> list[Kept]:
    """New tables in a new folder; every human has a secret link of its own, or all have one for one screen."""
    groups = [setup.humans] if one_screen else [(seat,) for seat in setup.humans]
    library = secrets.token_urlsafe(16)
    try:
        folder.mkdir(parents=True)
        kept = [
            Kept(
                Table(setup, seed if i == 0 else None),
                folder / f"table-{i}.json",
                {secrets.token_urlsafe(16): seats for seats in groups},
                library,
            )
            for i in range(tables)
        ]
        for table in kept:
            table.save()
    except FileExistsError as error:
        raise BadTable(f"{folder} exists already; to go on with the games in it: coven play {folder}") from error
    except CannotWrite:
        raise
    except OSError as error:
        raise BadTable(f"{folder} cannot be written: {error.strerror}") from error
    return kept


def alone(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from playing the games in a folder, in a `with` block."""
    return files.lock(folder / ".lock", str(folder))


def load(folder: Path, trusted: bool = False) -> list[Kept]:
    """The tables of a folder, as they were after the last move; BadTable says what does not fit.

    Agents that run code or talk to other machines by what their spec says are made only if the folder is trusted.
    """
    files = sorted(folder.glob("table-*.json"), key=lambda file: (len(file.name), file.name))
    if not files:
        raise BadTable(f"{folder} holds no game that was begun with coven play (no file table-0.json)")
    return [_load(file, trusted) for file in files]


def _load(file: Path, trusted: bool) -> Kept:
    try:
        saved: Saved = decode(_read(file, MOST_TEXT), Saved, "it")
        game = find_game(saved.game)
        if saved.version != game.version:
            raise BadTable(f"{file} was begun with {saved.game}_v{saved.version}; the game is now v{game.version}")
        setup = Setup(game, tuple(saved.seats), saved.options, saved.practice)
        outside = [spec for spec in setup.agents if is_outside(spec)]
        if outside and not trusted:
            raise BadTable(
                f"{file} names {outside[0][:200]!r}, which runs a program or talks to another machine; if you trust "
                "that, go on with --trust"
            )
        if any(seat not in setup.humans for seats in saved.links.values() for seat in seats):
            raise BadTable(f"{file} is damaged: its links do not fit its seats")
        table = Table(setup, saved.seed, saved.actions)
    except BadFile as error:
        raise BadTable(f"{file} is not a table of coven play: {error.__cause__ or error}") from error
    except BadTable:
        raise
    except CovenError as error:
        raise BadTable(f"{file} cannot be continued: {error}") from error
    links = {link: tuple(seats) for link, seats in saved.links.items()}
    return Kept(table, file, links, saved.library, saved.port)
