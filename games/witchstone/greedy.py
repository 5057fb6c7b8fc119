"""Greedy Witchstone: every action type has a price in points for an action, and what brings most of it is done.

The tile and its place are chosen for the actions they start: so many of each symbol as hang together, at its price, and
a little for free spaces around, where the groups can grow. Pentagram and wand are counted by what the steps really pass
(owls, special hexes; silver spaces with what one has, dark ones doubled for the leader), and scrolls by the best one in
reach. Energy goes into long connections and to new places; witches are laid and stood up one by one, first where chips
or places at the Witchstone wait. Crystals leave by the nearest exit, of several by the one that brings most, for a chip
or for actions, whatever is worth more. Special hexes are placed early, where they enlarge groups for all turns to come,
and used late. Whatever waits is used before an action is stopped, spells are cast when they bring more than the points
they are worth unused, and crystals are never spoiled as long as there is anything else to do.
"""

from __future__ import annotations

import math

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.rng import below
from coven.games.core.words import seen
from coven.games.witchstone.geometry import (
    BIT,
    CONNECTION_POINTS,
    CRYSTAL,
    ENDS,
    ENERGY,
    EXIT_COST,
    LAY_AT,
    LAY_BITS,
    LENGTH,
    NUM_CONNECTIONS,
    NUM_LAYS,
    NUM_SPACES,
    NUM_SYMBOLS,
    NUM_TOWERS,
    PENTAGRAM,
    PRINTED,
    STONE,
    SYMMETRIC,
    WAND,
    WITCH,
    group,
    neighbours,
    size,
)
from coven.games.witchstone.observation import LAYOUT
from coven.games.witchstone.state import (
    BLACK_MORE,
    BOTTOM,
    CHIP_END_POINTS,
    CHIP_POINTS,
    CHIPS_SILVER,
    CONNECTIONS_SILVER,
    CRYSTALS_SILVER,
    DARK,
    DISPLAY,
    DO_ADVANCE,
    DO_CHIP,
    DO_CHOOSE,
    DO_CRYSTAL,
    DO_DISCARD,
    DO_ENERGY,
    DO_EXIT,
    DO_HEX,
    DO_LAY,
    DO_LAY_WITCH,
    DO_PLACE,
    DO_RACK,
    DO_SCROLL,
    DO_SPELL,
    DO_SPOIL,
    DO_STAND,
    DO_START,
    DO_STOP,
    DO_TILE,
    DO_TO,
    DO_USE,
    DO_USE_CHIP,
    DO_USE_VIAL,
    FIRST_OTHER,
    FIRST_VISIT,
    HEX_ACTIONS,
    HEX_AT,
    LEADER_FACTOR,
    MOST_PLAYERS,
    NO_OWL_POINTS,
    NUM_CHIP_KINDS,
    NUM_OWLS,
    NUM_PAIRS,
    NUM_SCROLL_KINDS,
    NUM_SPELLS,
    OTHER_CHIPS,
    OTHER_CRYSTALS,
    OTHER_SCROLLS,
    OTHER_SPECIALS,
    OTHER_WITCHES,
    OTHERS,
    OWL_AT,
    OWLS,
    PAIRS,
    PENTAGRAM_SPACES,
    POINTS,
    PROPHECY_POINTS,
    PROPHECY_WHAT,
    SCROLLS_SILVER,
    SILVER,
    SINGLE,
    SMALL_WITCHES,
    SPACE_AMOUNT,
    SPACE_COLOUR,
    SPACE_KIND,
    SPECIALS_SILVER,
    SPELL_ACTIONS,
    STAND_POINTS,
    STONE_PLACES,
    THRESHOLDS,
    TURNS,
    UNUSED_SPELL_POINTS,
    VIAL_ACTIONS,
    WAND_END,
    WITCHES_SILVER,
)


def _at(*names: str) -> tuple[np.int64, ...]:
    """Where slices begin, as numbers that an int8 can be added to without Numba, too."""
    return tuple(np.int64(LAYOUT.start(name)) for name in names)


