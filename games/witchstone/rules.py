"""Witchstone (Reiner Knizia and Martino Chiacchiera, 2021), in the rulebook's order; each action has a file of its own.

2 to 4 players lay 11 tiles each into their cauldrons. A tile starts two types of actions, as many of each as its
symbol has in the group it joins, and actions bring further actions. Most points win. RULES.md has the rules in full,
with every decision of ours.
"""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.core.record import NOBODY, after
from coven.games.core.rng import below, reshuffle, seed_generator, shuffle
from coven.games.witchstone.cauldron import (
    choose_tile,
    discard_tile,
    fill_cauldron,
    group_size,
    lay_tile,
    legal_lays,
    legal_spoils,
    legal_tiles,
    spoil_crystal,
)
from coven.games.witchstone.crystals import (
    choose_chip,
    choose_crystal,
    legal_chips,
    legal_moves,
    legal_racks,
    movable_crystals,
    move_crystal,
    shelve_crystal,
    take_crystal_out,
)
from coven.games.witchstone.energy import connections_to_fill, legal_energy, place_energy
from coven.games.witchstone.geometry import (
    BESIDE,
    CONNECTION_AT,
    CRYSTAL,
    ENERGY,
    LOCATION_AT,
    NUM_SYMBOLS,
    NUM_TOWERS,
    PENTAGRAM,
    STONE,
    WAND,
    WITCH,
    mark_spaces,
    only,
)
from coven.games.witchstone.pentagram import (
    advance_on_pentagram,
    legal_special_hex,
    place_special_hex,
    reveal_special_hex,
    use_special_hex,
)
from coven.games.witchstone.prophecies import prophecy_points
from coven.games.witchstone.scrolls import (
    can_be_raised,
    cast_spell,
    has_spell,
    legal_scrolls,
    legal_spells,
    reveal_scroll,
    take_scroll,
)
from coven.games.witchstone.stack import end_action, push, start_action, take_bonus
from coven.games.witchstone.state import (
    ACT,
    ALL_TILES,
    ASIDE,
    CHIP,
    CHIP_BONUS,
    CHIP_COPIES,
    CHIP_END_POINTS,
    CHIP_POINTS,
    CHOICE_BONUS,
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
    DO_TOWER,
    DO_USE,
    DO_USE_CHIP,
    DO_USE_VIAL,
    HAND,
    HEX,
    HEX_BONUS,
    HEX_COPIES,
    LAY,
    MOST_PLAYERS,
    MOVE,
    NONE,
    NUM_CHIP_KINDS,
    NUM_CHIPS,
    NUM_HEX_SPACES,
    NUM_OWL_SPACES,
    NUM_OWLS,
    NUM_PAIRS,
    NUM_SCROLL_KINDS,
    NUM_SPELLS,
    NUM_TILES,
    OVER,
    POINTS,
    RACK,
    SCROLL_COPIES,
    SECOND,
    SMALL_WITCHES,
    START,
    TILE,
    TILE_PAIR,
    TOWER,
    TURNS,
    UNITS,
    UNUSED_SPELL_POINTS,
    VIAL_BONUS,
    WAND_END,
)
from coven.games.witchstone.wand import advance_on_wand, resolve_wand_space
from coven.games.witchstone.witches import (
    arrive,
    lay_witch,
    legal_witches,
    locations_to_stand,
    price_to_stand,
    stand_witch,
    take_chip,
)

# Set-up.


@kernel
def deal(s, num_players, seed, options):
    """Mix chips, scrolls, special hexes and everyone's tiles; the last player in turn order places the first witch."""
    seed_generator(s, seed)
    for p in range(MOST_PLAYERS):
        s.tower[p] = NONE
        s.begun[p] = NONE
        s.stone[p] = NONE
    for p in range(num_players):
        s.energy[p] = UNITS
        s.reserve[p] = SMALL_WITCHES
        fill_cauldron(s, p)
        deal_tiles(s, p, options[p])
    for stack in range(NUM_OWL_SPACES):
        for i in range(NUM_OWLS):
            s.owl_owner[stack, i] = NOBODY
    deal_chips(s)
    deal_special_hexes(s)
    deal_scrolls(s)
    s.running = NONE
    s.first = below(s, num_players)  # ours: the book asks who stirred a pot last
    s.current = before(s, s.first)
    s.phase = TOWER


