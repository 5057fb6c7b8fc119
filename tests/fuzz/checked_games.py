"""`make checked`: random games of all games, at all player counts, with kernels that check every index.

Deals, masks, observations, actions, points and determinizations: an index out of bounds is an IndexError here, where it
would else be a crash or, worse, a wrong number. `python tests/fuzz/checked_games.py GAME` plays one game.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import coven
from coven.games.core import drivers
from coven.games.core.kernels import CHECKED
from coven.games.core.rng import generator

DECISIONS = 5000


def play(name: str) -> None:
    """Some games of one game, at every player count."""
    game = coven.game(name)
    state, keys = np.zeros(1, game.record), game.new_keys()
    mask, observation = game.new_mask(), game.new_observation()
    finished = 0
    for n in game.players:
        seeds = np.array([n], np.uint64)
        for part in range(20):
            blank, dice = game.blank(n), generator(100 * n + part)
            finished += drivers.play_random(
                state, seeds, blank, dice, mask, observation, game.idle, True, DECISIONS // 20
            )
            s = state.reshape(())
            drivers.tally(s, keys)
            for player in range(n):
                drivers.view(s, player, observation)
                drivers.resample(s.copy(), player, np.uint64(part))
    print(f"{name}: {DECISIONS * len(game.players):,} decisions, {finished} games, every index within its bounds")


def main() -> int:
    """One game that is named, or all of them side by side."""
    if not CHECKED:
        sys.exit("set COVEN_BOUNDSCHECK=1: without it nothing is checked")
    if len(sys.argv) > 1:
        play(sys.argv[1])
        return 0
    running = [subprocess.Popen([sys.executable, __file__, name]) for name in coven.games.built_in()]
    return max(process.wait() for process in running)


if __name__ == "__main__":
    sys.exit(main())
