"""Observations of all games: every byte is written, raw ones are the front of whole ones, derived parts are true."""

import numpy as np
import pytest

import coven
from coven.games.core import drivers
from coven.games.core.errors import BadOption
from coven.games.core.layout import Layout, Slice, split
from coven.games.witchstone import energy, pentagram, rules
from coven.games.witchstone.geometry import CONNECTION_AT
from coven.testing import random_states

GAMES = [coven.game(name) for name in coven.games.built_in()]
ALCHEMISTS, BLACK_MAGIC_FRIDAY, WIE_VERHEXT, WITCHSTONE = (
    coven.game(name) for name in ("alchemists", "black_magic_friday", "wie_verhext", "witchstone")
)
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def part(game, observation, name):
    slice_ = game.layout[name]
    return observation[slice_.start : slice_.stop]


def deciding(game, players, phase, games=3, every=1):
    """States of random games in which that is to be decided, with the deciding player's observation."""
    for s in random_states(game, players, games, every):
        player = game.current_player(s)
        if player is not None and game.phases[s["phase"]] == phase:
            yield game.clone(s), player, game.observe(s, player)


@each_game
def test_every_byte_of_an_observation_is_written(game):
    clean, dirty = game.new_observation(), game.new_observation()
    for players in (game.players[0], game.players[-1]):
        for number, s in enumerate(random_states(game, players, games=2, every=3)):
            for player in range(players):
                clean[:], dirty[:] = 0, 0x55 + number % 128
                drivers.view(s, player, clean)
                drivers.view(s, player, dirty)
                wrong = np.flatnonzero(clean != dirty)
                assert not len(wrong), {p.name for p in game.layout for i in wrong if p.start <= i < p.stop}


@each_game
def test_a_raw_observation_is_the_front_of_the_whole_one(game):
    guard = np.full(game.layout.raw_size + 16, 0xEE, np.uint8)
    for s in random_states(game, game.players[-1], games=1, every=9):
        for player in range(game.players[-1]):
            drivers.view(s, player, guard[: game.layout.raw_size])
            assert (guard[: game.layout.raw_size] == game.observe(s, player)[: game.layout.raw_size]).all()
            assert (guard[game.layout.raw_size :] == 0xEE).all(), "written beyond the end"


@each_game
def test_only_who_decides_sees_what_is_derived(game):
    seen = False
    for s in random_states(game, game.players[0], games=2, every=3):
        for player in range(game.players[0]):
            derived = game.observe(s, player)[game.layout.raw_size :]
            if player != game.current_player(s):
                assert not derived.any()
            seen = seen or derived.any()
    assert seen


@each_game
def test_observations_are_bytes_and_the_derived_part_comes_last(game):
    flags = [part.derived for part in game.observation_layout]
    assert flags == sorted(flags)
    assert game.observation_size == game.layout.size == len(game.observe(game.new(seed=1), 0))
    assert game.observe(game.new(seed=1), 0).dtype == np.uint8
    assert len(game.observe(game.new(seed=1), 0, derived=False)) == game.layout.raw_size


def test_numbers_beyond_a_byte_are_shown_in_parts():
    s = WITCHSTONE.new(2, 1)
    for score in (0, 255, 256, 511, 600):
        s[()].score[1] = score
        seen = WITCHSTONE.observe(s, 0)
        parts = [int(part(WITCHSTONE, seen, name)[1]) for name in ("score", "score_above_255", "score_above_510")]
        assert sum(parts) == score
        assert parts == [min(score, 255), min(max(score - 255, 0), 255), max(score - 510, 0)]


def test_a_layout_refuses_what_does_not_fit_a_byte_or_is_out_of_order():
    for slices in (
        [Slice("a", 1, 0, 256, "")],
        [Slice("a", 1, -1, 1, "")],
        [Slice("a", 1, 0, 1, "", derived=True), Slice("b", 1, 0, 1, "")],
        [Slice("a", 1, 0, 1, ""), Slice("a", 1, 0, 1, "")],
    ):
        with pytest.raises(ValueError, match="observation slice"):
            Layout(*slices)
    names = [(slice_.name, slice_.high) for slice_ in split("x", 2, 255, 600, "")]
    assert names == [("x", 255), ("x_above_255", 255), ("x_above_510", 90)]


