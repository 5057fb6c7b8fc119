"""What the rules compute for the alchemist who decides: which potions can be paid, and what is missing."""

from __future__ import annotations

import numpy as np

from coven.games.alchemists.observation import LAYOUT, MIX_ROW, five
from coven.games.alchemists.state import EMPTY, NUM_CAULDRONS, NUM_COLOURS, TURN
from coven.games.core.kernels import kernel
from coven.games.core.words import clear, write1, write4

_PAYABLE, _PAYABLE_SOON, _MISSING = LAYOUT.starts("payable", "payable_soon", "missing")
_END = np.int64(LAYOUT.size)
_ONES, _TOPS, _7, _32 = (np.uint64(n) for n in (0x0101010101, 0x8080808080, 7, 32))


@kernel
def derive(s, player, out):
    """Write the derived part; 0 where it is not this player's turn."""
    if s.current != player or s.phase != TURN:
        clear(out, _PAYABLE, _END)
        return
    hand = five(s.hand[player])
    for i in range(NUM_CAULDRONS):
        lacking = too_few(hand, MIX_ROW[s.potion[i]])
        cubes = (lacking * _ONES) >> _32 & np.uint64(255)
        write1(out, _PAYABLE + i, (cubes == 0) & (s.potion[i] != EMPTY))
        write1(out, _PAYABLE_SOON + i, (cubes <= 1) & (s.potion[i] != EMPTY))
        write4(out, _MISSING + i * NUM_COLOURS, lacking)
        write1(out, _MISSING + i * NUM_COLOURS + 4, lacking >> _32)


@kernel(inline=True)
def too_few(hand, mix):
    """A byte for each colour: how many cubes the mix has more than the hand, 0 if not more."""
    more = (mix | _TOPS) - hand  # the top bit of a byte stays where the mix has as many or more
    there = (more & _TOPS) >> _7
    return more & (there * np.uint64(127))
