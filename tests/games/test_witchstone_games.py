"""Whole games of Witchstone: a second referee agrees at every step, from the deal and from late, crowded tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from witchstone_positions import GAME, legal, position
from witchstone_referee import Referee
from witchstone_referee_board import LENGTH, LOCATIONS, PAIRS, PRINTED, SPACES, SPELLS, SYMBOLS, distance, write

from coven.agents.registry import create
from coven.envs.agent import Agent
from coven.games.core.drivers import avoid, pick
from coven.games.core.rng import generator
from coven.games.witchstone.cauldron import cover, put_crystal
from coven.games.witchstone.energy import connections_to_fill, place_energy
from coven.games.witchstone.geometry import NUM_CONNECTIONS, STONE
from coven.games.witchstone.scrolls import reveal_scroll, take_scroll
from coven.games.witchstone.state import (
    BLACK_CODE,
    BOTTOM,
    CAPACITY,
    COLOURED_CODE,
    HEX_CODE,
    NONE,
    NUM_PAIRS,
    NUM_SHELVES,
    NUM_SPELLS,
    OWLS,
    SMALL_WITCHES,
    SYMBOL_CODE,
    TURNS,
)
from coven.testing import check_game

PLAYERS = GAME.players
HANDICAPS = [0, [1, 0, 3, 2]]

Style = Callable[[np.ndarray, np.ndarray, np.ndarray], int]


# Ways to play.


def uniform(s: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
    """Anything legal: many actions are stopped, many crystals spoiled."""
    return int(pick(dice[0], mask))


def busy(s: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
    """Never stops or spoils unless nothing else is legal."""
    avoid(mask, GAME.idle)
    return int(pick(dice[0], mask))


@cache
def bot(players: int) -> Agent:
    return create("greedy", GAME, players)


def greedy(s: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
    """The sensible bot: long chains, the end of the wand, laps of the pentagram, full shelves."""
    return bot(int(s["num_players"])).act(GAME.observe(s, int(s["current"])), mask, dice)


def hoarding(s: np.ndarray, mask: np.ndarray, dice: np.ndarray, symbol: str = "wand") -> int:
    """Takes crystals out by the wand's symbol whenever it can, and uses what waits only when nothing else is left."""
    for words in (f"exit {symbol}", "exit", "shelf", "stand", "crystal", "spell", "advance", "choose", "hex", "use"):
        some = mask.copy()
        for action in np.flatnonzero(mask):
            some[action] = GAME.action_to_string(s, int(action)).startswith(words)
        if some.any():
            return int(pick(dice[0], some))
    return busy(s, mask, dice)


