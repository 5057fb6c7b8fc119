"""Leduc poker for Coven."""

from coven.games.core.game import Facts, Game
from leduc import rules, view
from leduc.state import ACTIONS, COMPONENTS, FOLDER, MOST_CHIPS, MOST_RAISES, PHASES, PLAYERS, RECORD

GAME = Game(
    name="leduc",
    title="Leduc poker",
    summary="A small poker: one card each, one for all, two rounds of betting.",
    players=PLAYERS,
    record=RECORD,
    kernels={
        "deal": rules.deal,
        "legal": rules.legal,
        "apply": rules.apply,
        "observe": view.observe,
        "score": rules.score,
        "determinize": rules.determinize,
    },
    actions=ACTIONS,
    layout=view.LAYOUT,
    phases=PHASES,
    score_keys=1,
    options=(),
    facts=Facts(
        longest={n: 2 * (n + MOST_RAISES * (n - 1)) for n in PLAYERS},
        scores=(-MOST_CHIPS, MOST_CHIPS * (PLAYERS[-1] - 1)),
    ),
    components=COMPONENTS,
    folder=FOLDER,
    describe=view.describe,
    text=view.text,
    event=lambda r, action, viewer: f"player {r.current}: {ACTIONS.strings[action]}",
)
