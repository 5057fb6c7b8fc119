"""What runs and waits: actions started, the bonuses they bring, and what is still to come below them."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.state import ACTION, CHIP_BONUS, HEX_BONUS, NONE, STACK


@kernel
def push(s, kind, what, number):
    """Put something on top of the stack; by count it always has room, and a wrong count must not lose anything."""
    i = s.height
    if i == STACK:
        raise OverflowError("the stack of actions and bonuses is full")
    s.item_kind[i] = kind
    s.item_what[i] = what
    s.item_number[i] = number
    s.height = i + 1


@kernel
def start_action(s, symbol, number):
    """Start actions of one type; they are finished, with all they bring, before anything below goes on."""
    s.running = s.height
    push(s, ACTION, symbol, number)
    s.item_vial[s.running] = 0


@kernel
def end_action(s):
    """The running action is over: what still waits on it is lost, but a special hex is laid aside."""
    for i in range(s.running + 1, s.height):
        if s.item_kind[i] == HEX_BONUS:
            s.hexes_used[s.current, s.item_what[i]] += 1
    s.height = s.running
    uncover(s)


@kernel
def uncover(s):
    """Find out what is on top: an action (with what waits on it), or the second half of the tile, or wand spaces."""
    i = s.height - 1
    while i >= 0 and s.item_kind[i] >= CHIP_BONUS:
        i -= 1
    s.running = i if i >= 0 and s.item_kind[i] == ACTION else NONE


@kernel
def take_bonus(s, kind, what):
    """Take a waiting bonus of the running action off the stack, of two with one name the stronger: its actions."""
    best = NONE
    for i in range(s.running + 1, s.height):
        if (
            s.item_kind[i] == kind
            and s.item_what[i] == what
            and (best == NONE or s.item_number[i] > s.item_number[best])
        ):
            best = i
    number = s.item_number[best]
    s.height -= 1
    for i in range(best, s.height):
        s.item_kind[i] = s.item_kind[i + 1]
        s.item_what[i] = s.item_what[i + 1]
        s.item_number[i] = s.item_number[i + 1]
    return number