_NUM_PLAYERS, _ROUND, _RUNNING = _at("num_players", "round", "running")
_ACTIONS, _CHIP_WAITS, _VIAL_WAITS = _at("actions", "chip_waits", "vial_waits")
_SECOND, _CRYSTAL, _EXIT = _at("second", "crystal", "exit")
_BLACK, _HEX, _TILE = _at("black", "hex", "tile")
_CHIP_AT, _STONE, _OWLS_LEFT = _at("chip_at", "stone", "owls_left")
_DISPLAY, _TABLE_CHIPS, _SHELF_ROOM = _at("display", "table_chips", "shelf_room")
_CAULDRON, _GROUP, _UNITS = _at("cauldron", "group", "units")
_ENERGY, _LYING, _RESERVE = _at("energy", "lying", "reserve")
_WAND, _PENTAGRAM, _CHIPS = _at("wand", "pentagram", "chips")
_HEXES, _SCROLLS, _RACKED = _at("hexes", "scrolls", "racked")
_TOWER = _NUM_PLAYERS if SYMMETRIC else _at("tower")[0]  # in a net with symmetry the own tower is number 0
_NUM_PLANES = LAYOUT["cauldron"].size // NUM_SPACES

# The rules of thumb, in points, found by playing variants against each other.
_UNIT = 2.2  # an energy action
_WITCH_ACTION = 1.8  # a witch action
_STEP = 0.41  # a step on the pentagram, besides
_PASSED = 0.49  # of what it passes
_CRYSTAL_ACTION = 2.1  # a crystal action
_WAND_STEP = 0.78  # a step on the wand, besides
_CROSSED = 0.72  # of what it crosses
_ANY_ACTION = 1.8  # an action of a dark space
_SPECIAL_HEX = 9.1  # a special hex
_SPELL = 3.2  # a spell for two actions
_SINGLE = 1.6  # a spell for one
_PROPHECY = 4.5  # a prophecy that one cannot yet tell anything of
_GOING_ON = 1.8  # how much of what was collected so far is collected again in as many rounds
_GROWTH = 4.7  # in how many rounds a group grows by one
_ROOM = 0.07  # a free space around a group
_FUTURE = 0.32  # an action more of a symbol in every round to come
_JOIN = 1.8  # a connection to a location not joined before
_FAR = 1.34  # a location that is not joined, for a witch
_LAY_WITCH = 4.1  # to lay a witch
_MOVED = 11.5  # a crystal action, when exits are compared

_OTHER_ACHIEVEMENT = np.full(len(OTHERS), -1)  # what a silver space would count for a prophecy
_OTHER_ACHIEVEMENT[OTHER_WITCHES], _OTHER_ACHIEVEMENT[OTHER_SPECIALS] = WITCHES_SILVER, SPECIALS_SILVER
_OTHER_ACHIEVEMENT[OTHER_SCROLLS], _OTHER_ACHIEVEMENT[OTHER_CHIPS] = SCROLLS_SILVER, CHIPS_SILVER
_OTHER_ACHIEVEMENT[OTHER_CRYSTALS] = CRYSTALS_SILVER
_UNFINISHED = 0.1  # a unit that comes to nothing
_FIRST = 50.0  # done before everything else of the same decision
_NEVER = -50.0  # done only if there is nothing else


@kernel
def choose(observation, mask, generator):
    """The action that brings most, ties by lot."""
    best, most, level = -1, -math.inf, 0
    for action in range(mask.size):
        if mask[action]:
            gain = rate(observation, action)
            if gain > most:
                best, most, level = action, gain, 1
            elif gain == most:
                level += 1
                if below(generator, level) == 0:
                    best = action
    return best


@kernel
def rate(observation, action):
    """What an action brings, compared with the other actions of the same decision."""
    if action >= DO_SPOIL:
        return _NEVER
    if action == DO_STOP:
        return 0.0
    if action < DO_ENERGY:
        return rate_turn(observation, action)
    if action < DO_USE_CHIP:
        return rate_act(observation, action)
    if action < DO_STOP:
        return rate_bonus(observation, action)
    return rate_second_half(observation, action)


@kernel
def rate_turn(observation, action):
    """Towers, tiles, where they lie, and which symbol starts."""
    if action < DO_TILE:
        return chip_value_at(observation, action)
    if action < DO_DISCARD:
        return best_lay(observation, action - DO_TILE)
    if action < DO_LAY:
        return 0.0
    if action < DO_START:
        return lay_value(observation, chosen(observation, _TILE, NUM_PAIRS), action - DO_LAY)
    symbol = action - DO_START
    return 1.0 if symbol == PENTAGRAM else -1.0 if symbol == WAND else 0.0


@kernel
def rate_act(observation, action):
    """To go on with the running action."""
    if action < DO_LAY_WITCH:
        return rate_energy(observation, action - DO_ENERGY)
    if action < DO_STAND:
        return _LAY_WITCH
    if action < DO_ADVANCE:
        return rate_stand(observation, action - DO_STAND)
    if action < DO_CRYSTAL:
        return 1.0
    if action < DO_SCROLL:
        return rate_crystal(observation, action - DO_CRYSTAL)
    return scroll_value(observation, action - DO_SCROLL)