# Explaining.


@each_game
def test_an_explanation_names_every_number(game):
    s = next(iter(random_states(game, game.players[0], games=1, every=20)))
    observation = game.observe(s, game.current_player(s))
    for seen in (observation, observation[: game.layout.raw_size]):
        explanation = game.explain(seen)
        assert [number.value for number in explanation.rows] == seen.tolist()
        assert len({(n.slice, n.row, n.label, n.index) for n in explanation.rows}) == len(seen)
        shown = {number.slice for number in explanation.rows if number.value}
        assert all(f"{name}:" in str(explanation) or f"{name} (derived):" in str(explanation) for name in shown)


def test_an_explanation_reads_like_a_sentence():
    s = ALCHEMISTS.new(2, 4)
    text = str(ALCHEMISTS.explain(ALCHEMISTS.observe(s, 0)))
    assert "bag_size: cubes in the bag\n    " in text
    assert "hand_size: cubes behind each screen, by seat\n    seat 0 12, seat 1 12" in text


@pytest.mark.parametrize("wrong", [np.zeros(3, np.uint8), np.zeros((2, 284), np.uint8), np.zeros(284), [0] * 283, "x"])
def test_what_is_no_observation_is_not_explained(wrong):
    with pytest.raises(BadOption, match="not an observation of alchemists"):
        ALCHEMISTS.explain(wrong)


def test_numbers_out_of_bounds_are_not_explained():
    observation = ALCHEMISTS.observe(ALCHEMISTS.new(2, 4), 0)
    observation[0] = 77
    with pytest.raises(BadOption, match="number 0 is 77; allowed there: 0 to 5"):
        ALCHEMISTS.explain(observation)


# What is derived, against the rules themselves.


def test_payable_potions_are_those_that_can_be_copied_or_are_ones_own():
    for s, player, seen in deciding(ALCHEMISTS, 3, "turn", every=5):
        copies = {ALCHEMISTS.action_to_string(s, a).split(":")[0] for a in ALCHEMISTS.legal_actions(s)}
        for i, name in enumerate(ALCHEMISTS.layout["payable"].labels):
            r, payable = s[()], bool(part(ALCHEMISTS, seen, "payable")[i])
            if part(ALCHEMISTS, seen, "value")[i] and r.owner[i] != player:
                assert payable == (f"copy {name}" in copies)
            missing = part(ALCHEMISTS, seen, "missing").reshape(10, 5)[i]
            recipe = part(ALCHEMISTS, seen, "recipe").reshape(10, 5)[i].astype(int)
            assert missing.tolist() == np.maximum(recipe - r.hand[player], 0).tolist()
            assert bool(part(ALCHEMISTS, seen, "payable_soon")[i]) == (recipe.any() and missing.sum() <= 1)


def strongest_casts(s, player):
    """By trying: with every book, the most ingredients that can be laid."""
    most = {}
    for action in BLACK_MAGIC_FRIDAY.legal_actions(s):
        if BLACK_MAGIC_FRIDAY.action_to_string(s, action).startswith("book"):
            begun = BLACK_MAGIC_FRIDAY.clone(s)
            BLACK_MAGIC_FRIDAY.apply(begun, action)
            most[BLACK_MAGIC_FRIDAY.action_to_string(s, action)[5:]] = most_added(begun, player)
    return most


def most_added(s, player):
    best = int(s["num_laid"])
    if BLACK_MAGIC_FRIDAY.current_player(s) != player or BLACK_MAGIC_FRIDAY.phases[s["phase"]] != "spell":
        return best
    for action in BLACK_MAGIC_FRIDAY.legal_actions(s):
        if BLACK_MAGIC_FRIDAY.action_to_string(s, action).startswith("add"):
            further = BLACK_MAGIC_FRIDAY.clone(s)
            BLACK_MAGIC_FRIDAY.apply(further, action)
            best = max(best, most_added(further, player))
    return best


