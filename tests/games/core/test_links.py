"""Which numbers of an observation are about which action."""

from __future__ import annotations

import pytest

import coven
from coven.games.core.actions import Actions, Kind
from coven.games.core.layout import Layout, Slice
from coven.games.core.links import Links

GAME = coven.game("witchstone")
LINKED = [game for game in map(coven.game, coven.games.built_in()) if game.links.slots]


def links_of(game, action):
    """What is about an action, as numbers of slices."""
    links, found = game.links, []
    for place in links.places[links.starts[action] : links.starts[action + 1]]:
        part = next(part for part in game.layout if part.start <= place < part.stop)
        found.append((part.name, int(place - part.start)))
    return found


def test_a_lay_has_its_two_groups_and_a_scroll_its_place_in_the_display():
    lay = GAME.actions.start("lay")
    assert links_of(GAME, lay + 5) == [("lay_first", 5), ("lay_second", 5)]
    kinds = GAME.layout["display"].size // 6
    assert links_of(GAME, GAME.actions.ids["scroll 3"]) == [("display", 2 * kinds + i) for i in range(kinds)]
    assert links_of(GAME, GAME.actions.ids["stop"]) == []


@pytest.mark.parametrize("game", LINKED, ids=lambda game: game.name)
def test_numbers_are_about_the_actions_that_bear_their_labels(game):
    """Where columns are about actions, the label stands in the action's string."""
    compared = 0
    for block in game.links.blocks:
        part = next(part for part in game.layout if part.start == block.start)
        names = part.rows if block.by_row else part.labels
        strings = game.actions.strings[block.action : block.action + block.actions]
        for name, string in zip(names, strings, strict=False):
            if any(name in other for other in strings):
                assert name in string, part.name
                compared += 1
    assert compared > 20


def test_numbers_about_no_action_are_refused():
    actions = Actions(Kind("go", "go somewhere", ("go left", "go right")))

    def links(size, about, labels=()):
        return Links(Layout(Slice("numbers", size, 0, 9, "what is there", labels=labels, about=(about,))), actions)

    both = links(4, "go", ("left", "right"))
    assert (both.slots, both.places.tolist(), both.slot_of.tolist()) == (2, [0, 2, 1, 3], [0, 1, 0, 1])
    by_row = links(6, "go", ("near", "far", "away"))
    assert (by_row.slots, by_row.places.tolist(), by_row.slot_of.tolist()) == (3, [*range(6)], [0, 1, 2] * 2)
    with pytest.raises(ValueError, match="'numbers' is about 'come'"):
        links(2, "come")
    with pytest.raises(ValueError, match="1 rows of 3 numbers; 'go', which it is about, has 2 actions"):
        links(3, "go")