@kernel
def deal_tiles(s, p, handicap):
    """Five tiles in hand, ten in the supply; with a handicap four are set aside and fewer are in hand."""
    hand = handicap if handicap else HAND
    s.supply[p] = NUM_TILES - (ASIDE if handicap else 0)
    for _ in range(hand):
        draw_tile(s, p)


@kernel
def draw_tile(s, p):
    """Draw a tile from the supply, which has no order until then: any that is neither in hand nor gone."""
    if not s.supply[p]:
        return
    s.supply[p] -= 1
    add_tile(s, p)


@kernel
def add_tile(s, p):
    """A random tile that is neither in hand nor gone comes into the hand, of equal ones always the first."""
    unseen = ALL_TILES & ~(s.hand[p] | s.gone[p])
    count = 0
    for i in range(NUM_TILES):
        count += (unseen >> i) & 1
    tile = pick_tile(s, unseen, count)
    while tile and TILE_PAIR[tile - 1] == TILE_PAIR[tile] and (unseen >> (tile - 1)) & 1:
        tile -= 1
    s.hand[p] |= only(tile)


@kernel
def pick_tile(s, tiles, count):
    """One of these tiles at random."""
    k = below(s, count)
    tile = 0
    while True:
        k -= (tiles >> tile) & 1
        if k < 0:
            return tile
        tile += 1


@kernel
def deal_chips(s):
    """A chip on every location but the Witchstone, the rest on the table."""
    for k in range(NUM_CHIP_KINDS):
        s.table_chips[k] = CHIP_COPIES[k]
    left = NUM_CHIPS
    s.chip_at[STONE] = NONE
    for location in range(STONE):
        k, chip = below(s, left), 0
        while k >= s.table_chips[chip]:
            k -= s.table_chips[chip]
            chip += 1
        s.chip_at[location] = chip
        s.table_chips[chip] -= 1
        left -= 1


@kernel
def deal_special_hexes(s):
    """A pile of all special hexes, and one on each hex space of the pentagram."""
    for pair in range(NUM_PAIRS):
        for _ in range(HEX_COPIES[pair]):
            s.hex_pile[s.hex_pile_size] = pair
            s.hex_pile_size += 1
    shuffle(s, s.hex_pile, s.hex_pile_size)
    for space in range(NUM_HEX_SPACES):
        reveal_special_hex(s, space)


@kernel
def deal_scrolls(s):
    """A pile of all scrolls, and six on display."""
    for kind in range(NUM_SCROLL_KINDS):
        for _ in range(SCROLL_COPIES[kind]):
            s.scroll_pile[s.scroll_pile_size] = kind
            s.scroll_pile_size += 1
    shuffle(s, s.scroll_pile, s.scroll_pile_size)
    for _ in range(DISPLAY):
        reveal_scroll(s)


@kernel
def before(s, player):
    """The next seat counter-clockwise, in which order the big witches are placed."""
    return player - 1 if player else s.num_players - 1


@kernel
def legal_towers(s, mask):
    """Any tower without a big witch."""
    for i in range(NUM_TOWERS):
        mask[DO_TOWER + i] = 1
    for p in range(s.num_players):
        if s.tower[p] != NONE:
            mask[DO_TOWER + s.tower[p]] = 0


@kernel
def place_big_witch(s, p, tower):
    """The tower is the player's: 2 points, and its chip is carried out at once."""
    s.tower[p] = tower
    s.joined[p] = only(tower)
    s.open_to[p] = BESIDE[tower]
    arrive(s, p, tower)
    chip = s.chip_at[tower]
    s.chip_at[tower] = NONE
    take_chip(s, p, chip)
    if chip == POINTS:
        s.score[p] += CHIP_POINTS
    else:
        start_action(s, chip, 1)
    s.phase = ACT


# What may be done.


@kernel
def legal(s, mask):
    """The legal actions, by phase; crystals may be spoiled but in set-up and between the halves of a decision."""
    mask[:] = 0
    p, phase = s.current, s.phase
    if phase == ACT:
        legal_acts(s, p, mask)
    elif phase == TILE:
        legal_tiles(s, p, mask)
    elif phase == LAY:
        legal_lays(s, p, mask)
    elif phase == START:
        for symbol in range(NUM_SYMBOLS):
            mask[DO_START + symbol] = s.half_at[symbol] != NONE
    elif phase == MOVE:
        legal_moves(s, p, mask)
    elif phase == RACK:
        legal_racks(s, mask)
    elif phase == CHIP:
        legal_chips(s, mask)
    elif phase == HEX:
        legal_special_hex(s, p, mask)
    else:
        legal_towers(s, mask)
    if TILE <= phase <= ACT and s.turn:
        legal_spoils(s, p, mask)


