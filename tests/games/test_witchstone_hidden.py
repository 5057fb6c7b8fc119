"""What a player of Witchstone cannot know, and what holds in every game."""

from __future__ import annotations

import heapq
from collections import Counter
from math import comb

import numpy as np
import pytest
from witchstone_positions import GAME, cauldron, owns, play, position, sits

from coven.games.core.drivers import avoid, pick
from coven.games.core.rng import generator
from coven.games.witchstone.energy import connections_to_fill, place_energy
from coven.games.witchstone.geometry import (
    BIT,
    CONNECTION_AT,
    CONNECTIONS,
    DISTANCE,
    ENDS,
    EXIT_COST,
    LAYS,
    LENGTH,
    LOCATION_AT,
    LOCATIONS,
    NUM_SPACES,
    SPACES,
    group,
    hex_distance,
    neighbours,
    size,
    within,
)
from coven.games.witchstone.stack import push
from coven.games.witchstone.state import (
    ACTION,
    ALL_TILES,
    CHIP_BONUS,
    CHOICE_BONUS,
    HEX_BONUS,
    NONE,
    NUM_PAIRS,
    PAIR_NAMES,
    RACK,
    SCROLL_COPIES,
    SCROLLS,
    STACK,
    WAND_SPACES,
    hexes_passed,
)
from coven.games.witchstone.witches import locations_to_stand, price_to_stand
from coven.testing import RandomBatch, check_same_view, random_states

PLAYERS = GAME.players


# What holds after every step.


def bits(sets: np.ndarray, width: int) -> np.ndarray:
    """Sets as one row of flags each."""
    return (sets[..., None].astype(np.int64) >> np.arange(width)) & 1


