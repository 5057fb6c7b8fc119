"""Games between agents: the same deals for every rotation of the seats, many games in parallel.

If all agents are random, greedy or mixtures of both (`Agent.greedy_chance`), whole games run inside one kernel call.
Otherwise all games are played together, and every agent chooses its actions for all its games in one call.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from coven.agents.following import Following, behind
from coven.agents.kernels.playout import apply_batch, play_out, seed_dice, tally_batch
from coven.envs.agent import Agent, check_seated, fair_views
from coven.games.core import drivers
from coven.games.core.errors import BadOption, IllegalAction
from coven.games.core.game import Game, compile_once
from coven.games.core.kernels import marker
from coven.games.core.layout import DTYPE
from coven.games.core.numbers import whole
from coven.games.core.rng import GENERATOR, as_seed, generator, next_seed


@dataclass(frozen=True)
class Results:
    """The results of the games, one row for each game and one column for each agent (not seat).

    The rows are ordered by deal, and within a deal by rotation.
    """

    names: tuple[str, ...]
    seeds: np.ndarray
    """The deal of each game."""
    seats: np.ndarray
    """The seat of each agent."""
    scores: np.ndarray
    ranks: np.ndarray
    """1 for the best; tied players share a rank."""
    returns: np.ndarray
    """The rank rewards, +1 for a sole winner and -1 for the last."""
    truncated: np.ndarray
    """Whether the game was cut off by a limit."""
    moves: np.ndarray
    """How many decisions each agent made."""
    actions: tuple[np.ndarray, ...]
    """All decisions of each game, in order."""
    seconds: np.ndarray | None
    """Seconds that each agent took for its decisions; None if whole games ran inside the kernel.

    Processor time, which varies little on a busy machine; wall time for agents that follow their games, which mostly
    wait for another program.
    """
    faults: np.ndarray
    """How often each agent failed to decide and a random action was played instead."""
    forfeits: np.ndarray
    """1 for an agent that lost the game by a fault, whatever the score, else 0. Ranks and returns include it."""

    @property
    def decisions(self) -> np.ndarray:
        """The number of decisions of each game."""
        total: np.ndarray = self.moves.sum(axis=1)
        return total

    @property
    def wins(self) -> np.ndarray:
        """1 for the winner of a game, shared by tied winners, else 0."""
        first: np.ndarray = self.ranks == 1
        return first / first.sum(axis=1, keepdims=True)

    @property
    def agent_at(self) -> np.ndarray:
        """Which agent sat on each seat."""
        return np.argsort(self.seats, axis=1)


def play(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    seed: int = 0,
    rotate: bool = True,
    dice_seed: int | None = None,
    **options: Any,
) -> Results:
    """Play `deals` deals, each once for every rotation of the seats (or once, agent i on seat i).

    The same call gives the same games. Every agent has its own random generator; another `dice_seed` gives the same
    deals with other generators.
    """
    if (whole(deals) or 0) < 1:
        raise BadOption(f"deals={deals!r} is not allowed; allowed: 1 and more")
    for agent in agents:
        check_seated(agent, game)
    blank = game.blank(len(agents), **options)
    deal_seed = int(as_seed(seed))
    dice = int(as_seed(deal_seed if dice_seed is None else dice_seed))
    kind = Together if any(agent.greedy_chance is None for agent in agents) else InKernel
    return kind(game, agents, blank, deals, deal_seed, dice, rotate).play()


def think_seconds(game: Game, agent: Agent, num_players: int, deals: int = 8) -> float:
    """Seconds for a decision of an agent that makes many in one call: the best of three rounds against itself."""
    agents, blank, rounds = [agent] * num_players, game.blank(num_players), []
    for _ in range(3):
        results = Together(game, agents, blank, deals, 0, 0, True).play()
        assert results.seconds is not None
        rounds.append(float(results.seconds.sum() / results.moves.sum()))
    return min(rounds)


class _Games:
    """The games of one call of `play` while they run."""

    def __init__(
        self, game: Game, agents: Sequence[Agent], blank: np.ndarray, deals: int, seed: int, dice: int, rotate: bool
    ) -> None:
        n, self.game, self.agents = len(agents), game, agents
        self.rotations = rotations = n if rotate else 1
        number = np.arange(deals * rotations)
        self.seats = (np.arange(n) + number[:, None] % rotations) % n  # of agent i in each game
        self.agent_at = np.argsort(self.seats, axis=1)  # the agent on each seat
        with np.errstate(over="ignore"):  # seeds wrap around at 2**64
            self.seeds = np.uint64(seed) + (number // rotations).astype(np.uint64)
        self.states = np.zeros(len(number), game.record)
        game.prepare()
        drivers.deal_batch(self.states, self.seeds.copy(), blank)
        self.moves = np.zeros((len(number), n), np.int64)  # by seat
        self.dice_seed = dice

    def _results(
        self, actions: np.ndarray, seconds: np.ndarray | None, faults: np.ndarray | None = None, forfeits: Any = None
    ) -> Results:
        """The results, from the actions of all games one after the other and the seconds by agent."""
        game, size, n = self.game, len(self.states), len(self.agents)
        scores, ranks = np.zeros((size, n), np.int64), np.zeros((size, n), np.int64)
        returns = np.zeros((size, n), np.float32)
        tally_batch(self.states, game.new_keys()[:n], scores, ranks, returns)
        rows, seats = np.arange(size)[:, None], self.seats
        ends, none = self.moves.sum(axis=1).cumsum().tolist(), np.zeros((size, n), np.int64)
        ranks, returns = ranks[rows, seats], returns[rows, seats].astype(np.float64)
        if forfeits is not None and forfeits.any():
            ranks, returns = behind(ranks, forfeits)
        return Results(
            names=tuple(agent.name for agent in self.agents),
            seeds=self.seeds,
            seats=seats,
            scores=scores[rows, seats],
            ranks=ranks,
            returns=returns,
            truncated=self.states["truncated"].copy(),
            moves=self.moves[rows, seats],
            actions=tuple(actions[start:end] for start, end in pairwise([0, *ends])),
            seconds=seconds,
            faults=none if faults is None else faults,
            forfeits=none if forfeits is None else forfeits,
        )


_READY: set[Game] = set()  # games whose bots are compiled and known to this process


class InKernel(_Games):
    """Whole games in one kernel call; every seat of every game has its own random generator."""

    def play(self) -> Results:
        """Play all games to their ends."""
        if self.game not in _READY:
            ready = marker(play_out, f"play_{self.game.name}", self.game.sources)
            compile_once(f"{self.game.title} (games of bots)", ready, [("play", lambda: self.run(0))])
            _READY.add(self.game)
        return self._results(self.run(len(self.states)), None)

    def run(self, games: int) -> np.ndarray:
        """Play the first games; all their actions."""
        chances = np.array([agent.greedy_chance for agent in self.agents], np.float64)[self.agent_at]
        dice = self.dice()
        buffers = (self.game.new_mask(), self.game.new_observation(derived=False))
        log, used, reached = np.zeros(256 * max(1, games), np.uint16), np.zeros(1, np.int64), 0
        while True:
            reached = play_out(self.states[:games], reached, chances, dice, *buffers, log, used, self.moves)
            if reached == games:
                return log[: used[0]]
            log = np.concatenate([log, np.zeros_like(log)])

    def dice(self) -> np.ndarray:
        """Of every seat of every game."""
        dice = np.zeros(self.agent_at.shape, GENERATOR)
        seed_dice(dice, np.uint64(next_seed(np.uint64(self.dice_seed))), self.seeds, self.rotations, self.agent_at)
        return dice


class Together(_Games):
    """All games at once, one decision in each at a time."""

    def play(self) -> Results:
        """Play all games to their ends."""
        self.following = Following(self.game, self.agents, self.seats)
        try:
            return self._play()
        finally:
            self.following.close()

    def _play(self) -> Results:
        game, size = self.game, len(self.states)
        running, states = np.arange(size), self.states.copy()
        masks = np.zeros((size, len(game.new_mask())), np.int8)
        observations = np.zeros((size, game.observation_size), DTYPE)
        players = np.zeros(size, np.int8)
        self.seconds = np.zeros((size, len(self.agents)))
        self.dice = [generator(int(next_seed(np.uint64(self.dice_seed))) ^ i) for i in range(len(self.agents))]
        played: list[tuple[np.ndarray, np.ndarray]] = []
        while len(running):
            m = len(running)
            drivers.look_batch(states, players[:m], masks[:m], observations[:m])
            over = players[:m] < 0
            if over.any():
                self.states[running[over]] = states[over]
                running, states = running[~over], states[~over]
                continue
            actions = self._choose(running, states, players[:m], masks[:m], observations[:m])
            played.append((running, actions.astype(np.uint16)))
            self.following.saw(running, states, actions)
            apply_batch(states, actions)
            self.moves[running, players[:m]] += 1
        games, log = (np.concatenate(part) for part in zip(*played, strict=True))
        found = self._results(log[np.argsort(games, kind="stable")], self.seconds, *self.following.counts())
        self.following.tell(found.scores, found.ranks, found.returns)
        return found

    def _choose(
        self, running: np.ndarray, states: np.ndarray, players: np.ndarray, masks: np.ndarray, observations: np.ndarray
    ) -> np.ndarray:
        """An action for every running game, from the agent that is to move in it."""
        actions, on_turn = np.zeros(len(running), np.int64), self.agent_at[running, players]
        for i, agent in enumerate(self.agents):
            mine = np.flatnonzero(on_turn == i)
            if len(mine):
                clock = time.perf_counter if agent.follows else time.process_time
                begun = clock()
                views = fair_views(agent, states, players, observations, mine, self.dice[i])
                if agent.follows:
                    seats = self.following.seats_of(i, running[mine])
                    actions[mine] = agent.act_seats(views, masks[mine], seats, self.dice[i])
                else:
                    actions[mine] = agent.act_unchecked(views, masks[mine], self.dice[i])
                self.seconds[running[mine], i] += (clock() - begun) / len(mine)
        wrong = int(drivers.first_illegal(masks, np.arange(len(actions)), actions))
        if wrong >= 0:
            error = self.game.illegal_action(states[wrong : wrong + 1].reshape(()), int(actions[wrong]))
            raise IllegalAction(f"agent {self.agents[on_turn[wrong]].name}: {error}")
        return actions
