"""What the rules compute for the Witchstone player who decides, each in the phases that need it and 0 elsewhere.

Sizes of groups are questions about a graph, which neither a network nor a person sees at a glance; so are prices of
routes. They come from sets of spaces, locations and connections, as in the rules.
"""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.words import clear, read8, write1, write8
from coven.games.witchstone.cauldron import group_size
from coven.games.witchstone.crystals import movable_crystals
from coven.games.witchstone.energy import connections_to_fill
from coven.games.witchstone.geometry import (
    BESIDE,
    BIT,
    CONNECTION_AT,
    CONNECTION_POINTS,
    CRYSTAL,
    ENERGY,
    EXIT_COST,
    LAY_AT,
    LENGTH,
    LOCATION_AT,
    NUM_CONNECTIONS,
    NUM_LAYS,
    NUM_LOCATIONS,
    NUM_SPACES,
    NUM_SYMBOLS,
    PENTAGRAM,
    WAND,
    WITCH,
    group,
    neighbours,
    only,
    size,
)
from coven.games.witchstone.observation import LARGEST_GROUP, LAYOUT, MOST_SILVER, MOST_STEPS_SHOWN
from coven.games.witchstone.state import (
    ACT,
    DARK,
    HEX,
    HEX_AT,
    LAY,
    LEADER_FACTOR,
    MOVE,
    NO_OWL_POINTS,
    NONE,
    NUM_OWLS,
    NUM_TILES,
    OWL_AT,
    OWLS,
    PAIRS,
    PENTAGRAM_SPACES,
    SILVER,
    SPACE_AMOUNT,
    SPACE_COLOUR,
    SPACE_KIND,
    START,
    TILE,
    TILE_PAIR,
    WAND_END,
)
from coven.games.witchstone.wand import achievement
from coven.games.witchstone.witches import foreign_connections, one_action_further

_START_ACTIONS, _TILE_FIRST, _TILE_SECOND = LAYOUT.starts("start_actions", "tile_first", "tile_second")
_END = np.int64(LAYOUT.size)
_OWL_POINTS, _HEXES_PASSED = LAYOUT.starts("owl_points", "hexes_passed")
_SILVER_POINTS, _DARK_ACTIONS = LAYOUT.starts("silver_points", "dark_actions")
_STAND_PRICE, _EXIT_COST = LAYOUT.starts("stand_price", "exit_cost")
_JOIN_FIRST, _JOIN_SECOND = LAYOUT.starts("join_first", "join_second")
_LAY_FIRST, _LAY_SECOND = LAYOUT.starts("lay_first", "lay_second")
_FINISH_UNITS, _FINISH_POINTS, _FINISH_JOINS = LAYOUT.starts("finish_units", "finish_points", "finish_joins")


