"""What the tests of the arena share, and agents that misbehave."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from coven.agents.random import RandomAgent
from coven.arena.run import run
from coven.arena.schedule import Tournament, plan
from coven.arena.store import Store

FIELD = ("random", "mix:0.4", "mix:0.8", "greedy")


def small(players: int = 2, deals: int = 4, agents=FIELD, game: str = "alchemists", **given) -> Tournament:
    """A tournament that takes no time."""
    return plan(game, agents, players, deals, **{"seed": 5, "block": 2} | given)


def played(path: Path, tournament: Tournament, *given) -> str:
    """Play a tournament; the digest of its games."""
    run(path, tournament, *given)
    return digest(path)


def digest(path: Path) -> str:
    with Store(path) as store:
        return store.digest()


class Mortal(RandomAgent):
    """Kills its own process, once: the file that it leaves behind saves the next one."""

    def __init__(self, marker: str) -> None:
        self.marker, self.name = Path(marker), f"py:arena_help:mortal:{marker}"

    def act_batch(self, views, masks, dice):
        if self.marker.parent.is_dir() and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act_batch(views, masks, dice)


def mortal(rest, game, num_players):
    return Mortal(rest)


def not_an_agent(rest, game, num_players):
    return rest


class Bad(RandomAgent):
    """Plays as a function of the masks says."""

    def __init__(self, choose):
        self.choose = choose

    def act_batch(self, views, masks, dice):
        return self.choose(masks)


def cheat(rest, game, num_players):
    return Bad(lambda masks: masks.argmin(axis=1))


def buggy(rest, game, num_players):
    return Bad(lambda masks: 1 // 0)


def deadly(rest, game, num_players):
    return Bad(lambda masks: os._exit(1))
