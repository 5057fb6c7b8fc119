"""RLCard: its envs from Python."""

from __future__ import annotations

import random
from functools import partial
from importlib.metadata import version

import rlcard

from .worker import PYTHON, Run, Subject, serve

GAMES = ("uno", "gin-rummy", "leduc-holdem")


def play(name: str) -> Run:
    """Uniform play; its step gives the next player's state, observation included."""
    env, uniform = rlcard.make(name, config={"seed": 1}), random.Random(1).random

    def run(decisions: int) -> int:
        state, _ = env.reset()
        for _ in range(decisions):
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(uniform() * len(legal))])
            if env.is_over():
                state, _ = env.reset()
        return decisions

    return run


SUBJECTS = [Subject(PYTHON, name, partial(play, name), "with observation") for name in GAMES]

if __name__ == "__main__":
    serve([f"rlcard {version('rlcard')}"], SUBJECTS)
