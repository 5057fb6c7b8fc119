"""The prophecies of Witchstone, each at 1, 3, 5 and 7 points, as the rulebook lists them."""

from __future__ import annotations

import pytest
from witchstone_positions import ALL_SYMBOLS, GAME, cauldron, owns, play, position, sits

from coven.games.witchstone.state import PROPHECIES

FLOWER = ["(0,0)", "(1,0)", "(0,1)", "(-1,1)", "(-1,0)", "(0,-1)", "(1,-1)"]  # far from all print


def worth(s, name: str) -> int:
    """What player 0 gets for a prophecy at the end of the game."""
    twin = GAME.clone(s)
    owns(twin, 0, scrolls=(name,))
    s[()].num_scrolls[0] += 1  # any other scroll
    return play(twin, "stop")["scores"][0] - play(s, "stop")["scores"][0]


def final(**kwargs):
    """The last decision of the game."""
    return position(last_turn=True, running="energy 1", **kwargs)


def test_every_prophecy_is_tested_here():
    tested = {
        *(f"cluster {symbol}" for symbol in ALL_SYMBOLS),
        *("stone", "witches", "lying", "silver", "specials", "scrolls", "chips", "crystals"),
        *(f"visit {route}" for route in ("C-F-V", "V-C-T", "F-T-C", "T-V-F", "V-V-V", "F-F-F", "C-C-C")),
        *(f"connect {route}" for route in ("T-T-F", "V-V-C", "C-C-F")),
    }
    assert tested == set(PROPHECIES)


@pytest.mark.holds("witchstone", 151, 160, 161, 165, 166)
@pytest.mark.parametrize("symbol", ALL_SYMBOLS)
@pytest.mark.parametrize(("size", "points"), [(3, 1), (4, 3), (5, 5), (6, 7), (7, 7)])
def test_cluster(symbol, size, points):
    s = cauldron(final(), **{symbol: " ".join(FLOWER[:size])})
    assert worth(s, f"cluster {symbol}") == points


@pytest.mark.holds("witchstone", 167)
def test_example_a_green_has_a_cluster_of_five_witches():
    """Printed, on tiles and on a special hex; a sixth one is not connected."""
    s = cauldron(final(), witch="(3,-2) (2,-2) (1,-1) (-2,0)", energy_witch="(2,-1)")
    assert worth(s, "cluster witch") == 5


@pytest.mark.holds("witchstone", 161, 173)
@pytest.mark.parametrize(("before", "points"), [(0, 7), (1, 5), (2, 3), (3, 1)])
def test_stone(before, points):
    s = position(4, current=0, last_turn=True, running="energy 1")
    for p in range(1, before + 1):
        sits(s, p, standing="W")
    sits(s, 0, standing="W")
    assert worth(s, "stone") == points


def test_stone_without_a_witch_there():
    assert worth(final(), "stone") == 1


@pytest.mark.holds("witchstone", 174)
@pytest.mark.parametrize(("witches", "points"), [(1, 1), (4, 1), (5, 3), (6, 3), (7, 5), (8, 5), (9, 7), (12, 7)])
def test_witches_lying_and_standing_and_the_big_one(witches, points):
    standing = "F0 V0" if witches > 3 else ""
    s = sits(final(), 0, standing=standing, lying=witches - 1 - len(standing.split()))
    assert worth(s, "witches") == points


@pytest.mark.holds("witchstone", 175)
@pytest.mark.parametrize(("lying", "points"), [(0, 1), (1, 3), (2, 5), (3, 7), (4, 7)])
def test_lying(lying, points):
    assert worth(sits(final(), 0, lying=lying, standing="F0 V0"), "lying") == points


@pytest.mark.holds("witchstone", 176)
@pytest.mark.parametrize(("wand", "points"), [(0, 1), (7, 1), (8, 3), (10, 3), (11, 5), (13, 5), (14, 7), (17, 7)])
def test_silver(wand, points):
    assert worth(sits(final(), 0, wand=wand), "silver") == points


@pytest.mark.holds("witchstone", 177)
@pytest.mark.parametrize(("hexes", "points"), [(1, 1), (2, 3), (3, 5), (4, 7), (5, 7)])
def test_specials(hexes, points):
    s = final()
    s[()].num_hexes[0] = hexes
    assert worth(s, "specials") == points


