"""What a possible record of Witchstone is: bounds of its fields, and what must add up.

Sets are compared with what they are computed from (the codes of a cauldron, the finished connections), counts with the
box. `possible_stack.py` looks at what runs and waits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.games.core.possible import by_seat, player, within
from coven.games.core.record import NOBODY
from coven.games.witchstone.geometry import (
    BESIDE,
    BIT,
    COVERABLE,
    ENDS,
    LENGTH,
    NUM_CONNECTIONS,
    NUM_LOCATIONS,
    NUM_SPACES,
    NUM_SYMBOLS,
    NUM_TOWERS,
    PRINTED,
    STONE,
)
from coven.games.witchstone.possible_stack import impossible_stack
from coven.games.witchstone.state import (
    ALL_TILES,
    ASIDE,
    BLACK_CODE,
    BOTTOM,
    CAPACITY,
    CHIP,
    CHIP_COPIES,
    COLOURED_CODE,
    DISPLAY,
    EMPTY,
    HAND,
    HEX,
    HEX_BONUS,
    HEX_CODE,
    HEX_COPIES,
    LAY,
    MOST_PLAYERS,
    NONE,
    NUM_CHIP_KINDS,
    NUM_CHIPS,
    NUM_CRYSTALS,
    NUM_HEXES,
    NUM_OWL_SPACES,
    NUM_OWLS,
    NUM_PAIRS,
    NUM_PROPHECIES,
    NUM_SCROLL_KINDS,
    NUM_SCROLLS,
    NUM_SPELLS,
    NUM_TILES,
    OVER,
    OWLS,
    PAIRS,
    PENTAGRAM_SPACES,
    RACK,
    SCROLL_COPIES,
    SMALL_WITCHES,
    STACK,
    SYMBOL_CODE,
    TILE,
    TILE_PAIR,
    TOWER,
    TURNS,
    UNITS,
    WAND_END,
)

MOST_POINTS = 600  # on the track: more than all that scores in the box
MOST_ACTIONS = 100  # of one type: more than one turn can bring
_LOCATIONS, _ALL_CONNECTIONS = (1 << NUM_LOCATIONS) - 1, (1 << NUM_CONNECTIONS) - 1
_PROPHECIES = (1 << NUM_PROPHECIES) - 1
_BOARD = np.uint64(COVERABLE | np.bitwise_or.reduce(PRINTED))

# By what lies on a space: which symbols that are.
_HAS = np.zeros((BLACK_CODE + 1, NUM_SYMBOLS), np.int64)
_HAS[SYMBOL_CODE:HEX_CODE] = np.eye(NUM_SYMBOLS)
_HAS[np.arange(HEX_CODE, COLOURED_CODE)[:, None], PAIRS] = 1

BOUNDS = {
    "turn": within(0, TURNS * MOST_PLAYERS),
    "first": player(),
    "score": by_seat(0, MOST_POINTS),
    "height": within(0, STACK),
    "running": within(NONE, STACK - 1),
    "item_kind": within(0, 6),
    "item_what": within(NONE, max(WAND_END + 1, NUM_PAIRS - 1)),
    "item_number": within(0, MOST_ACTIONS),
    "item_vial": within(0, 1),
    "tile": within(0, NUM_PAIRS - 1),
    "crystal": within(0, NUM_SPACES - 1),
    "exit": within(0, NUM_SYMBOLS - 1),
    "black": within(0, 1),
    "hex": within(0, NUM_PAIRS - 1),
    "half_at": within(NONE, NUM_SPACES - 1),
    "hand": by_seat(0, ALL_TILES),
    "gone": by_seat(0, ALL_TILES),
    "supply": by_seat(0, NUM_TILES),
    "cauldron": by_seat(0, BLACK_CODE),
    "free": by_seat(0, _BOARD),
    "symbol": by_seat(0, _BOARD),
    "crystals": by_seat(0, _BOARD),
    "group": by_seat(0, NUM_SPACES),
    "tower": by_seat(NONE, NUM_TOWERS - 1, unused=NONE),
    "chip_at": within(NONE, NUM_CHIP_KINDS - 1),
    "standing": by_seat(0, _LOCATIONS),
    "lying": by_seat(0, SMALL_WITCHES),
    "reserve": by_seat(0, SMALL_WITCHES),
    "stone": player(nobody=True),
    "energy": by_seat(0, UNITS),
    "filled": within(0, LENGTH),
    "touched": within(0, _ALL_CONNECTIONS),
    "begun": by_seat(NONE, NUM_CONNECTIONS - 1, unused=NONE),
    "finished": by_seat(0, _ALL_CONNECTIONS),
    "joined": by_seat(0, _LOCATIONS),
    "open_to": by_seat(0, _ALL_CONNECTIONS),
    "wand": by_seat(0, WAND_END),
    "wand_moves": within(0, WAND_END * MOST_PLAYERS),
    "wand_since": by_seat(0, WAND_END * MOST_PLAYERS),
    "pentagram": by_seat(0, PENTAGRAM_SPACES - 1),
    "owls_taken": within(0, NUM_OWLS),
    "owl_owner": player(nobody=True),
    "owl_points": by_seat(0, int(OWLS.sum()) * NUM_OWL_SPACES),
    "hex_at": within(NONE, NUM_PAIRS - 1),
    "hex_pile": within(0, NUM_PAIRS - 1),
    "hex_pile_size": within(0, NUM_HEXES),
    "chips": by_seat(0, CHIP_COPIES),
    "num_chips": by_seat(0, NUM_CHIPS),
    "table_chips": within(0, CHIP_COPIES),
    "hexes_used": by_seat(0, HEX_COPIES),
    "hexes_placed": by_seat(0, HEX_COPIES),
    "num_hexes": by_seat(0, NUM_HEXES),
    "display": within(NONE, NUM_SCROLL_KINDS - 1),
    "display_size": within(0, DISPLAY),
    "scroll_pile": within(0, NUM_SCROLL_KINDS - 1),
    "scroll_pile_size": within(0, NUM_SCROLLS),
    "spells": by_seat(0, SCROLL_COPIES[:NUM_SPELLS]),
    "spells_used": by_seat(0, SCROLL_COPIES[:NUM_SPELLS]),
    "prophecies": by_seat(0, _PROPHECIES),
    "num_scrolls": by_seat(0, NUM_SCROLLS),
    "shelf": within(0, NUM_CRYSTALS),
    "shelf_black": within(0, 1),
    "shelf_size": within(0, CAPACITY.max(axis=0)),
    "racked": by_seat(0, NUM_CRYSTALS),
    "spoiled": by_seat(0, NUM_CRYSTALS),
    "beside": by_seat(0, NUM_CRYSTALS),
}


def impossible(r: Any) -> str | None:
    """What does not add up in a record whose fields are within their bounds."""
    return (
        _order(r)
        or _tiles(r)
        or _cauldrons(r)
        or _crystals(r)
        or _chips(r)
        or _witches(r)
        or _network(r)
        or _wand_and_owls(r)
        or _hexes(r)
        or _scrolls(r)
        or impossible_stack(r)
    )


def _bits(sets: Any, width: int) -> np.ndarray:
    """Sets as one row of flags each."""
    return (np.asarray(sets)[..., None] >> np.arange(width)) & 1


def _turns(r: Any, p: int) -> int:
    """How many turns a player has finished."""
    begun = r.turn if r.phase == OVER else max(r.turn - 1, 0)
    return (begun - (p - r.first) % r.num_players + r.num_players - 1) // r.num_players


def _order(r: Any) -> str | None:
    """Big witches are placed counter-clockwise up to the first player, then everyone has eleven turns clockwise."""
    n, towers = r.num_players, r.tower[: r.num_players]
    placed = towers[towers != NONE]
    if len(set(placed.tolist())) < len(placed):
        return "two players have the same tower"
    if r.turn:
        if len(placed) < n or r.phase == TOWER or r.turn > TURNS * n:
            return f"turn {r.turn} cannot come up"
        if r.phase == OVER:
            return None if r.turn == TURNS * n else "the game is over before its end"
        on_turn = r.current == (r.first + r.turn - 1) % n
        return None if on_turn else f"in turn {r.turn} it cannot be the decision of player {r.current}"
    if r.phase == OVER:
        return "the game is over before its end"
    after_it = (r.current - r.first) % n  # players who place their witch after the one who decides
    for p in range(n):
        waits = (p - r.first) % n < after_it or (p == r.current and r.phase == TOWER)
        if (r.tower[p] == NONE) != waits:
            return "the big witches are not placed one after the other"
    return None


def _tiles(r: Any) -> str | None:
    """A tile for every turn, and one drawn after each while there are any."""
    if (r.hand & r.gone).any():
        return "a tile is in hand and gone"
    hands, gone = _bits(r.hand, NUM_TILES).sum(axis=1), _bits(r.gone, NUM_TILES).sum(axis=1)
    for p in range(r.num_players):
        handicap, turns = int(r.options[p]), _turns(r, p)
        tiles = NUM_TILES - (ASIDE if handicap else 0)
        used = turns + (p == r.current and r.turn > 0 and r.phase not in (TILE, LAY))
        supply = max(tiles - (handicap or HAND) - turns, 0)
        if gone[p] != used or r.supply[p] != supply or hands[p] != tiles - used - supply:
            return f"player {p} does not have the tiles of turn {r.turn}"
    if r.phase == LAY and r.tile not in TILE_PAIR[_bits(r.hand[r.current], NUM_TILES) != 0]:
        return "the tile to lay is not in hand"
    return None


def _cauldrons(r: Any) -> str | None:
    """The sets of spaces are those of the codes, and the codes those of tiles and special hexes that are gone there."""
    for p in range(r.num_players):
        codes = r.cauldron[p]
        if _set(codes == EMPTY) != r.free[p] or _set(codes >= COLOURED_CODE) != r.crystals[p]:
            return f"the free spaces and crystals of player {p} are not those of the cauldron"
        count = np.bincount(codes, minlength=BLACK_CODE + 1)
        halves, hexes = count[SYMBOL_CODE:HEX_CODE], count[HEX_CODE:COLOURED_CODE]
        if (halves > _bits(r.gone[p], NUM_TILES) @ _HAS[HEX_CODE + TILE_PAIR]).any() or halves.sum() % 2:
            return f"there are symbols in the cauldron of player {p} that no tile brought"
        if (hexes != r.hexes_placed[p]).any():
            return f"other special hexes lie in the cauldron of player {p} than were placed"
        here = _HAS[codes]
        for k in range(NUM_SYMBOLS):
            board = PRINTED[k] | _set(here[:, k] != 0)
            if r.symbol[p, k] != board or r.group[p, k] != _largest_group(int(board)):
                return f"the groups of player {p} are not those of the cauldron"
    return None


def _set(flags: np.ndarray) -> np.uint64:
    """The spaces with a flag, as a set."""
    return np.bitwise_or.reduce(BIT[flags]) if flags.any() else np.uint64(0)


def _largest_group(board: int) -> int:
    """The size of the largest group of spaces that hang together."""
    largest = 0
    while board:
        grown, group = board & -board, 0
        while grown != group:
            group = grown
            around = group << 1 | group >> 1 | group << 8 | group >> 8 | group << 7 | group >> 7
            grown = group | around & board
        board &= ~group
        largest = max(largest, group.bit_count())
    return largest


def _crystals(r: Any) -> str | None:
    """Seven crystals each: in the cauldron, on shelves, spoiled, beside the screen, or on the rim just now."""
    n = r.num_players
    codes = r.cauldron
    coloured, black = (codes == COLOURED_CODE).sum(axis=1), (codes == BLACK_CODE).sum(axis=1)
    coloured = coloured + r.shelf.sum(axis=0) + r.beside[:, 0]
    black = black + r.shelf_black.sum(axis=0) + r.beside[:, 1]
    if r.phase == RACK:
        (black if r.black else coloured)[r.current] += 1
    total = coloured + black + r.spoiled
    if (total[:n] != NUM_CRYSTALS).any() or total[n:].any() or black.max() > 1 or coloured.max() > NUM_CRYSTALS - 1:
        return f"a player does not have {NUM_CRYSTALS} crystals"
    sizes = r.shelf.sum(axis=1) + r.shelf_black.sum(axis=1)
    if (sizes != r.shelf_size).any() or (sizes > CAPACITY[n]).any() or (r.shelf.sum(axis=0) != r.racked).any():
        return "a shelf does not hold as many crystals as it is said to"
    return None


def _chips(r: Any) -> str | None:
    """Chips lie where nobody has stood, on the table, or with a player; those of the table go for the bottom shelf."""
    on_board = np.bincount(r.chip_at + 1, minlength=NUM_CHIP_KINDS + 1)[1:]
    if (on_board + r.table_chips + r.chips.sum(axis=0) != CHIP_COPIES).any():
        return "the chips are not those of the box"
    if (r.chips.sum(axis=1) != r.num_chips).any():
        return "a player does not have as many chips as it is said to"
    on_table = NUM_CHIPS - STONE - r.shelf_size[BOTTOM] + (r.phase == CHIP)
    if r.table_chips.sum() != on_table or (r.phase == CHIP and not on_table):
        return "the chips on the table do not fit the bottom shelf"
    visited = int(np.bitwise_or.reduce(r.standing)) | 1 << STONE
    if ((r.chip_at == NONE) != _bits(visited, NUM_LOCATIONS)).any():
        return "a chip lies where somebody stands, or none where nobody does"
    return None


def _witches(r: Any) -> str | None:
    """Eleven small witches each, and the big one in its tower."""
    for p in range(r.num_players):
        big, standing = r.tower[p] != NONE, int(r.standing[p])
        if r.reserve[p] + r.lying[p] + standing.bit_count() != SMALL_WITCHES + big:
            return f"player {p} does not have {SMALL_WITCHES} small witches"
        if big and not standing >> int(r.tower[p]) & 1:
            return f"the big witch of player {p} does not stand in its tower"
    there = np.flatnonzero(_bits(r.standing, NUM_LOCATIONS)[:, STONE]).tolist()
    at_stone = r.stone[: len(there)].tolist()
    if sorted(at_stone) != there or (r.stone[len(there) :] != NOBODY).any():
        return "the places at the Witchstone are not those of the witches there"
    return None


def _network(r: Any) -> str | None:
    """Every connection is one player's; what is finished hangs together with the tower."""
    n, filled = r.num_players, np.zeros(NUM_CONNECTIONS, int)
    for p in range(n):
        own = np.flatnonzero(_bits(r.finished[p], NUM_CONNECTIONS))
        used = int(LENGTH[own].sum())
        np.add.at(filled, own, LENGTH[own])
        joined = _joined(int(r.tower[p]), own)
        beside = int(np.bitwise_or.reduce(BESIDE[np.flatnonzero(_bits(joined, NUM_LOCATIONS))])) if joined else 0
        if joined != r.joined[p] or beside != r.open_to[p] or any(not int(ENDS[c]) & joined for c in own):
            return f"what is joined to the tower of player {p} does not hang together"
        c = r.begun[p]
        if c != NONE:
            if not beside >> int(c) & 1 or not 0 < r.filled[c] < LENGTH[c]:
                return f"player {p} cannot have begun connection {c}"
            used += int(r.filled[c])
            filled[c] += int(r.filled[c])
        if r.energy[p] != UNITS - used:
            return f"player {p} does not have {UNITS} units of energy"
    touched = int(np.bitwise_or.reduce(1 << np.flatnonzero(filled))) if filled.any() else 0
    if (filled != r.filled).any() or touched != r.touched:
        return "a connection is filled that nobody has, or two players have it"
    return None


