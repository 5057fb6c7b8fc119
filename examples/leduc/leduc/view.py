"""How Leduc poker looks: the observation of a player, `describe` and the table as text."""

from typing import Any

from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice
from coven.games.core.record import NOBODY, after
from leduc.rules import rank
from leduc.state import FIRST, MOST_CHIPS, MOST_PLAYERS, MOST_RAISES, NUM_RANKS, PHASES, PLAYERS, SUITS

LAYOUT = Layout(
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("round", len(PHASES), 0, 1, "one-hot: " + ", ".join(PHASES)),
    Slice("raises", 1, 0, MOST_RAISES, "raises in this round"),
    Slice("card", NUM_RANKS, 0, 1, "one-hot: rank of the own card"),
    Slice("open_card", NUM_RANKS, 0, 1, "one-hot: rank of the open card, in the second round"),
    Slice("paid", MOST_PLAYERS, 0, MOST_CHIPS, "chips in the pot, by seat"),
    Slice("folded", MOST_PLAYERS, 0, 1, "1 for a seat that has folded"),
    Slice("first_seat", MOST_PLAYERS, 0, 1, "one-hot: the seat that begins every round"),
    Slice("raiser", 2 * MOST_PLAYERS, 0, 1, "round by round: one-hot, the seat that raised last"),
)
_NUM_PLAYERS, _ROUND, _RAISES, _CARD, _OPEN, _PAID, _FOLDED, _FIRST, _RAISER = (part.start for part in LAYOUT)


@kernel
def observe(s, player, out):
    """Write what a player sees, seats clockwise from its own."""
    out[:] = 0
    out[_NUM_PLAYERS], out[_RAISES] = s.num_players, s.raises
    out[_ROUND + s.phase] = 1
    out[_CARD + rank(s, player)] = 1
    if s.phase != FIRST:
        out[_OPEN + rank(s, s.num_players)] = 1
    p = player
    for seat in range(s.num_players):
        out[_PAID + seat], out[_FOLDED + seat], out[_FIRST + seat] = s.paid[p], s.folded[p], p == 0
        out[_RAISER + seat] = s.raiser[0] == p
        out[_RAISER + MOST_PLAYERS + seat] = s.raiser[1] == p
        p = after(s, p)


def describe(r: Any, viewer: int | None) -> dict[str, Any]:
    """The game's own part of `describe`; ranks count from 0."""
    n, open_ = int(r.num_players), viewer is None or r.current == NOBODY
    return {
        "cards": [int(r.deck[p]) // SUITS if open_ or p == viewer else None for p in range(n)],
        "open_card": int(r.deck[n]) // SUITS if viewer is None or r.phase != FIRST else None,
        "paid": r.paid[:n].tolist(),
        "folded": [bool(folded) for folded in r.folded[:n]],
        "raises": int(r.raises),
    }


def text(d: dict[str, Any]) -> str:
    """The table as text."""
    now = "over" if d["over"] else f"{d['phase']} round, player {d['current_player']} decides"
    lines = [f"Leduc poker, {d['num_players']} players, {now}, open card {d['open_card']}"]
    for p, (card, paid, folded) in enumerate(zip(d["cards"], d["paid"], d["folded"], strict=True)):
        lines.append(f"  player {p}: card {card}, paid {paid}{', folded' if folded else ''}")
    return "\n".join(lines)