def refilling(s: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
    """The same, but by the crystal's symbol."""
    return hoarding(s, mask, dice, "crystal")


# The second referee.


def compare(referee: Referee, s: np.ndarray) -> None:
    """The referee and the game see the same table, down to the types, and allow the same moves."""
    seen, expected = GAME.describe(s), referee.describe()
    if seen != expected:  # name what differs: the whole would be unreadable
        assert {key: seen[key] for key in seen if seen[key] != expected.get(key)} == {
            key: expected[key] for key in expected if seen.get(key) != expected[key]
        }
    assert json.dumps(seen, sort_keys=True) == json.dumps(expected, sort_keys=True)
    viewer = referee.turn % referee.n
    assert GAME.describe(s, viewer) == seen_by(viewer, expected)
    moves = legal(s)
    assert len(moves) == len(set(moves))
    assert set(moves) == set(referee.legal)


def seen_by(viewer: int, d: dict[str, Any]) -> dict[str, Any]:
    """What a description leaves out for a viewer: other hands, both piles, and the tile another one has chosen."""
    hands = [hand if p == viewer else [None] * len(hand) for p, hand in enumerate(d["hands"])]
    piles = {name: [None] * len(pile) for name, pile in d["piles"].items()}
    pending = [None] if d["phase"] == "lay" and d["current_player"] != viewer else d["pending"]
    return {**d, "hands": hands, "piles": piles, "pending": pending}


def referee_follows(s: np.ndarray, style: Style, seed: int, happened: Counter | None = None) -> Referee:
    """Play to the end with a referee beside it."""
    referee, dice, mask = Referee(lambda: GAME.describe(s)), generator(seed), GAME.new_mask()
    compare(referee, s)
    while not GAME.is_over(s):
        mask[: GAME.num_actions] = GAME.legal_mask(s)
        action = style(s, mask, dice)
        move = GAME.action_to_string(s, action)
        GAME.apply(s, action)
        referee.play(move)
        compare(referee, s)
        if happened is not None:
            note(happened, referee, move)
    assert list(GAME.scores(s)) == referee.final()
    assert list(GAME.ranks(s)) == referee.ranks()
    assert list(GAME.returns(s)) == pytest.approx(referee.returns())
    return referee


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("handicap", HANDICAPS)
@pytest.mark.parametrize("style", [uniform, busy, greedy])
def test_a_second_referee_sees_the_same_game(players, handicap, style):
    handicap = handicap[:players] if handicap else 0
    for seed in range(2):
        referee_follows(GAME.new(players, seed, handicap=handicap), style, seed)


def all_moves() -> set[str]:
    """Every string of the rules page."""
    free = [space for space in SPACES if space not in PRINTED]
    moves = {f"lay {write(a)} {write(b)}" for a in free for b in free if distance(a, b) == 1}
    moves |= {f"{word} {write(space)}" for word in ("crystal", "to", "place", "spoil") for space in free}
    moves |= {f"{word} {pair}" for word in ("tile", "discard", "hex") for pair in PAIRS}
    by_symbol = ("start", "use chip", "use vial", "choose", "exit", "use", "chip")
    moves |= {f"{word} {symbol}" for word in by_symbol for symbol in SYMBOLS}
    moves |= {f"tower T{i}" for i in range(4)} | {f"scroll {i}" for i in range(1, 7)}
    moves |= {f"energy {a}-{b}" for a, b in LENGTH} | {f"stand {place}" for place in LOCATIONS}
    return moves | {*SPELLS, "chip points", "lay witch", "advance", "stop", "shelf", "bottom"}


@pytest.mark.parametrize("tower", ["T0", "T1", "T2", "T3"])
def test_there_are_427_moves_whose_strings_lead_back_to_them(tower):
    towers = (tower, *(other for other in ("T0", "T1", "T2", "T3") if other != tower))
    s = position(towers=towers)
    strings = [GAME.action_to_string(s, action) for action in range(GAME.num_actions)]
    assert len(strings) == 427
    assert set(strings) == all_moves()
    assert [GAME.string_to_action(s, text) for text in strings] == list(range(427))


# Late, crowded tables, where everything that is rare happens.


def late_table(players: int, rng: np.random.Generator) -> np.ndarray:
    """The last two rounds: long nets, many witches and spells, full cauldrons and shelves, piles and stacks nearly out.

    Coloured crystals and scrolls may come up more often than they are in the box.
    """
    s, dice, mask = GAME.new(players, int(rng.integers(1000))), generator(int(rng.integers(1000))), GAME.new_mask()
    while not GAME.describe(s)["turn"]:
        mask[: GAME.num_actions] = GAME.legal_mask(s)
        GAME.apply(s, uniform(s, mask, dice))
    r: Any = s[()]
    r.turn = (TURNS - 2) * players + 1
    for p in range(players):
        r.supply[p] = rng.integers(3)
        spread_net(r, p, int(rng.integers(14)), rng)
        fill_cauldron_up(r, p, int(rng.integers(26)), rng)
        for _ in range(rng.integers(5)):
            r.display[0], r.display_size = rng.integers(NUM_SPELLS), 1
            take_scroll(r, p, 0)
        r.score[p] = rng.integers(8)
        stand_up(r, p, rng)
        r.pentagram[p] = rng.integers(15)
        r.spoiled[p] = rng.integers(3)
    space = int(rng.integers(1, 15))
    for p in rng.permutation(players)[: rng.integers(players + 1)]:
        r.wand[p] = space + rng.integers(2)
        r.wand_moves += 1
        r.wand_since[p] = r.wand_moves
    crowd_shelves(r, players, rng)
    run_out(r, players, rng)
    return s


def stand_up(r: Any, p: int, rng: np.random.Generator) -> None:
    """Some witches lie, some stand where no chip lies any more; the big one stays at her tower."""
    places = [i for i in range(r.chip_at.size) if i != STONE and i not in r.tower and rng.integers(3) == 0]
    r.lying[p] = rng.integers(6)
    r.reserve[p] = rng.integers(SMALL_WITCHES - r.lying[p])
    for location in places[: SMALL_WITCHES - r.lying[p] - r.reserve[p]]:
        r.standing[p] |= 1 << location
        r.chip_at[location] = NONE
    r.reserve[p] = SMALL_WITCHES + 1 - r.lying[p] - int(r.standing[p]).bit_count()


def spread_net(r: Any, p: int, units: int, rng: np.random.Generator) -> None:
    for _ in range(units):
        some = [c for c in range(NUM_CONNECTIONS) if int(connections_to_fill(r, p)) >> c & 1]
        if some:
            place_energy(r, p, int(rng.choice(some)))


def fill_cauldron_up(r: Any, p: int, spaces: int, rng: np.random.Generator) -> None:
    """Cover so many spaces, and bring the crystals elsewhere."""
    fresh = GAME.new(2, 0)[()]
    r.free[p], r.crystals[p], r.cauldron[p] = fresh.free[0] | fresh.crystals[0], 0, 0
    order = [int(i) for i in rng.permutation(fresh.cauldron.shape[1])]
    codes = [BLACK_CODE, *[COLOURED_CODE] * 6][: rng.integers(8)]
    for code in codes:
        put_crystal(r, p, order.pop(), code)
    for i in order[:spaces]:
        cover(r, p, i, int(rng.integers(SYMBOL_CODE, HEX_CODE if rng.integers(3) else HEX_CODE + NUM_PAIRS)))


def crowd_shelves(r: Any, players: int, rng: np.random.Generator) -> None:
    for shelf in range(NUM_SHELVES):
        for _ in range(max(0, CAPACITY[players, shelf] - rng.integers(4))):
            p = int(rng.integers(players))
            r.shelf_size[shelf] += 1
            if rng.integers(4) or r.shelf_black[:, p].any() or BLACK_CODE in r.cauldron[p]:
                r.shelf[shelf, p] += 1
                r.racked[p] += 1
            else:
                r.shelf_black[shelf, p] = 1
            if shelf == BOTTOM:
                r.table_chips[rng.choice(np.flatnonzero(r.table_chips))] -= 1


def run_out(r: Any, players: int, rng: np.random.Generator) -> None:
    r.hex_pile_size = rng.integers(3)
    for space in range(r.hex_at.size):
        if not r.hex_pile_size and rng.integers(2):
            r.hex_at[space] = NONE
    for stack in range(r.owls_taken.size):
        r.owls_taken[stack] = rng.integers(OWLS.size + 1)
        for i in range(r.owls_taken[stack]):
            r.owl_owner[stack, i] = p = int(rng.integers(players))
            r.owl_points[p] += OWLS[i]
    r.scroll_pile_size = min(int(r.scroll_pile_size), int(rng.integers(8)))
    r.display[:], r.display_size = NONE, 0
    for _ in range(6):
        reveal_scroll(r)


def note(happened: Counter, referee: Referee, move: str) -> None:
    """Count what is rare, as seen by the referee."""
    moves, actions = referee.legal, referee.running
    bonuses = [bonus for action in actions for bonus in action.bonuses]
    spoils = [text for text in moves if text.startswith("spoil")]
    happened["free choice"] += move.startswith("choose")
    happened["tile discarded"] += move.startswith("discard")
    happened["discard or spoil"] += bool(spoils) and any(text.startswith("discard") for text in moves)
    happened["spoiling forced"] += referee.phase == "tile" and moves == spoils != []
    happened["only the bottom shelf has room"] += referee.phase == "rack" and moves == ["bottom"]
    happened["only the symbol's shelf has room"] += referee.phase == "rack" and moves == ["shelf"]
    happened["no shelf has room"] += move.startswith("exit") and referee.phase != "rack"
    happened["owls have run out"] += not all(referee.owl_stacks.values())
    happened["display not full"] += len(referee.display) < 6
    inside = [action.kind for action in actions]
    happened["wand inside wand"] += inside[-1:] == ["wand"] and any(action.spaces for action in actions[:-1])
    happened["two crystal vials"] += any("vial crystal" in bonus for bonus in bonuses)
    happened["bonuses of one name, one stronger"] += any(f"black {bonus}" in bonuses for bonus in bonuses)
    happened["four actions deep"] += len(actions) >= 4
    happened["three bonuses wait on one action"] += any(len(action.bonuses) >= 3 for action in actions)
    if referee.current is None:
        happened["end of the wand"] += 17 in referee.wand
        happened["level points"] += len(set(referee.final())) < referee.n
        happened["third of a level wand space"] += any(len(order) > 2 for order in referee.wand_order.values())


def test_a_second_referee_sees_the_same_end_of_crowded_games():
    rng, happened = np.random.default_rng(2), Counter()
    for number in range(100):
        s = late_table(PLAYERS[number % 3], rng)
        referee_follows(s, (hoarding, busy, refilling, uniform)[number // 3 % 4], number, happened)
    assert not [what for what, times in happened.items() if not times]


def test_all_promises_hold_with_a_handicap_too():
    check_game(GAME, 4, games=2, handicap=[3, 1, 2, 0])
