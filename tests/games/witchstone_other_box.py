"""Another box of Witchstone: `python witchstone_other_box.py FILE` writes it as a component file and plays with it.

It needs a process of its own, since the game computes its tables when it is imported.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import witchstone_referee_board as board

import coven
from coven.games.core.components import Components

HERE = Path(__file__).parent
FILE = Path(coven.__file__).resolve().parent.parent / "games" / "witchstone" / "components.toml"


def other_box(box: dict[str, Any]) -> dict[str, Any]:
    """A net without symmetry, other pairs, unequal chips and double spells, prophecies twice, and some not at all."""
    net = [c for c in box["connections"]["value"] if c not in (["F0", "W", 2], ["T1", "F1", 1], ["V3", "C3", 3])]
    box["connections"]["value"] = [*net, ["T0", "C2", 1], ["T1", "F1", 3], ["V3", "F1", 2]]
    change(box["tiles"]["value"], {"wand/scroll": "energy/witch", "crystal/scroll": "witch/energy"})
    change(box["special_hexes"]["value"], {"energy/witch": "wand/scroll", "crystal/scroll": "energy/wand"})
    box["chips"]["value"] |= {"energy": 5, "witch": 1, "points": 2, "scroll": 4}
    scrolls = box["scrolls"]["value"]
    scrolls |= {"spell single": 2, "spell energy": 5, "spell witch": 1, "spell scroll": 3}
    scrolls |= {"cluster energy": 3, "lying": 2, "connect T-T-F": 2, "visit T-T-T": 1, "visit C-F-V": 0}
    del scrolls["stone"]
    return box


def change(names: list[str], instead: dict[str, str]) -> None:
    names[:] = [instead.get(name, name) for name in names]


def written(box: dict[str, Any], prefix: str = "") -> str:
    """Components as a component file."""
    text = ""
    for name, entry in box.items():
        if "value" in entry:
            lines = [f"{key} = {literal(value)}" for key, value in entry.items()]
            text += "\n".join([f"[{prefix}{name}]", *lines, "", ""])
        else:
            text += written(entry, f"{name}.")
    return text


def literal(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {literal(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


def tell_the_referee(box: dict[str, Any]) -> None:
    """The second referee plays with the same box; it reads its tables when it is imported."""
    board.LENGTH.clear()
    board.LENGTH.update({(a, b): length for a, b, length in box["connections"]["value"]})
    symbols = box["symbols"]["value"]
    in_order = {name: "/".join(sorted(name.split("/"), key=symbols.index)) for name in [*box["tiles"]["value"]]}
    board.TILES = [in_order[name] for name in box["tiles"]["value"]]
    board.HEXES = box["special_hexes"]["value"]
    board.CHIPS = box["chips"]["value"]
    families = [("spell",), ("cluster",), tuple(box["prophecies"]["other"]["value"]), ("visit",), ("connect",)]
    copies = [name for name, number in box["scrolls"]["value"].items() for _ in range(number)]
    board.SCROLLS = [name for family in families for name in copies if name.split()[0] in family]


def swap_in(path: Path) -> None:
    """From now on Witchstone's components are read from there."""
    read = Components.__init__

    def from_there(self: Components, found: Path) -> None:
        read(self, path if found.resolve() == FILE else found)

    Components.__init__ = from_there  # type: ignore[method-assign]


def play_with_it() -> None:
    """Whole games and late tables with the second referee beside; what is hidden stays so."""
    import numpy as np
    import test_witchstone_games as games

    from coven.games.witchstone.geometry import SYMMETRIC
    from coven.games.witchstone.state import PAIR_NAMES, PROPHECIES
    from coven.testing import check_same_view, random_states

    game = games.GAME
    assert not SYMMETRIC
    assert Counter(PROPHECIES)["lying"] == 2
    for players, style in zip(game.players, (games.greedy, games.busy, games.uniform), strict=True):
        games.referee_follows(game.new(players, players), style, players)
    rng = np.random.default_rng(5)
    for players in game.players[:2]:
        games.referee_follows(games.late_table(players, rng), games.refilling, players)
    for s in random_states(game, 2, games=1, every=60, handicap=[0, 2]):
        check_same_view(game, s, game.determinize(s, 0, 1), 0)
    both_copies_of_a_prophecy_score(game)
    print(f"played with {len(PAIR_NAMES)} pairs")


def both_copies_of_a_prophecy_score(game: Any) -> None:
    """Two copies of `lying`, with three witches that lie: 7 points each."""
    from coven.games.witchstone.prophecies import prophecy_points
    from coven.games.witchstone.state import PROPHECIES

    r: Any = game.new(2, 0)[()]
    r.lying[0], r.prophecies[0] = 3, sum(1 << i for i, name in enumerate(PROPHECIES) if name == "lying")
    assert prophecy_points(r, 0) == 14


if __name__ == "__main__":
    path = Path(sys.argv[1])
    other = other_box(tomllib.loads(FILE.read_text(encoding="utf-8")))
    path.write_text(written(other), encoding="utf-8")
    swap_in(path)
    tell_the_referee(other)
    play_with_it()
