"""The facts of a game as rows of text, for `coven show` and for the pages of the docs."""

from __future__ import annotations

from typing import Any

from coven.games.core.components import Entry
from coven.games.core.game import Game

Rows = list[tuple[str, ...]]

OPTION_COLUMNS = ("name", "default", "allowed", "meaning")
ACTION_COLUMNS = ("ids", "kind", "number", "as in", "meaning")
LAYOUT_COLUMNS = ("from", "size", "name", "bounds", "meaning")
COMPONENT_COLUMNS = ("what", "from", "value", "note")


def in_short(game: Game) -> dict[str, Any]:
    """The facts of a game for other programs."""
    return {
        "game": game.name,
        "version": game.version,
        "title": game.title,
        "players": list(game.players),
        "actions": game.num_actions,
        "observation": game.observation_size,
        "summary": game.summary,
    }


def rules_in_short(game: Game) -> str:
    """The first section of the game's RULES.md."""
    text = (game.folder / "RULES.md").read_text(encoding="utf-8")
    return " ".join(text.split("\n## ")[0].split("\n", 1)[1].split())


def option_rows(game: Game) -> Rows:
    """The options of a game."""
    return [(o.name, repr(o.default), o.allowed, o.meaning) for o in game.options.values()]


def action_rows(game: Game) -> Rows:
    """The action space, a row for each kind of action."""
    return [
        (_ids(k.start, k.stop), k.name, str(len(k.strings)), k.strings[0], k.meaning)
        for k in game.actions.kinds.values()
    ]


def _ids(start: int, stop: int) -> str:
    return f"{start}" if stop == start + 1 else f"{start}-{stop - 1}"


def layout_rows(game: Game) -> Rows:
    """The observation, slice by slice."""
    return [
        (
            str(p.start),
            str(p.size),
            p.name,
            f"{p.low} to {p.high}",
            f"{p.meaning} (derived)" if p.derived else p.meaning,
        )
        for p in game.layout
    ]


def component_rows(game: Game, width: int = 60) -> Rows:
    """The components of a game and the source of each entry; values are cut to that many characters."""
    return [_row(entry, width) for entry in game.components.entries]


def reconstructed_rows(game: Game, width: int = 60) -> Rows:
    """Only the components that had to be reconstructed, or are our decision."""
    return [_row(entry, width) for entry in game.components.entries if entry.source in ("rec", "ours")]


def _row(entry: Entry, width: int) -> tuple[str, ...]:
    return entry.name, entry.source, _short(entry.value, width), entry.note


def _short(value: Any, width: int) -> str:
    text = str(value)
    return text if len(text) <= width else f"{text[: width - 3]}..."