@kernel
def rate_bonus(observation, action):
    """To use what waits, or to cast a spell."""
    if action < DO_USE_VIAL:
        symbol = action - DO_USE_CHIP
        return value(observation, symbol, seen(observation, _CHIP_WAITS + symbol))
    if action < DO_HEX:
        symbol = action - DO_USE_VIAL
        return value(observation, symbol, seen(observation, _VIAL_WAITS + symbol))
    if action < DO_CHOOSE:
        return _SPECIAL_HEX
    if action < DO_SPELL:
        return value(observation, action - DO_CHOOSE, HEX_ACTIONS)
    return rate_spell(observation, action - DO_SPELL)


@kernel
def rate_second_half(observation, action):
    """The second half of a decision: crystals, racks, chips and special hexes."""
    if action < DO_EXIT:
        return -nearest_exit(action - DO_TO)
    if action < DO_RACK:
        return _FIRST + exit_gain(observation, chosen(observation, _CRYSTAL, NUM_SPACES), action - DO_EXIT)
    if action < DO_CHIP:
        return rate_rack(observation, action - DO_RACK)
    if action < DO_USE:
        return chip_value(observation, action - DO_CHIP, seen(observation, _BLACK))
    if action < DO_PLACE:
        return value(observation, action - DO_USE, HEX_ACTIONS)
    return place_value(observation, action - DO_PLACE, chosen(observation, _HEX, NUM_PAIRS))


@kernel
def chosen(observation, first, count):
    """Which one of so many is marked."""
    for i in range(count):
        if seen(observation, first + i):
            return i
    return 0


# The price of actions.


@kernel
def value(observation, symbol, number):
    """What so many actions of a type are worth now."""
    if number == 0:
        return 0.0
    if symbol == ENERGY:
        return _UNIT * min(number, seen(observation, _ENERGY))
    if symbol == WITCH:
        return _WITCH_ACTION * min(number, 2 * seen(observation, _RESERVE) + seen(observation, _LYING))
    if symbol == PENTAGRAM:
        return _STEP * number + _PASSED * passed_on_pentagram(observation, number)
    if symbol == CRYSTAL:
        return _CRYSTAL_ACTION * number if crystals_left(observation) else 0.0
    if symbol == WAND:
        steps = min(number, WAND_END - seen(observation, _WAND))
        return _WAND_STEP * steps + _CROSSED * crossed_on_wand(observation, steps)
    best = 0.0
    for i in range(min(number, DISPLAY)):
        best = max(best, scroll_value(observation, i))
    return best


@kernel
def rounds_left(observation):
    """Rounds after this one."""
    return TURNS - max(1, seen(observation, _ROUND))


@kernel
def crystals_left(observation):
    """Is there a crystal in the own cauldron?"""
    for i in range(NUM_SPACES):
        at = _CAULDRON + i * _NUM_PLANES + NUM_SYMBOLS
        if seen(observation, at) or seen(observation, at + 1):
            return True
    return False


@kernel
def passed_on_pentagram(observation, number):
    """The owls and special hexes that so many steps bring."""
    total, space = 0.0, seen(observation, _PENTAGRAM)
    for _ in range(number):
        space = space + 1 if space + 1 < PENTAGRAM_SPACES else 0
        if HEX_AT[space] >= 0:
            total += _SPECIAL_HEX
        elif OWL_AT[space] >= 0:
            left = seen(observation, _OWLS_LEFT + OWL_AT[space])
            total += OWLS[NUM_OWLS - left] if left else NO_OWL_POINTS
    return total


@kernel
def crossed_on_wand(observation, steps):
    """What the silver and dark spaces of so many steps bring."""
    ahead = 0
    for seat in range(1, seen(observation, _NUM_PLAYERS)):
        ahead = max(ahead, seen(observation, _WAND + seat))
    space = seen(observation, _WAND)
    factor = LEADER_FACTOR if space + steps >= ahead else 1
    total = 0.0
    for _ in range(steps):
        space += 1
        if SPACE_COLOUR[space] == SILVER:
            total += SPACE_AMOUNT[space] * achievement(observation, SPACE_KIND[space])
        elif SPACE_COLOUR[space] == DARK:
            total += SPACE_AMOUNT[space] * factor * _ANY_ACTION
    return total


