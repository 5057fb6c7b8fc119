"""Witchstone: a cauldron of tiles that start actions, which start actions."""

from coven.games.core.game import Facts, Game
from coven.games.witchstone import derived, greedy, observation, picture, possible, rules, view
from coven.games.witchstone.box import COMPONENTS, FOLDER
from coven.games.witchstone.state import ACTIONS, LONGEST, OPTIONS, PHASES, PLAYERS, RECORD

GAME = Game(
    name="witchstone",
    title="Witchstone",
    summary="Lay tiles into your cauldron so that their symbols start long chains of six kinds of actions.",
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
    score_keys=3,
    options=OPTIONS,
    facts=Facts(longest={n: n * LONGEST for n in PLAYERS}, scores=(0, observation.MOST_POINTS)),
    components=COMPONENTS,
    folder=FOLDER,
    describe=view.describe,
    text=view.text,
    event=view.event,
    greedy=greedy.choose,
    picture=picture.svg,
    clicks=picture.clicks,
    idle=("stop", "spoil"),
    action_to_string=view.action_to_string,
    string_to_action=view.string_to_action,
    bounds=possible.BOUNDS,
    impossible=possible.impossible,
)