# While tiles are compared, the slices behind those of tiles are room for sets: by symbol, one for each size of a group.
LEVELS = min(LARGEST_GROUP, (LAYOUT.size - LAYOUT.start("join_first")) // (8 * NUM_SYMBOLS))
_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def derive(s, player, out):
    """Write the derived part; 0 for who does not decide."""
    phase = s.phase
    if s.current == player and phase == TILE:
        derive_tiles(s, player, out)
    clear(out, _JOIN_FIRST, _END)
    if phase != TILE or s.current != player:
        clear(out, _START_ACTIONS, _JOIN_FIRST)
    if s.current != player:
        return
    if phase == ACT:
        derive_action(s, player, s.item_what[s.running], out)
    elif TILE <= phase <= START:
        derive_pentagram(s, player, out)
        derive_wand(s, player, out)
        if phase == LAY:
            derive_lays(s, player, out)
        elif phase == START:
            derive_start(s, player, out)
    elif phase == HEX:
        derive_joins(s, player, PAIRS[s.hex, 0], out, _JOIN_FIRST)
        derive_joins(s, player, PAIRS[s.hex, 1], out, _JOIN_SECOND)
    elif phase == MOVE:
        derive_exits(s.crystal, out)


@kernel(inline=True)
def derive_action(s, p, symbol, out):
    """What the running action could do."""
    if symbol == ENERGY:
        derive_energy(s, p, out)
    elif symbol == WITCH:
        derive_witches(s, p, out)
    elif symbol == PENTAGRAM:
        derive_pentagram(s, p, out)
    elif symbol == WAND:
        derive_wand(s, p, out)
    elif symbol == CRYSTAL:
        movable = movable_crystals(s, p, s.item_number[s.running])
        for space in range(NUM_SPACES):
            if movable & BIT[space]:
                derive_exits(space, out)


# The cauldron.


@kernel(inline=True)
def derive_joins(s, p, symbol, out, first):
    """The group that a symbol would join on each free space: itself, and the groups beside."""
    free, rest = s.free[p], s.symbol[p, symbol]
    for i in range(NUM_SPACES):
        write1(out, first + i, (free & BIT[i]) != 0)
    while rest:
        together = group(rest, rest & (~rest + _1))
        rest &= ~together
        around, larger = neighbours(together) & free, size(together)
        for i in range(NUM_SPACES):
            if around & BIT[i]:
                out[first + i] += larger


@kernel(inline=True)
def derive_lays(s, p, out):
    """The actions that both halves of the chosen tile would bring, for each place."""
    derive_joins(s, p, PAIRS[s.tile, 0], out, _JOIN_FIRST)
    derive_joins(s, p, PAIRS[s.tile, 1], out, _JOIN_SECOND)
    for lay in range(NUM_LAYS):
        first, second = out[_JOIN_FIRST + LAY_AT[lay, 0]], out[_JOIN_SECOND + LAY_AT[lay, 1]]
        if first and second:  # both spaces are free
            write1(out, _LAY_FIRST + lay, first)
            write1(out, _LAY_SECOND + lay, second)


@kernel(inline=True)
def derive_start(s, p, out):
    """As many actions of each half of the tile as hang together."""
    for symbol in range(NUM_SYMBOLS):
        if s.half_at[symbol] != NONE:
            write1(out, _START_ACTIONS + symbol, group_size(s, p, s.half_at[symbol], symbol))


@kernel(inline=True)
def derive_tiles(s, p, out):
    """For each tile in hand the lay with most actions; what comes behind in the layout is room to work in."""
    clear(out, _START_ACTIONS, _JOIN_FIRST)
    for symbol in range(NUM_SYMBOLS):
        note_levels(s, p, symbol, out, _JOIN_FIRST + symbol * LEVELS * 8)
    for tile in range(NUM_TILES):
        if (s.hand[p] >> tile) & 1:
            pair = TILE_PAIR[tile]
            first = _JOIN_FIRST + np.int64(PAIRS[pair, 0]) * LEVELS * 8
            second = _JOIN_FIRST + np.int64(PAIRS[pair, 1]) * LEVELS * 8
            most, other = best_pair(out, first, second)
            write1(out, _TILE_FIRST + pair, most)
            write1(out, _TILE_SECOND + pair, other)


@kernel(inline=True)
def note_levels(s, p, symbol, out, room):
    """Write sets of spaces as words: where a symbol would join a group of 1 and more, of 2 and more, and so on."""
    free, rest = s.free[p], s.symbol[p, symbol]
    write8(out, room, free)
    for level in range(1, LEVELS):
        write8(out, room + 8 * level, _0)
    while rest:
        together = group(rest, rest & (~rest + _1))
        rest &= ~together
        around, larger = neighbours(together) & free, size(together)
        for level in range(LEVELS - 1, 0, -1):
            before = read8(out, room + 8 * (level - larger)) if level > larger else free
            write8(out, room + 8 * level, read8(out, room + 8 * level) | (around & before))


@kernel(inline=True)
def best_pair(out, first, second):
    """The sizes of the groups that two symbols on neighbouring spaces join, the most in sum, or none."""
    best, best_first, best_second, y = 0, 0, 0, 1
    for x in range(LEVELS, 0, -1):  # the fewer of the first, the more of the second: y only rises
        beside = neighbours(read8(out, first + 8 * (x - 1)))
        if not beside:
            continue
        while y <= LEVELS and beside & read8(out, second + 8 * (y - 1)):
            y += 1
            if x + y - 1 > best:
                best, best_first, best_second = x + y - 1, x, y - 1
    return best_first, best_second


@kernel(inline=True)
def derive_exits(space, out):
    """The actions for a crystal to leave by each symbol."""
    for symbol in range(NUM_SYMBOLS):
        write1(out, _EXIT_COST + symbol * NUM_SPACES + space, EXIT_COST[space, symbol])


# The crystal ball, turned to the own tower.


@kernel(inline=True)
def derive_energy(s, p, out):
    """What finishing each connection that takes a unit takes and brings."""
    fillable, turned, outside = connections_to_fill(s, p), s.tower[p], 0
    for location in range(NUM_LOCATIONS):
        if not (s.joined[p] >> location) & 1:
            outside |= BESIDE[location]
    for i in range(NUM_CONNECTIONS):
        c = CONNECTION_AT[turned, i]
        if (fillable >> c) & 1:
            write1(out, _FINISH_UNITS + i, LENGTH[c] - s.filled[c])
            write1(out, _FINISH_POINTS + i, CONNECTION_POINTS[LENGTH[c]])
            write1(out, _FINISH_JOINS + i, (outside >> c) & 1)


@kernel(inline=True)
def derive_witches(s, p, out):
    """The actions of the cheapest route to each location where none of the player stands."""
    foreign, turned = foreign_connections(s, p), s.tower[p]
    reached, before, price = only(s.tower[p]), 0, 0
    while reached != before:
        fresh = reached & ~before & ~s.standing[p]
        for i in range(NUM_LOCATIONS):
            if (fresh >> LOCATION_AT[turned, i]) & 1:
                write1(out, _STAND_PRICE + i, price)
        before = reached
        reached = one_action_further(s, p, reached, foreign)
        price += 1


# Pentagram and wand.


@kernel(inline=True)
def derive_pentagram(s, p, out):
    """By steps, fewer than once around: the points of the owls and the special hexes that one passes or reaches."""
    space, points, hexes = s.pentagram[p], 0, 0
    for steps in range(MOST_STEPS_SHOWN):
        space = space + 1 if space + 1 < PENTAGRAM_SPACES else 0
        if OWL_AT[space] != NONE:
            owl = s.owls_taken[OWL_AT[space]]
            points += OWLS[owl] if owl < NUM_OWLS else NO_OWL_POINTS
        elif HEX_AT[space] != NONE:
            hexes += 1
        write1(out, _OWL_POINTS + steps, points)
        write1(out, _HEXES_PASSED + steps, hexes)


@kernel(inline=True)
def derive_wand(s, p, out):
    """By steps: the points of silver spaces with what one has now, and the actions of dark ones, twice as leader."""
    ahead = 0
    for q in range(s.num_players):
        ahead = max(ahead, s.wand[q])
    space, points, actions = s.wand[p], 0, 0
    for steps in range(MOST_STEPS_SHOWN):
        if space < WAND_END:
            space += 1
            if SPACE_COLOUR[space] == SILVER:
                points += SPACE_AMOUNT[space] * achievement(s, p, SPACE_KIND[space])
            elif SPACE_COLOUR[space] == DARK:
                actions += SPACE_AMOUNT[space]
        write1(out, _SILVER_POINTS + steps, min(points, MOST_SILVER))
        write1(out, _DARK_ACTIONS + steps, actions * LEADER_FACTOR if space >= ahead else actions)
