"""Moves in words, for the positions and the second referees of all games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coven.games.core.game import Game

Style = Callable[[list[str], np.random.Generator], str]
"""Chooses one of the legal moves."""


def play(game: Game, s: np.ndarray, *moves: str) -> dict[str, Any]:
    """Make these moves and describe the table."""
    for move in moves:
        game.apply(s, game.string_to_action(s, move))
    return game.describe(s)


def legal(game: Game, s: np.ndarray, kind: str = "") -> list[str]:
    """The strings of the legal actions that begin with a kind."""
    strings = [game.action_to_string(s, a) for a in game.legal_actions(s)]
    return [text for text in strings if text.startswith(kind)]


def uniform(moves: list[str], rng: np.random.Generator) -> str:
    return str(rng.choice(moves))


def by_verb(moves: list[str], rng: np.random.Generator) -> str:
    """Every kind of move equally often, so that rare ones happen and the supply runs out."""
    verb = rng.choice(sorted({move.split()[0] for move in moves}))
    return str(rng.choice([move for move in moves if move.startswith(verb)]))


def check_looks_the_same(game: Game, s: np.ndarray, other: np.ndarray, viewer: int) -> None:
    """A determinized state shows its viewer what the state showed, and depends on nothing else."""
    assert game.determinize(other, viewer, 5).tobytes() == game.determinize(s, viewer, 5).tobytes()
    assert game.observe(other, viewer).tobytes() == game.observe(s, viewer).tobytes()
    assert game.describe(other, viewer) == game.describe(s, viewer)
    assert game.text(other, viewer) == game.text(s, viewer)
    if game.current_player(s) == viewer:
        assert game.legal_actions(other) == game.legal_actions(s)


def check_returns(game: Game, s: np.ndarray, ranks: list[int], scores: list[int]) -> None:
    """Places are spread evenly from +1 to -1, and level players share theirs."""
    places = {rank: [rank - 1 + i for i in range(ranks.count(rank))] for rank in ranks}
    expected = [1 - 2 * np.mean(places[rank]) / (len(ranks) - 1) for rank in ranks]
    assert game.returns(s) == pytest.approx(expected)
    assert sum(game.returns(s)) == pytest.approx(0, abs=1e-6)
    assert game.ranks(s) == ranks
    assert game.scores(s) == scores
    assert game.current_player(s) is None
