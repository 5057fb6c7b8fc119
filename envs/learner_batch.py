"""A batch of games with one learner in each; agents play the other seats, each in all its games at once.

How rewards are credited: the reward of a learner's action is the sum of what its seat is paid until it acts again; so
the final reward belongs to its last action of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from coven.envs.agent import Agent, check_seated, choose
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.numbers import whole
from coven.games.core.rng import generator

Opponents = Callable[[int, np.random.Generator], Sequence[Agent]]
"""A function that is called with the number of a game and a generator at the start of every game, and gives the
opponents for the other seats, clockwise from the learner."""


def check_seat(seat: int | None, num_players: int) -> None:
    """Raise BadOption unless `seat` is a seat of the game, or None for a seat that rotates."""
    if seat is not None and whole(seat) not in range(num_players):
        raise BadOption(f"seat={seat!r} is not allowed; allowed: None (rotating), 0 to {num_players - 1}")


def check_opponents(opponents: Sequence[Agent], game: Game, num_players: int) -> None:
    """Raise BadOption unless there is one opponent for every seat but the learner's, and each can play this game."""
    if len(opponents) != num_players - 1:
        raise BadOption(
            f"opponents has the length {len(opponents)}; allowed for {num_players} players: {num_players - 1}"
        )
    for agent in opponents:
        check_seated(agent, game)


def always(opponents: Sequence[Agent]) -> Opponents:
    """The same opponents in every game."""
    return partial(_the_same, opponents)  # a function that pickles, unlike a closure


def _the_same(opponents: Sequence[Agent], i: int, rng: np.random.Generator) -> Sequence[Agent]:
    return opponents


class LearnerBatch:
    """`size` games in which the caller makes only the learner's decisions.

    The learner's seat is `seat` in every game or, with None, moves on by one with each new game.
    After `reset` and `step` the learner is to act in every game: `observations` and `masks` are the learner's,
    `rewards` and `ends` (0, 1 ended, 2 truncated) belong to its last action. If that ended game i,
    `final_observations[i]` is what the learner saw at the end and `final_rewards[i]` the rewards of all seats.
    """

    def __init__(
        self,
        game: Game,
        size: int,
        opponents: Opponents,
        num_players: int | None = None,
        seat: int | None = None,
        rewards: str = "rank",
        threads: int = 1,
        derived: bool = True,
        **options: Any,
    ) -> None:
        self.batch = Batch(game, size, num_players, None, rewards, threads, final_observations=True, **options)
        self.game, self.size, self.num_players = game, self.batch.size, self.batch.num_players
        check_seat(seat, self.num_players)
        self.fixed_seat, self.opponents = seat, opponents
        self.seats = np.zeros(self.size, np.int64)
        self._seen = game.layout.length(derived)
        self.rewards, self.ends = np.zeros(self.size, np.float32), np.zeros(self.size, np.int8)
        self.final_observations, self.final_rewards = self.observations.copy(), self.batch.rewards.copy()
        self.lengths = np.zeros(self.size, np.int64)
        self._agents: list[Agent] = []
        self._who = np.zeros((self.size, self.num_players), np.int64)
        self._dice, self._rng = generator(0), np.random.default_rng(0)

    @property
    def observations(self) -> np.ndarray:
        """What the learner sees in every game; with `derived=False` only opponents see the derived part."""
        return self.batch.observations[:, : self._seen]

    @property
    def masks(self) -> np.ndarray:
        """The learner's legal actions in every game."""
        return self.batch.masks

    def reset(self, seed: int | None) -> None:
        """Deal all games and play up to the learner's first decision in each; without a seed, deal the next games."""
        self.batch.deal(seed)
        first = int(self.batch.seeds[0])
        self._dice, self._rng = generator(first), np.random.default_rng(first)
        self.seats[:] = np.arange(self.size) % self.num_players if self.fixed_seat is None else self.fixed_seat
        self._agents.clear()
        for i in range(self.size):
            self._invite(i)
        self.lengths[:] = 0
        self._play_on()

    def step(self, actions: np.ndarray) -> None:
        """Apply the learner's action in every game, then let the others play until the learner is to act again."""
        self.rewards[:], self.ends[:] = 0, 0
        self.lengths += 1
        self.batch.step(actions)
        self._settle(np.arange(self.size))
        self._play_on()

    def _play_on(self) -> None:
        """Let the agents play, each in all its games at once, until the learner is to act in every game."""
        while True:
            waiting = np.flatnonzero(self.batch.players != self.seats)
            if not len(waiting):
                return
            asked = self._who[waiting, self.batch.players[waiting]]
            actions = np.zeros(len(waiting), np.int64)
            for number in np.unique(asked):
                his = asked == number
                actions[his] = choose(self._agents[number], self.batch, waiting[his], self._dice)
            self.batch.step(actions, waiting)
            self._settle(waiting)

    def _settle(self, which: np.ndarray) -> None:
        """Credit the learners of games that ended, and start the next games."""
        for i in which[self.batch.ends[which] != 0]:
            if self.lengths[i]:  # a game that ends before the learner's first decision is nobody's business
                self.rewards[i] += self.batch.rewards[i, self.seats[i]]
                self.ends[i] = self.batch.ends[i]
                self.final_observations[i] = self.batch.final_observations[i, : self._seen]
                self.final_rewards[i] = self.batch.rewards[i]
                self.lengths[i] = 0
            if self.fixed_seat is None:
                self.seats[i] = (self.seats[i] + 1) % self.num_players
            self._invite(int(i))

    def _invite(self, i: int) -> None:
        """Seat the learner and the opponents of game i."""
        self.batch.final_seats[i] = self.seats[i]
        opponents = self.opponents(i, self._rng)
        if len(opponents) != self.num_players - 1:
            check_opponents(opponents, self.game, self.num_players)
        for k, agent in enumerate(opponents):
            if agent not in self._agents:
                check_seated(agent, self.game)
                self._agents.append(agent)
            self._who[i, (self.seats[i] + 1 + k) % self.num_players] = self._agents.index(agent)
