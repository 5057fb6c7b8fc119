"""What the tests of agents share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

import coven
from coven.agents.learned import LearnedAgent
from coven.agents.registry import create
from coven.games.core.game import Game, State
from coven.games.core.rng import generator
from coven.testing import random_states

GAMES = [coven.game(name) for name in coven.games.built_in()]
WITH_GREEDY = [game for game in GAMES if game.greedy]
TABLES = [(game, n) for game in WITH_GREEDY for n in game.players]


def padded_mask(game: Game, s: State) -> np.ndarray:
    """The mask of a state as agents get it."""
    mask = game.new_mask()
    mask[: game.num_actions] = game.legal_mask(s)
    return mask


def greedy_moves(game: Game, s: State, number: int = 1) -> list[str]:
    """What greedy decides, one decision after the other."""
    agent, moves = create("greedy", game, int(s["num_players"])), []
    for _ in range(number):
        action = agent.act(game.observe(s, int(s["current"])), padded_mask(game, s), generator(1))
        moves.append(game.action_to_string(s, action))
        game.apply(s, action)
    return moves


def decisions(game: Game, num_players: int, games: int, every: int) -> Iterator[State]:
    """States of random games in which somebody has a choice."""
    for s in random_states(game, num_players, games, every):
        if not game.is_over(s) and len(game.legal_actions(s)) > 1:
            yield s


def some_network(
    game: Game, seed: int = 1, hidden: tuple[int, ...] = (24, 16), values: int = 2, action_features: bool = False
) -> LearnedAgent:
    """A network that nobody has trained, perhaps with a value of so many answers or with action features."""
    rng = np.random.default_rng(seed)

    def layers(outputs: int) -> list[tuple[np.ndarray, np.ndarray]]:
        sizes = (game.observation_size, *hidden, outputs)
        return [
            (
                rng.normal(size=(after, before), scale=before**-0.5).astype(np.float32),
                rng.normal(size=after, scale=0.1).astype(np.float32),
            )
            for before, after in pairwise(sizes)
        ]

    policy = layers(game.num_actions + (game.links.slots if action_features else 0))
    return LearnedAgent(game, policy, value_layers=layers(values) if values else ())
