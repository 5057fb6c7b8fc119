"""PettingZoo classic: its AEC envs as users get them."""

from __future__ import annotations

import importlib
from functools import partial
from importlib.metadata import version

from .worker import AEC, Run, Subject, play_aec, serve

GAMES = ("connect_four_v3", "leduc_holdem_v4", "hanabi_v5", "texas_holdem_v4", "tictactoe_v3")


def aec(name: str) -> Run:
    """Uniform play."""
    return play_aec(importlib.import_module(f"pettingzoo.classic.{name}").env())


SUBJECTS = [Subject(AEC, name.rsplit("_", 1)[0], partial(aec, name)) for name in GAMES]

if __name__ == "__main__":
    serve([f"pettingzoo {version('pettingzoo')}"], SUBJECTS)
