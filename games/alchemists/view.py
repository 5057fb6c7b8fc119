"""How Alchemists looks to people: `describe` and the table as text."""

from __future__ import annotations

from typing import Any

from coven.games.alchemists.rules import school_reward
from coven.games.alchemists.state import (
    ACTIONS,
    COLOURS,
    DRAW,
    DRAW_SIZE,
    EMPTY,
    MIX,
    NUM_CAULDRONS,
    PRODUCES,
    TILES,
    cauldron_name,
)
from coven.games.core.actions import in_full
from coven.games.core.record import NOBODY


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
