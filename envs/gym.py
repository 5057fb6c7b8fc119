"""Gymnasium: one learner at a table of agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from coven.envs.agent import Agent
from coven.envs.render import RENDER_FPS, RENDER_MODES, Renderer
from coven.envs.spaces import LegalDiscrete, SampledAction, observation_box
from coven.envs.table import check_opponents, check_seat
from coven.games.core import drivers
from coven.games.core.errors import OutOfOrder
from coven.games.core.game import Game
from coven.games.core.record import NOBODY
from coven.games.core.rng import generator, next_bits, next_seed


class CovenGymEnv(gymnasium.Env[np.ndarray, int]):
    """The learner's seat of one table; the opponents sit clockwise from it, in the order given.

    The seat is fixed, or moves on by one with every game (`seat=None`). Observations are flat, int16 or (`scaled`)
    float32 in 0..1. `action_masks()` and `info["action_mask"]` say what is legal; an illegal action is an error, and
    `action_space.sample()` takes a legal one. The reward of an action is what the learner is paid until it acts again.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Agent],
        num_players: int | None = None,
        seat: int | None = None,
        rewards: str = "rank",
        scaled: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
        self._renderer = Renderer(game, render_mode)
        self.game, self.render_mode, self.scaled = game, render_mode, scaled
        self.rewards = rewards
        game.reward_kind(rewards)
        self._blank = game.blank(num_players, **options)
        self.num_players = int(self._blank["num_players"])
        check_seat(seat, self.num_players)
        check_opponents(opponents, self.num_players)
        self.fixed_seat, self.opponents = seat, list(opponents)
        self._s, self._mask, self._observation = self._blank.copy(), game.new_mask(), game.new_observation()
        self.observation_space = observation_box(game, scaled)
        self.action_space: Any = LegalDiscrete(game.num_actions, self._mask)
        self._seed, self._dice = np.uint64(0), generator(0)
        self.seat = -1 if seat is None else seat
        self._running = False
        game.prepare()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal, and let the others play to the learner's first decision; without a seed the next game follows."""
        seed = None if seed is None else int(self.game.seed(seed))
        super().reset(seed=seed)
        if seed is not None:
            self._seed = np.uint64(seed)
        elif self.seat < 0 or not self._seed:
            self._seed = np.uint64(self.np_random.integers(1 << 63))
        if self.fixed_seat is None:
            self.seat = 0 if seed is not None else (self.seat + 1) % self.num_players
        over = True
        while over:  # a game that ends before the learner's first decision is nobody's business
            self._s = self._blank.copy()
            self.game.deal(self._s, int(self._seed))
            self._follow()
            self._dice = generator(int(self._seed))
            self._seed = np.uint64(next_seed(self._seed))  # numba gives a plain int
            over = self._play_on(drivers.look(self._s, self._mask, self._observation))
        self._running = True
        return self._view(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The learner's decision, then those of the others until it is the learner's again or the game is over."""
        if not self._running:
            raise OutOfOrder(f"step() without a running game of {self.game.name}; call reset() first")
        if isinstance(action, SampledAction):
            action = action.legal(self._mask)
        index = self.game.action_id(self._s, action)
        player = drivers.step(self._s, index, self._mask, self._observation, True)
        if player == drivers.ILLEGAL:
            raise self.game.illegal(self._s, action)
        self._follow()
        reward, terminated, truncated = 0.0, False, False
        if self._play_on(player):
            self._running = False
            reward = self.game.returns(self._s, self.rewards)[self.seat]
            truncated = bool(self._s["truncated"])
            terminated = not truncated
            self._observation[:] = self.game.observe(self._s, self.seat)
        return self._view(), reward, terminated, truncated, self._info()

    def _play_on(self, player: int) -> bool:
        """Let the others decide until it is the learner's turn; is the game over?"""
        while player not in (self.seat, NOBODY):
            agent = self.opponents[(player - self.seat - 1) % self.num_players]
            view = self._observation
            if agent.wants_state:
                view = self.game.determinize(self._s, player, int(next_bits(self._dice[0])))
            action = agent.act(view, self._mask, self._dice)
            player = drivers.step(self._s, action, self._mask, self._observation, True)
            if player == drivers.ILLEGAL:
                raise self.game.illegal(self._s, action)
            self._follow()
        return bool(player == NOBODY)

    def action_masks(self) -> np.ndarray:
        """The legal actions, as sb3-contrib asks for them."""
        return self._mask[: self.game.num_actions].astype(bool)

    def render(self) -> str | np.ndarray | None:
        """The table as the learner sees it: text ("ansi"), pixels ("rgb_array"), or in a window ("human")."""
        if self.render_mode is not None and self.seat < 0:
            raise OutOfOrder(f"render() before the first game of {self.game.name}; call reset() first")
        return self._renderer.show(self._s, self.seat)

    def _repr_svg_(self) -> str | None:
        """In a notebook, the table as the learner sees it."""
        return self.game.svg(self._s, self.seat) if hasattr(self, "_s") else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _follow(self) -> None:
        """Keep the window of render_mode "human" up to date, move by move."""
        if self.render_mode == "human":
            self.render()

    def _view(self) -> np.ndarray:
        return self.game.layout.scale(self._observation) if self.scaled else self._observation.copy()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask[: self.game.num_actions].copy(), "seat": self.seat}
