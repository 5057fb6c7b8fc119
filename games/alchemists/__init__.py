"""Alchemists: brew potions, and copy those of the others."""

from coven.games.alchemists import derived, greedy, observation, picture, possible, rules, view
from coven.games.alchemists.state import ACTIONS, COMPONENTS, FOLDER, OPTIONS, PHASES, PLAYERS, RECORD
from coven.games.core.game import Facts, Game

GAME = Game(
    name="alchemists",
    title="Alchemists",
    summary="Brew potions from secret ingredients, copy those of the others, and push the ingredient of your school.",
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
    facts=Facts(longest={2: 131, 3: 162, 4: 199, 5: 218}, scores=(0, 760)),
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
