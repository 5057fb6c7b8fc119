"""Games between agents: the same deals for every rotation of the seats, many games side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coven.agents.kernels.table import apply_batch
from coven.envs.agent import Agent, ask
from coven.games.core import drivers
from coven.games.core.errors import BadOption, IllegalAction
from coven.games.core.game import Game
from coven.games.core.rng import generator, next_seed


@dataclass(frozen=True)
class Results:
    """What came out of the games, one row a game and one column an agent (not a seat).

    The rows go deal by deal, and within a deal rotation by rotation.
    """

    names: tuple[str, ...]
    seeds: np.ndarray
    """The deal of each game."""
    seats: np.ndarray
    """Where each agent sat."""
    scores: np.ndarray
    ranks: np.ndarray
    """1 for the best, level players share."""
    returns: np.ndarray
    """The rank rewards, +1 for a sole winner and -1 for the last."""
    truncated: np.ndarray
    """Was the game cut off by a limit?"""
    decisions: np.ndarray
    """How long the game was."""

    @property
    def wins(self) -> np.ndarray:
        """1 for the winner of a game, shared by those who are level, else 0."""
        first: np.ndarray = self.ranks == 1
        return first / first.sum(axis=1, keepdims=True)


def play(
    game: Game, agents: Sequence[Agent], deals: int, seed: int = 0, rotate: bool = True, **options: Any
) -> Results:
    """Play `deals` deals, each once for every rotation of the seats (or once, agent i on seat i).

    All games run side by side: an agent is asked at once for all in which it is on turn. The same call gives the same
    games; every agent has dice of its own, and what it throws changes nothing for the others.
    """
    if deals < 1:
        raise BadOption(f"deals={deals!r} is not allowed; allowed: 1 and more")
    blank = game.blank(len(agents), **options)
    return _Table(game, agents, blank, deals, int(game.seed(seed)), rotate).play()


class _Table:
    """The games of one call of `play` while they run."""

    def __init__(
        self, game: Game, agents: Sequence[Agent], blank: np.ndarray, deals: int, seed: int, rotate: bool
    ) -> None:
        n, self.game, self.agents = len(agents), game, agents
        rotations = n if rotate else 1
        number = np.arange(deals * rotations)
        self.seats = (np.arange(n) + number[:, None] % rotations) % n  # of agent i in each game
        self.agent_at = np.argsort(self.seats, axis=1)  # the agent on each seat
        with np.errstate(over="ignore"):  # seeds wrap around at 2**64
            self.seeds = np.uint64(seed) + (number // rotations).astype(np.uint64)
        self.states = np.zeros(len(number), game.record)
        game.prepare()
        drivers.deal_batch(self.states, self.seeds.copy(), blank)
        self.decisions = np.zeros(len(number), np.int64)
        self.dice = [generator(int(next_seed(np.uint64(seed))) ^ i) for i in range(n)]

    def play(self) -> Results:
        """Play all games to their ends."""
        game, size = self.game, len(self.states)
        running, states = np.arange(size), self.states.copy()
        masks = np.zeros((size, len(game.new_mask())), np.int8)
        observations = np.zeros((size, game.observation_size), np.int16)
        players = np.zeros(size, np.int8)
        while len(running):
            m = len(running)
            drivers.look_batch(states, players[:m], masks[:m], observations[:m])
            over = players[:m] < 0
            if over.any():
                self.states[running[over]] = states[over]
                running, states = running[~over], states[~over]
                continue
            apply_batch(states, self._choose(running, states, players[:m], masks[:m], observations[:m]))
            self.decisions[running] += 1
        return self._results()

    def _choose(
        self, running: np.ndarray, states: np.ndarray, players: np.ndarray, masks: np.ndarray, observations: np.ndarray
    ) -> np.ndarray:
        """An action for every running game, each agent asked for its own."""
        actions, on_turn = np.zeros(len(running), np.int64), self.agent_at[running, players]
        for i, agent in enumerate(self.agents):
            mine = np.flatnonzero(on_turn == i)
            if len(mine):
                actions[mine] = ask(agent, states[mine], players[mine], observations[mine], masks[mine], self.dice[i])
        wrong = int(drivers.first_illegal(masks, np.arange(len(actions)), actions))
        if wrong >= 0:
            error = self.game.illegal(states[wrong : wrong + 1].reshape(()), int(actions[wrong]))
            raise IllegalAction(f"agent {self.agents[on_turn[wrong]].name}: {error}")
        return actions

    def _results(self) -> Results:
        game, rows = self.game, np.arange(len(self.states))[:, None]
        finals = [self.states[k : k + 1].reshape(()) for k in range(len(self.states))]
        return Results(
            names=tuple(agent.name for agent in self.agents),
            seeds=self.seeds,
            seats=self.seats,
            scores=np.array([game.scores(s) for s in finals])[rows, self.seats],
            ranks=np.array([game.ranks(s) for s in finals])[rows, self.seats],
            returns=np.array([game.returns(s) for s in finals])[rows, self.seats],
            truncated=self.states["truncated"].copy(),
            decisions=self.decisions,
        )