@pytest.mark.holds("witchstone", 149, 178)
@pytest.mark.parametrize(("scrolls", "points"), [(3, 1), (4, 3), (5, 5), (6, 7), (7, 7)])
def test_scrolls_used_and_unused_count_itself_included(scrolls, points):
    s = owns(final(), 0, scrolls=("spell energy",) * (scrolls - 1))
    s[()].spells_used[0, 1], s[()].spells[0, 1] = s[()].spells[0, 1], 0
    assert worth(s, "scrolls") == points


@pytest.mark.holds("witchstone", 179)
@pytest.mark.parametrize(("chips", "points"), [(3, 1), (4, 3), (5, 5), (6, 5), (7, 7), (8, 7)])
def test_chips(chips, points):
    assert worth(owns(final(), 0, chips=chips), "chips") == points


@pytest.mark.holds("witchstone", 180)
@pytest.mark.parametrize(("crystals", "points"), [(2, 1), (3, 3), (4, 5), (5, 7), (6, 7)])
def test_crystals_of_ones_own_colour_in_the_rack(crystals, points):
    s = final()
    s[()].racked[0] = crystals
    s[()].beside[0] = (3, 1)
    s[()].shelf_black[2, 0] = 1
    assert worth(s, "crystals") == points


@pytest.mark.holds("witchstone", 22, 161, 168, 169, 170, 181)
@pytest.mark.parametrize(
    ("route", "standing", "points"),
    [
        ("C-F-V", "", 1),
        ("C-F-V", "F0 V0", 1),  # not without the first
        ("C-F-V", "C1", 3),
        ("C-F-V", "C1 V1 V2", 3),
        ("C-F-V", "C1 F3", 5),
        ("C-F-V", "C1 F3 V0", 7),
        ("V-C-T", "V0", 3),
        ("V-C-T", "V0 C0", 5),  # the own tower with the big witch does not count
        ("V-C-T", "V0 C0 T1", 7),
        ("F-T-C", "F0", 3),
        ("F-T-C", "F0 C0", 3),
        ("F-T-C", "F0 T3", 5),
        ("F-T-C", "F0 T3 C0", 7),
        ("T-V-F", "V0 F0", 1),
        ("T-V-F", "T2", 3),
        ("T-V-F", "T2 V0", 5),
        ("T-V-F", "T2 V0 F0", 7),
        *((f"{k}-{k}-{k}", " ".join(f"{k}{i}" for i in range(n)), (1, 3, 5, 7, 7)[n]) for k in "VFC" for n in range(5)),
    ],
)
def test_visit(route, standing, points):
    assert worth(sits(final(), 0, standing=standing), f"visit {route}") == points


def test_lying_witches_and_connections_visit_nothing():
    s = owns(sits(final(), 0, lying=3), 0, connections="T0-F0 T0-V0 V0-C0")
    assert worth(s, "visit F-F-F") == 1


@pytest.mark.holds("witchstone", 172)
def test_example_b_green_has_one_foreign_tower_and_a_forest():
    s = owns(final(), 0, connections="T0-F0 F0-T1")
    assert worth(s, "connect T-T-F") == 3


@pytest.mark.holds("witchstone", 161, 171, 181)
@pytest.mark.parametrize(
    ("route", "connections", "points"),
    [
        ("T-T-F", "T0-F0 T0-V0", 1),
        ("T-T-F", "T0-F0 F0-T1 T1-F1 F1-T2", 7),
        ("T-T-F", "T0-W T1-W T2-W", 5),
        ("V-V-C", "", 1),
        ("V-V-C", "T0-V0 V0-C0", 3),
        ("V-V-C", "T0-V0 V0-C0 C0-V1", 7),
        ("V-V-C", "T0-V0 T0-F0 F0-T1 T1-V1", 5),
        ("C-C-F", "T0-F0", 1),
        ("C-C-F", "T0-V0 V0-C0", 3),
        ("C-C-F", "T0-V0 V0-C0 C3-V0", 5),
        ("C-C-F", "T0-V0 V0-C0 C3-V0 T0-F0", 7),
    ],
)
def test_connect(route, connections, points):
    assert worth(owns(final(), 0, connections=connections), f"connect {route}") == points


@pytest.mark.holds("witchstone", 171)
def test_foreign_and_unfinished_connections_connect_nothing():
    s = owns(final(), 1, connections="T1-V1")
    s[()].item_number[0] = 1
    assert worth(s, "connect V-V-C") == 1
