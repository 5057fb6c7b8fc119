"""The fixed ratings that make the scale of evaluations: `anchors.json` in the folder of a game.

They were measured once, by `python -m coven.benchmarks.ladder anchors`, and stay fixed: a rating on this scale means
the same in two papers if both use the same file. The greedy bot has the rating 1000.
"""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec

from coven.arena.reading import BadFile, decode
from coven.games.core.game import Game

FILE = "anchors.json"
ZERO, AT = "greedy", 1000.0
"""The bot that fixes the scale, and its rating at every number of players."""
MOST = 2e4
"""No rating is further from 0."""


class AnchorFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `anchors.json`."""

    format: Literal["coven-anchors-1"]
    game: str
    version: int
    protocol: int
    made: str
    ratings: dict[int, dict[str, float]]
    """By number of players and opponent."""


def read(game: Game) -> dict[int, dict[str, float]]:
    """The anchors of a game; None if it has none."""
    path = game.file(FILE)
    if path is None:
        return {}
    found: AnchorFile = decode(path.read_text(encoding="utf-8"), AnchorFile, f"{FILE} of {game.name}")
    if found.version != game.version:
        return {}  # of other rules
    check(found.ratings)
    return found.ratings


def check(ratings: dict[int, dict[str, float]]) -> None:
    """Raise BadFile unless these can be ratings."""
    if not all(abs(rating) <= MOST for row in ratings.values() for rating in row.values()):
        raise BadFile(f"a rating of an anchor is beyond {MOST:g}")


def text(game: Game, protocol: int, made: str, ratings: dict[int, dict[str, float]]) -> str:
    """The file of measured anchors."""
    whole: dict[str, Any] = {
        "format": "coven-anchors-1",
        "game": game.name,
        "version": game.version,
        "protocol": protocol,
        "made": made,
        "ratings": {str(n): {name: round(rating) for name, rating in row.items()} for n, row in ratings.items()},
    }
    return json.dumps(whole, indent=2) + "\n"
