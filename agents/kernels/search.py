"""Information-set Monte Carlo tree search, written once over the generic operations.

A tree is an array of nodes, node 0 the root, the children of a node a linked list; `totals[node, seat]` sums the
returns of every seat. A node stands for the actions that led to it, whatever was hidden and whatever the dice said.
Nothing here allocates: all arrays belong to the caller.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from coven.agents.kernels.estimate import estimate, margins_of
from coven.games.core.bits import count
from coven.games.core.drivers import avoid, pick
from coven.games.core.generic import apply, choose, determinize, legal, observe, score
from coven.games.core.kernels import kernel
from coven.games.core.ranking import RANK, reward
from coven.games.core.record import NOBODY
from coven.games.core.rng import next_bits

NODE = np.dtype(
    (
        np.record,
        [
            ("child", np.int32),  # the child added last, or NONE
            ("sibling", np.int32),  # the child of the same parent added before it, or NONE
            ("visits", np.int32),  # iterations that came through
            ("available", np.int32),  # iterations in which it could have been chosen
            ("action", np.int32),  # the action that leads here
        ],
    )
)
SETTINGS = np.dtype(
    (
        np.record,
        [
            ("used", np.int64),  # nodes in the tree; not `size`, which without the compiler is numpy's own
            ("exploration", np.float64),  # the constant of UCB1, for returns scaled to 0..1
            ("widening", np.float64),  # a node visited n times has at most 1 + widening * sqrt(n) legal children
            ("margin", np.float64),  # how much the margin in points counts beside the rank, 0 to 1
            ("rollouts", np.float64),  # how many there were
            ("squares", np.float64),  # the sum of their squared margins, over all seats
            ("horizon", np.int64),  # the turns of a rollout
            ("greedy_order", np.int8),  # are children added in the order of the greedy policy, or at random?
            ("greedy_rollout", np.int8),  # do rollouts follow the greedy policy, or chance?
        ],
    )
)
ROOT, NONE = 0, -1
PAUSE = 16  # iterations between two looks at whether the choice is decided


class Tree(NamedTuple):
    """A tree and all that growing it needs: kernels take it whole."""

    nodes: np.ndarray
    """NODE records; the first `settings.used` of them are in the tree."""
    totals: np.ndarray
    """The sum of the returns of every seat, by node."""
    settings: np.ndarray
    """One SETTINGS record."""
    path: np.ndarray
    """Scratch: the nodes of an iteration."""
    states: np.ndarray
    """Scratch: the one state that an iteration plays."""
    mask: np.ndarray
    observation: np.ndarray
    keys: np.ndarray
    returns: np.ndarray
    margins: np.ndarray
    """Scratch: what the present state shows and, at the end of a rollout, is worth to every seat."""
    network: tuple[np.ndarray, ...]
    """What estimates positions; empty arrays where rollouts go to the end."""
    idle: np.ndarray
    """The actions that random rollouts avoid; empty if there are none."""
    dice: np.ndarray
    """One generator."""


@kernel
def clear(tree):
    """A tree of nothing but its root."""
    settings = tree.settings[0]
    settings.used, settings.rollouts, settings.squares = 0, 0.0, 0.0
    add_node(tree.nodes, tree.totals, settings, NONE, 0)


@kernel
def search(root, tree, iterations, until_decided):
    """Grow the tree by that many iterations: deal the unknown anew, descend, add a node, play on, tell the path.

    If `until_decided`, it stops as soon as the iterations that are left cannot change the most visited action.
    """
    nodes, totals, settings, dice = tree.nodes, tree.totals, tree.settings[0], tree.dice[0]
    path, mask, observation, returns, margins = tree.path, tree.mask, tree.observation, tree.returns, tree.margins
    for left in range(iterations, 0, -1):
        if until_decided and left % PAUSE == 0 and decided(nodes, left):
            break
        tree.states[0] = root[()]
        s = tree.states[0]
        determinize(s, s.current, next_bits(dice))
        depth = descend(s, nodes, totals, settings, path, mask, observation, dice)
        roll_out(s, settings, mask, observation, tree.idle, dice)
        judge(s, observation, tree.keys, tree.network, returns, margins)
        heed_margins(margins, s.num_players, settings, returns)
        back_up(nodes, totals, path, depth, returns, s.num_players)


@kernel
def decided(nodes, left):
    """Is one action of the root further ahead of the others than there are iterations left?"""
    most, second = 0, 0
    child = nodes[ROOT].child
    while child != NONE:
        visits = nodes[child].visits
        if visits > most:
            most, second = visits, most
        elif visits > second:
            second = visits
        child = nodes[child].sibling
    return most > second + left


@kernel
def descend(s, nodes, totals, settings, path, mask, observation, generator):
    """Play down the tree to a new node or the end of the game: the length of the path."""
    node, depth = ROOT, 1
    path[0] = ROOT
    while s.current != NOBODY:
        legal(s, mask)
        known, best = select(nodes, totals, node, s.current, mask, settings.exploration)
        if may_widen(nodes, node, known, mask, settings):
            best = add_node(nodes, totals, settings, node, candidate(s, mask, observation, settings, generator))
            apply(s, nodes[best].action)
            path[depth] = best
            return depth + 1
        if best == NONE:
            return depth  # the tree is full
        apply(s, nodes[best].action)
        path[depth] = node = best
        depth += 1
    return depth


@kernel
def select(nodes, totals, node, player, mask, exploration):
    """How many legal children there are, and the best for the player by UCB1; the mask is left with the other actions.

    A child counts how often it was available, as in a bandit whose arms come and go.
    """
    known, best, best_bound = 0, NONE, -math.inf
    child = nodes[node].child
    while child != NONE:
        n = nodes[child]
        if mask[n.action]:
            mask[n.action] = 0
            known += 1
            n.available += 1
            mean = 0.5 + 0.5 * totals[child, player] / n.visits
            bound = mean + exploration * math.sqrt(math.log(n.available) / n.visits)
            if bound > best_bound:
                best, best_bound = child, bound
        child = n.sibling
    return known, best


@kernel
def may_widen(nodes, node, known, mask, settings):
    """Is there another action, has the node been visited often enough for it, and is there room?"""
    if settings.used == nodes.size or known > settings.widening * math.sqrt(nodes[node].visits):
        return False
    return count(mask.view(np.uint64)) > 0


@kernel
def candidate(s, mask, observation, settings, generator):
    """Which of the actions in the mask the node tries next."""
    if settings.greedy_order:
        observe(s, s.current, observation)
        return choose(s, observation, mask, generator)
    return pick(generator, mask)


@kernel
def add_node(nodes, totals, settings, parent, action):
    """A new child, available now."""
    new = settings.used
    settings.used += 1
    n = nodes[new]
    n.child, n.visits, n.available, n.action, n.sibling = NONE, 0, 1, action, NONE
    for p in range(totals.shape[1]):
        totals[new, p] = 0.0
    if parent != NONE:
        n.sibling = nodes[parent].child
        nodes[parent].child = new
    return new


@kernel
def roll_out(s, settings, mask, observation, idle, generator):
    """Play on to the end, or for as many turns as the horizon says: this one is the first."""
    until = s.turn + settings.horizon
    while s.current != NOBODY and s.turn < until:
        legal(s, mask)
        if settings.greedy_rollout:
            observe(s, s.current, observation)
            action = choose(s, observation, mask, generator)
        else:
            if idle.size:
                avoid(mask, idle)
            action = pick(generator, mask)
        apply(s, action)


@kernel
def judge(s, observation, keys, network, returns, margins):
    """The returns by rank and the margins in points of all seats: those of the finished game, or estimates."""
    if s.current == NOBODY:
        score(s, keys)
        reward(keys, s.num_players, RANK, returns)
        margins_of(keys, s.num_players, margins)
    else:
        for p in range(s.num_players):
            observe(s, p, observation)
            returns[p], margins[p] = estimate(observation, network)


@kernel
def heed_margins(margins, num_players, settings, returns):
    """Let the margin over the mean of the others count beside the rank.

    Most decisions move the points far more surely than they move the rank. Margins are measured by what is usual in
    this search (their root mean square) and squeezed into -1..1, so that a narrow win still counts for much.
    """
    if settings.margin == 0:
        return
    settings.rollouts += num_players
    for p in range(num_players):
        settings.squares += margins[p] * margins[p]
    usual = math.sqrt(settings.squares / settings.rollouts)
    for p in range(num_players):
        squeezed = margins[p] / (usual + abs(margins[p])) if margins[p] != 0 else 0.0
        returns[p] += settings.margin * (squeezed - returns[p])


@kernel
def back_up(nodes, totals, path, depth, returns, num_players):
    """Max^n: every node on the path gets the returns of every seat; each player looks at its own."""
    for i in range(depth):
        nodes[path[i]].visits += 1
        for p in range(num_players):
            totals[path[i], p] += returns[p]


@kernel
def count_visits(nodes, totals, player, visits, values):
    """Add the visits of the root's children, and their returns for a player, to arrays by action."""
    child = nodes[ROOT].child
    while child != NONE:
        visits[nodes[child].action] += nodes[child].visits
        values[nodes[child].action] += totals[child, player]
        child = nodes[child].sibling
