"""The crystal action: move crystals, and shelve those that leave the cauldron."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.cauldron import lift_crystal, put_crystal
from coven.games.witchstone.geometry import (
    BIT,
    CRYSTAL,
    DISTANCE,
    EXIT_COST,
    LEAVES,
    MOST_STEPS,
    NUM_SYMBOLS,
    mark_spaces,
    within,
)
from coven.games.witchstone.stack import push
from coven.games.witchstone.state import (
    ACT,
    BLACK_CODE,
    BLACK_MORE,
    BOTTOM,
    CAPACITY,
    CHIP,
    CHIP_BONUS,
    CHIP_POINTS,
    DO_CHIP,
    DO_EXIT,
    DO_RACK,
    DO_TO,
    MOVE,
    NUM_CHIP_KINDS,
    POINTS,
    RACK,
    VIAL_ACTIONS,
    VIAL_BONUS,
)
from coven.games.witchstone.witches import take_chip


@kernel
def movable_crystals(s, p, number):
    """The crystals that so many actions can bring to a free space or out of the cauldron."""
    return s.crystals[p] & (within(s.free[p], number) | LEAVES[min(number, MOST_STEPS)])


@kernel
def choose_crystal(s, space):
    """The first half of a move: which crystal."""
    s.crystal = space
    s.phase = MOVE


@kernel
def legal_moves(s, p, mask):
    """To a free space for its distance, over occupied ones too, or out by a symbol on the rim."""
    number = s.item_number[s.running]
    mark_spaces(s.free[p] & within(BIT[s.crystal], number), mask, DO_TO)
    for k in range(NUM_SYMBOLS):
        mask[DO_EXIT + k] = EXIT_COST[s.crystal, k] <= number


@kernel
def move_crystal(s, p, space):
    """Bring the chosen crystal to a free space."""
    s.item_number[s.running] -= DISTANCE[s.crystal, space]
    put_crystal(s, p, space, lift_crystal(s, p, s.crystal))
    s.phase = ACT


@kernel
def take_crystal_out(s, p, symbol):
    """Bring the chosen crystal to the rim; it is shelved at once (ours), or beside the screen if nothing has room."""
    s.item_number[s.running] -= EXIT_COST[s.crystal, symbol]
    s.black = lift_crystal(s, p, s.crystal) == BLACK_CODE
    s.exit = symbol
    s.phase = RACK
    if not has_place(s, symbol) and not has_place(s, BOTTOM):
        s.beside[p, s.black] += 1
        s.phase = ACT


@kernel
def has_place(s, shelf):
    """Is there an empty vial on this shelf?"""
    return s.shelf_size[shelf] < CAPACITY[s.num_players, shelf]


@kernel
def legal_racks(s, mask):
    """The shelf of the symbol or the bottom one."""
    mask[DO_RACK] = has_place(s, s.exit)
    mask[DO_RACK + 1] = has_place(s, BOTTOM)


@kernel
def shelve_crystal(s, p, bottom):
    """On the symbol's shelf for 2 actions of it, a black one for 4; on the bottom shelf for a chip of one's choice."""
    shelf = BOTTOM if bottom else s.exit
    s.shelf_size[shelf] += 1
    if s.black:
        s.shelf_black[shelf, p] = 1
    else:
        s.shelf[shelf, p] += 1
        s.racked[p] += 1
    if bottom:
        s.phase = CHIP
        return
    s.phase = ACT
    actions = VIAL_ACTIONS + s.black * BLACK_MORE
    if shelf == CRYSTAL and not s.item_vial[s.running]:
        s.item_vial[s.running] = 1  # the one bonus that joins the running action, but two vials are never combined
        s.item_number[s.running] += actions
    else:
        push(s, VIAL_BONUS, shelf, actions)


@kernel
def legal_chips(s, mask):
    """Any chip that lies on the table."""
    for k in range(NUM_CHIP_KINDS):
        mask[DO_CHIP + k] = s.table_chips[k] > 0


@kernel
def choose_chip(s, p, chip):
    """Take a chip from the table: 1 action, or 3 for a black crystal; a chip of points scores 3 or 5."""
    s.table_chips[chip] -= 1
    take_chip(s, p, chip)
    more = s.black * BLACK_MORE
    if chip == POINTS:
        s.score[p] += CHIP_POINTS + more
    else:
        push(s, CHIP_BONUS, chip, 1 + more)
    s.phase = ACT
