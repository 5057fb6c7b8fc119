"""Stable-Baselines3: MaskablePPO with one process for each env.

    python examples/with_sb3.py --game witchstone --players 3 --opponents greedy --steps 200000

This is the usual way to run many envs in SB3. `coven.envs.sb3.SelfPlayVecEnv` steps all games in one process and is
faster; `coven train` uses it. Needs: pip install 'coven-rl[train]'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import gymnasium
import tyro
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv

import coven


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 2
    opponents: str = "random"
    """The agents that play the other seats."""
    steps: int = 200_000
    processes: int = 4
    start: Literal["forkserver", "fork", "spawn"] = "forkserver"
    """How the processes are started."""
    rollout: int = 512
    """Decisions in each env between two updates."""
    test_games: int = 100
    seed: int = 0


def maker(args: Args, number: int) -> Callable[[], gymnasium.Env]:
    """A function that makes one env; it is called in the process that uses the env."""

    def make() -> gymnasium.Env:
        env = coven.make_gym(args.game, args.players, args.opponents, scaled=True)
        env.reset(seed=args.seed + 1000 * number)  # other deals in every process
        return Monitor(env)

    return make


def main(args: Args) -> float:
    """Train, then play: the mean reward of the games at the end."""
    coven.game(args.game).prepare()  # compiled once, before the processes begin
    envs = SubprocVecEnv([maker(args, number) for number in range(args.processes)], start_method=args.start)
    model = MaskablePPO("MlpPolicy", envs, n_steps=args.rollout, gamma=1.0, seed=args.seed, device="cpu", verbose=1)
    model.learn(args.steps)
    envs.close()
    test = Monitor(coven.make_gym(args.game, args.players, args.opponents, scaled=True))
    test.reset(seed=args.seed + 1)
    mean, _ = evaluate_policy(model, test, n_eval_episodes=args.test_games, warn=False)
    print(f"Against {args.opponents}: mean reward {mean:+.3f} in {args.test_games} games")
    return float(mean)


if __name__ == "__main__":
    main(tyro.cli(Args))