@kernel
def achievement(observation, kind):
    """How many one has of what a silver space scores."""
    if kind == CONNECTIONS_SILVER:
        total = 0
        for c in range(NUM_CONNECTIONS):
            total += seen(observation, _UNITS + c) == LENGTH[c]
        return total
    if kind == SCROLLS_SILVER:
        return seen(observation, _SCROLLS)
    if kind == WITCHES_SILVER:
        return np.int64(SMALL_WITCHES - seen(observation, _RESERVE) + 1)
    if kind == CRYSTALS_SILVER:
        return seen(observation, _RACKED)
    if kind == CHIPS_SILVER:
        return seen(observation, _CHIPS)
    return seen(observation, _HEXES)


@kernel
def scroll_value(observation, position):
    """A scroll on display: a spell or a prophecy."""
    scroll = chosen(observation, _DISPLAY + position * NUM_SCROLL_KINDS, NUM_SCROLL_KINDS)
    if not seen(observation, _DISPLAY + position * NUM_SCROLL_KINDS + scroll):
        return 0.0
    if scroll == SINGLE:
        return _SINGLE
    if scroll < NUM_SPELLS:
        return _SPELL
    return prophecy_value(observation, scroll - NUM_SPELLS)


@kernel
def prophecy_value(observation, prophecy):
    """The points of a prophecy if all goes on as before; those of witches and connections at places cannot be told."""
    what = PROPHECY_WHAT[prophecy]
    if prophecy < FIRST_OTHER:
        expected = seen(observation, _GROUP + what) + rounds_left(observation) / _GROWTH
    elif prophecy < FIRST_VISIT and _OTHER_ACHIEVEMENT[what] >= 0:
        so_far = achievement(observation, _OTHER_ACHIEVEMENT[what])
        expected = so_far * (1.0 + _GOING_ON * rounds_left(observation) / max(1, seen(observation, _ROUND)))
    else:
        return _PROPHECY
    steps = 0
    for threshold in THRESHOLDS[prophecy]:
        steps += expected >= threshold
    return float(PROPHECY_POINTS[steps])


@kernel
def chip_value(observation, chip, black):
    """A chip: its points at the end, and its action or points."""
    if chip == POINTS:
        return float(CHIP_END_POINTS + CHIP_POINTS + black * BLACK_MORE)
    return CHIP_END_POINTS + value(observation, chip, 1 + black * BLACK_MORE)


@kernel
def chip_value_at(observation, location):
    """The chip on a location, if there is one."""
    at = _CHIP_AT + location * NUM_CHIP_KINDS
    chip = chosen(observation, at, NUM_CHIP_KINDS)
    return chip_value(observation, chip, 0) if seen(observation, at + chip) else 0.0


# The cauldron.


@kernel
def own_symbols(observation, symbol):
    """Where a symbol is in the own cauldron, as a set of spaces."""
    spaces = PRINTED[symbol]
    for i in range(NUM_SPACES):
        if seen(observation, _CAULDRON + i * _NUM_PLANES + symbol):
            spaces |= BIT[i]
    return spaces


@kernel
def is_free(observation, space):
    """Is nothing on a space of the own cauldron?"""
    for plane in range(_NUM_PLANES):
        if seen(observation, _CAULDRON + space * _NUM_PLANES + plane):
            return False
    return True


@kernel
def free_spaces(observation):
    """All free spaces of the own cauldron."""
    spaces = np.uint64(0)
    for i in range(NUM_SPACES):
        if is_free(observation, i):
            spaces |= BIT[i]
    return spaces


@kernel
def best_lay(observation, tile):
    """The best place for a tile."""
    free = free_spaces(observation)
    first, second = own_symbols(observation, PAIRS[tile, 0]), own_symbols(observation, PAIRS[tile, 1])
    best = -math.inf
    for lay in range(NUM_LAYS):
        if free & LAY_BITS[lay] == LAY_BITS[lay]:
            best = max(best, pair_value(observation, tile, lay, free, first, second))
    return best


@kernel
def lay_value(observation, tile, lay):
    """What a tile brings in one place."""
    first, second = own_symbols(observation, PAIRS[tile, 0]), own_symbols(observation, PAIRS[tile, 1])
    return pair_value(observation, tile, lay, free_spaces(observation), first, second)


@kernel
def pair_value(observation, tile, lay, free, first, second):
    """The actions that both halves of a tile start, and the room that is left around their groups."""
    rest = free & ~LAY_BITS[lay]
    return half_value(observation, PAIRS[tile, 0], first, BIT[LAY_AT[lay, 0]], rest) + half_value(
        observation, PAIRS[tile, 1], second, BIT[LAY_AT[lay, 1]], rest
    )


@kernel
def half_value(observation, symbol, spaces, at, free):
    """The actions of one half, and the room around its group."""
    joined = group(spaces | at, at)
    room = _ROOM * size(neighbours(joined) & free) if seen(observation, _ROUND) < TURNS else 0.0
    return value(observation, symbol, size(joined)) + room