def assert_nothing_lost(states: np.ndarray, players: int) -> None:
    """Tiles, chips, special hexes, scrolls, owls, crystals, energy and witches are all somewhere, just once."""
    r = {name: states[name] for name in states.dtype.names}
    count = np.arange(STACK) < r["height"][:, None]
    of_player = {name: r[name][:, :players] for name in ("hand", "gone", "supply", "energy", "reserve", "lying")}
    # Tiles.
    hand, gone = bits(of_player["hand"], NUM_PAIRS), bits(of_player["gone"], NUM_PAIRS)
    assert not (hand & gone).any()
    assert (hand.sum(axis=2) + gone.sum(axis=2) + of_player["supply"] == NUM_PAIRS).all()
    # Chips: on the board, on the table, taken.
    taken = r["chips"].sum(axis=1)
    on_board = np.stack([(r["chip_at"] == kind).sum(axis=1) for kind in range(7)], axis=1)
    assert (on_board + r["table_chips"] + taken == 3).all()
    assert (r["chips"].sum(axis=2) == r["num_chips"]).all()
    # Special hexes: on the pentagram, in the pile, used, placed, chosen or waiting.
    waiting = (r["item_kind"] == HEX_BONUS) & count
    held = (r["hexes_used"] + r["hexes_placed"]).sum(axis=1)
    places = held + np.stack([((r["item_what"] == i) & waiting).sum(axis=1) for i in range(NUM_PAIRS)], axis=1)
    places += np.stack([(r["hex_at"] == i).sum(axis=1) for i in range(NUM_PAIRS)], axis=1)
    in_pile = np.arange(NUM_PAIRS) < r["hex_pile_size"][:, None]
    places += np.stack([((r["hex_pile"] == i) & in_pile).sum(axis=1) for i in range(NUM_PAIRS)], axis=1)
    places += (np.arange(NUM_PAIRS) == r["hex"][:, None]) & (r["phase"] == GAME.phases.index("hex"))[:, None]
    assert (places == 1).all()
    assert (r["num_hexes"].sum(axis=1) == 15 - r["hex_pile_size"] - (r["hex_at"] >= 0).sum(axis=1)).all()
    # Scrolls.
    pile = np.arange(40) < r["scroll_pile_size"][:, None]
    spells = (r["spells"] + r["spells_used"]).sum(axis=1)
    prophecies = bits(r["prophecies"], 24).sum(axis=1)
    for kind, copies in enumerate(SCROLL_COPIES):
        owned = spells[:, kind] if kind < 7 else prophecies[:, kind - 7]
        shown = (r["display"] == kind).sum(axis=1)
        assert (owned + shown + ((r["scroll_pile"] == kind) & pile).sum(axis=1) == copies).all()
    assert (r["num_scrolls"].sum(axis=1) == spells.sum(axis=1) + prophecies.sum(axis=1)).all()
    # Owls.
    owned = [(r["owl_owner"] == p).sum(axis=(1, 2)) for p in range(players)]
    assert (sum(owned) == r["owls_taken"].sum(axis=1)).all()
    values = np.array([7, 6, 5, 4, 3])
    for p in range(players):
        assert (((r["owl_owner"] == p) * values).sum(axis=(1, 2)) == r["owl_points"][:, p]).all()
    # Crystals: in the cauldron, on shelves, spoiled, beside the screen, or on the rim just now.
    inside = bits(r["crystals"], 64).sum(axis=2)
    shelved = r["shelf"].sum(axis=1) + r["shelf_black"].sum(axis=1)
    on_rim = (np.arange(4) == r["current"][:, None]) & (r["phase"] == RACK)[:, None]
    crystals = inside + shelved + r["spoiled"] + r["beside"].sum(axis=2) + on_rim
    assert (crystals[:, :players] == 7).all()
    assert (r["shelf"].sum(axis=2) + r["shelf_black"].sum(axis=2) == r["shelf_size"]).all()
    assert (r["shelf"].sum(axis=1) == r["racked"]).all()
    # Wand spaces still to come: those of one move, or of several together, up to where the counter stands.
    spaces = (r["item_kind"] == WAND_SPACES) & count
    assert (spaces.sum(axis=1) <= 1).all()
    at = np.nonzero(spaces)
    assert (r["item_number"][at] == r["wand"][at[0], r["current"][at[0]]]).all()
    assert (r["item_what"][at] <= r["item_number"][at]).all()
    # Energy and witches.
    assert (of_player["energy"].sum(axis=1) + r["filled"].sum(axis=1) == 20 * players).all()
    standing = bits(r["standing"], 17)[:, :players].sum(axis=2)
    big = (r["tower"][:, :players] >= 0).astype(int)
    assert (of_player["reserve"] + of_player["lying"] + standing == 11 + big).all()
    assert ((r["stone"] >= 0).sum(axis=1) == bits(r["standing"], 17)[:, :, 16].sum(axis=1)).all()
    assert all(
        r[name].min() >= 0 for name in ("score", "energy", "lying", "reserve", "supply", "table_chips", "spells")
    )


def assert_cauldrons_agree(states: np.ndarray, players: int) -> None:
    """The sets of spaces say the same as the codes; groups of whole cauldrons are those remembered."""
    codes = states["cauldron"][:, :players]
    free = (states["free"][:, :players, None] & BIT) != 0
    crystals = (states["crystals"][:, :players, None] & BIT) != 0
    assert (free == (codes == 0)).all()
    assert (crystals == (codes >= 22)).all()
    for i in range(0, len(states), 97):
        for p in range(players):
            for k in range(6):
                board = states["symbol"][i, p, k]
                largest = max(size(group(board, np.uint64(1 << b))) for b in range(56) if int(board) >> b & 1)
                assert largest == states["group"][i, p, k]


