"""What lies in the box, read from the component file and checked, so that a file corrected wrongly says so."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from coven.games.core.components import Components

FOLDER = Path(__file__).parent

MOST_TILES = 15  # sets of tiles, prophecies and connections are bits of 16, 32 and 64 bits with a sign
LEAST_PROPHECIES, MOST_PROPHECIES = 8, 31  # observations write them eight by eight
MOST_CONNECTIONS = 63


def check_box(box: Any) -> None:
    """Refuse a box that the rules cannot be played with: what is wrong, and what is allowed."""
    symbols = box["symbols"]
    for name in ("tiles", "special_hexes"):
        for pair in box[name]:
            halves = pair.split("/")
            if len(set(halves)) != 2 or not set(halves) <= set(symbols):
                raise ValueError(f"{name}: {pair!r} must be two different symbols, of {', '.join(symbols)}, as a/b")
    if len(box["tiles"]) != MOST_TILES or box["turns"] + box["handicap"]["aside"] > MOST_TILES:
        raise ValueError(f"tiles: a player has {MOST_TILES}, enough for all turns, not {len(box['tiles'])}")
    check_connections(box)
    check_scrolls(box)
    kinds = [*symbols, "points"]
    if list(box["chips"]) != kinds or sum(box["chips"].values()) < len(list(places(box))):
        raise ValueError(f"chips: numbers for {', '.join(kinds)} are needed, in all one for every location")


def places(box: Any) -> Iterable[str]:
    """The names of all locations but the Witchstone: kind by kind, the towers first."""
    kinds, of_each = box["locations"]["kinds"], box["locations"]["of_each"]
    return (f"{kind}{i}" for kind in kinds for i in range(of_each))


def check_connections(box: Any) -> None:
    """Every connection joins two locations, no two join the same, and each length has its points."""
    names, lengths = [*places(box), box["locations"]["stone"]], range(1, len(box["connection_points"]) + 1)
    for a, b, length in box["connections"]:
        if a == b or not {a, b} <= set(names) or length not in lengths:
            raise ValueError(
                f"connections: {a}-{b} {length} must join two of {', '.join(names)},"
                f" with a length of {', '.join(map(str, lengths))}"
            )
    if len({frozenset((a, b)) for a, b, _ in box["connections"]}) != len(box["connections"]):
        raise ValueError("connections: two locations are joined by one connection at most")
    if len(box["connections"]) > MOST_CONNECTIONS:
        raise ValueError(f"connections: at most {MOST_CONNECTIONS} can be there, not {len(box['connections'])}")


def check_scrolls(box: Any) -> None:
    """Every scroll has a name that the rules know, and a number of copies."""
    kinds, symbols, number = box["locations"]["kinds"], box["symbols"], len(box["prophecies"]["steps"])
    known = {"spell single", *(f"{word} {symbol}" for word in ("spell", "cluster") for symbol in symbols)}
    known |= set(box["prophecies"]["other"])
    prophecies = 0
    for name, copies in box["scrolls"].items():
        word, _, route = name.partition(" ")
        stops = route.split("-")
        if word in ("visit", "connect") and len(stops) == number and set(stops) <= set(kinds):
            known.add(name)
        if name not in known or not isinstance(copies, int) or copies < 0:
            raise ValueError(
                f"scrolls: {name!r} = {copies!r} must be the copies of {', '.join(sorted(known))},"
                f" or of visit or connect with {number} stops of {', '.join(kinds)}, as in T-T-F"
            )
        prophecies += copies if word != "spell" else 0
    if not LEAST_PROPHECIES <= prophecies <= MOST_PROPHECIES:
        raise ValueError(f"scrolls: {LEAST_PROPHECIES} to {MOST_PROPHECIES} prophecies can be there, not {prophecies}")


COMPONENTS = Components(FOLDER / "components.toml")
check_box(COMPONENTS)
