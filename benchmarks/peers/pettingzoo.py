"""PettingZoo classic: its AEC envs as users get them, and self-play training the way its own tutorial does it."""

from __future__ import annotations

import importlib
from functools import partial
from importlib.metadata import version
from typing import Any

from .worker import AEC, TRAINING, Run, Subject, play_aec, serve

GAMES = ("connect_four_v3", "leduc_holdem_v4", "hanabi_v5", "texas_holdem_v4", "tictactoe_v3")
ROLLOUT = 2048


def make(name: str) -> Any:
    """The env of a game."""
    return importlib.import_module(f"pettingzoo.classic.{name}").env()


def aec(name: str) -> Run:
    """Uniform play."""
    return play_aec(make(name))


def for_sb3(env: Any) -> Any:
    """An AEC env as a Gymnasium env in which one network decides for every seat: PettingZoo's tutorial for SB3."""
    from pettingzoo.utils import BaseWrapper

    gymnasium: Any = importlib.import_module("gymnasium")  # the wrapper fits its types as little as the tutorial's

    class OnePlayer(BaseWrapper, gymnasium.Env):
        def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            super().reset(seed, options)
            self.observation_space = super().observation_space(self.possible_agents[0])["observation"]
            self.action_space = super().action_space(self.possible_agents[0])
            return self.observe(self.agent_selection), {}

        def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            actor = self.agent_selection
            super().step(action)
            ends = self.terminations[actor], self.truncations[actor]
            return self.observe(self.agent_selection), self._cumulative_rewards[actor], *ends, {}

        def observe(self, agent: str) -> Any:
            return super().observe(agent)["observation"]

        def action_masks(self) -> Any:
            return super().observe(self.agent_selection)["action_mask"]

    return OnePlayer(env)


def training(name: str) -> Run:
    """Learner's steps of MaskablePPO with the network and the updates that ours are measured with."""
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    env = for_sb3(make(name))
    env.reset(seed=1)  # its spaces are known only then
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=ROLLOUT,
        batch_size=ROLLOUT,
        n_epochs=2,
        policy_kwargs={"net_arch": [128, 128]},
        seed=1,
        device="cpu",
    )

    def run(steps: int) -> int:
        made = -(-steps // ROLLOUT) * ROLLOUT
        model.learn(made)
        return made

    return run


SUBJECTS = [
    *(Subject(AEC, name.rsplit("_", 1)[0], partial(aec, name)) for name in GAMES),
    Subject(TRAINING, "connect_four", partial(training, "connect_four_v3"), "MaskablePPO, 1 table"),
]

if __name__ == "__main__":
    serve([f"pettingzoo {version('pettingzoo')}"], SUBJECTS)