def assert_network_agrees(s: np.ndarray, players: int) -> None:
    """Owners, begun connections and what is joined to a tower fit what is filled."""
    r = s[()]
    for c in range(len(CONNECTIONS)):
        owners = [p for p in range(players) if int(r.finished[p]) >> c & 1 or r.begun[p] == c]
        assert len(owners) == (r.filled[c] > 0) == (int(r.touched) >> c & 1)
        assert not owners or (r.filled[c] == LENGTH[c]) == (int(r.finished[owners[0]]) >> c & 1)
    for p in range(players):
        joined = 1 << int(r.tower[p]) if r.tower[p] >= 0 else 0
        for _ in CONNECTIONS:
            for c in range(len(CONNECTIONS)):
                if int(r.finished[p]) >> c & 1 and ENDS[c] & joined:
                    joined |= int(ENDS[c])
        assert joined == r.joined[p]


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_is_ever_lost_and_every_game_ends(players, active):
    """A thousand games side by side."""
    games = RandomBatch(GAME, players, size=512, seed=players)
    steps = deepest = 0
    while games.finished.min() < 2:
        games.play(active)
        steps += 1
        deepest = max(deepest, int(games.states["height"].max()))
        assert games.length.max() <= GAME.facts.longest[players]
        assert_nothing_lost(games.states, players)
        if steps % 40 == 0:
            assert_cauldrons_agree(games.states, players)
            for i in range(0, 512, 100):
                assert_network_agrees(games.states[i].reshape(()), players)
    assert deepest <= STACK


# The stack.


def test_the_stack_is_as_high_as_all_bonuses_of_one_turn():
    assert hexes_passed(1) == 1
    assert hexes_passed(15) == 3
    assert hexes_passed(19) == 5  # from 13: 14, 2, 8, 14, 2
    assert STACK == 2 + 11 + 7 + 5 + 15


def test_a_full_stack_is_an_error_and_loses_nothing():
    s = position(2, running="pentagram 2")
    r = s[()]
    for _ in range(STACK - 1):
        push(r, CHOICE_BONUS, NONE, 2)
    before = s.tobytes()
    with pytest.raises(OverflowError, match="stack of actions and bonuses is full"):
        push(r, CHOICE_BONUS, NONE, 2)
    assert s.tobytes() == before


PREFERRED = ("use", "hex", "choose", "advance", "spell", "exit", "stand", "crystal", "shelf", "chip", "lay witch")


def test_chains_as_deep_as_one_can_make_them_stay_within_the_stack():
    """Rich positions, played so that every bonus is used at once and most types bring more."""
    rng, deepest, waiting = np.random.default_rng(1), 0, 0
    for _ in range(40):
        locations = [name for name in LOCATIONS if name not in ("T0", "W")]
        kinds = ["witch", "pentagram", "crystal", "wand"]
        s = position(
            2,
            running=f"{kinds[rng.integers(4)]} 11",
            second="pentagram",
            chips={name: kinds[rng.integers(4)] for name in locations},
            table_chips=("witch", "pentagram", "crystal", "wand", "witch"),
            hexes=("witch/pentagram", "crystal/wand", "witch/crystal"),
            hex_pile=("pentagram/crystal", "pentagram/wand", "witch/wand", "pentagram/scroll"),
        )
        coloured = ("(1,-3)", "(3,-2)", "(2,1)", "(-1,3)", "(-3,2)", "(-2,-1)")
        cauldron(s, coloured=coloured, black="(0,0)")
        owns(s, 0, connections="T0-F0 F0-T1 T1-F1 F1-T2 T0-V0 T1-V1 T2-F2 T2-V2")
        owns(s, 0, scrolls=("spell pentagram", "spell witch", "spell crystal", "spell wand", "spell single") * 2)
        sits(s, 0, lying=9, pentagram=int(rng.integers(15)), wand=int(rng.integers(1, 9)))
        while GAME.current_player(s) == 0:
            texts = [GAME.action_to_string(s, a) for a in GAME.legal_actions(s)]
            texts = [t for t in texts if not t.startswith("spoil")]
            best = min(next((i for i, k in enumerate(PREFERRED) if t.startswith(k)), 99) for t in texts)
            good = [t for t in texts if best == 99 or t.startswith(PREFERRED[best])]
            play(s, good[rng.integers(len(good))])
            kind = s[()].item_kind[: s[()].height]
            deepest = max(deepest, int((kind == ACTION).sum()))
            waiting = max(waiting, int((kind >= CHIP_BONUS).sum()))
    assert deepest >= 6
    assert deepest + waiting <= STACK


# Geometry.


