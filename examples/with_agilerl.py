"""AgileRL: DQN with masks, one learner against bots, in many games at once.

    pip install coven-rl agilerl
    python examples/with_agilerl.py --game alchemists --opponents random --steps 100000

AgileRL's agents take the mask with the observation. AgileRL installs an older PettingZoo that has no registry of ids:
`coven.make` and all envs work, but `pettingzoo.make` does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import tyro
from agilerl.algorithms import DQN
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer
from gymnasium.spaces import Discrete

import coven


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 2
    opponents: str = "random"
    """The agents that play the other seats."""
    steps: int = 100_000
    """Total decisions of the learner."""
    num_envs: int = 16
    buffer: int = 50_000
    batch: int = 128
    begin: int = 1_000
    """Decisions before learning begins."""
    learn_every: int = 2
    """Steps of all games between two updates."""
    least_chance: float = 0.05
    """The probability of a random action after the first half, during which it falls to this."""
    learning_rate: float = 5e-4
    hidden: int = 128
    seed: int = 0


def main(args: Args) -> float:
    """Train; the mean reward of the last games."""
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    envs = coven.make_gym_vec(args.game, args.num_envs, args.players, args.opponents, scaled=True)
    layers = {"hidden_size": [args.hidden]}
    agent = DQN(
        envs.single_observation_space,
        Discrete(envs.game.num_actions),
        net_config={"latent_dim": args.hidden, "encoder_config": layers, "head_config": layers},
        batch_size=args.batch,
        lr=args.learning_rate,
        tau=0.01,
    )
    memory, returns = ReplayBuffer(max_size=args.buffer), []
    view, info = envs.reset(seed=args.seed)
    for turn, step in enumerate(range(0, args.steps, args.num_envs)):
        chance = max(args.least_chance, 1 - 2 * step / args.steps)
        actions = agent.get_action(view, chance, action_mask=info["action_mask"])
        next_view, reward, terminated, truncated, info = envs.step(actions)
        ended = terminated | truncated
        # After an end the next view is of another game; it is not used, since `done` is 1.
        memory.add(
            Transition(
                obs=view,
                action=actions,
                reward=reward,
                next_obs=next_view,
                done=ended.astype(np.float32),
                batch_size=[args.num_envs],
            ).to_tensordict()
        )
        returns += reward[ended].tolist()
        view = next_view
        if step >= args.begin and turn % args.learn_every == 0 and len(memory) >= args.batch:
            agent.learn(memory.sample(args.batch))
        if turn % 500 == 499:
            print(f"{step:>9,} decisions  {len(returns):>6,} games  mean reward {np.mean(returns[-500:] or [0]):+.3f}")
    envs.close()
    mean = float(np.mean(returns[-500:] or [0]))
    print(f"mean reward of the last games {mean:+.3f}")
    return mean


if __name__ == "__main__":
    main(tyro.cli(Args))
