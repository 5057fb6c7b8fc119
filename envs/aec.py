"""The PettingZoo AEC env, written once for all games.

The order of calls and the legality of actions are checked here: PettingZoo's usual three wrappers do the same checks,
but make an env many times slower.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from coven.envs.render import RENDER_FPS, RENDER_MODES, Renderer
from coven.envs.running import RunningGame
from coven.envs.spaces import observation_dict
from coven.games import game as find_game
from coven.games.core.errors import BadOption, OutOfOrder
from coven.games.core.game import Game
from coven.games.core.layout import DTYPE
from coven.games.core.numbers import whole
from coven.games.core.record import NOBODY

_NEVER = -1  # counting down from here never meets 0

Observation = dict[str, np.ndarray]
Action = int | np.integer | None
"""What `step` takes: an integer of any type, or None when the game is over."""


class CovenEnv(AECEnv[str, Observation, Action]):
    """One game for agents `player_0`, `player_1`, ..., each of which acts when `agent_selection` names it.

    - `rewards`: `rank`, `win` or `score` (see `coven.games.core.ranking`), paid at the end only
    - `viewer`: `render` shows only what this seat may know; None shows everything
    - `max_cycles`: truncates a game after that many decisions times the number of players
    - `derived`: False leaves the derived part of observations out
    - `options`: those of the game

    The last given seed fixes the sequence of all further games; a reset without a seed deals the next one of them. With
    `render_mode="human"` the window shows every move without a call of `render`.
    """

    def __init__(
        self,
        game: Game,
        num_players: int | None = None,
        render_mode: str | None = None,
        rewards: str = "rank",
        viewer: int | None = None,
        max_cycles: int | None = None,
        derived: bool = True,
        **options: Any,
    ) -> None:
        super().__init__()
        self._renderer = Renderer(game, render_mode)
        self._live = render_mode == "human"
        self.running = RunningGame(game, num_players, rewards, derived, **options)
        self.game, self.render_mode, self.viewer = game, render_mode, viewer
        self.metadata = {
            "name": game.id,
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{p}" for p in range(self.running.num_players)]
        if viewer is not None and whole(viewer) not in range(len(self.possible_agents)):
            raise BadOption(f"viewer={viewer!r} is not a seat; allowed: None, 0 to {len(self.possible_agents) - 1}")
        if max_cycles is not None and (whole(max_cycles) or 0) < 1:
            raise BadOption(f"max_cycles={max_cycles!r} is not allowed; allowed: None, or 1 and more")
        self.max_cycles = max_cycles
        self._limit = _NEVER if max_cycles is None else max_cycles * len(self.possible_agents)
        self._left = self._limit
        self.agents: list[str] = []
        self._spaces: dict[str, tuple[Dict, Discrete]] = {}
        self._over = True

    # The game.

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; `options` is part of PettingZoo's interface and is ignored."""
        self.running.deal(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._over = False
        self._left = self._limit
        self.agent_selection = self.agents[self.running.player]
        if self._live:
            self.render()

    def step(self, action: Action) -> None:
        """Apply the action of `agent_selection`; once the game is over, every agent steps once with None."""
        if self._over:
            self._take_leave(action)
            return
        player = self.running.step(action)
        self._left -= 1
        if player == NOBODY or not self._left:
            self._finish(player != NOBODY or self.running.truncated)
        else:
            self.agent_selection = self.possible_agents[player]
        if self._live:
            self.render()

    def _finish(self, truncated: bool) -> None:
        """Set the rewards and let every agent make its last step, player 0 first."""
        self._over = True
        ends = self.truncations if truncated else self.terminations
        for agent, reward in zip(self.agents, self.running.returns(), strict=True):
            ends[agent] = True
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
        self.agent_selection = self.agents[0]

    def _take_leave(self, action: Action) -> None:
        if not self.agents:
            when = "before the first reset" if self.running.seed is None else "after the end"
            raise OutOfOrder(f"step() {when} of a game of {self.game.name}; call reset() first")
        if action is not None:
            raise OutOfOrder(
                f"the game of {self.game.name} is over: {self.agent_selection} can only step(None), not {action!r}"
            )
        self._was_dead_step(None)

    # What players see.

    @overload
    def last(self, observe: Literal[True] = True) -> tuple[Observation, float, bool, bool, dict[str, Any]]: ...

    @overload
    def last(self, observe: bool) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]: ...

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, termination, truncation and info of `agent_selection`."""
        if not self.agents:
            raise OutOfOrder(f"last() without a running game of {self.game.name}; call reset() first")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """What an agent sees; its mask is all 0 unless it is this agent's turn to act."""
        if not self._over and agent == self.agent_selection:
            running = self.running
            mask = running.padded_mask[: running.num_actions].copy()  # as running.mask, without another call
            return {"observation": running.observation.copy(), "action_mask": mask}
        self.running.check_begun("observe()")
        observation = self.running.observe(self._seat_of(agent))
        return {"observation": observation, "action_mask": np.zeros(self.game.num_actions, np.int8)}

    def state(self) -> np.ndarray:
        """The observations of all seats in one flat array, for a centralised critic; see `state_space`."""
        self.running.check_begun("state()")
        return np.concatenate([self.running.observe(p) for p in range(len(self.possible_agents))])

    @property
    def state_space(self) -> Box:
        """The space of `state`."""
        low, high = self.game.layout.bounds(self.running.derived)
        n = len(self.possible_agents)
        return Box(np.tile(low, n), np.tile(high, n), dtype=DTYPE)

    def observation_space(self, agent: str) -> Dict:
        """The space of a flat observation and an int8 action mask, of the same shape for every agent."""
        return self._spaces_of(agent)[0]

    def action_space(self, agent: str) -> Discrete:
        """The space of all action ids, the same for every agent."""
        return self._spaces_of(agent)[1]

    def _spaces_of(self, agent: str) -> tuple[Dict, Discrete]:
        """The spaces of one agent, made once: each has its own generator for sampling."""
        if agent not in self._spaces:
            self._seat_of(agent)
            self._spaces[agent] = observation_dict(self.game, self.running.derived), Discrete(self.game.num_actions)
        return self._spaces[agent]

    def render(self) -> str | np.ndarray | None:
        """The game as `viewer` sees it: text ("ansi"), pixels ("rgb_array"), or in a window ("human")."""
        if self.render_mode is not None:
            self.running.check_begun("render()")
        return self._renderer.show(self.running.s, self.viewer)

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows: the game as `viewer` sees it."""
        return None if self.running.seed is None else self.game.svg(self.running.s, self.viewer)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _seat_of(self, agent: str) -> int:
        if agent not in self.possible_agents:
            raise BadOption(f"there is no agent {agent!r}; there are {', '.join(self.possible_agents)}")
        return self.possible_agents.index(agent)


def make(name: str, num_players: int | None = None, render_mode: str | None = None, **options: Any) -> CovenEnv:
    """The AEC env of a game."""
    return CovenEnv(find_game(name), num_players, render_mode, **options)
