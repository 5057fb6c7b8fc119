"""How Alchemists looks: the observation of a player, `describe` and the table as text."""

from __future__ import annotations

from typing import Any

from coven.games.alchemists.rules import in_bag, school_reward
from coven.games.alchemists.state import (
    ACTIONS,
    COLOURS,
    CUBES,
    DRAW,
    DRAW_SIZE,
    EMPTY,
    MIX,
    MOST_PLAYERS,
    NONE,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_TILES,
    PLAYERS,
    PRODUCES,
    SEALS,
    TILES,
    cauldron_name,
)
from coven.games.core.actions import in_full
from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice
from coven.games.core.record import NOBODY, after

_MOST_CUBES = CUBES * NUM_COLOURS
_MOST_FAME = 1000

LAYOUT = Layout(
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("phase", 1, 0, 2, "0 turn, 1 choosing the tile of a new potion, 2 over"),
    Slice("first_turn", 1, 0, 1, "1 in the very first turn, in which two players must create"),
    Slice("first_player", MOST_PLAYERS, 0, 1, "one-hot: the seat of the first player"),
    Slice("hand", NUM_COLOURS, 0, CUBES, "own cubes by colour"),
    Slice("school", NUM_COLOURS, 0, 1, "one-hot: own school"),
    Slice("reserve", NUM_COLOURS, 0, CUBES, "cubes in the reserve by colour"),
    Slice("removed", NUM_COLOURS, 0, CUBES, "cubes out of the game by colour"),
    Slice("bag_size", 1, 0, _MOST_CUBES, "cubes in the bag"),
    Slice("tiles", NUM_TILES, 0, 1, "1 for every fame tile that still lies there, 1 to 10"),
    Slice("brewing", NUM_CAULDRONS, 0, 1, "one-hot: the cauldron that waits for its tile"),
    Slice("value", NUM_CAULDRONS, 0, TILES[-1], "the tile on each cauldron, 0 without"),
    Slice("recipe", NUM_CAULDRONS * NUM_COLOURS, 0, 2, "cubes of each colour on each cauldron"),
    Slice("owner", MOST_PLAYERS * NUM_CAULDRONS, 0, 1, "seat by seat: 1 for the cauldrons with its seal"),
    Slice("fame", MOST_PLAYERS, 0, _MOST_FAME, "the fame track, by seat"),
    Slice("seals", MOST_PLAYERS, 0, SEALS, "seals left, by seat"),
    Slice("hand_size", MOST_PLAYERS, 0, _MOST_CUBES, "cubes behind each screen, by seat"),
    Slice("known", MOST_PLAYERS * NUM_COLOURS, 0, CUBES, "seat by seat: cubes there that everyone saw arrive"),
    Slice("passed", MOST_PLAYERS, 0, 1, "1 for a seat that passed in this round"),
)
_NUM_PLAYERS, _PHASE, _FIRST_TURN = LAYOUT.start("num_players"), LAYOUT.start("phase"), LAYOUT.start("first_turn")
_FIRST, _HAND, _SCHOOL = LAYOUT.start("first_player"), LAYOUT.start("hand"), LAYOUT.start("school")
_RESERVE, _REMOVED = LAYOUT.start("reserve"), LAYOUT.start("removed")
_BAG_SIZE, _TILES, _BREWING = LAYOUT.start("bag_size"), LAYOUT.start("tiles"), LAYOUT.start("brewing")
_VALUE, _RECIPE, _OWNER = LAYOUT.start("value"), LAYOUT.start("recipe"), LAYOUT.start("owner")
_FAME, _SEALS, _HAND_SIZE = LAYOUT.start("fame"), LAYOUT.start("seals"), LAYOUT.start("hand_size")
_KNOWN, _PASSED = LAYOUT.start("known"), LAYOUT.start("passed")


@kernel
def observe(s, player, out):
    """Write what a player sees; the seat of the observer comes first, then clockwise."""
    out[:] = 0
    observe_table(s, out)
    observe_cauldrons(s, player, out)
    seat, p = 0, player
    while seat < s.num_players:
        observe_seat(s, seat, p, player, out)
        seat, p = seat + 1, after(s, p)
    for c in range(NUM_COLOURS):
        out[_HAND + c] = s.hand[player, c]
    out[_SCHOOL + s.school[player]] = 1


@kernel
def observe_table(s, out):
    """What lies in the middle of the table."""
    out[_NUM_PLAYERS] = s.num_players
    out[_PHASE] = s.phase
    out[_FIRST_TURN] = s.turn == 0
    out[_BAG_SIZE] = in_bag(s)
    for c in range(NUM_COLOURS):
        out[_RESERVE + c] = s.reserve[c]
        out[_REMOVED + c] = s.removed[c]
    for i in range(NUM_TILES):
        out[_TILES + i] = s.tile[i]


