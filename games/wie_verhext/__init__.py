"""Wie verhext!: choose your roles in secret, then dare to claim them or settle for the favour."""

from coven.games.core.game import Facts, Game
from coven.games.wie_verhext import derived, greedy, observation, picture, possible, rules, view
from coven.games.wie_verhext.state import (
    ACTIONS,
    COMPONENTS,
    FOLDER,
    OPTIONS,
    PHASES,
    PLAYERS,
    RECORD,
    longest_game,
    most_points,
)

GAME = Game(
    name="wie_verhext",
    title="Wie verhext!",
    summary="Choose five roles in secret, claim their actions or settle for the favour, and brew the best potions.",
    players=PLAYERS,
    record=RECORD,
    kernels={
        "deal": rules.deal,
        "legal": rules.legal,
        "apply": rules.apply,
        "observe": observation.observe,
        "derive": derived.derive,
        "score": rules.score,
        "determinize": rules.determinize,
    },
    actions=ACTIONS,
    layout=observation.LAYOUT,
    phases=PHASES,
    score_keys=2,
    options=OPTIONS,
    facts=Facts(longest={n: longest_game(n) for n in PLAYERS}, scores=(0, most_points())),
    components=COMPONENTS,
    folder=FOLDER,
    describe=view.describe,
    text=view.text,
    event=view.event,
    greedy=greedy.choose,
    picture=picture.svg,
    clicks=picture.clicks,
    idle=("decline",),
    bounds=possible.BOUNDS,
    impossible=possible.impossible,
)
