"""Positions of games that a network plays with itself, and what came of them (`kernels.outcomes`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coven.agents.kernels.outcomes import gather_outcomes
from coven.agents.learned import LearnedAgent
from coven.agents.network import nothing
from coven.games.core import drivers
from coven.games.core.game import Game, compile_once
from coven.games.core.kernels import marker
from coven.games.core.layout import DTYPE
from coven.games.core.rng import generator

KEEP = 16
"""Of so many decisions one is kept."""
GAMES_AT_ONCE = 64


def positions(
    agent: LearnedAgent, players: int, rows: int, seed: int, options: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """So many rows from games of an agent that draws from its policy: what seats saw, and what they got in the end."""
    game = agent.game
    game.prepare()
    views, targets = np.zeros((rows, game.observation_size), DTYPE), np.zeros((rows, 2), np.float32)
    asked = (agent.policy, np.zeros(game.num_actions, np.float32), game.new_mask(), game.new_keys())
    outcome, used = (np.zeros(players), np.zeros(players)), np.zeros(1, np.int64)
    dice, blank = generator(seed), game.blank(players, **options)
    make_ready(game)
    turns, number = 1, 0
    while used[0] + players <= rows:
        states = deal(game, blank, GAMES_AT_ONCE, seed + number * GAMES_AT_ONCE)
        gather_outcomes(states, turns, KEEP, *asked, *outcome, dice, views, targets, used)
        turns, number = int(states["turn"].mean()) + 1, number + 1
    return views[: used[0]], targets[: used[0]]


def make_ready(game: Game) -> None:
    """Compile what plays such games, if that has not been done."""

    def first_call() -> None:
        asked = (nothing(), np.zeros(game.num_actions, np.float32), game.new_mask(), game.new_keys())
        rows = (np.zeros((0, game.observation_size), DTYPE), np.zeros((0, 2), np.float32), np.zeros(1, np.int64))
        gather_outcomes(np.zeros(0, game.record), 1, KEEP, *asked, np.zeros(1), np.zeros(1), generator(0), *rows)

    ready = marker(gather_outcomes, f"outcomes_{game.name}", game.sources)
    compile_once(f"{game.title} (games of networks)", ready, [("play", first_call)])


def deal(game: Game, blank: np.ndarray, number: int, seed: int) -> np.ndarray:
    """So many games like the blank one, dealt from consecutive seeds."""
    states = np.zeros(number, game.record)
    with np.errstate(over="ignore"):  # seeds wrap around at 2**64
        drivers.deal_batch(states, np.uint64(seed) + np.arange(number, dtype=np.uint64), blank)
    return states