def test_the_power_of_a_book_is_what_trying_all_ingredients_finds():
    tried = 0
    for s, player, seen in deciding(BLACK_MAGIC_FRIDAY, 2, "turn", games=6, every=4):
        if s["hand_size"][player] > 14:
            continue  # trying would take long
        most, sizes = strongest_casts(s, player), s["pile_size"]
        for i, book in enumerate(BLACK_MAGIC_FRIDAY.layout["power"].labels):
            power = int(part(BLACK_MAGIC_FRIDAY, seen, "power")[i])
            assert power == most.get(book, 0), book
            left = max((p + 1 for p in range(min(power, len(sizes))) if sizes[p]), default=0)
            assert part(BLACK_MAGIC_FRIDAY, seen, "castable")[i] == left
            tried += power > 1
    assert tried


def test_what_a_reach_of_the_assistant_brings_is_what_then_happens():
    for s, player, seen in deciding(BLACK_MAGIC_FRIDAY, 3, "turn", every=4):
        for i, action in enumerate(range(6)):
            name = BLACK_MAGIC_FRIDAY.action_to_string(s, action)
            if name != f"move {i + 1}" or action not in BLACK_MAGIC_FRIDAY.legal_actions(s):
                assert not part(BLACK_MAGIC_FRIDAY, seen, "reach_cards")[i] or s["rounds_left"] >= 0
                continue
            shop = (int(s["assistant"]) + i + 1) % 10
            then = BLACK_MAGIC_FRIDAY.clone(s)
            BLACK_MAGIC_FRIDAY.apply(then, action)
            gained = int(then["hand_size"][player]) - int(s["hand_size"][player])
            curses = int(then["curses"][player]) - int(s["curses"][player])
            scrolls = int(then["scrolls"][player].sum()) - int(s["scrolls"][player].sum())
            assert part(BLACK_MAGIC_FRIDAY, seen, "reach_cards")[i] == gained + scrolls
            assert part(BLACK_MAGIC_FRIDAY, seen, "reach_curses")[i] == (0 if s["night"][shop] else curses)


def test_holders_are_counted_as_the_others_see_it():
    for s, player, seen in deciding(WIE_VERHEXT, 4, "lead", every=2):
        d = WIE_VERHEXT.describe(s, player)
        for r in range(12):
            may = sum(
                d["hands"][p] != [] and not s["shown"][p, r] and not s["banned"][r] for p in range(4) if p != player
            )
            assert part(WIE_VERHEXT, seen, "holders")[r] == may


def test_payable_cards_are_those_whose_drops_one_has():
    for s, player, seen in deciding(WIE_VERHEXT, 3, "lead", every=2):
        r, top = s[()], part(WIE_VERHEXT, seen, "top_drops").reshape(3, 3).astype(int)
        for pile in range(3):
            short = int(np.maximum(top[pile] - r.drops[player], 0).sum())
            there = bool(part(WIE_VERHEXT, seen, "cards_left")[pile])
            assert part(WIE_VERHEXT, seen, "missing")[pile] == short
            assert bool(part(WIE_VERHEXT, seen, "payable")[pile]) == (there and short == 0)
            assert bool(part(WIE_VERHEXT, seen, "blendable")[pile]) == (
                there and r.drops[player].sum() >= top[pile].sum()
            )


def actions_after_laying(s, lay):
    """Lay the chosen tile there, and start either half: how many actions run then."""
    laid, numbers = WITCHSTONE.clone(s), []
    WITCHSTONE.apply(laid, lay)
    for start in WITCHSTONE.legal_actions(laid):
        if WITCHSTONE.action_to_string(laid, start).startswith("start"):
            started = WITCHSTONE.clone(laid)
            rules.start_first(started[()], int(s["current"]), start - WITCHSTONE.actions.start("start"))
            numbers.append(int(started["item_number"][started["running"]]))
    seen = part(WITCHSTONE, WITCHSTONE.observe(laid, int(s["current"])), "start_actions")
    assert seen[seen > 0].tolist() == numbers
    return numbers


