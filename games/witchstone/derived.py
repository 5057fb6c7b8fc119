"""What the rules compute for the Witchstone player who decides, each in the phases that need it and 0 elsewhere.

Sizes of groups are questions about a graph, which neither a network nor a person sees at a glance; so are prices of
routes. They come from sets of spaces, locations and connections, as in the rules.
"""

from __future__ import annotations

import numpy as np

from coven.games.core.bits import EIGHT
from coven.games.core.kernels import kernel
from coven.games.core.words import clear, copy, copy_turned, pairs_writer, read8, write1, write8
from coven.games.witchstone.cauldron import group_size
from coven.games.witchstone.crystals import movable_crystals
from coven.games.witchstone.energy import connections_to_fill
from coven.games.witchstone.geometry import (
    BIT,
    CONNECTION_AT,
    CONNECTION_POINTS,
    CRYSTAL,
    ENDS,
    ENERGY,
    EXIT_COST,
    LAYS,
    LENGTH,
    LOCATION_AT,
    NUM_CONNECTIONS,
    NUM_LOCATIONS,
    NUM_SPACES,
    NUM_SYMBOLS,
    PENTAGRAM,
    STONE,
    WAND,
    WITCH,
    group,
    neighbours,
    only,
    size,
    steps_from,
)
from coven.games.witchstone.observation import IN_FOURS, LARGEST_GROUP, LAYOUT, MOST_SILVER, MOST_STEPS_SHOWN, turn_set
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
    NUM_OWL_SPACES,
    NUM_OWLS,
    NUM_TILES,
    OWL_AT,
    OWLS,
    PAIRS,
    PENTAGRAM_SPACES,
    SILVER,
    SILVER_KINDS,
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
_1, _2, _3, _4, _BYTE = (np.uint64(n) for n in (1, 2, 3, 4, 255))

NUM_SILVER_KINDS = len(SILVER_KINDS)

# Spaces are counted as their bits rise. Runs of them: the set of their bits when shifted down by so much.
_DOWN = [int(bit).bit_length() - 1 - i for i, bit in enumerate(BIT)]
_RUN_SHIFTS = np.array(sorted(set(_DOWN)), np.uint64)
_RUN_BITS = np.array([sum(1 << i for i, down in enumerate(_DOWN) if down == shift) for shift in sorted(set(_DOWN))])
_RUN_BITS = _RUN_BITS.astype(np.uint64)
_write_lays = pairs_writer(LAYS)
# By connection: the points for it, and 1.
_FINISHED_POINTS, _FLAGS = CONNECTION_POINTS[LENGTH], np.ones(NUM_CONNECTIONS, np.int8)
_EXIT_ROWS = np.zeros((NUM_SYMBOLS, 32), np.int8)  # the actions to leave by each symbol, by space
_EXIT_ROWS[:, :NUM_SPACES] = EXIT_COST.T

# By space on pentagram or wand, a byte for each number of steps, as two words of which the second may overlap: how
# often each owl stack is passed, what silver spaces of each kind amount to, and dark ones; and the hexes passed.
_LAST_WORD = MOST_STEPS_SHOWN - 8
_OWL_STEPS, _HEX_STEPS, _SILVER_STEPS, _DARK_STEPS = (
    np.zeros((spaces, kinds, MOST_STEPS_SHOWN), np.uint8)
    for spaces, kinds in (
        (PENTAGRAM_SPACES, NUM_OWL_SPACES),
        (PENTAGRAM_SPACES, 1),
        (WAND_END + 1, NUM_SILVER_KINDS),
        (WAND_END + 1, 1),
    )
)
for _start in range(PENTAGRAM_SPACES):
    for _step in range(MOST_STEPS_SHOWN):
        _space = (_start + 1 + _step) % PENTAGRAM_SPACES
        if OWL_AT[_space] != NONE:
            _OWL_STEPS[_start, OWL_AT[_space], _step:] += 1
        elif HEX_AT[_space] != NONE:
            _HEX_STEPS[_start, 0, _step:] += 1
for _start in range(WAND_END):
    for _step, _space in enumerate(range(_start + 1, min(_start + MOST_STEPS_SHOWN, WAND_END) + 1)):
        if SPACE_COLOUR[_space] == SILVER:
            _SILVER_STEPS[_start, SPACE_KIND[_space], _step:] += np.uint8(SPACE_AMOUNT[_space])
        elif SPACE_COLOUR[_space] == DARK:
            _DARK_STEPS[_start, 0, _step:] += np.uint8(SPACE_AMOUNT[_space])
# By how many spaces somebody is ahead on the wand: the steps that are enough to be level, with all bits of the bytes.
_LEVEL_STEPS = np.array(
    [[255 * (step + 1 >= lag) for step in range(MOST_STEPS_SHOWN)] for lag in range(WAND_END + 1)], np.uint8
)


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
        movable = by_space(movable_crystals(s, p, s.item_number[s.running]))
        for exit in range(NUM_SYMBOLS):
            copy_turned(_EXIT_ROWS[exit], movable, 0, out, _EXIT_COST + exit * NUM_SPACES)


