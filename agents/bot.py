"""A bot: an agent for one game and number of players, with calls for a state or for an env's observation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coven.agents.registry import create
from coven.envs.agent import Agent, Seat, resampled
from coven.games.core.errors import BadOption, IllegalAction, OutOfOrder
from coven.games.core.game import Game, State
from coven.games.core.layout import DTYPE
from coven.games.core.rng import as_seed, generator


class Bot:
    """Chooses actions for the player to move, and sees only what that player may know.

    The same seed gives the same choice, unless the agent has a time limit. Without a seed, random choices differ from
    call to call.
    """

    def __init__(self, agent: Agent, game: Game, num_players: int) -> None:
        self.agent, self.game, self.num_players, self.name = agent, game, num_players, agent.name

    def __repr__(self) -> str:
        return f"<coven bot {self.name} for {self.game.name}, {self.num_players} players>"

    def choose(self, s: State, seed: int | None = None, events: Sequence[str] | None = None) -> int:
        """Choose an action for the player to move; the state is not changed.

        `events` is what that player has seen of all actions since the deal (`game.event`), for agents that use it.
        """
        player = self.game.current_player(s)
        if player is None:
            raise OutOfOrder(f"the game of {self.game.name} is over: there is nothing to choose")
        if int(s["num_players"]) != self.num_players:
            raise BadOption(f"{self!r} does not play with {int(s['num_players'])}; allowed: {self.num_players}")
        dice = generator(int(as_seed(seed)))
        if self.agent.wants_state:
            views = resampled(s.reshape(1), (player,), dice)
        else:
            views = self.game.observe(s, player)[None]
        return self._ask(views, self.game.legal_mask(s), dice, Seat(player, None if events is None else list(events)))

    def act(
        self,
        observation: np.ndarray | Mapping[str, np.ndarray],
        mask: np.ndarray | None = None,
        seed: int | None = None,
    ) -> int:
        """Choose an action for an observation and a mask, or for the dict of both that an AEC env gives."""
        if self.agent.wants_state:
            raise BadOption(f"{self.name} needs more than an observation; allowed: choose(s), with s = env.running.s")
        if isinstance(observation, Mapping):
            observation, mask = observation["observation"], observation["action_mask"]
        game = self.game
        seen = self._whole_numbers(observation, (game.observation_size,), np.iinfo(DTYPE).max, "observation")
        legal = self._whole_numbers(mask, (game.num_actions, len(game.idle)), 1, "mask")
        if not legal.any():
            raise OutOfOrder("the mask allows nothing: it is not this seat's decision, or the game is over")
        return self._ask(seen[None].astype(DTYPE), legal.astype(np.int8), generator(int(as_seed(seed))))

    def _ask(self, views: np.ndarray, mask: np.ndarray, dice: np.ndarray, seat: Seat | None = None) -> int:
        if seat is not None and self.agent.follows:
            try:
                action = int(self.agent.act_seats(views, mask[None], [seat], dice)[0])
            finally:
                self.agent.leave(seat, None)
        else:
            action = int(self.agent.act_batch(views, mask[None], dice)[0])
        if not 0 <= action < len(mask) or not mask[action]:
            raise IllegalAction(f"{self.name} chose action {action} of {self.game.name}, which is not legal now")
        return action

    def _whole_numbers(self, given: Any, sizes: tuple[int, ...], most: int, what: str) -> np.ndarray:
        """An array of any type whose values are whole numbers up to `most`; BadOption for anything else."""
        array = np.asarray(given)
        if array.ndim != 1 or len(array) not in sizes or array.dtype.kind not in "biuf":
            raise BadOption(
                f"{array.dtype} of shape {array.shape} is no {what} of {self.game.name}; "
                f"allowed: {sizes[0]} whole numbers"
            )
        if not ((array >= 0) & (array <= most)).all() or (array.dtype.kind == "f" and (array % 1).any()):
            raise BadOption(f"this is no {what} of {self.game.name}; allowed: whole numbers from 0 to {most}")
        return array


def make(spec: str, game: Game, num_players: int | None = None) -> Bot:
    """The bot of a spec such as `ismcts:200` (see `coven.agents.registry`); without `num_players`, for the fewest."""
    players = int(game.blank(num_players)["num_players"])
    return Bot(create(spec, game, players), game, players)