def test_the_sets_of_spaces_know_their_neighbours():
    assert NUM_SPACES == 31
    assert len(LAYS) == 144
    for i, a in enumerate(SPACES):
        for j, b in enumerate(SPACES):
            assert DISTANCE[i, j] == hex_distance(a, b)
            for steps in range(8):
                assert bool(within(BIT[i], steps) & BIT[j]) == (hex_distance(a, b) <= steps)
            assert bool(neighbours(BIT[i]) & BIT[j]) == (hex_distance(a, b) == 1)
    assert EXIT_COST.min() == 1
    assert EXIT_COST[SPACES.index((0, 0))].tolist() == [4] * 6


def route_prices(r: np.ndarray, p: int) -> dict[int, int]:
    """The cheapest price of every location for a player, by trying all routes: foreign connections cost 1 each, own
    ones 1 for every unbroken stretch."""
    prices = {(int(r.tower[p]), False): 0}  # where one is, and whether one came over an own connection
    heap = [(0, *next(iter(prices)))]
    while heap:
        price, here, on_own = heapq.heappop(heap)
        for c in range(len(CONNECTIONS)):
            ends = [k for k in range(17) if int(ENDS[c]) >> k & 1]
            owner = next((q for q in range(r.num_players) if int(r.finished[q]) >> c & 1), None)
            if here in ends and owner is not None:
                there = (sum(ends) - here, owner == p)
                new = price + (owner != p or not on_own)
                if new < prices.get(there, 99):
                    prices[there] = new
                    heapq.heappush(heap, (new, *there))
    return {k: min(v for (place, _), v in prices.items() if place == k) for k in {place for place, _ in prices}}


@pytest.mark.holds("witchstone", 58, 59)
@pytest.mark.parametrize("players", PLAYERS)
def test_route_prices_are_those_of_all_routes_tried(players):
    rng = np.random.default_rng(players)
    longest = 0
    for _ in range(25):
        s = position(players)
        r = s[()]
        for _ in range(rng.integers(10, 70)):
            p = int(rng.integers(players))
            targets = [c for c in range(len(CONNECTIONS)) if int(connections_to_fill(r, p)) >> c & 1]
            if targets:
                place_energy(r, p, int(rng.choice(targets)))
        for p in range(players):
            r.lying[p] = 1
            prices = route_prices(r, p)
            longest = max(longest, *prices.values())
            for number in range(1, 8):
                reached = {k for k, price in prices.items() if 0 < price <= number}
                assert {k for k in range(17) if int(locations_to_stand(r, p, number)) >> k & 1} == reached
            assert all(price_to_stand(r, p, k) == price for k, price in prices.items())
    assert longest >= 2


def test_the_crystal_ball_looks_the_same_from_every_tower():
    for t in range(4):
        for i, c in enumerate(CONNECTION_AT[t]):
            ends = {LOCATION_AT[t, k] for k in range(17) if ENDS[i] >> k & 1}
            assert ends == {k for k in range(17) if ENDS[c] >> k & 1}
            assert LENGTH[i] == LENGTH[c]


def turned(s: np.ndarray) -> np.ndarray:
    """The same game with the crystal ball turned by a quarter."""
    other = GAME.clone(s)
    r, o = s[()], other[()]
    for p in range(r.num_players):
        o.tower[p] = (r.tower[p] + 1) % 4 if r.tower[p] != NONE else NONE
        o.begun[p] = CONNECTION_AT[1, r.begun[p]] if r.begun[p] >= 0 else -1
        for name in ("standing", "joined"):
            o[name][p] = sum(1 << int(LOCATION_AT[1, k]) for k in range(17) if int(r[name][p]) >> k & 1)
        for name in ("finished", "open_to"):
            o[name][p] = sum(1 << int(CONNECTION_AT[1, k]) for k in range(32) if int(r[name][p]) >> k & 1)
    o.touched = sum(1 << int(CONNECTION_AT[1, k]) for k in range(32) if int(r.touched) >> k & 1)
    o.chip_at[LOCATION_AT[1]] = r.chip_at
    o.filled[CONNECTION_AT[1]] = r.filled
    return other


