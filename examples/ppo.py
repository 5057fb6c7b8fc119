"""Masked PPO in one file, in plain torch: one learner against bots, in many games at once.

    python examples/ppo.py --game alchemists --opponents greedy --steps 500000

The logits of illegal actions become minus infinity, both in the rollout and in the update; the rest is the usual PPO.
Needs torch: pip install 'coven-rl[train]'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import tyro
from torch import nn
from torch.distributions import Categorical

import coven


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 2
    opponents: str = "random"
    """The agents that play the other seats."""
    steps: int = 500_000
    """Total decisions of the learner."""
    num_envs: int = 64
    rollout: int = 64
    """Decisions in each game between two updates."""
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 3e-4
    gamma: float = 1.0
    """1, because rewards come only at the end."""
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    hidden: int = 128
    seed: int = 0


class Network(nn.Module):
    """A policy head and a value head on two shared layers."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)

    def forward(self, views: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The distribution over the legal actions, and the value of the position."""
        found = self.body(views)
        logits = self.policy(found).masked_fill(~masks, -torch.inf)
        return Categorical(logits=logits), self.value(found).squeeze(-1)


def main(args: Args) -> float:
    """Train; the mean reward of the last games."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # which is faster for small networks
    envs = coven.make_gym_vec(args.game, args.num_envs, args.players, args.opponents, scaled=True)
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    network = Network(inputs, actions, args.hidden)
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)

    shape = (args.rollout, args.num_envs)
    views, masks = torch.zeros(*shape, inputs), torch.zeros(*shape, actions, dtype=torch.bool)
    taken, logs = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape)
    values, rewards, ends = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
    view, info = envs.reset(seed=args.seed)
    returns: list[float] = []

    for update in range(max(1, args.steps // (args.rollout * args.num_envs))):
        for t in range(args.rollout):
            views[t], masks[t] = torch.from_numpy(view), torch.from_numpy(info["action_mask"]).bool()
            with torch.no_grad():
                chances, values[t] = network(views[t], masks[t])
            taken[t] = chances.sample()
            logs[t] = chances.log_prob(taken[t])
            view, reward, terminated, truncated, info = envs.step(taken[t].numpy())
            # A game cut off by its own limit is paid by rank too: it ends like any other, without a bootstrap.
            ended = terminated | truncated
            rewards[t], ends[t] = torch.from_numpy(reward), torch.from_numpy(ended).float()
            returns += reward[ended].tolist()

        with torch.no_grad():
            following = network(torch.from_numpy(view), torch.from_numpy(info["action_mask"]).bool())[1]
        advantages, ahead = torch.zeros(shape), torch.zeros(args.num_envs)
        for t in reversed(range(args.rollout)):
            delta = rewards[t] + args.gamma * following * (1 - ends[t]) - values[t]
            ahead = delta + args.gamma * args.gae_lambda * (1 - ends[t]) * ahead
            advantages[t], following = ahead, values[t]
        learn(args, network, optimizer, views, masks, taken, logs, advantages, advantages + values)
        steps = (update + 1) * args.rollout * args.num_envs
        print(f"{steps:>9,} decisions  {len(returns):>7,} games  mean reward {np.mean(returns[-500:] or [0]):+.3f}")
    envs.close()
    return float(np.mean(returns[-500:]))


def learn(args: Args, network: Network, optimizer: torch.optim.Optimizer, *rollout: torch.Tensor) -> None:
    """Several passes over a rollout; `rollout` is the six arrays that `main` fills, time and game in front."""
    views, masks, taken, logs, advantages, targets = (part.flatten(0, 1) for part in rollout)
    for _ in range(args.epochs):
        for rows in torch.randperm(len(views)).chunk(args.minibatches):
            chances, value = network(views[rows], masks[rows])
            ratio = (chances.log_prob(taken[rows]) - logs[rows]).exp()
            advantage = advantages[rows]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
            value_loss = 0.5 * ((value - targets[rows]) ** 2).mean()
            loss = policy_loss + args.value_weight * value_loss - args.entropy * entropy(chances)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
            optimizer.step()


def entropy(chances: Categorical) -> torch.Tensor:
    """The mean entropy; illegal actions count as 0 (0 times minus infinity would be NaN)."""
    logs = chances.logits.clamp(min=torch.finfo(chances.logits.dtype).min)
    return -(chances.probs * logs).sum(-1).mean()


if __name__ == "__main__":
    main(tyro.cli(Args))