# The cauldron.


@kernel(inline=True)
def by_space(bits):
    """A set of spaces of the board as a set of their numbers."""
    numbers = np.uint64(0)
    for run in range(_RUN_SHIFTS.size):
        numbers |= (bits >> _RUN_SHIFTS[run]) & _RUN_BITS[run]
    return numbers


@kernel(inline=True)
def derive_joins(s, p, symbol, out, first):
    """The group that a symbol would join on each free space: itself, and the groups beside.

    In whole words: what comes next in the layout may become 0.
    """
    free, rest = s.free[p], s.symbol[p, symbol]
    spaces = by_space(free)
    for k in range(0, NUM_SPACES, 8):
        write8(out, first + k, EIGHT[(spaces >> np.uint64(k)) & _BYTE])
    while rest:
        together = group(rest, rest & (~rest + _1))
        rest &= ~together
        around, larger = by_space(neighbours(together) & free), np.uint64(size(together))
        for k in range(0, NUM_SPACES, 8):
            more = EIGHT[(around >> np.uint64(k)) & _BYTE] * larger
            write8(out, first + k, read8(out, first + k) + more)


@kernel(inline=True)
def derive_lays(s, p, out):
    """The actions that both halves of the chosen tile would bring, for each place."""
    derive_joins(s, p, PAIRS[s.tile, 0], out, _JOIN_FIRST)
    derive_joins(s, p, PAIRS[s.tile, 1], out, _JOIN_SECOND)
    _write_lays(out, _JOIN_FIRST, _JOIN_SECOND, out, _LAY_FIRST, _LAY_SECOND)


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
    hand = np.int64(s.hand[p])
    for tile in range(NUM_TILES):
        if (hand >> tile) & 1:
            pair = TILE_PAIR[tile]
            most, other = best_pair(s, p, out, PAIRS[pair, 0], PAIRS[pair, 1])
            write1(out, _TILE_FIRST + pair, most)
            write1(out, _TILE_SECOND + pair, other)


@kernel(inline=True)
def num_levels(s, p, symbol):
    """No group can become larger than by all of this symbol and one more."""
    return min(size(s.symbol[p, symbol]) + 1, LEVELS)


@kernel(inline=True)
def note_levels(s, p, symbol, out, room):
    """Write sets of spaces as words: where a symbol would join a group of 1 and more, of 2 and more, and so on.

    What the groups beside each space add up to is kept as sets, too: one for each binary digit.
    """
    free, rest = s.free[p], s.symbol[p, symbol]
    ones = twos = fours = eights = sixteens = np.uint64(0)
    single = rest & ~neighbours(rest)
    for beside in steps_from(single):  # all groups of one at once: most are
        carry, ones = ones & beside & free, ones ^ (beside & free)
        carry, twos = twos & carry, twos ^ carry
        fours |= carry
    rest &= ~single
    while rest:
        together = group(rest, rest & (~rest + _1))
        rest &= ~together
        around, larger = neighbours(together) & free, np.uint64(size(together))
        add = around & all_bits(larger)
        carry, ones = ones & add, ones ^ add
        add = around & all_bits(larger >> _1)
        carry, twos = (twos & add) | (carry & (twos ^ add)), twos ^ add ^ carry
        add = around & all_bits(larger >> _2)
        carry, fours = (fours & add) | (carry & (fours ^ add)), fours ^ add ^ carry
        add = around & all_bits(larger >> _3)
        carry, eights = (eights & add) | (carry & (eights ^ add)), eights ^ add ^ carry
        sixteens |= carry
    least = np.uint64(0)
    for level in range(size(s.symbol[p, symbol]), -1, -1):
        digits = np.uint64(level)
        least |= ~(
            (ones ^ all_bits(digits))
            | (twos ^ all_bits(digits >> _1))
            | (fours ^ all_bits(digits >> _2))
            | (eights ^ all_bits(digits >> _3))
            | (sixteens ^ all_bits(digits >> _4))
        )
        if level < LEVELS:
            write8(out, room + 8 * level, least & free)


@kernel(inline=True)
def all_bits(digit):
    """All bits set if the last binary digit is, else none."""
    return ~(digit & _1) + _1


