"""The game behind an env: dealt, stepped, and followed by the next one."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.games.core import drivers
from coven.games.core.drivers import ILLEGAL
from coven.games.core.errors import OutOfOrder
from coven.games.core.game import Game
from coven.games.core.numbers import whole
from coven.games.core.record import NOBODY
from coven.games.core.rng import as_seed, next_seed


class RunningGame:
    """The game in progress behind an env: its state `s`, who decides (`player`) and what that player sees.

    `padded_mask` and `observation` are written in place by every step. The last given seed fixes the sequence of all
    further games, which deals without a seed go through. `rewards` is `rank`, `win` or `score`, paid at the end only.
    Without `derived` observations have the raw part only.
    """

    def __init__(
        self,
        game: Game,
        num_players: int | None = None,
        rewards: str = "rank",
        derived: bool = True,
        **options: Any,
    ) -> None:
        game.reward_kind(rewards)
        self.game, self.rewards, self.derived = game, rewards, bool(derived)
        self._blank, self.num_actions = game.blank(num_players, **options), game.num_actions
        self.num_players = int(self._blank["num_players"])
        self.s, self.player = self._blank.copy(), NOBODY
        self.padded_mask, self.observation = game.new_mask(), game.new_observation(derived)
        self.seed: int | None = None
        """The seed of the present game; None before the first."""
        game.prepare()

    def deal(self, seed: int | None = None) -> int:
        """Deal a new game; its seed."""
        if seed is None and self.seed is not None:
            seed = int(next_seed(np.uint64(self.seed)))
        self.seed = int(as_seed(seed))
        self.s = self._blank.copy()
        self.game.deal(self.s, self.seed)
        self.player = int(drivers.look(self.s, self.padded_mask, self.observation))
        return self.seed

    def step(self, action: Any) -> int:
        """Apply an action of the player to move; who is to move next, NOBODY when the game is over."""
        index = action
        if type(action) is not np.int64:  # what agents and masks give; the kernel looks at its bounds
            index = action if type(action) is int else whole(action)
            if index is None or not 0 <= index < self.num_actions:
                raise self.game.illegal_action(self.s, action)
        player: int = drivers.step(self.s, index, self.padded_mask, self.observation, True)
        if player == ILLEGAL:
            raise self.game.illegal_action(self.s, action)
        self.player = player
        return player

    def observe(self, player: int) -> np.ndarray:
        """What any player sees."""
        return self.game.observe(self.s, player, self.derived)

    @property
    def mask(self) -> np.ndarray:
        """A copy of the mask of the player to move; all 0 when the game is over."""
        return self.padded_mask[: self.num_actions].copy()

    @property
    def truncated(self) -> bool:
        """Whether the game was cut off by its own limit."""
        return bool(self.s["truncated"])

    def returns(self) -> list[float]:
        """The rewards of all seats at the end."""
        return self.game.returns(self.s, self.rewards)

    def check_begun(self, what: str) -> None:
        """Raise OutOfOrder before the first deal."""
        if self.seed is None:
            raise OutOfOrder(f"{what} before the first game of {self.game.name}; call reset() first")

    def check_running(self, what: str = "step()") -> None:
        """Raise OutOfOrder unless a player is to move."""
        if self.player == NOBODY:
            raise OutOfOrder(f"{what} without a running game of {self.game.name}; call reset() first")
