"""The interface of everybody who plays: bots, search and learned agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coven.games.core import drivers
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.rng import next_bits


@dataclass(eq=False)
class Seat:
    """A seat of one game, as an agent that follows its games is told of it: one object from the deal to the end."""

    player: int
    events: list[str] | None = None
    """What the seat has seen of actions since the deal; None where nobody keeps a record of the game."""
    copy: int = 0
    """Of several seats of the agent in one game the first has 0, the next 1: they must not know of each other."""
    faults: int = 0
    """How often the agent failed here and somebody else had to decide."""
    forfeited: bool = False
    """Has the agent lost this game by a fault? Then it ends behind all who have not."""
    memory: Any = None
    """What the agent itself keeps about the game."""


class Agent:
    """Somebody who chooses a legal action for every seat it is asked for.

    An agent sees only what its seat may know: an observation or, if it wants a state, what `resampled` makes of it. A
    mask has 0 or 1 for every action; a few zeros behind them, as in the masks of a batch, do no harm. `dice` is a
    generator record array as `coven.games.core.rng.generator` makes it; all randomness comes from there.
    """

    name: str = "agent"
    wants_state: bool = False
    """Is a view a state in which all that the seat cannot know was drawn anew, instead of an observation?

    It is for search: it can be searched, determinized again and thrown away, and tells nothing.
    """
    game: Game | None = None
    """The game that it was made for; None for one that plays any."""
    files: tuple[Path, ...] = ()
    """What decides how it plays beside its code: a stored network, an estimate."""
    timed: bool = False
    """Does it think by the clock, so that the same dice need not give the same choice?"""
    follows: bool = False
    """Is it asked through `act_seats` by whoever keeps a record of the game, and told of the end by `leave`?"""
    greedy_chance: float | None = None
    """The chance of a greedy choice, else random, of an agent whose whole games can run in a kernel; None for others.

    A class that acts in a way of its own is one of the others, unless it says so itself.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "act_batch" in own or "act" in own:
            if "greedy_chance" not in own:
                cls.greedy_chance = None
            if "act_unchecked" not in own:
                cls.act_unchecked = Agent.act_unchecked  # type: ignore[method-assign]  # not that of the class it extends

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """An action for each of the views."""
        raise TypeError(f"{type(self).__name__} does not say how it acts")

    def act(self, view: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
        """An action for one view."""
        return int(self.act_batch(view[None], mask[None], dice)[0])

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same as `act_batch` for rows that an env of ours wrote: an agent need not look whether they are right."""
        return self.act_batch(views, masks, dice)

    def act_seats(self, views: np.ndarray, masks: np.ndarray, seats: Sequence[Seat], dice: np.ndarray) -> np.ndarray:
        """An action for each of the views, each of which is that of a seat: for agents that follow their games."""
        return self.act_batch(views, masks, dice)

    def leave(self, seat: Seat, result: Mapping[str, Any] | None) -> None:
        """The game of a seat is over, with this result; without one, nobody plays on. Each seat is left once."""


def check_seated(agent: Any, game: Game) -> None:
    """BadOption unless this is an agent that can play the game."""
    if not isinstance(agent, Agent):
        raise BadOption(f"{agent!r} cannot play; allowed as opponents: agents, see coven.envs.agent")
    if agent.game is not None and agent.game is not game:
        raise BadOption(f"{agent.name} was made for {agent.game.name} and cannot play {game.name}")


def resampled(states: np.ndarray, players: Sequence[int] | np.ndarray, dice: np.ndarray) -> np.ndarray:
    """Copies of states in which all that these players, one in each, cannot know is drawn anew: for search."""
    copies = np.array(states)
    for k, player in enumerate(players):
        drivers.resample(copies[k : k + 1].reshape(()), int(player), np.uint64(next_bits(dice[0])))
    return copies


def fair_views(
    agent: Agent,
    states: np.ndarray,
    players: np.ndarray,
    observations: np.ndarray,
    which: np.ndarray,
    dice: np.ndarray,
) -> np.ndarray:
    """What an agent may see of the games `which`, in each of which it sits on the seat on turn."""
    return resampled(states[which], players[which], dice) if agent.wants_state else observations[which]


def choose(agent: Agent, batch: Batch, which: np.ndarray, dice: np.ndarray) -> np.ndarray:
    """Ask an agent for the seats on turn in some games of a batch."""
    views = fair_views(agent, batch.states, batch.players, batch.observations, which, dice)
    return agent.act_unchecked(views, batch.padded_masks[which], dice)