@kernel
def observe_cauldrons(s, player, out):
    """The potions: value, recipe, and whose they are."""
    if s.brewing != NONE:
        out[_BREWING + s.brewing] = 1
    for i in range(NUM_CAULDRONS):
        potion = s.potion[i]
        seat = s.owner[i] - player
        seat += s.num_players if seat < 0 else 0
        out[_VALUE + i] = s.value[i]
        out[_OWNER + seat * NUM_CAULDRONS + i] = potion != EMPTY
        for c in range(NUM_COLOURS):
            out[_RECIPE + i * NUM_COLOURS + c] = MIX[potion, c]


@kernel
def observe_seat(s, seat, p, player, out):
    """What everyone sees of a player."""
    out[_FIRST + seat] = p == s.first
    out[_FAME + seat] = s.fame[p]
    out[_SEALS + seat] = s.seals[p]
    out[_HAND_SIZE + seat] = s.hand_size[p]
    out[_PASSED + seat] = s.passed[p]
    for c in range(NUM_COLOURS):
        out[_KNOWN + seat * NUM_COLOURS + c] = s.known[p, c]


def _by_colour(counts: Any) -> dict[str, int]:
    return {colour: int(n) for colour, n in zip(COLOURS, counts, strict=True)}


def _cauldron(r: Any, i: int) -> dict[str, Any]:
    produces = [COLOURS[c] for c in PRODUCES[i]]
    if r.potion[i] == EMPTY:
        return {"produces": produces, "owner": None, "recipe": {}, "value": None}
    recipe = {COLOURS[c]: int(n) for c, n in enumerate(MIX[r.potion[i]]) if n}
    return {"produces": produces, "owner": int(r.owner[i]), "recipe": recipe, "value": int(r.value[i]) or None}


def describe(r: Any, viewer: int | None) -> dict[str, Any]:
    """The game's own part of `describe`."""
    players, over = range(r.num_players), r.current == NOBODY
    seen = [viewer is None or over or viewer == p for p in players]
    return {
        "first_player": int(r.first),
        "hands": [_by_colour(r.hand[p]) if seen[p] else None for p in players],
        "hand_sizes": r.hand_size[: r.num_players].tolist(),
        "schools": [COLOURS[r.school[p]] if seen[p] else None for p in players],
        "bag": _by_colour(r.bag) if viewer is None or over else None,
        "bag_size": int(r.bag.sum()),
        "reserve": _by_colour(r.reserve),
        "removed": _by_colour(r.removed),
        "cauldrons": [_cauldron(r, i) for i in range(NUM_CAULDRONS)],
        "tiles": [v for v, there in zip(TILES, r.tile, strict=True) if there],
        "seals": r.seals[: r.num_players].tolist(),
        "school_rewards": [int(school_reward(r, p)) for p in players] if over else None,
    }


def event(r: Any, action: int, viewer: int | None) -> str:
    """What a viewer sees of an action: all is open but the cubes drawn from the bag."""
    if action == DRAW and viewer not in (None, r.current):
        return f"player {r.current} draws {DRAW_SIZE} cubes"
    return in_full(r, ACTIONS.strings[action])


def _counts(cubes: dict[str, int] | None) -> str:
    if cubes is None:
        return "hidden"
    return ", ".join(f"{n} {colour}" for colour, n in cubes.items() if n) or "nothing"


def text(d: dict[str, Any]) -> str:
    """The table as text, from what `describe` shows."""
    lines = [
        f"Alchemists, {d['num_players']} players, turn {d['turn']}, "
        + ("over" if d["over"] else f"player {d['current_player']} decides ({d['phase']})"),
        f"  reserve  {_counts(d['reserve'])}",
        f"  bag      {d['bag_size']} cubes" + (f": {_counts(d['bag'])}" if d["bag"] else ""),
        f"  tiles    {' '.join(map(str, d['tiles']))}",
    ]
    for i, cauldron in enumerate(d["cauldrons"]):
        if cauldron["owner"] is not None:
            value = "?" if cauldron["value"] is None else cauldron["value"]
            brew = f"worth {value:>2}, by player {cauldron['owner']}: {_counts(cauldron['recipe'])}"
            lines.append(f"  {cauldron_name(i):<14} {brew}")
    for p in range(d["num_players"]):
        mark = ">" if p == d["current_player"] else " "
        school = d["schools"][p] or "hidden"
        hand = f"{d['hand_sizes'][p]} cubes: {_counts(d['hands'][p])}"
        place = f", rank {d['ranks'][p]}" if d["ranks"] else ""
        lines.append(
            f"{mark} player {p}: {d['scores'][p]:>3} points{place}, {d['seals'][p]} seals, school {school}, {hand}"
        )
    return "\n".join(lines)
