"""Tianshou: DQN with masks in one seat against random players, with Tianshou's own PettingZoo adapter.

    pip install coven-rl tianshou
    python examples/with_tianshou.py --game alchemists --players 3 --epochs 10

Tianshou's transitions are the decisions of all seats, one after the other, with the rewards of all seats. The final
rewards come with the very last decision, whoever made it. So a learner needs n-step returns (`--horizon`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import tyro
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

import coven


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 3
    epochs: int = 10
    games: int = 40
    """Games in an epoch."""
    updates: int = 100
    """Updates in an epoch."""
    batch: int = 128
    horizon: int = 8
    """Decisions (of all seats) that an n-step return covers."""
    envs: int = 4
    learning_rate: float = 1e-3
    exploration: float = 0.1
    hidden: int = 128
    seed: int = 0


class Flat(torch.nn.Module):
    """Takes the observation out of Tianshou's dict and scales its numbers to a common size."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.net = Net(state_shape=inputs, action_shape=actions, hidden_sizes=[hidden, hidden])

    def forward(self, obs: object, state: object = None, info: object = None) -> tuple[torch.Tensor, object]:
        """The Q-value of each action."""
        view = getattr(obs, "obs", obs)
        return self.net(torch.as_tensor(np.asarray(view), dtype=torch.float32) / 16, state)


def main(args: Args) -> float:
    """Train; the mean reward of the learner in the games at the end."""
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    def table() -> PettingZooEnv:
        return PettingZooEnv(coven.make(args.game, num_players=args.players))

    one = table()
    game = coven.game(args.game)
    policy = DiscreteQLearningPolicy(
        model=Flat(game.observation_size, game.num_actions, args.hidden),
        action_space=one.action_space,
        eps_training=args.exploration,
    )
    learner = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=args.learning_rate),
        gamma=1.0,
        n_step_return_horizon=args.horizon,
        target_update_freq=100,
    )
    others = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(one.action_space) for _ in range(args.players - 1)]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner, *others], env=one)
    buffer = VectorReplayBuffer(50_000, args.envs)
    collector = Collector(algorithm, DummyVectorEnv([table] * args.envs), buffer, exploration_noise=True)
    collector.reset(gym_reset_kwargs={"seed": args.seed})
    mean = 0.0
    for epoch in range(args.epochs):
        returns = collector.collect(n_episode=args.games).returns[:, 0]
        mean = float(returns.mean())
        print(f"epoch {epoch}: {len(buffer):,} decisions, mean reward of the learner {mean:+.3f}")
        with policy_within_training_step(algorithm.policy):
            for _ in range(args.updates):
                algorithm.update(buffer=buffer, sample_size=args.batch)
    return mean


if __name__ == "__main__":
    main(tyro.cli(Args))
