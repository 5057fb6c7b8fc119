"""The box of Witchstone: what the rulebook counts, and that another box can be written down and played."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from witchstone_positions import GAME

from coven.games.witchstone.box import COMPONENTS, check_box

HERE = Path(__file__).parent
BOX = {entry.name: entry.value for entry in COMPONENTS.entries}


@pytest.mark.holds("witchstone", 1, 2, 3, 4, 5, 6, 7, 8, 31)
def test_the_box_has_what_the_rulebook_counts():
    most = GAME.players[-1]
    player = BOX["player"]
    assert len(BOX["special_hexes"]) == 15
    assert len(BOX["owls"]) * len(BOX["pentagram"]["owls"]) == 10
    assert sum(BOX["scrolls"].values()) == 40
    assert sum(BOX["chips"].values()) == 21
    assert (most, most * player["small_witches"]) == (4, 44)
    assert (len(BOX["tiles"]), most * len(BOX["tiles"])) == (15, 60)
    assert (player["energy"], most * player["energy"]) == (20, 80)
    assert (player["coloured_crystals"], most * player["black_crystals"]) == (6, 4)
    assert len(BOX["coloured_crystals"]) == player["coloured_crystals"]
    assert all(len(set(pair.split("/"))) == 2 for pair in BOX["tiles"])


def test_another_box_can_be_written_down_and_played(tmp_path):
    """No fourfold symmetry, prophecies twice, unequal double spells, other pairs: the second referee agrees."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-W", "ignore", str(HERE / "witchstone_other_box.py"), str(tmp_path / "box.toml")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("played with 14 pairs")


def changed(name: str, value: Any) -> dict[str, Any]:
    """The values of the component file, one of them replaced."""
    box: dict[str, Any] = {}
    for entry in COMPONENTS.entries:
        *groups, last = entry.name.split(".")
        inner = box
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[last] = copy.deepcopy(value if entry.name == name else entry.value)
    return box


def test_the_box_as_it_is_can_be_played_with():
    check_box(changed("", None))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tiles", ["energy/energy"] * 15, "two different symbols, of energy, witch"),
        ("tiles", ["energy/fire"] * 15, "two different symbols"),
        ("tiles", ["energy/witch"] * 14, "a player has 15"),
        ("special_hexes", ["wand"], "two different symbols"),
        ("connections", [["T0", "X", 1]], "must join two of T0, T1"),
        ("connections", [["T0", "T0", 1]], "must join two"),
        ("connections", [["T0", "W", 4]], "length of 1, 2, 3"),
        ("connections", [["T0", "W", 1], ["W", "T0", 2]], "one connection at most"),
        ("scrolls", {"spell fire": 2}, "must be the copies of"),
        ("scrolls", {"visit T-T": 1}, "with 3 stops of T, F, V, C"),
        ("scrolls", {"lying": -1}, "must be the copies of"),
        ("scrolls", {"lying": 32}, "8 to 31 prophecies can be there, not 32"),
        ("scrolls", {"spell single": 40}, "8 to 31 prophecies can be there, not 0"),
        ("chips", {"energy": 30}, "numbers for energy, witch"),
    ],
)
def test_a_box_that_cannot_be_played_with_is_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        check_box(changed(name, value))
