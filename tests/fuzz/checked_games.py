"""`make checked`: random games of all games, at all player counts, with kernels that check every index.

Deals, masks, observations, actions, points and determinizations: an index out of bounds is an IndexError here, where it
would else be a crash or, worse, a wrong number. `python tests/fuzz/checked_games.py GAME` plays one game.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import coven
from coven.games.core.drivers import deal_batch, pick
from coven.games.core.generic import apply, determinize, legal, observe, score
from coven.games.core.kernels import CHECKED, kernel
from coven.games.core.record import NOBODY
from coven.games.core.rng import generator, next_bits

DECISIONS = 10_000
"""For each number of players."""


@kernel
def play_on(states, seeds, blank, dice, mask, observation, keys, decisions):
    """Play games in the first state, and draw it anew for every seat in the second now and then: how many ended."""
    games = 0
    deal_batch(states[:1], seeds, blank)
    for i in range(decisions):
        s, other = states[0], states[1]
        legal(s, mask)
        observe(s, s.current, observation)
        if i % 16 == 0:
            for p in range(s.num_players):
                states[1] = s
                determinize(other, p, next_bits(dice[0]))
                observe(other, p, observation)
                score(other, keys)
        apply(s, pick(dice[0], mask))
        if s.current == NOBODY:
            score(s, keys)
            for p in range(s.num_players):
                observe(s, p, observation)
            games += 1
            deal_batch(states[:1], seeds, blank)
    return games


def play(name: str) -> None:
    """Some games of one game, at every player count: one kernel does all, so that every rule is compiled once."""
    game, finished = coven.game(name), 0
    states, mask, observation, keys = np.zeros(2, game.record), game.new_mask(), game.new_observation(), game.new_keys()
    for n in game.players:
        seeds, blank, dice = np.array([n], np.uint64), game.blank(n), generator(n)
        ended = play_on(states, seeds, blank, dice, mask, observation, keys, DECISIONS)
        assert ended, f"no game for {n} players came to its end"
        finished += ended
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