def _joined(tower: int, finished: np.ndarray) -> int:
    """The locations joined to a tower by these connections."""
    joined, before = (0 if tower == NONE else 1 << tower), -1
    while joined != before:
        before = joined
        for c in finished:
            if int(ENDS[c]) & joined:
                joined |= int(ENDS[c])
    return joined


def _wand_and_owls(r: Any) -> str | None:
    """Every move on the wand went further, and the owls of a stack go from the top."""
    moved = r.wand_since[r.wand_since > 0]
    if (r.wand_since > r.wand_moves).any() or len(set(moved.tolist())) < len(moved) or r.wand_moves > r.wand.sum():
        return "the moves on the wand do not fit where the players are"
    if ((r.wand > 0) != (r.wand_since > 0)).any() or r.wand_moves != (moved.max() if len(moved) else 0):
        return "the moves on the wand do not fit where the players are"
    points = np.zeros(len(r.owl_points), int)
    for stack in range(NUM_OWL_SPACES):
        taken = r.owls_taken[stack]
        owners = r.owl_owner[stack]
        if (owners[:taken] == NOBODY).any() or (owners[taken:] != NOBODY).any():
            return "the owls are not taken from the top"
        np.add.at(points, owners[:taken], OWLS[:taken])
    return "a player does not have the points of its owls" if (points != r.owl_points).any() else None