@kernel
def legal_acts(s, p, mask):
    """Go on with the running action, use what waits on it, raise it with a spell, or stop it."""
    symbol, number = s.item_what[s.running], s.item_number[s.running]
    mask[DO_STOP] = 1
    legal_bonuses(s, mask)
    if can_be_raised(symbol, number):
        legal_spells(s, p, symbol, mask)
    if not number:
        return
    if symbol == ENERGY:
        legal_energy(s, p, mask)
    elif symbol == WITCH:
        legal_witches(s, p, number, mask)
    elif symbol == PENTAGRAM:
        mask[DO_ADVANCE] = 1
    elif symbol == CRYSTAL:
        mark_spaces(movable_crystals(s, p, number), mask, DO_CRYSTAL)
    elif symbol == WAND:
        mask[DO_ADVANCE] = s.wand[p] < WAND_END
    else:
        legal_scrolls(s, number, mask)


@kernel
def legal_bonuses(s, mask):
    """What waits on the running action."""
    for i in range(s.running + 1, s.height):
        kind, what = s.item_kind[i], s.item_what[i]
        if kind == CHIP_BONUS:
            mask[DO_USE_CHIP + what] = 1
        elif kind == VIAL_BONUS:
            mask[DO_USE_VIAL + what] = 1
        elif kind == HEX_BONUS:
            mask[DO_HEX + what] = 1
        else:
            for symbol in range(NUM_SYMBOLS):
                mask[DO_CHOOSE + symbol] = 1


# Doing it.


@kernel
def apply(s, action):
    """Carry out an action; whoever is back in phase act then goes on with what is on top of the stack."""
    p, phase = s.current, s.phase
    if action >= DO_SPOIL:
        spoil_crystal(s, p, action - DO_SPOIL)
    elif phase == ACT:
        act(s, p, action)
    elif phase == TILE:
        if action < DO_DISCARD:
            choose_tile(s, action - DO_TILE)
        else:
            discard_tile(s, p, action - DO_DISCARD)
    elif phase == LAY:
        lay_tile(s, p, action - DO_LAY)
    elif phase == START:
        start_first(s, p, action - DO_START)
    elif phase == MOVE:
        if action < DO_EXIT:
            move_crystal(s, p, action - DO_TO)
        else:
            take_crystal_out(s, p, action - DO_EXIT)
    elif phase == RACK:
        shelve_crystal(s, p, action - DO_RACK)
    elif phase == CHIP:
        choose_chip(s, p, action - DO_CHIP)
    elif phase == HEX:
        if action < DO_PLACE:
            use_special_hex(s, p, action - DO_USE)
        else:
            place_special_hex(s, p, action - DO_PLACE)
        s.phase = ACT
    else:
        place_big_witch(s, p, action - DO_TOWER)
    if s.phase == ACT:
        go_on(s, p)


@kernel
def start_first(s, p, symbol):
    """Start the symbol chosen; the other one of the tile follows."""
    for other in range(NUM_SYMBOLS):
        if s.half_at[other] != NONE and other != symbol:
            push(s, SECOND, other, 0)
    start_half(s, p, symbol)
    s.phase = ACT


@kernel
def start_half(s, p, symbol):
    """As many actions as there are symbols in the group of that half now."""
    start_action(s, symbol, group_size(s, p, s.half_at[symbol], symbol))


@kernel
def act(s, p, action):
    """One decision of the running action."""
    top = s.running
    if action < DO_LAY_WITCH:
        s.item_number[top] -= 1
        place_energy(s, p, CONNECTION_AT[s.tower[p], action - DO_ENERGY])
    elif action < DO_STAND:
        s.item_number[top] -= 1
        lay_witch(s, p)
    elif action < DO_ADVANCE:
        location = LOCATION_AT[s.tower[p], action - DO_STAND]
        s.item_number[top] -= price_to_stand(s, p, location)
        stand_witch(s, p, location)
    elif action < DO_CRYSTAL:
        if s.item_what[top] == WAND:
            advance_on_wand(s, p)
        else:
            advance_on_pentagram(s, p)
    elif action < DO_SCROLL:
        choose_crystal(s, action - DO_CRYSTAL)
    elif action < DO_USE_CHIP:
        take_scroll(s, p, action - DO_SCROLL)
        end_action(s)
    elif action < DO_SPELL:
        use_bonus(s, action)
    elif action < DO_STOP:
        cast_spell(s, p, action - DO_SPELL)
    else:
        end_action(s)


