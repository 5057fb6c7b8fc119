"""Gymnasium: one learner against agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from coven.envs.agent import Agent, resampled
from coven.envs.learner_batch import check_opponents, check_seat
from coven.envs.render import RENDER_FPS, RENDER_MODES, Renderer
from coven.envs.running import RunningGame
from coven.envs.spaces import LegalDiscrete, SampledAction, observation_box
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.record import NOBODY
from coven.games.core.rng import as_seed, generator

ILLEGAL = ("raise", "random", "lose")


def check_illegal(illegal: str, rewards: str) -> None:
    """Raise BadOption unless an env can treat illegal actions in this way."""
    if illegal not in ILLEGAL:
        raise BadOption(f"illegal={illegal!r} is not allowed; allowed: {', '.join(map(repr, ILLEGAL))}")
    if illegal == "lose" and rewards == "score":
        raise BadOption("illegal='lose' with rewards='score' is not allowed; allowed: rewards='rank' or rewards='win'")


class CovenGymEnv(gymnasium.Env[np.ndarray, int]):
    """One game in which you control one seat, the learner's; `opponents` play the others, clockwise from it.

    - `seat`: the learner's seat; None moves it one seat further with every game
    - `rewards`: `rank`, `win` or `score`, paid at the end only
    - `scaled`: True gives observations as float32 in 0..1, False as uint8 counts
    - `derived`: False leaves the derived part of the learner's observations out
    - `illegal`: what an illegal action does, for learners without masks. `raise`: it raises IllegalAction. `random`: a
      random legal action is taken instead. `lose`: the game ends at once with the reward of the last place. In the
      last two cases `info["illegal"]` is True
    - `options`: those of the game

    `action_masks()` and `info["action_mask"]` say what is legal, and `action_space.sample()` chooses a legal action.
    The reward of an action includes everything that the learner's seat is paid before it acts again.
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
        derived: bool = True,
        illegal: str = "raise",
        **options: Any,
    ) -> None:
        check_illegal(illegal, rewards)
        self.illegal = illegal
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
        self._renderer = Renderer(game, render_mode)
        self.game, self.render_mode, self.scaled = game, render_mode, scaled
        self.running = RunningGame(game, num_players, rewards, **options)
        self.num_players = self.running.num_players
        check_seat(seat, self.num_players)
        check_opponents(opponents, game, self.num_players)
        self.fixed_seat, self.opponents = seat, list(opponents)
        self.derived = bool(derived)
        self.observation_space = observation_box(game, scaled, derived)
        self.action_space: Any = LegalDiscrete(game.num_actions, self.running.padded_mask)
        self.seat, self._dice = -1 if seat is None else seat, generator(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a game (without a seed the next one) and let the others play up to the learner's first decision."""
        seed = None if seed is None else int(as_seed(seed))
        super().reset(seed=seed)
        if self.fixed_seat is None:
            self.seat = 0 if seed is not None else (self.seat + 1) % self.num_players
        if seed is None and self.running.seed is None:
            seed = int(self.np_random.integers(1 << 63))
        self._deal(seed)
        while self._play_on():  # a game that ends before the learner's first decision is nobody's business
            self._deal(None)
        return self._view(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Apply the learner's action; then let the others play until it is to act again or the game is over."""
        running = self.running
        running.check_running()
        action = action.legal(running.padded_mask) if isinstance(action, SampledAction) else action
        if self.illegal != "raise" and not running.padded_mask[self.game.action_id(running.s, action)]:
            return self._instead()
        running.step(action)
        return self._after_decision()

    def _instead(self) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """What happens in place of an illegal action of the learner."""
        running = self.running
        if self.illegal == "random":
            running.step(int(self.np_random.choice(np.flatnonzero(running.mask))))
            observation, reward, terminated, truncated, info = self._after_decision()
            return observation, reward, terminated, truncated, info | {"illegal": True}
        running.player = NOBODY
        running.padded_mask[:] = 0
        reward = -1.0 if running.rewards == "rank" else -1.0 / (self.num_players - 1)
        return self._view(), reward, True, False, self._info() | {"illegal": True}

    def _after_decision(self) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Let the others play; what the learner then sees and is paid."""
        running = self.running
        reward, terminated, truncated = 0.0, False, False
        if self._play_on():
            reward, truncated = running.returns()[self.seat], running.truncated
            terminated = not truncated
            running.observation[:] = self.game.observe(running.s, self.seat)
        return self._view(), reward, terminated, truncated, self._info()

    def _deal(self, seed: int | None) -> None:
        self._dice = generator(self.running.deal(seed))

    def _play_on(self) -> bool:
        """Let the others play, move by move in a window, until it is the learner's turn; True if the game is over."""
        running, seat, following = self.running, self.seat, self.render_mode == "human"
        if following:
            self.render()
        player, dice = running.player, self._dice
        while player != seat and player != NOBODY:
            agent = self.opponents[(player - seat - 1) % self.num_players]
            views = resampled(running.s.reshape(1), (player,), dice) if agent.wants_state else running.observation[None]
            player = running.step(agent.act_unchecked(views, running.padded_mask[None], dice)[0])
            if following:
                self.render()
        return player == NOBODY

    def action_masks(self) -> np.ndarray:
        """The legal actions; sb3-contrib calls this."""
        return self.running.mask.astype(bool)

    def render(self) -> str | np.ndarray | None:
        """The game as the learner sees it: text ("ansi"), pixels ("rgb_array"), or in a window ("human")."""
        if self.render_mode is not None:
            self.running.check_begun("render()")
        return self._renderer.show(self.running.s, self.seat)

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows: the game as the learner sees it."""
        return None if self.running.seed is None else self.game.svg(self.running.s, self.seat)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _view(self) -> np.ndarray:
        observation = self.running.observation
        if not self.derived:
            observation = observation[: self.game.layout.raw_size]
        return self.game.layout.scale(observation) if self.scaled else observation.copy()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.running.mask, "seat": self.seat}