@kernel(inline=True)
def best_pair(s, p, out, one, other):
    """The sizes of the groups that two symbols on neighbouring spaces join, the most in sum, or none."""
    first, second = _JOIN_FIRST + np.int64(one) * LEVELS * 8, _JOIN_FIRST + np.int64(other) * LEVELS * 8
    levels, best, best_first, best_second, y = num_levels(s, p, other), 0, 0, 0, 1
    for x in range(num_levels(s, p, one), 0, -1):  # the fewer of the first, the more of the second: y only rises
        beside = neighbours(read8(out, first + 8 * (x - 1)))
        if not beside:
            continue
        while y <= levels and beside & read8(out, second + 8 * (y - 1)):
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
    fillable, turned, joining = connections_to_fill(s, p), s.tower[p], np.int64(0)
    for c in range(NUM_CONNECTIONS):
        joining |= np.int64((ENDS[c] & ~s.joined[p]) != 0) << c
    if IN_FOURS:
        copy_turned(LENGTH, fillable, turned, out, _FINISH_UNITS)
        copy_turned(s.filled, fillable, turned, out, _FINISH_POINTS)
        for k in range(0, NUM_CONNECTIONS, 8):
            missing = read8(out, _FINISH_UNITS + k) - read8(out, _FINISH_POINTS + k)
            write8(out, _FINISH_UNITS + k, missing)
        copy_turned(_FINISHED_POINTS, fillable, turned, out, _FINISH_POINTS)
        copy_turned(_FLAGS, fillable & joining, turned, out, _FINISH_JOINS)
        return
    for i in range(NUM_CONNECTIONS):
        c = CONNECTION_AT[turned, i]
        if (fillable >> c) & 1:
            write1(out, _FINISH_UNITS + i, LENGTH[c] - s.filled[c])
            write1(out, _FINISH_POINTS + i, _FINISHED_POINTS[c])
            write1(out, _FINISH_JOINS + i, (joining >> c) & 1)


@kernel(inline=True)
def derive_witches(s, p, out):
    """The actions of the cheapest route to each location where none of the player stands."""
    foreign, turned = foreign_connections(s, p), s.tower[p]
    reached, before, price = only(s.tower[p]), 0, 0
    while reached != before:
        fresh = reached & ~before & ~s.standing[p]
        derive_price(fresh, turned, price, out)
        before = reached
        reached = one_action_further(s, p, reached, foreign)
        price += 1


@kernel(inline=True)
def derive_price(fresh, turned, price, out):
    """The price of these locations, in what was 0."""
    if IN_FOURS:
        locations = turn_set(fresh, turned)
        for k in (0, 8):
            flags = EIGHT[(locations >> k) & 255] * np.uint64(price)
            write8(out, _STAND_PRICE + k, read8(out, _STAND_PRICE + k) | flags)
        out[_STAND_PRICE + STONE] |= price * ((fresh >> STONE) & 1)
    else:
        for i in range(NUM_LOCATIONS):
            if (fresh >> LOCATION_AT[turned, i]) & 1:
                write1(out, _STAND_PRICE + i, price)


# Pentagram and wand.


@kernel(inline=True)
def derive_pentagram(s, p, out):
    """By steps, fewer than once around: the points of the owls and the special hexes that one passes or reaches."""
    start = np.uint8(s.pentagram[p])
    copy(_HEX_STEPS[start], 0, out, _HEXES_PASSED, MOST_STEPS_SHOWN)
    for k in (0, _LAST_WORD):
        points = np.uint64(0)
        for stack in range(NUM_OWL_SPACES):
            owl = s.owls_taken[stack]
            worth = OWLS[owl] if owl < NUM_OWLS else NO_OWL_POINTS
            points += read8(_OWL_STEPS[start, stack], k) * np.uint64(worth)
        write8(out, _OWL_POINTS + k, points)


@kernel(inline=True)
def derive_wand(s, p, out):
    """By steps: the points of silver spaces with what one has now, and the actions of dark ones, twice as leader."""
    ahead = 0
    for q in range(s.num_players):
        ahead = max(ahead, s.wand[q])
    start = np.uint8(s.wand[p])
    level, points = _LEVEL_STEPS[np.uint8(ahead - s.wand[p])], np.int64(0)
    silver, last_silver = np.uint64(0), np.uint64(0)
    for k in (0, _LAST_WORD):
        dark = read8(_DARK_STEPS[start, 0], k)
        write8(out, _DARK_ACTIONS + k, dark + (dark & read8(level, k)) * np.uint64(LEADER_FACTOR - 1))
    for kind in range(NUM_SILVER_KINDS):
        number, steps = np.int64(achievement(s, p, kind)), _SILVER_STEPS[start, kind]
        silver += read8(steps, 0) * np.uint64(number)
        last_silver += read8(steps, _LAST_WORD) * np.uint64(number)
        points += np.int64(steps[MOST_STEPS_SHOWN - 1]) * number
    write8(out, _SILVER_POINTS, silver)
    write8(out, _SILVER_POINTS + _LAST_WORD, last_silver)
    if points > MOST_SILVER:  # bytes may have run over
        derive_much_silver(s, p, start, out)


@kernel
def derive_much_silver(s, p, start, out):
    """The points of silver spaces again, where they are more than is shown."""
    for steps in range(MOST_STEPS_SHOWN):
        points = 0
        for kind in range(NUM_SILVER_KINDS):
            points += np.int64(_SILVER_STEPS[start, kind, steps]) * achievement(s, p, kind)
        write1(out, _SILVER_POINTS + steps, min(points, MOST_SILVER))
