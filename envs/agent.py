"""The interface of all agents: bots, search and trained networks."""

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
    """A seat of one game, for agents that follow their games: the same object from the deal to the end."""

    player: int
    events: list[str] | None = None
    """What the seat has seen of actions since the deal; None where no record of the game is kept."""
    copy: int = 0
    """0 for the first seat of the agent in this game, 1 for its second, ...; they must not share what they know."""
    faults: int = 0
    """How often the agent failed here and somebody else had to decide."""
    forfeited: bool = False
    """Has the agent lost this game by a fault? Then it ends behind all who have not."""
    memory: Any = None
    """What the agent itself keeps about the game."""


class Agent:
    """Chooses a legal action for every seat that it is asked for; a subclass defines `act_batch`.

    An agent sees only what its seat may know: an observation or, if it wants a state, one that `resampled` made. A mask
    has 0 or 1 for every action, perhaps with a few zeros behind them. `dice` is a random generator as
    `coven.games.core.rng.generator` makes it; all randomness of the agent comes from there.
    """

    name: str = "agent"
    wants_state: bool = False
    """Does it get states instead of observations? All that the seat cannot know is then sampled again.

    This is for search: such a state can be searched and determinized again, and reveals nothing.
    """
    game: Game | None = None
    """The game that it was made for; None if it can play any."""
    files: tuple[Path, ...] = ()
    """Files that decide how it plays, such as a stored network."""
    timed: bool = False
    """Has it a budget of time? Then the same dice need not give the same choice."""
    follows: bool = False
    """Does it follow its games? Then it is asked through `act_seats` and told of the end by `leave`."""
    greedy_chance: float | None = None
    """For agents that are greedy with this chance and else random: their games run inside a kernel. None for others.

    A subclass that defines `act` or `act_batch` gets None, unless it sets this itself.
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
        """An action for each row: `views` and `masks` have one row for each game."""
        raise TypeError(f"{type(self).__name__} has no act_batch; allowed: a subclass of Agent that defines it")

    def act(self, view: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
        """An action for one view."""
        return int(self.act_batch(view[None], mask[None], dice)[0])

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same as `act_batch` for rows that an env of ours wrote: an agent of ours need not look at them first.

        The masks may be those that the env goes on with, so all others get a copy.
        """
        return self.act_batch(views, masks.copy(), dice)

    def act_seats(self, views: np.ndarray, masks: np.ndarray, seats: Sequence[Seat], dice: np.ndarray) -> np.ndarray:
        """An action for each row, each of which belongs to a seat: for agents that follow their games."""
        return self.act_batch(views, masks, dice)

    def leave(self, seat: Seat, result: Mapping[str, Any] | None) -> None:
        """Called once for each seat when its game is over; without a result if the game was abandoned."""


def check_seated(agent: Any, game: Game) -> None:
    """Raise BadOption unless this is an agent that can play the game."""
    if not isinstance(agent, Agent):
        raise BadOption(f"{agent!r} cannot play; allowed as opponents: instances of coven.envs.agent.Agent")
    if agent.game is not None and agent.game is not game:
        raise BadOption(f"{agent.name} was made for {agent.game.name} and cannot play {game.name}")


def resampled(states: np.ndarray, players: Sequence[int] | np.ndarray, dice: np.ndarray) -> np.ndarray:
    """Copies of states, in each of which all that one player cannot know is sampled again: for search."""
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
    """What an agent may see of the games `which`, as the player to move in each."""
    return resampled(states[which], players[which], dice) if agent.wants_state else observations[which]


def choose(agent: Agent, batch: Batch, which: np.ndarray, dice: np.ndarray) -> np.ndarray:
    """Ask an agent for the players to move in some games of a batch."""
    views = fair_views(agent, batch.states, batch.players, batch.observations, which, dice)
    return agent.act_unchecked(views, batch.padded_masks[which], dice)