def test_the_sizes_of_a_lay_are_the_actions_that_it_then_starts():
    for s, _, seen in list(deciding(WITCHSTONE, 2, "lay", games=4))[::7]:
        first, second = part(WITCHSTONE, seen, "lay_first"), part(WITCHSTONE, seen, "lay_second")
        start = WITCHSTONE.actions.start("lay")
        legal = [a - start for a in WITCHSTONE.legal_actions(s) if WITCHSTONE.action_to_string(s, a).startswith("lay ")]
        assert np.flatnonzero(first).tolist() == np.flatnonzero(second).tolist() == legal
        for lay in legal[::5]:
            assert actions_after_laying(s, start + lay) == [first[lay], second[lay]]


def test_the_best_lay_of_a_tile_is_the_best_of_all_its_lays():
    for s, player, seen in list(deciding(WITCHSTONE, 3, "tile", games=4))[::6]:
        start = WITCHSTONE.actions.start("tile")
        for pair in range(len(part(WITCHSTONE, seen, "tile_first"))):
            best = int(part(WITCHSTONE, seen, "tile_first")[pair]), int(part(WITCHSTONE, seen, "tile_second")[pair])
            if start + pair not in WITCHSTONE.legal_actions(s):
                assert best == (0, 0)
                continue
            chosen = WITCHSTONE.clone(s)
            WITCHSTONE.apply(chosen, start + pair)
            lays = WITCHSTONE.observe(chosen, player)
            first, second = (part(WITCHSTONE, lays, name).tolist() for name in ("lay_first", "lay_second"))
            pairs = list(zip(first, second, strict=True))
            assert best in pairs
            assert sum(best) == max(map(sum, pairs))


def test_prices_units_and_points_are_what_the_actions_then_cost():
    checked = {"stand": 0, "energy": 0, "advance": 0}
    for s, player, seen in deciding(WITCHSTONE, 3, "act", games=8):
        running = WITCHSTONE.layout["running"].labels[int(part(WITCHSTONE, seen, "running").argmax())]
        number = int(part(WITCHSTONE, seen, "actions")[0])
        for action in WITCHSTONE.legal_actions(s):
            kind = WITCHSTONE.action_to_string(s, action).split()[0]
            if kind not in checked:
                continue
            then = WITCHSTONE.clone(s)
            checked[kind] += 1
            if kind == "stand":
                i = action - WITCHSTONE.actions.start("stand")
                assert 0 < part(WITCHSTONE, seen, "stand_price")[i] <= number
            elif kind == "energy":
                i = action - WITCHSTONE.actions.start("energy")
                energy.place_energy(then[()], player, int(CONNECTION_AT[s["tower"][player], i]))
                gained = int(then["score"][player]) - int(s["score"][player])
                finishes = part(WITCHSTONE, seen, "finish_units")[i] == 1
                assert gained == (part(WITCHSTONE, seen, "finish_points")[i] if finishes else 0)
                joined = int(then["joined"][player]) != int(s["joined"][player])
                assert joined == (finishes and bool(part(WITCHSTONE, seen, "finish_joins")[i]))
            elif running == "pentagram" and number <= 12:
                pentagram.advance_on_pentagram(then[()], player)
                if int(s["hex_pile_size"]) >= 12:  # with a hex on every space
                    taken = int(then["num_hexes"][player]) - int(s["num_hexes"][player])
                    assert taken == part(WITCHSTONE, seen, "hexes_passed")[number - 1]
                points = sum(int(then[f][player]) - int(s[f][player]) for f in ("owl_points", "score"))
                assert points == part(WITCHSTONE, seen, "owl_points")[number - 1]
    assert all(checked.values()), checked


def test_nothing_derived_goes_by_what_is_hidden():
    for number, s in enumerate(random_states(WITCHSTONE, 3, games=2, every=2)):
        player = WITCHSTONE.current_player(s)
        if player is not None:
            other = WITCHSTONE.determinize(s, player, number)
            assert (WITCHSTONE.observe(s, player) == WITCHSTONE.observe(other, player)).all()
