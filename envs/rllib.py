"""Ray RLlib: the games as `MultiAgentEnv` for its new API stack, and PPO's network with action masks::

    PPOConfig()
    .environment(CovenMultiAgentEnv, env_config={"game": "alchemists", "num_players": 3})
    .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule))

Agents are `player_0`, `player_1` and so on. Only the agent to act gets an observation. Observations are
`{"observations": ..., "action_mask": ...}`, the names that RLlib's own action masking module uses. Rewards come at the
end, to all agents at once, each with a last observation; RLlib credits them to each agent's last action.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.utils.torch_utils import FLOAT_MIN

from coven.envs.running import RunningGame
from coven.envs.spaces import LegalDiscrete, observation_box
from coven.games import game as find_game
from coven.games.core.errors import BadOption, OutOfOrder
from coven.games.core.record import NOBODY

Views = dict[str, dict[str, np.ndarray]]
Infos = dict[str, dict[str, Any]]


class CovenMultiAgentEnv(MultiAgentEnv):
    """One game, `config["game"]`.

    The rest of `config` is `num_players`, `rewards` (`rank`, `win` or `score`), `scaled` (True: observations as float32
    in 0..1, as networks want them; False: counts), `derived` (False: the raw part only) and the game's options. The
    last given seed fixes the sequence of all further games; a reset without a seed deals the next one. A game that is
    cut off by its own limit has rewards like any other, so it counts as terminated, and RLlib bootstraps no value;
    `infos` then has `truncated`.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        given = dict(config or {})
        if "game" not in given:
            raise BadOption("env_config names no game; allowed: {'game': NAME, ...}")
        self.game = find_game(given.pop("game"))
        self.scaled = bool(given.pop("scaled", True))
        self.running = RunningGame(self.game, given.pop("num_players", None), given.pop("rewards", "rank"), **given)
        self.possible_agents = [f"player_{p}" for p in range(self.running.num_players)]
        self.agents: list[str] = []
        mask = Box(0, 1, (self.game.num_actions,), np.int8)
        views = Dict(
            {"observations": observation_box(self.game, self.scaled, self.running.derived), "action_mask": mask}
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, views)
        super().__init__()
        # RLlib's checks take samples that know no masks.
        actions = LegalDiscrete(self.game.num_actions, self.running.padded_mask)
        self.action_spaces = dict.fromkeys(self.possible_agents, actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Views, Infos]:
        """Deal a new game; `options` is part of the interface and is ignored."""
        self.running.deal(seed)
        self.agents = self.possible_agents[:]
        return self._view(), {self.possible_agents[self.running.player]: {}}

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[Views, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Apply the action of the agent to act."""
        self.running.check_running()
        actor = self.possible_agents[self.running.player]
        if list(action_dict) != [actor]:
            raise OutOfOrder(f"it is {actor}'s decision alone, but actions came from {list(action_dict)}")
        player = self.running.step(action_dict[actor])
        if player == NOBODY:
            return self._end()
        agent, going = self.possible_agents[player], {"__all__": False}
        # The one who acted must be paid if it goes on at once; the others wait.
        return self._view(), {actor: 0.0}, going, going.copy(), {agent: {}}

    def render(self) -> str:
        """The table as text."""
        return self.game.text(self.running.s)

    def _end(self) -> tuple[Views, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Rewards and a last observation for all agents."""
        agents, self.agents = self.agents, []
        nothing = np.zeros(self.game.num_actions, np.int8)
        views = {
            agent: {"observations": self._shown(self.running.observe(p)), "action_mask": nothing.copy()}
            for p, agent in enumerate(agents)
        }
        rewards = dict(zip(agents, self.running.returns(), strict=True))
        infos = {agent: {"truncated": self.running.truncated} for agent in agents}
        return views, rewards, dict.fromkeys([*agents, "__all__"], True), {"__all__": False}, infos

    def _view(self) -> Views:
        """The observation of the agent to act, as arrays that the caller may keep."""
        running = self.running
        seen = self._shown(running.observation if self.scaled else running.observation.copy())
        return {self.possible_agents[running.player]: {"observations": seen, "action_mask": running.mask}}

    def _shown(self, observation: np.ndarray) -> np.ndarray:
        shown: np.ndarray = self.game.layout.scale(observation) if self.scaled else observation
        return shown


class MaskedPPOModule(DefaultPPOTorchRLModule):
    """PPO's default network; its logits are masked, so it never chooses an illegal action.

    RLlib's example of such a module is based on a class that RLlib is about to remove, and it changes its input batch.
    """

    def __init__(self, *, observation_space: Dict, **arguments: Any) -> None:
        super().__init__(observation_space=observation_space["observations"], **arguments)
        self.observation_space = observation_space

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """The values of the observations in a batch."""
        return super().compute_values(_without_mask(batch), embeddings)

    def _forward(self, batch: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        return _masked(super()._forward(_without_mask(batch), **arguments), batch)

    def _forward_train(self, batch: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        return _masked(super()._forward_train(_without_mask(batch), **arguments), batch)


def _without_mask(batch: dict[str, Any]) -> dict[str, Any]:
    return {**batch, Columns.OBS: batch[Columns.OBS]["observations"]}


def _masked(output: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    """The output with the lowest float for every action that the mask forbids."""
    forbidden = batch[Columns.OBS]["action_mask"] == 0
    output[Columns.ACTION_DIST_INPUTS] = output[Columns.ACTION_DIST_INPUTS].masked_fill(forbidden, FLOAT_MIN)
    return output