@kernel
def use_bonus(s, action):
    """Start the actions of a chip, a vial or a free choice, or take up a special hex."""
    if action < DO_USE_VIAL:
        symbol = action - DO_USE_CHIP
        start_action(s, symbol, take_bonus(s, CHIP_BONUS, symbol))
    elif action < DO_HEX:
        symbol = action - DO_USE_VIAL
        start_action(s, symbol, take_bonus(s, VIAL_BONUS, symbol))
        s.item_vial[s.running] = 1
    elif action < DO_CHOOSE:
        s.hex = action - DO_HEX
        take_bonus(s, HEX_BONUS, s.hex)
        s.phase = HEX
    else:
        start_action(s, action - DO_CHOOSE, take_bonus(s, CHOICE_BONUS, NONE))


@kernel
def go_on(s, p):
    """Go on with what is on top of the stack until there is something to decide, or the turn is over."""
    while s.height:
        if s.running != NONE:
            if can_go_on(s, p):
                return
            end_action(s)
        elif s.item_kind[s.height - 1] == SECOND:
            s.height -= 1
            start_half(s, p, s.item_what[s.height])
        else:
            resolve_wand_space(s, p)
    end_turn(s, p)


@kernel
def can_go_on(s, p):
    """Is anything left in the running action but to stop it or to spoil a crystal?"""
    symbol, number = s.item_what[s.running], s.item_number[s.running]
    if s.height > s.running + 1 or (can_be_raised(symbol, number) and has_spell(s, p, symbol)):
        return True
    if not number:
        return False
    if symbol == ENERGY:
        return connections_to_fill(s, p) != 0
    if symbol == WITCH:
        return s.reserve[p] > 0 or locations_to_stand(s, p, number) != 0
    if symbol == PENTAGRAM:
        return True
    if symbol == CRYSTAL:
        return movable_crystals(s, p, number) != 0
    if symbol == WAND:
        return s.wand[p] < WAND_END
    return s.display_size > 0


@kernel
def end_turn(s, p):
    """Draw a tile and pass on, clockwise; in set-up backwards to the first player, who then begins."""
    if s.turn:
        draw_tile(s, p)
        if s.turn == TURNS * s.num_players:
            s.current = NOBODY
            s.phase = OVER
            return
        s.current = after(s, p)
    elif p != s.first:
        s.current = before(s, p)
        s.phase = TOWER
        return
    s.turn += 1
    s.phase = TILE
    for symbol in range(NUM_SYMBOLS):
        s.half_at[symbol] = NONE


# The end.


@kernel
def score(s, out):
    """The track, at the end with owls, chips and scrolls; ties: further on the wand, then who got there first."""
    for p in range(s.num_players):
        out[p, 0] = s.score[p]
        if s.current == NOBODY:
            out[p, 0] += final_count(s, p)
        out[p, 1] = s.wand[p]
        out[p, 2] = -s.wand_since[p]


@kernel
def final_count(s, p):
    """Owls, 2 for each chip, 2 for each unused spell, and the prophecies."""
    total = s.owl_points[p] + CHIP_END_POINTS * s.num_chips[p] + prophecy_points(s, p)
    for spell in range(NUM_SPELLS):
        total += UNUSED_SPELL_POINTS * s.spells[p, spell]
    return total


# What one player cannot know.


@kernel
def determinize(s, player, seed):
    """Deal the other hands anew from what their players have not laid yet, and mix both piles."""
    seed_generator(s, seed)
    for p in range(s.num_players):
        if p != player:
            deal_hand_again(s, p)
    if s.phase == LAY and s.current != player:
        s.tile = TILE_PAIR[pick_tile(s, s.hand[s.current], hand_size(s, s.current))]
    reshuffle(s, s.hex_pile, s.hex_pile_size)
    reshuffle(s, s.scroll_pile, s.scroll_pile_size)


@kernel
def deal_hand_again(s, p):
    """As many tiles as before, any of those not gone."""
    tiles = hand_size(s, p)
    s.hand[p] = 0
    for _ in range(tiles):
        add_tile(s, p)


@kernel
def hand_size(s, p):
    """How many tiles a player has in hand."""
    tiles = 0
    for i in range(NUM_TILES):
        tiles += (s.hand[p] >> i) & 1
    return tiles