@pytest.mark.parametrize("players", PLAYERS)
def test_a_turned_game_looks_the_same_to_everyone_and_is_played_by_the_same_actions(players):
    for s in random_states(GAME, players, games=6, every=3):
        if GAME.describe(s)["phase"] == "tower":
            continue  # nothing is turned for who has no tower yet
        other = turned(s)
        assert GAME.legal_actions(s) == GAME.legal_actions(other)
        for p in np.flatnonzero(s["tower"][:players] != NONE):
            assert (GAME.observe(s, p) == GAME.observe(other, p)).all()
        for action in GAME.legal_actions(s)[:3]:
            one, two = GAME.clone(s), GAME.clone(other)
            GAME.apply(one, action)
            GAME.apply(two, action)
            assert turned(one).tobytes() == two.tobytes()


# What is hidden.


def shuffled_hidden(s: np.ndarray, viewer: int, rng: np.random.Generator) -> np.ndarray:
    """The same table with the tiles in other hands, a tile chosen secretly, both piles and the generator made anew."""
    other = GAME.clone(s)
    r = other[()]
    for p in range(r.num_players):
        if p != viewer:
            unlaid = [i for i in range(NUM_PAIRS) if not int(r.gone[p]) >> i & 1]
            tiles = int(r.hand[p]).bit_count()
            r.hand[p] = sum(1 << int(i) for i in rng.permutation(unlaid)[:tiles])
    if GAME.phases[r.phase] == "lay" and r.current != viewer:
        r.tile = rng.choice([i for i in range(NUM_PAIRS) if int(r.hand[r.current]) >> i & 1])
    for name in ("hex_pile", "scroll_pile"):
        k = int(r[f"{name}_size"])
        r[name][:k] = rng.permutation(r[name][:k])
    r.rng = rng.integers(1 << 63)
    return other


@pytest.mark.holds("witchstone", 198)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("handicap", [0, [3, 1, 2, 0]])
def test_nothing_hidden_shows(players, handicap):
    rng = np.random.default_rng(players)
    changed = 0
    handicap = handicap[:players] if handicap else 0
    for s in random_states(GAME, players, games=4, every=5, handicap=handicap):
        for viewer in range(players):
            other = shuffled_hidden(s, viewer, rng)
            changed += other["hand"].tobytes() != s["hand"].tobytes()
            check_same_view(GAME, s, other, viewer)
            assert GAME.determinize(s, viewer, 3).tobytes() == GAME.determinize(other, viewer, 3).tobytes()
    assert changed > 100


@pytest.mark.holds("witchstone", 10, 12)
def test_describe_leaves_out_what_a_viewer_cannot_know():
    s = GAME.new(3, seed=2)
    d, all_seen = GAME.describe(s, viewer=1), GAME.describe(s)
    assert d["hands"] == [[None] * 5, all_seen["hands"][1], [None] * 5]
    assert d["piles"] == {"scrolls": [None] * 34, "hexes": [None] * 12}
    assert None not in all_seen["piles"]["scrolls"]
    hidden = {"hands", "piles"}
    assert all(d[key] == all_seen[key] for key in d if key not in hidden)


def test_piles_are_described_top_first():
    s = position(running="scroll 1", display=SCROLLS[:6], scroll_pile=("stone", "lying"))
    assert GAME.describe(s)["piles"]["scrolls"] == ["stone", "lying"]
    assert play(s, "scroll 1")["display"][-1] == "stone"
    s = sits(position(running="pentagram 2", hex_pile=("witch/wand", "witch/scroll")), 0, pentagram=0)
    assert GAME.describe(s)["piles"]["hexes"] == ["witch/wand", "witch/scroll"]
    assert play(s, "advance")["hexes"]["2"] == "witch/wand"


@pytest.mark.parametrize("players", PLAYERS)
def test_determinized_states_keep_all_the_player_has_seen(players):
    free = {"rng", "hand", "tile", "hex_pile", "scroll_pile"}
    for number, s in enumerate(random_states(GAME, players, games=5, every=7)):
        for viewer in range(players):
            other = GAME.determinize(s, viewer, number)
            r, o = s[()], other[()]
            assert all((s[name] == other[name]).all() for name in s.dtype.names if name not in free)
            assert o.hand[viewer] == r.hand[viewer]
            for p in range(players):
                assert int(o.hand[p]).bit_count() == int(r.hand[p]).bit_count()
                assert not o.hand[p] & o.gone[p]
                assert not o.hand[p] & ~ALL_TILES
            for name in ("hex_pile", "scroll_pile"):
                k = int(r[f"{name}_size"])
                assert sorted(o[name][:k]) == sorted(r[name][:k])
            if GAME.phases[r.phase] == "lay":
                assert int(o.hand[r.current]) >> int(o.tile) & 1
                assert r.current != viewer or o.tile == r.tile


