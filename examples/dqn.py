"""Double DQN with masks in one file, in plain torch: one learner against bots, in many games at once.

    python examples/dqn.py --game wie_verhext --players 3 --steps 300000

Masks are needed in two places: where the action is chosen, and where the target takes the best action of the next
position. Without the second the target would use values of illegal actions. Needs torch: pip install 'coven-rl[train]'.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
import tyro
from torch import nn

import coven


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 2
    opponents: str = "random"
    """The agents that play the other seats."""
    steps: int = 300_000
    """Total decisions of the learner."""
    num_envs: int = 32
    buffer: int = 100_000
    """Decisions that the replay buffer keeps."""
    batch: int = 256
    begin: int = 5_000
    """Random decisions before learning begins."""
    exploration: float = 0.3
    """The share of all decisions during which the probability of a random action falls."""
    least_chance: float = 0.05
    target_every: int = 200
    """Updates between two copies of the network to the target network."""
    learning_rate: float = 5e-4
    gamma: float = 0.99
    hidden: int = 128
    seed: int = 0


class Memory:
    """The last decisions, each with the position after it and what was legal there."""

    def __init__(self, size: int, inputs: int, actions: int) -> None:
        self.views, self.next_views = (np.zeros((size, inputs), np.uint8) for _ in range(2))
        self.next_masks = np.zeros((size, actions), bool)
        self.actions, self.rewards = np.zeros(size, np.int64), np.zeros(size, np.float32)
        self.ends, self.at, self.filled = np.zeros(size, np.float32), 0, 0

    def add(self, *rows: np.ndarray) -> None:
        """Remember rows of views, actions, rewards, next views, next masks and ends."""
        where = (self.at + np.arange(len(rows[0]))) % len(self.actions)
        kept = (self.views, self.actions, self.rewards, self.next_views, self.next_masks, self.ends)
        for array, new in zip(kept, rows, strict=True):
            array[where] = new
        self.at, self.filled = int(where[-1]) + 1, min(self.filled + len(where), len(self.actions))


def main(args: Args) -> float:
    """Train; the mean reward of the last games."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(args.seed)
    envs = coven.make_gym_vec(args.game, args.num_envs, args.players, args.opponents)
    game, scale = envs.game, envs.game.layout.scale
    inputs, actions, hidden = game.observation_size, game.num_actions, args.hidden
    network = nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, actions)
    )
    target, updates = copy.deepcopy(network), 0
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate)
    memory, returns = Memory(args.buffer, inputs, actions), []
    view, info = envs.reset(seed=args.seed)

    def values(net: nn.Module, views: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        """The Q-value of each action; minus infinity for illegal ones."""
        return net(torch.from_numpy(scale(views))).masked_fill(torch.from_numpy(~masks), -torch.inf)

    for step in range(0, args.steps, args.num_envs):
        mask = info["action_mask"].astype(bool)
        chance = max(args.least_chance, 1 - step / (args.exploration * args.steps))
        with torch.no_grad():
            chosen = values(network, view, mask).argmax(1).numpy()
        explore = (rng.random(args.num_envs) < chance) | (step < args.begin)
        chosen = np.where(explore, np.asarray(envs.action_space.sample()), chosen)
        next_view, reward, terminated, truncated, info = envs.step(chosen)
        ended = terminated | truncated
        # After an end the next view is of another game; it is not used, since `ends` is 1.
        memory.add(view, chosen, reward, next_view, info["action_mask"].astype(bool), ended)
        returns += reward[ended].tolist()
        view = next_view
        if step < args.begin or memory.filled < args.batch:
            continue
        rows = rng.integers(memory.filled, size=args.batch)
        with torch.no_grad():
            best = values(network, memory.next_views[rows], memory.next_masks[rows]).argmax(1, keepdim=True)
            later = target(torch.from_numpy(scale(memory.next_views[rows]))).gather(1, best).squeeze(1)
        ends, paid = torch.from_numpy(memory.ends[rows]), torch.from_numpy(memory.rewards[rows])
        wanted = paid + args.gamma * (1 - ends) * later
        guess = network(torch.from_numpy(scale(memory.views[rows])))
        guess = guess.gather(1, torch.from_numpy(memory.actions[rows, None])).squeeze(1)
        loss = nn.functional.smooth_l1_loss(guess, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        updates += 1
        if updates % args.target_every == 0:
            target.load_state_dict(network.state_dict())
            mean = np.mean(returns[-500:] or [0])
            print(f"{step:>9,} decisions  {len(returns):>7,} games  random {chance:.0%}  mean reward {mean:+.3f}")
    envs.close()
    return float(np.mean(returns[-500:] or [0]))


if __name__ == "__main__":
    main(tyro.cli(Args))
