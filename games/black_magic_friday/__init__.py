"""Black Magic Friday: shop for magic with one assistant between all witches, and cast spells."""

from coven.games.black_magic_friday import derived, greedy, observation, picture, possible, rules, view
from coven.games.black_magic_friday.state import (
    ACTIONS,
    COMPONENTS,
    FOLDER,
    LEAST_SCORE,
    MOST_POINTS,
    OPTIONS,
    PHASES,
    PLAYERS,
    RECORD,
    longest,
)
from coven.games.core.game import Facts, Game

GAME = Game(
    name="black_magic_friday",
    title="Black Magic Friday",
    summary="Send the one assistant shopping by day and by night, cast spells with what he brings, dodge the curse.",
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
    facts=Facts(longest={n: longest(n) for n in PLAYERS}, scores=(LEAST_SCORE, MOST_POINTS)),
    components=COMPONENTS,
    folder=FOLDER,
    describe=view.describe,
    text=view.text,
    event=view.event,
    greedy=greedy.choose,
    picture=picture.svg,
    bounds=possible.BOUNDS,
    impossible=possible.impossible,
    clicks=picture.clicks,
)
