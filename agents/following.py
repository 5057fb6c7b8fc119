"""Agents that follow their games (`Agent.follows`): their seats, and what these see of every action and of the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coven.envs.agent import Agent, Seat
from coven.games.core.game import Game


class Following:
    """The seats of agents that follow their games, in the games of one call of `play`."""

    def __init__(self, game: Game, agents: Sequence[Agent], seats: np.ndarray) -> None:
        self.game, self.agents, self.places = game, agents, seats
        copies = [sum(other is agent for other in agents[:i]) for i, agent in enumerate(agents)]
        self._seats = {
            (row, i): Seat(int(places[i]), [], copies[i])
            for i, agent in enumerate(agents)
            if agent.follows
            for row, places in enumerate(seats)
        }
        self._open = dict(self._seats)

    def seats_of(self, i: int, games: np.ndarray) -> list[Seat]:
        """The seats of agent i in some games."""
        return [self._seats[int(row), i] for row in games]

    def saw(self, games: np.ndarray, states: np.ndarray, actions: np.ndarray) -> None:
        """Note what the seats see of actions that are about to be applied, one in each of the games."""
        if not self._seats:
            return
        followers = [i for i, agent in enumerate(self.agents) if agent.follows]
        for k, row in enumerate(games.tolist()):
            state = states[k : k + 1].reshape(())
            for i in followers:
                seat = self._seats[row, i]
                event = self.game.event(state, int(actions[k]), seat.player)
                if event is not None and seat.events is not None:
                    seat.events.append(event)

    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Faults and forfeits, one row per game and one column per agent."""
        faults, forfeits = np.zeros(self.places.shape, np.int64), np.zeros(self.places.shape, np.int64)
        for at, seat in self._seats.items():
            faults[at], forfeits[at] = seat.faults, seat.forfeited
        return faults, forfeits

    def tell(self, scores: np.ndarray, ranks: np.ndarray, returns: np.ndarray) -> None:
        """Tell all these agents how the games ended; the arrays have a column for each agent."""
        for (row, i), seat in list(self._open.items()):
            by_seat = np.argsort(self.places[row])
            result = {
                "scores": scores[row, by_seat].tolist(),
                "ranks": ranks[row, by_seat].tolist(),
                "returns": returns[row, by_seat].tolist(),
            }
            del self._open[row, i]
            self.agents[i].leave(seat, result)

    def close(self) -> None:
        """Tell the agents of unfinished games that these are abandoned."""
        while self._open:
            (_, i), seat = self._open.popitem()
            self.agents[i].leave(seat, None)


def behind(ranks: np.ndarray, forfeits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ranks and rank rewards, with those who forfeited behind all others and tied with each other; one row per game."""
    keys = np.where(forfeits.astype(bool), ranks.shape[1] + 1, ranks)
    better = (keys[:, :, None] > keys[:, None, :]).sum(axis=2)
    worse = (keys[:, :, None] < keys[:, None, :]).sum(axis=2)
    return 1 + better, (worse - better) / (ranks.shape[1] - 1)