@kernel
def place_value(observation, space, tile):
    """What a special hex placed there adds to the actions of its symbols in the rounds to come."""
    total = 0.0
    for symbol in PAIRS[tile]:
        larger = size(group(own_symbols(observation, symbol) | BIT[space], BIT[space]))
        gain = max(0, larger - seen(observation, _GROUP + symbol))
        total += gain * _FUTURE * (rounds_left(observation) + 2 * seen(observation, _SECOND + symbol))
    return total


# The crystal ball.


@kernel
def joined_locations(observation):
    """The locations joined to the own tower by own connections, as a set."""
    joined, before = 1 << (0 if SYMMETRIC else chosen(observation, _TOWER, NUM_TOWERS)), 0
    while joined != before:
        before = joined
        for c in range(NUM_CONNECTIONS):
            if seen(observation, _UNITS + c) == LENGTH[c] and ENDS[c] & joined:
                joined |= ENDS[c]
    return joined


@kernel
def rate_energy(observation, connection):
    """The points of a connection for a unit, and a new location; in the last round only what can still be finished."""
    length, units = LENGTH[connection], seen(observation, _UNITS + connection)
    rate = CONNECTION_POINTS[length] / length
    if rounds_left(observation) == 0:
        return rate if seen(observation, _ACTIONS) + units >= length else _UNFINISHED
    if ENDS[connection] & ~joined_locations(observation) and not units:
        rate += _JOIN / length
    return rate


@kernel
def rate_stand(observation, location):
    """The points, the chip, the place at the Witchstone, less the way."""
    far = 0.0 if joined_locations(observation) >> location & 1 else _FAR
    if location != STONE:
        return _LAY_WITCH + STAND_POINTS + chip_value_at(observation, location) - far
    place = 0
    for seat in range(MOST_PLAYERS):
        for i in range(MOST_PLAYERS):
            place += seen(observation, _STONE + seat * MOST_PLAYERS + i)
    return _LAY_WITCH + STAND_POINTS + STONE_PLACES[place] - far


# Crystals.


@kernel
def nearest_exit(space):
    """The actions to leave from a space by the nearest exit."""
    nearest = EXIT_COST[space, 0]
    for symbol in range(1, NUM_SYMBOLS):
        nearest = min(nearest, EXIT_COST[space, symbol])
    return nearest


@kernel
def exit_gain(observation, space, symbol):
    """What it brings to leave there, less the actions."""
    black = seen(observation, _CAULDRON + space * _NUM_PLANES + NUM_SYMBOLS + 1)
    gain = 0.0
    if seen(observation, _SHELF_ROOM + symbol):
        gain = value(observation, symbol, VIAL_ACTIONS + black * BLACK_MORE)
    if seen(observation, _SHELF_ROOM + BOTTOM):
        gain = max(gain, best_chip(observation, black))
    return gain - _MOVED * EXIT_COST[space, symbol]


@kernel
def best_chip(observation, black):
    """The best chip on the table."""
    best = 0.0
    for chip in range(NUM_CHIP_KINDS):
        if seen(observation, _TABLE_CHIPS + chip):
            best = max(best, chip_value(observation, chip, black))
    return best


@kernel
def rate_crystal(observation, space):
    """A crystal that can leave by the best of its exits; else the one that is nearest to one."""
    best = -math.inf
    for symbol in range(NUM_SYMBOLS):
        if EXIT_COST[space, symbol] <= seen(observation, _ACTIONS):
            best = max(best, exit_gain(observation, space, symbol))
    if best > -math.inf:
        return 1.0 + max(0.0, best)
    return 1.0 / (1.0 + nearest_exit(space))


@kernel
def rate_rack(observation, bottom):
    """The shelf for its actions, or the bottom one for a chip."""
    if bottom:
        return best_chip(observation, seen(observation, _BLACK))
    exit_symbol = chosen(observation, _EXIT, NUM_SYMBOLS)
    return value(observation, exit_symbol, VIAL_ACTIONS + seen(observation, _BLACK) * BLACK_MORE)


# Spells.


@kernel
def rate_spell(observation, spell):
    """What a spell adds to the running action beyond its points unused."""
    symbol, number = chosen(observation, _RUNNING, NUM_SYMBOLS), seen(observation, _ACTIONS)
    more = value(observation, symbol, number + SPELL_ACTIONS[spell]) - value(observation, symbol, number)
    return _FIRST + more if more > UNUSED_SPELL_POINTS else _NEVER
