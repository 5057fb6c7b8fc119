"""Self-play on the vector env with one network for all seats, in plain torch.

    python examples/selfplay.py --game alchemists --players 3 --steps 2000000

A step makes one decision in each of many games, for the seat whose turn it is. Observations are relative to that seat,
so one network can play all seats. What differs from single-agent PPO is the credit assignment: the next decision in a
game is another seat's. So advantages are computed along the decisions of each seat, with the rewards of that seat.
Needs torch: pip install 'coven-rl[train]'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import tyro
from ppo import Args as PpoArgs
from ppo import Network, learn

import coven


@dataclass
class Args(PpoArgs):
    """The options of the command line: as for `ppo.py`, and how to measure."""

    steps: int = 2_000_000
    """Total decisions of all seats."""
    rollout: int = 128
    test_games: int = 200
    """Games against `opponents` at the end."""


def main(args: Args) -> float:
    """Train, then play against bots: the mean reward."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = coven.make_vec(args.game, args.num_envs, args.players, args.seed)
    game, shape = envs.game, (args.rollout, args.num_envs)
    network = Network(game.observation_size, game.num_actions, args.hidden)
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    views = torch.zeros(*shape, game.observation_size)
    masks = torch.zeros(*shape, game.num_actions, dtype=torch.bool)
    taken, logs, values = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape), torch.zeros(shape)
    seats, ends = np.zeros(shape, np.int64), np.zeros(shape, bool)
    rewards = np.zeros((*shape, args.players), np.float32)
    seen, infos = envs.reset(seed=args.seed)
    games = 0

    for update in range(max(1, args.steps // (args.rollout * args.num_envs))):
        for t in range(args.rollout):
            views[t] = torch.from_numpy(game.layout.scale(seen["observation"]))
            masks[t], seats[t] = torch.from_numpy(seen["action_mask"]).bool(), infos["player"]
            with torch.no_grad():
                chances, values[t] = network(views[t], masks[t])
            taken[t] = chances.sample()
            logs[t] = chances.log_prob(taken[t])
            seen, _, terminated, truncated, infos = envs.step(taken[t].numpy())
            ends[t] = terminated | truncated
            rewards[t] = np.where(ends[t][:, None], infos["rewards"], 0)  # of all seats of the games that ended
        advantages = by_seat(values.numpy(), seats, rewards, ends, args.gamma, args.gae_lambda)
        learn(args, network, optimizer, views, masks, taken, logs, advantages, advantages + values)
        games += int(ends.sum())
        steps = (update + 1) * args.rollout * args.num_envs
        print(f"{steps:>9,} decisions  {games:>7,} games  spread of values {values.std():.3f}")
    envs.close()
    mean = test(args, network)
    print(f"Against {args.opponents}: mean reward {mean:+.3f} in {args.test_games} games; 0 is as good as they are")
    return mean


def by_seat(
    values: np.ndarray, seats: np.ndarray, rewards: np.ndarray, ends: np.ndarray, gamma: float, decay: float
) -> torch.Tensor:
    """Generalised advantages along the decisions of each seat of each game, from the last one backwards.

    The last decision of a seat before the rollout ends has no successor in it: it is left as the network judged it.
    """
    length, number = values.shape
    everyone, advantages = np.arange(number), np.zeros((length, number), np.float32)
    paid, following, ahead = (np.zeros((number, rewards.shape[2]), np.float32) for _ in range(3))
    known = np.zeros(paid.shape, bool)
    for t in reversed(range(length)):
        over = ends[t]
        paid[over], following[over], ahead[over], known[over] = rewards[t][over], 0, 0, True
        own = (everyone, seats[t])
        delta = np.where(known[own], paid[own] + gamma * following[own] - values[t], 0)
        advantages[t] = delta + np.where(known[own], gamma * decay * ahead[own], 0)
        paid[own], following[own], ahead[own], known[own] = 0, values[t], advantages[t], True
    return torch.from_numpy(advantages)


def test(args: Args, network: Network) -> float:
    """The mean reward against bots, taking the likeliest actions; the learner changes its seat from game to game."""
    envs = coven.make_gym_vec(args.game, 32, args.players, args.opponents, scaled=True)
    view, info = envs.reset(seed=args.seed + 1)
    found: list[float] = []
    while len(found) < args.test_games:
        with torch.no_grad():
            chances, _ = network(torch.from_numpy(view), torch.from_numpy(info["action_mask"]).bool())
        view, reward, terminated, truncated, info = envs.step(chances.logits.argmax(-1).numpy())
        found += reward[terminated | truncated].tolist()
    envs.close()
    return float(np.mean(found))


if __name__ == "__main__":
    main(tyro.cli(Args))
