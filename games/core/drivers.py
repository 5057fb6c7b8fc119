"""What drives a game, written once for all games over the generic operations.

A single state is an array of no dimensions (`z`), a batch an array of one; both are arrays because numba takes those
from Python three times faster than a bare record. Nothing here allocates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coven.games.core.bits import count, find
from coven.games.core.generic import apply, deal, determinize, legal, observe, score
from coven.games.core.kernels import kernel
from coven.games.core.ranking import reward
from coven.games.core.record import NOBODY
from coven.games.core.rng import below, next_seed

ILLEGAL = -2


# One state.


@kernel(nogil=False)
def start(z, num_players, seed, options):
    """Deal a new game into a blank state."""
    s = z[()]
    s.num_players = num_players
    for i in range(options.size):
        s.options[i] = options[i]
    deal(s, num_players, seed, options)


@kernel(nogil=False)
def step(z, action, mask, observation, mask_is_fresh):
    """Carry out an action and show the next player the table: its seat, NOBODY when over, ILLEGAL if nothing was done.

    `mask_is_fresh` says that `mask` holds the legal actions of this very state already.
    """
    s = z[()]
    if s.current == NOBODY or not 0 <= action < mask.size:
        return ILLEGAL
    if not mask_is_fresh:
        legal(s, mask)
    if not mask[action]:
        return ILLEGAL
    apply(s, action)
    return _show(s, mask, observation)


@kernel(nogil=False)
def look(z, mask, observation):
    """Show the current player the table: legal actions and observation; its seat, or NOBODY."""
    return _show(z[()], mask, observation)


@kernel
def _show(s, mask, observation):
    if s.current == NOBODY:
        mask[:] = 0
    else:
        legal(s, mask)
        observe(s, s.current, observation)
    return s.current


@kernel(nogil=False)
def view(z, player, observation):
    """What this player sees."""
    observe(z[()], player, observation)


@kernel(nogil=False)
def tally(z, keys):
    """Points and tie-breakers of every player."""
    score(z[()], keys)


@kernel(nogil=False)
def resample(z, player, seed):
    """Determinize in place."""
    determinize(z[()], player, seed)


# A batch.


class Buffers(NamedTuple):
    """All that a batch is stepped with, made by `Game.new_buffers`; row i of an array belongs to game i.

    Kernels take it whole: what an array is for is said here and nowhere else.
    """

    states: np.ndarray
    """The games."""
    blank: np.ndarray
    """One state with only its players and options filled in: what every deal begins with."""
    seeds: np.ndarray
    """The seed of the next deal."""
    which: np.ndarray
    """Not by game: the games to be stepped."""
    actions: np.ndarray
    """The decision in game which[k] at k; random actions are written here by game."""
    dice: np.ndarray
    """Generators for random actions."""
    reward_kind: int
    """See `coven.games.core.ranking`."""
    keys: np.ndarray
    """Scratch: points and tie-breakers of one game."""
    players: np.ndarray
    """Who decides."""
    masks: np.ndarray
    """What that player may do."""
    observations: np.ndarray
    """What that player sees."""
    rewards: np.ndarray
    """What the last step paid, by seat."""
    ends: np.ndarray
    """What the last step did to the game: 0 nothing, 1 ended by the rules, 2 truncated."""
    final_seats: np.ndarray
    """Who looks back at a game that ended; NOBODY for the one who acted."""
    final_observations: np.ndarray
    """What that seat saw at the end; no rows where nobody wants it."""


@kernel
def deal_batch(states, seeds, blank):
    """Deal every game of a batch; `blank` is a state with only its players and options filled in."""
    for i in range(states.size):
        _deal_again(states, i, seeds, blank)


@kernel
def _deal_again(states, i, seeds, blank):
    """Deal game i with its seed and move the seed on."""
    states[i] = blank[()]
    s = states[i]
    deal(s, s.num_players, seeds[i], s.options)
    seeds[i] = next_seed(seeds[i])


@kernel
def look_batch(states, players, masks, observations):
    """Show every current player its table."""
    for i in range(states.size):
        players[i] = _show(states[i], masks[i], observations[i])


@kernel
def first_illegal(masks, which, actions):
    """The first k for which the mask of game which[k] forbids actions[k], or -1; `which` must rise, and be games."""
    last = -1
    for k in range(actions.size):
        i, action = which[k], actions[k]
        if not last < i < masks.shape[0] or not 0 <= action < masks.shape[1] or not masks[i, action]:
            return k
        last = i
    return -1


@kernel
def step_part(b, first, last):
    """Make the legal decisions `first` to `last`; a finished game pays its rewards and is dealt anew at once."""
    for k in range(first, last):
        i = b.which[k]
        s = b.states[i]
        actor = s.current
        apply(s, b.actions[k])
        b.ends[i] = 0
        b.rewards[i, :] = 0
        if s.current == NOBODY:
            b.ends[i] = 2 if s.truncated else 1
            score(s, b.keys)
            reward(b.keys, s.num_players, b.reward_kind, b.rewards[i])
            if b.final_observations.shape[0]:
                seat = actor if b.final_seats[i] == NOBODY else b.final_seats[i]
                observe(s, seat, b.final_observations[i])
            _deal_again(b.states, i, b.seeds, b.blank)
        b.players[i] = _show(b.states[i], b.masks[i], b.observations[i])


DEAL, STEP, PICK, CHECK_AND_STEP = range(4)  # the jobs; threads share all but the last


@kernel
def do_part(b, job, first, last):
    """Do a job in a part of the batch: deal and look, make decisions, or pick random ones; -1, or what is illegal.

    CHECK_AND_STEP makes all decisions of the part or, if one is not legal, none, and gives the first such; STEP trusts
    that they are. It is one kernel for all jobs, because each that is called from Python is compiled with the rules.
    """
    if job == CHECK_AND_STEP:
        wrong = first_illegal(b.masks, b.which[first:last], b.actions[first:last])
        if wrong >= 0:
            return first + wrong
    if job in (STEP, CHECK_AND_STEP):
        step_part(b, first, last)
    elif job == PICK:
        pick_each(b.dice[first:last], b.masks[first:last], b.actions[first:last])
    else:
        deal_batch(b.states[first:last], b.seeds[first:last], b.blank)
        look_batch(b.states[first:last], b.players[first:last], b.masks[first:last], b.observations[first:last])
    return -1


# Random play.


@kernel(inline=True)
def pick(generator, mask):
    """One of the legal actions of a mask, uniformly."""
    words = mask.view(np.uint64)
    return find(words, below(generator, count(words)))


@kernel
def pick_blindly(observation, mask, generator):
    """In place of a greedy policy that nobody has written: at random."""
    return pick(generator, mask)


@kernel
def avoid(mask, idle):
    """Take the idle actions out of a mask, unless nothing else is left."""
    active = 0
    for i in range(mask.size):
        active += mask[i] & (1 - idle[i])
    if active:
        for i in range(mask.size):
            mask[i] &= 1 - idle[i]


@kernel
def pick_batch(generators, masks, actions):
    """A random legal action for every game."""
    for i in range(actions.size):
        actions[i] = pick(generators[0], masks[i])


@kernel
def pick_each(generators, masks, actions):
    """A random legal action for every game, each with dice of its own."""
    for i in range(actions.size):
        actions[i] = pick(generators[i], masks[i])


@kernel
def play_random(state, seeds, blank, generators, mask, observation, idle, observing, decisions):
    """Play games one after the other until that many decisions are made; the number of games finished.

    Every decision writes the mask and, if `observing`, the observation. Uniform among the legal actions that are not
    `idle` (if there are any).
    """
    games = 0
    avoiding = False
    for i in range(idle.size):
        avoiding |= idle[i] != 0
    _deal_again(state, 0, seeds, blank)
    for _ in range(decisions):
        s = state[0]
        legal(s, mask)
        if observing:
            observe(s, s.current, observation)
        if avoiding:
            avoid(mask, idle)
        apply(s, pick(generators[0], mask))
        if s.current == NOBODY:
            games += 1
            _deal_again(state, 0, seeds, blank)
    return games


@kernel
def legal_each(states, mask):
    """Write the mask of every state, one after the other: for timing."""
    for i in range(states.size):
        legal(states[i], mask)


@kernel
def observe_each(states, observation):
    """Write the observation of every state, one after the other: for timing."""
    for i in range(states.size):
        observe(states[i], states[i].current, observation)
