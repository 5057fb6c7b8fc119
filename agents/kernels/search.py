"""Information-set Monte Carlo tree search, written once over the generic operations.

A tree is an array of nodes, node 0 the root, the children of a node a linked list; `totals[node, seat]` sums the
returns of every seat. A node stands for the actions that led to it, whatever was hidden and whatever the dice said.
Nothing here allocates: all arrays belong to the caller.

A search is guided by rollouts or, if `settings.guided`, by networks: then a child has the prior that the policy gives
its action, children are chosen by PUCT and added one by one in the policy's order, and the value network judges a new
node at once, or after turns that the policy plays on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from coven.agents.kernels.estimate import estimate, margins_of
from coven.agents.kernels.network import Network, remember
from coven.agents.kernels.policy import best as likeliest
from coven.agents.kernels.policy import outputs_for, total_weight, value
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
            ("prior", np.float32),  # how likely the policy took that action when it was added
            ("left", np.float32),  # how likely the policy takes the next action that is no child yet
        ],
    )
)
SETTINGS = np.dtype(
    (
        np.record,
        [
            ("used", np.int64),  # nodes in the tree; not `size`, which without the compiler is numpy's own
            ("exploration", np.float64),  # the constant of UCB1 or PUCT, for returns scaled to 0..1
            ("widening", np.float64),  # a node visited n times has at most 1 + widening * sqrt(n) legal children
            ("margin", np.float64),  # how much the margin in points counts beside the rank, 0 to 1
            ("rollouts", np.float64),  # how many there were
            ("squares", np.float64),  # the sum of their squared margins, over all seats
            ("horizon", np.int64),  # the turns of a rollout, or for which the policy plays on
            ("greedy_order", np.int8),  # are children added in the order of the greedy policy, or at random?
            ("greedy_rollout", np.int8),  # do rollouts follow the greedy policy, or chance?
            ("guided", np.int8),  # are there networks for priors and for what positions are worth?
        ],
    )
)
ROOT, NONE = 0, -1
FIRST_WORLD = np.uint64(1)  # the seed of the world whose observations the networks remember
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
    policy: Network
    """What guides a search; empty arrays where nothing does."""
    value: Network
    """What judges positions: the value network that guides or the estimate; empty where rollouts go to the end."""
    legal: np.ndarray
    logits: np.ndarray
    """Scratch: all legal actions, and what the policy says of them."""
    idle: np.ndarray
    """The actions that random rollouts avoid; empty if there are none."""
    dice: np.ndarray
    """One generator."""


@kernel
def clear(tree):
    """A tree of nothing but its root."""
    settings = tree.settings[0]
    settings.used, settings.rollouts, settings.squares = 0, 0.0, 0.0
    add_node(tree, NONE, 0, 1.0)


@kernel
def search(root, tree, iterations, until_decided):
    """Grow the tree by that many iterations: deal the unknown anew, descend, add a node, play on, tell the path.

    If `until_decided`, it stops as soon as the iterations that are left cannot change the most visited action.
    """
    settings, mask, observation = tree.settings[0], tree.mask, tree.observation
    returns, margins = tree.returns, tree.margins
    if tree.nodes[ROOT].visits == 0:
        remember_root(root, tree)
    for left in range(iterations, 0, -1):
        if until_decided and left % PAUSE == 0 and decided(tree.nodes, left):
            break
        tree.states[0] = root[()]
        s = tree.states[0]
        determinize(s, s.current, next_bits(tree.dice[0]))
        depth = descend(s, tree)
        if settings.guided:
            play_on(s, tree)
        if settings.guided and s.current != NOBODY:
            ask_value(s, tree.value, returns, margins)
        else:
            roll_out(s, settings, mask, observation, tree.idle, tree.dice[0])
            judge(s, observation, tree.keys, tree.value, returns, margins)
        heed_margins(margins, s.num_players, settings, returns)
        back_up(tree.nodes, tree.totals, tree.path, depth, returns, s.num_players)


@kernel
def remember_root(root, tree):
    """Let the networks remember what every seat sees at the root, in a world that the seat on turn can imagine."""
    policy, value = tree.policy, tree.value
    tree.states[0] = root[()]
    s = tree.states[0]
    determinize(s, s.current, FIRST_WORLD)
    for p in range(s.num_players):
        if value.sizes.size:
            observe(s, p, value.observation)
            remember(value.observation, value, p)
        if policy.sizes.size:
            observe(s, p, policy.observation)
            remember(policy.observation, policy, p)


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
def descend(s, tree):
    """Play down the tree to a new node or the end of the game: the length of the path."""
    nodes, path, mask = tree.nodes, tree.path, tree.mask
    node, depth = ROOT, 1
    path[0] = ROOT
    while s.current != NOBODY:
        legal(s, mask)
        known, best, bound = select(tree, node, s.current)
        if may_widen(tree, node, s.current, known, bound):
            action, prior = candidate(s, tree, node)
            best = add_node(tree, node, action, prior)
            apply(s, action)
            path[depth] = best
            return depth + 1
        if best == NONE:
            return depth  # the tree is full
        apply(s, nodes[best].action)
        path[depth] = node = best
        depth += 1
    return depth


@kernel
def select(tree, node, player):
    """How many legal children there are, the best for the player and its upper bound; the mask keeps other actions.

    The bound is UCB1 or, guided, PUCT. A child counts how often it was available: like an arm that comes and goes.
    """
    nodes, mask, settings = tree.nodes, tree.mask, tree.settings[0]
    known, best, best_bound = 0, NONE, -math.inf
    child = nodes[node].child
    while child != NONE:
        n = nodes[child]
        if mask[n.action]:
            mask[n.action] = 0
            known += 1
            n.available += 1
            bound = 0.5 + 0.5 * tree.totals[child, player] / n.visits
            if settings.guided:
                bound += settings.exploration * n.prior * math.sqrt(n.available) / (1 + n.visits)
            else:
                bound += settings.exploration * math.sqrt(math.log(n.available) / n.visits)
            if bound > best_bound:
                best, best_bound = child, bound
        child = n.sibling
    return known, best, best_bound


@kernel
def may_widen(tree, node, player, known, bound):
    """Is there another action, is it worth a try, and is there room?

    Guided, it is if its own bound is higher: it counts as good as the node itself. Else the node's visits decide.
    """
    nodes, settings, n = tree.nodes, tree.settings[0], tree.nodes[node]
    if settings.used == nodes.size:
        return False
    if known and settings.guided:
        mean = 0.5 + 0.5 * tree.totals[node, player] / n.visits
        if mean + settings.exploration * n.left * math.sqrt(n.visits) <= bound:
            return False
    elif known > settings.widening * math.sqrt(n.visits):
        return False
    return count(tree.mask.view(np.uint64)) > 0


@kernel
def candidate(s, tree, node):
    """Which of the actions in the mask the node tries next, and its prior, 1 where nobody guides."""
    settings, mask = tree.settings[0], tree.mask
    if settings.guided:
        return ask_policy(s, tree, node)
    if settings.greedy_order:
        observe(s, s.current, tree.observation)
        return choose(s, tree.observation, mask, tree.dice[0]), 1.0
    return pick(tree.dice[0], mask), 1.0


@kernel
def ask_policy(s, tree, node):
    """The likeliest action in the mask and its prior among all legal ones; the node keeps that of the one behind it."""
    mask, policy, logits = tree.mask, tree.policy, tree.logits
    legal(s, tree.legal)
    observe(s, s.current, policy.observation)
    outputs_for(policy.observation, tree.legal, policy, s.current, logits)
    highest = logits[likeliest(logits, tree.legal)]
    total = total_weight(logits, tree.legal, highest)
    action = likeliest(logits, mask)
    mask[action] = 0
    behind = likeliest(logits, mask)
    tree.nodes[node].left = math.exp(logits[behind] - highest) / total if behind >= 0 else 0.0
    return action, math.exp(logits[action] - highest) / total


@kernel
def play_on(s, tree):
    """The policy plays on, its likeliest actions, for as many turns as the horizon says: this one is the first."""
    mask, policy, logits = tree.legal, tree.policy, tree.logits
    until = s.turn + tree.settings[0].horizon
    while s.current != NOBODY and s.turn < until:
        legal(s, mask)
        if count(mask.view(np.uint64)) > 1:
            observe(s, s.current, policy.observation)
            outputs_for(policy.observation, mask, policy, s.current, logits)
        apply(s, likeliest(logits, mask))


@kernel
def ask_value(s, network, returns, margins):
    """What the value network makes of the position, from the view of every seat; together they win nothing."""
    rank, margin = 0.0, 0.0
    for p in range(s.num_players):
        observe(s, p, network.observation)
        returns[p], margins[p] = value(network.observation, network, p)
        rank += returns[p] / s.num_players
        margin += margins[p] / s.num_players
    for p in range(s.num_players):
        returns[p] -= rank
        margins[p] -= margin


@kernel
def add_node(tree, parent, action, prior):
    """A new child, available now."""
    nodes, totals, settings = tree.nodes, tree.totals, tree.settings[0]
    new = settings.used
    settings.used += 1
    n = nodes[new]
    n.child, n.visits, n.available, n.action, n.sibling = NONE, 0, 1, action, NONE
    n.prior, n.left = prior, 0.0
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
            returns[p], margins[p] = estimate(observation, network, p)


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