def _hexes(r: Any) -> str | None:
    """Every special hex is in the pile, on the pentagram, used, placed, chosen or waiting, just once."""
    held = r.hexes_used + r.hexes_placed
    waiting = r.item_what[: r.height][r.item_kind[: r.height] == HEX_BONUS].tolist() + [r.hex] * (r.phase == HEX)
    if any(not 0 <= pair < NUM_PAIRS for pair in waiting):
        return "something waits as a special hex that is none"
    for pair in waiting:
        held[r.current, pair] += 1
    shown, pile = r.hex_at[r.hex_at != NONE], r.hex_pile[: r.hex_pile_size]
    places = np.bincount(np.concatenate([shown, pile]), minlength=NUM_PAIRS) + held.sum(axis=0)
    if (places != HEX_COPIES).any() or (held.sum(axis=1) != r.num_hexes).any():
        return "the special hexes are not those of the box"
    return "a hex space is empty while there is a pile" if len(pile) and len(shown) < len(r.hex_at) else None


def _scrolls(r: Any) -> str | None:
    """Every scroll is in the pile, on display, or with a player; the display is full while there is a pile."""
    shown, pile = r.display[: r.display_size], r.scroll_pile[: r.scroll_pile_size]
    spells, prophecies = r.spells + r.spells_used, _bits(r.prophecies, NUM_PROPHECIES)
    if (shown == NONE).any() or (r.display[r.display_size :] != NONE).any() or (len(pile) and len(shown) < DISPLAY):
        return "the display of scrolls is not filled"
    kinds = np.bincount(np.concatenate([shown, pile]), minlength=NUM_SCROLL_KINDS)
    if (kinds + np.concatenate([spells.sum(axis=0), prophecies.sum(axis=0)]) != SCROLL_COPIES).any():
        return "the scrolls are not those of the box"
    if (spells.sum(axis=1) + prophecies.sum(axis=1) != r.num_scrolls).any():
        return "a player does not have as many scrolls as it is said to"
    return None
