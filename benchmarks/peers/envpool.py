"""EnvPool: its batches on one thread: the games that it shares with Pgx, its own card game, and its lightest envs."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version

import envpool
import numpy as np

from .worker import BATCHES, Run, Subject, serve

GAMES = {
    "SparrowMahjong-v1": "sparrow_mahjong",
    "Backgammon-v1": "backgammon",
    "LeducHoldem-v1": "leduc_holdem",
    "KuhnPoker-v1": "kuhn_poker",
}
OTHERS = ("Blackjack-v1", "FrozenLake-v1", "CartPole-v1", "Catch-v0")


def batch(name: str, size: int) -> Run:
    """A uniform legal action in every env of a batch: the largest of random numbers, 0 for what is not legal."""
    env = envpool.make(name, env_type="gymnasium", num_envs=size, num_threads=1, seed=1)
    _, info = env.reset()
    dice, n = np.random.default_rng(1), int(env.action_space.n)

    def choose() -> np.ndarray:
        if "legal_action_mask" not in info:
            return dice.integers(0, n, size, np.int32)
        numbers = dice.random((size, n), np.float32)
        return (numbers * info["legal_action_mask"]).argmax(axis=1).astype(np.int32)

    def run(decisions: int) -> int:
        nonlocal info
        steps = -(-decisions // size)
        for _ in range(steps):
            *_, info = env.step(choose())
        return steps * size

    return run


SUBJECTS = [
    Subject(face, shown, partial(batch, name, size))
    for size, face in BATCHES.items()
    for name, shown in (GAMES | {name: name for name in OTHERS}).items()
]

if __name__ == "__main__":
    serve([f"envpool {version('envpool')}"], SUBJECTS)
