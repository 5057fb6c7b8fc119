"""The scroll action: reinforcing spells and prophecies."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.geometry import CRYSTAL, ENERGY, WITCH, only
from coven.games.witchstone.state import DISPLAY, DO_SCROLL, DO_SPELL, NONE, NUM_SPELLS, SINGLE, SPELL_ACTIONS


@kernel
def legal_scrolls(s, number, mask):
    """One of the first scrolls on display, as many as there are actions."""
    for i in range(min(number, s.display_size)):
        mask[DO_SCROLL + i] = 1


@kernel
def take_scroll(s, p, position):
    """Take a scroll; the display moves up and is filled from the pile."""
    kind = s.display[position]
    s.num_scrolls[p] += 1
    if kind < NUM_SPELLS:
        s.spells[p, kind] += 1
    else:
        s.prophecies[p] |= only(kind - NUM_SPELLS)
    s.display_size -= 1
    for i in range(position, s.display_size):
        s.display[i] = s.display[i + 1]
    s.display[s.display_size] = NONE
    reveal_scroll(s)


@kernel
def reveal_scroll(s):
    """Fill the last place of the display from the pile, as long as there is one."""
    if s.scroll_pile_size and s.display_size < DISPLAY:
        s.scroll_pile_size -= 1
        s.display[s.display_size] = s.scroll_pile[s.scroll_pile_size]
        s.display_size += 1


# Reinforcing spells.


@kernel
def can_be_raised(symbol, number):
    """Spells raise an action while it is open; wand, pentagram and scroll only before they are carried out."""
    return number > 0 or symbol in (ENERGY, WITCH, CRYSTAL)


@kernel
def has_spell(s, p, symbol):
    """Has the player an unused spell for this action type?"""
    return s.spells[p, SINGLE] > 0 or s.spells[p, symbol + 1] > 0


@kernel
def legal_spells(s, p, symbol, mask):
    """The single spell, and the double one of the running action."""
    mask[DO_SPELL + SINGLE] = s.spells[p, SINGLE] > 0
    mask[DO_SPELL + 1 + symbol] = s.spells[p, symbol + 1] > 0


@kernel
def cast_spell(s, p, spell):
    """One action more, or two; the spell is used up but still owned."""
    s.spells[p, spell] -= 1
    s.spells_used[p, spell] += 1
    s.item_number[s.running] += SPELL_ACTIONS[spell]
