"""The interface of all agents: bots, searches and trained networks."""

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
    """One seat of one game, for agents that follow their games; it is the same object from the deal to the end."""

    player: int
    events: list[str] | None = None
    """What the seat has seen of all actions since the deal; None if the caller keeps no record of events."""
    copy: int = 0
    """0 for the agent's first seat in this game, 1 for its second and so on; they must not share what they know."""
    faults: int = 0
    """How often the agent failed in this seat and a random action was played instead."""
    forfeited: bool = False
    """Whether the agent has lost this game by a fault; then it is ranked behind all who have not."""
    memory: Any = None
    """What the agent itself stores about the game."""


class Agent:
    """Chooses legal actions for any seat; a subclass defines `act_batch`.

    An agent sees only what its seat may know: an observation or, with `wants_state`, a state in which everything else
    was sampled again (`resampled`). A mask has 0 or 1 for every action, perhaps with a few zeros after them. `dice` is
    a random generator from `coven.games.core.rng.generator`; all randomness of the agent comes from it.
    """

    name: str = "agent"
    wants_state: bool = False
    """Whether it gets states instead of observations. Everything that the seat cannot know is then sampled again.

    This is for searches: they can search such a state and determinize it again, and it reveals nothing hidden.
    """
    game: Game | None = None
    """The game that it was made for; None if it can play any game."""
    files: tuple[Path, ...] = ()
    """Files on which its play depends, such as a stored network."""
    timed: bool = False
    """Whether it has a time limit; then the same dice need not give the same choice."""
    follows: bool = False
    """Whether it follows its games: then `act_seats` is called instead of `act_batch`, and `leave` when a game ends."""
    greedy_chance: float | None = None
    """For agents that are greedy with this probability and otherwise random: their games run inside a kernel. None for
    others.

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
        """Choose an action for each row: `views` and `masks` have one row for each game."""
        raise TypeError(f"{type(self).__name__} has no act_batch; allowed: a subclass of Agent that defines it")

    def act(self, view: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
        """An action for one view."""
        return int(self.act_batch(view[None], mask[None], dice)[0])

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same as `act_batch` for rows that an env of ours wrote, which our own agents need not check first.

        The masks may be the env's own arrays, so agents of others get a copy.
        """
        return self.act_batch(views, masks.copy(), dice)

    def act_seats(self, views: np.ndarray, masks: np.ndarray, seats: Sequence[Seat], dice: np.ndarray) -> np.ndarray:
        """Choose an action for each row, which belongs to the seat in `seats`: for agents that follow their games."""
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
    """Copies of states for a search; in each, everything that one player cannot know is sampled again."""
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
    """What an agent may see in the games `which`, as the player to move in each."""
    return resampled(states[which], players[which], dice) if agent.wants_state else observations[which]


def choose(agent: Agent, batch: Batch, which: np.ndarray, dice: np.ndarray) -> np.ndarray:
    """Let an agent choose actions for the players to move in some games of a batch."""
    views = fair_views(agent, batch.states, batch.players, batch.observations, which, dice)
    return agent.act_unchecked(views, batch.padded_masks[which], dice)
