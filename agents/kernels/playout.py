"""Games side by side that are played to their ends, not dealt anew."""

from __future__ import annotations

import numpy as np

from coven.games.core.drivers import pick
from coven.games.core.generic import apply, choose, legal, observe, score
from coven.games.core.kernels import kernel
from coven.games.core.ranking import RANK, rank, reward
from coven.games.core.record import NOBODY
from coven.games.core.rng import mix, next_bits

_UNIT = 1.0 / (1 << 53)


@kernel
def apply_batch(states, actions):
    """Carry out a legal action in every game."""
    for i in range(states.size):
        apply(states[i], actions[i])


@kernel
def toss(generator, chance):
    """True with that chance; what is sure needs no dice."""
    if chance <= 0.0:
        return False
    return chance >= 1.0 or _UNIT * np.float64(next_bits(generator) >> np.uint64(11)) < chance


@kernel
def mix_batch(blank, observations, masks, chance, dice, actions):
    """The greedy choice with that chance, else any, for every observation; `blank` only says which game it is."""
    for i in range(actions.size):
        if toss(dice[0], chance):
            actions[i] = choose(blank[()], observations[i], masks[i], dice[0])
        else:
            actions[i] = pick(dice[0], masks[i])


@kernel
def seed_dice(dice, seed, deals, rotations, agent_at):
    """Dice for every seat of every game: unrelated for other seeds, deals, rotations of the seats and agents."""
    for i in range(dice.shape[0]):
        for p in range(dice.shape[1]):
            deal = mix(seed ^ mix(deals[i]))
            dice[i, p].rng = mix(deal + np.uint64((i % rotations) * dice.shape[1] + agent_at[i, p]))


@kernel
def play_out(states, game, chances, dice, mask, observation, log, used, moves):
    """Play dealt games to their ends, one after the other, from number `game` on; the number of the first unfinished.

    Seat p of game i plays greedily with chance chances[i, p], else at random, with dice of its own. The actions go to
    `log`, from `used[0]` on; when it is full the call returns and can be repeated with more room. `moves` counts the
    decisions of every seat.
    """
    while game < states.size:
        s = states[game]
        while s.current != NOBODY:
            if used[0] == log.size:
                return game
            p = s.current
            legal(s, mask)
            if toss(dice[game, p], chances[game, p]):
                observe(s, p, observation)
                action = choose(s, observation, mask, dice[game, p])
            else:
                action = pick(dice[game, p], mask)
            log[used[0]] = action
            used[0] += 1
            moves[game, p] += 1
            apply(s, action)
        game += 1
    return game


@kernel
def tally_batch(states, keys, scores, ranks, returns):
    """The outcome of every finished game, by seat."""
    for i in range(states.size):
        n = states[i].num_players
        score(states[i], keys)
        rank(keys, n, ranks[i])
        reward(keys, n, RANK, returns[i])
        for p in range(n):
            scores[i, p] = keys[p, 0]
