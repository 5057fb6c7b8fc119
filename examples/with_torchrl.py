"""TorchRL: PPO with masks, one learner against bots, with TorchRL's own env, collector, loss and advantages.

    pip install coven-rl torchrl
    python examples/with_torchrl.py --game alchemists --opponents random --steps 100000

TorchRL expects the mask in the observation. So a small wrapper puts it there, and `ActionMask` restricts the env's
random actions to it; the policy is a `MaskedCategorical`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
import tyro
from gymnasium.spaces import Box, Dict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, Compose, RewardSum, TransformedEnv
from torchrl.envs.libs.gym import GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import coven


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 2
    opponents: str = "random"
    """The agents that play the other seats."""
    steps: int = 100_000
    rollout: int = 2048
    """Decisions between two updates."""
    epochs: int = 4
    minibatch: int = 256
    learning_rate: float = 3e-4
    hidden: int = 128
    seed: int = 0


class MaskInObservation(gymnasium.Wrapper):
    """Observation and mask together."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        mask = Box(0, 1, (int(env.action_space.n),), np.bool_)
        self.observation_space = Dict({"observation": env.observation_space, "action_mask": mask})
        self.action_space = gymnasium.spaces.Discrete(int(env.action_space.n))

    def reset(self, **kwargs: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """As in the env, with the mask."""
        view, _ = self.env.reset(**kwargs)
        return self._both(view), {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """As in the env, with the mask. A game that is over has no legal action; TorchRL then gets a mask of ones."""
        view, reward, terminated, truncated, _ = self.env.step(int(action))
        return self._both(view), float(reward), terminated, truncated, {}

    def _both(self, view: np.ndarray) -> dict[str, np.ndarray]:
        mask = self.env.action_masks()
        return {"observation": view, "action_mask": mask if mask.any() else ~mask}


def make_env(args: Args) -> TransformedEnv:
    """One learner against bots, as a TorchRL env."""
    env = MaskInObservation(coven.make_gym(args.game, args.players, args.opponents, scaled=True))
    wrapped = GymWrapper(env, categorical_action_encoding=True)
    return TransformedEnv(wrapped, Compose(ActionMask(), RewardSum()))


def main(args: Args) -> float:
    """Train; the mean reward of the last games."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    env = make_env(args)
    env.set_seed(args.seed)
    inputs, actions = env.observation_spec["observation"].shape[-1], int(env.action_spec.space.n)

    def network(outputs: int) -> nn.Module:
        return nn.Sequential(nn.Linear(inputs, args.hidden), nn.Tanh(), nn.Linear(args.hidden, outputs))

    actor = ProbabilisticActor(
        TensorDictModule(network(actions), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1), in_keys=["observation"])
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss.parameters(), args.learning_rate)
    collector = Collector(env, actor, frames_per_batch=args.rollout, total_frames=args.steps)
    returns: list[float] = []
    for played in collector:
        ended = played["next", "done"].squeeze(-1)
        returns += played["next", "episode_reward"][ended].flatten().tolist()
        for _ in range(args.epochs):
            with torch.no_grad():
                advantages(played)
            for rows in torch.randperm(len(played)).split(args.minibatch):
                parts = loss(played[rows])
                total = parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        print(f"{len(returns):>7,} games  mean reward {np.mean(returns[-200:] or [0]):+.3f}")
    collector.shutdown()
    return float(np.mean(returns[-200:] or [0]))


if __name__ == "__main__":
    main(tyro.cli(Args))