def chi_square(seen: Counter, samples: int, kinds: int) -> float:
    """How far counts of equally likely things are from equal."""
    expected = samples / kinds
    return sum((n - expected) ** 2 / expected for n in seen.values()) + (kinds - len(seen)) * expected


def test_determinize_deals_every_possible_hand_equally_often():
    """The rival has laid twelve of the fifteen tiles and holds two of the three left."""
    s = position(2)
    s[()].gone[1], s[()].hand[1], s[()].supply[1] = ALL_TILES & ~0b111, 0b011, 1
    samples = 3000
    seen = Counter(int(GAME.determinize(s, 0, seed)[()].hand[1]) for seed in range(samples))
    assert seen.keys() == {0b011, 0b101, 0b110}
    assert chi_square(seen, samples, comb(3, 2)) < 13.8  # 0.1 % with two degrees of freedom


def test_determinize_chooses_the_secret_tile_among_the_hand():
    s = play_to_lay()
    samples = 3000
    tiles = Counter(int(GAME.determinize(s, 1, seed)[()].tile) for seed in range(samples))
    assert chi_square(tiles, samples, NUM_PAIRS) < 36.1  # 0.1 % with 14 degrees of freedom
    assert {int(GAME.determinize(s, 0, seed)[()].tile) for seed in range(50)} == {int(s[()].tile)}


def play_to_lay() -> np.ndarray:
    """Player 0 has chosen one of five tiles, none laid yet."""
    s = position(2, hand=PAIR_NAMES[:5])
    play(s, f"tile {PAIR_NAMES[2]}")
    return s


def test_determinize_mixes_the_piles_evenly_and_reseeds_the_generator():
    s = position(2, hex_pile=("witch/wand", "witch/scroll", "wand/scroll"), scroll_pile=("stone", "lying", "chips"))
    samples = 3000
    for name in ("hexes", "scrolls"):
        tops = Counter(tuple(GAME.describe(GAME.determinize(s, 0, seed))["piles"][name]) for seed in range(samples))
        assert chi_square(tops, samples, 6) < 20.5  # 0.1 % with five degrees of freedom
    assert len({int(GAME.determinize(s, 0, seed)[()].rng) for seed in range(50)}) == 50


def test_tiles_are_drawn_evenly_from_what_is_left():
    """Five tiles in hand, one gone: nine others come equally often."""
    s = cauldron(position(2, hand=PAIR_NAMES[:5], running="energy 1"), black="(0,0)")
    drawn: Counter = Counter()
    for seed in range(3600):
        trial = GAME.determinize(s, 0, seed)
        trial[()].gone[0] = 1 << 14
        play(trial, "stop")
        drawn[int(trial[()].hand[0]) & ~0b11111] += 1
    assert all(n.bit_count() == 1 for n in drawn)
    assert chi_square(drawn, 3600, 9) < 26.1  # 0.1 % with eight degrees of freedom


def test_play_that_never_stops_scores_more_than_play_that_does():
    """For scale: uniform play ends most actions early."""
    means = {}
    for active in (True, False):
        dice, total, seats = generator(3), 0, 0
        for seed in range(40):
            s, mask = GAME.new(3, seed), GAME.new_mask()
            while not GAME.is_over(s):
                mask[: GAME.num_actions] = GAME.legal_mask(s)
                if active:
                    avoid(mask, GAME.idle)
                GAME.apply(s, int(pick(dice[0], mask)))
            total, seats = total + sum(GAME.scores(s)), seats + 3
        means[active] = total / seats
    assert 5 < means[False] < 12
    assert 25 < means[True] < 60
