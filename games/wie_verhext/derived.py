"""What the rules compute for the player who decides: what is payable, and who can still hold a role."""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.words import clear, read8, write1, write8
from coven.games.wie_verhext.observation import LAYOUT
from coven.games.wie_verhext.rules import missing, top_card, total_drops
from coven.games.wie_verhext.state import (
    CARD_COST,
    CARD_DROPS,
    DROP_SHELF,
    FOLLOWING,
    LEADING,
    NO_CARD,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_PILES,
    NUM_ROLES,
)

_PAYABLE, _MISSING, _BLENDABLE, _HOLDERS = LAYOUT.starts("payable", "missing", "blendable", "holders")
_END = np.int64(LAYOUT.size)
_ONES = np.uint64(0x0101010101010101)


@kernel
def derive(s, player, out):
    """Write the derived part; 0 for who does not decide."""
    if s.current != player:
        clear(out, _PAYABLE, _END)
        return
    derive_cards(s, player, out)
    derive_holders(s, player, out)


@kernel(inline=True)
def derive_cards(s, player, out):
    """What the player is short of for each top card; nothing is to be had from an empty pile."""
    drops = total_drops(s, player)
    for pile in range(NUM_CAULDRONS):
        card = top_card(s, pile)
        short = 0
        for c in range(NUM_COLOURS):
            short += max(CARD_DROPS[card, c] - s.drops[player, c], 0)
        write1(out, _PAYABLE + pile, (short == 0) & (card != NO_CARD))
        write1(out, _MISSING + pile, short)
        write1(out, _BLENDABLE + pile, (drops >= CARD_COST[card]) & (card != NO_CARD))
    for pile in range(NUM_CAULDRONS, NUM_PILES):
        held = drops if pile == DROP_SHELF else s.gold[player]
        short = max(missing(s, pile) - held, 0)
        write1(out, _PAYABLE + pile, (short == 0) & (top_card(s, pile) != NO_CARD))
        write1(out, _MISSING + pile, short)


@kernel(inline=True)
def derive_holders(s, player, out):
    """How many others have a card left and have not shown that they hold a role no more, eight roles at a time."""
    counted = (s.phase == LEADING) | (s.phase == FOLLOWING)
    for first in (0, NUM_ROLES - 8):
        holders = np.uint64(0)
        if counted:
            for p in range(s.num_players):
                if p != player and s.hand_size[p]:
                    holders += _ONES - (read8(s.shown[p], first) & _ONES)  # PLAYED is 1, PASSED -1
            holders &= (_ONES - read8(s.banned, first)) * np.uint64(255)
        write8(out, _HOLDERS + first, holders)
