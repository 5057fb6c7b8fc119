"""What holds in every game of Wie verhext!: a second referee agrees, nothing is lost, nothing hidden shows."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from wie_verhext_positions import GAME, legal, play, position
from wie_verhext_referee import Referee

from coven.agents.registry import create
from coven.games.core.drivers import pick
from coven.games.core.rng import generator
from coven.games.wie_verhext.observation import MOST_SHOWN, USUAL_MOST
from coven.games.wie_verhext.state import (
    ACTING,
    BOTTLING,
    CARD_PILE,
    CARD_POINTS,
    CARD_RAVEN,
    CHOOSING,
    FOLLOWING,
    GAINING,
    PASSED,
    PAYING,
    PLAYED,
    ROLES,
    SCROLLS,
    TAXING,
)
from coven.playthrough import random_game
from coven.testing import RandomBatch, check_game, check_same_view, random_states

PLAYERS = GAME.players
OPTIONS = [{}, {"banned_roles": True}, {"ask_gifts": True}, {"banned_roles": True, "ask_gifts": True}]
TABLES = [(n, options) for n in PLAYERS for options in OPTIONS if n < 5 or "banned_roles" not in options]
by_table = pytest.mark.parametrize(
    ("players", "options"), [pytest.param(n, o, id=f"{n} {' '.join(o) or 'plain'}") for n, o in TABLES]
)


# The second referee.


def lazy_game(game, s: np.ndarray, seed: int):
    """Uniform random play: more declining, so that goods pile up."""
    dice, mask = generator(seed), game.new_mask()
    while not game.is_over(s):
        mask[: game.num_actions] = game.legal_mask(s)
        action = int(pick(dice[0], mask))
        yield action
        game.apply(s, action)


def greedy_game(game, s: np.ndarray, seed: int):
    """Sensible play: the game ends by its ravens, with few leftovers."""
    agent, dice, mask = create("greedy", game, int(s["num_players"])), generator(seed), game.new_mask()
    while not game.is_over(s):
        mask[: game.num_actions] = game.legal_mask(s)
        action = agent.act(game.observe(s, game.current_player(s)), mask, dice)
        yield action
        game.apply(s, action)


@by_table
@pytest.mark.parametrize("games", [random_game, lazy_game, greedy_game])
def test_a_second_referee_sees_the_same_game(players, options, games):
    ends = set()
    for seed in range(6):
        s = GAME.new(players, seed, max_sets=(5, 60)[seed % 2], **options)
        referee = Referee(GAME.describe(s), lambda s=s: GAME.describe(s))
        moved, number = None, 0
        for number, action in enumerate(games(GAME, s, seed)):
            compare(referee, s, moved, number)
            moved = GAME.action_to_string(s, action)
        compare(referee, s, moved, number + 1)
        assert GAME.is_over(s)
        ends.add(referee.truncated)
    assert False in ends
    assert games is greedy_game or True in ends


def compare(referee: Referee, s: np.ndarray, moved: str | None, number: int) -> None:
    """After the same move both see the same table, with every eye, and allow the same moves, each once."""
    if moved is not None:
        referee.play(moved)
    viewer = number % referee.n
    assert GAME.describe(s) == referee.describe()
    assert GAME.describe(s, viewer) == referee.describe(viewer)
    assert sorted(legal(s)) == sorted(referee.legal)
    if number % 4 == 0:
        imagined = GAME.describe(GAME.determinize(s, viewer, number))
        assert referee.may_be(imagined["hands"], viewer)
        assert set(imagined["ban_deck"]) == set(referee.ban_deck)
        unseen = [name is None for name in referee.describe(viewer)["scrolls"]]
        kept = zip(imagined["scrolls"], referee.scrolls, unseen, strict=True)
        assert all(a == b for a, b, hidden in kept if not hidden)


@by_table
def test_all_promises_hold_with_every_option(players, options):
    if options:  # without any: tests/coven/test_testing.py
        check_game(GAME, players, games=2, **options)


# Conservation.


@by_table
@pytest.mark.parametrize("active", [True, False])
def test_all_cards_and_roles_are_somewhere_after_every_step_and_every_game_ends(players, options, active):
    """Hundreds of games at once; every one of them is followed to its end."""
    games = RandomBatch(GAME, players, size=256, **options)
    while games.finished.min() < 1:
        games.play(active)
        r = games.states
        number = r["num_taken"].astype(int)
        assert (r["gone"].sum(axis=1) == number).all()
        there = np.arange(31) < number[:, None]
        assert (np.where(there, CARD_RAVEN[r["taken"]], 0).sum(axis=1) == r["ravens"]).all()
        points = [np.where(there & (r["taken_by"] == p), CARD_POINTS[r["taken"]], 0).sum(axis=1) for p in range(5)]
        assert (np.stack(points, 1) == r["points"]).all()
        assert (r["hand"].sum(axis=2) == r["hand_size"]).all()
        assert ((r["shown"] == PLAYED).sum(axis=2) == r["num_played"]).all()
        assert not ((r["shown"] != 0) & (r["hand"] != 0)).any()
        assert not (r["hand"] & r["banned"][:, None]).any()
        chosen = r["hand_size"] + r["num_played"]
        assert (chosen[:, players:] == 0).all()
        assert (np.isin(chosen[:, :players], 5) | (r["phase"] == CHOOSING)[:, None]).all()
        assert all(r[name].min() >= 0 for name in ("drops", "gold", "vials", "shelf", "left", "least"))
        assert (r["ravens"] <= 10).all()
        drops_asked = np.isin(r["phase"], [ACTING, PAYING, GAINING, BOTTLING, TAXING])
        assert ((r["left"] == 0) & (r["least"] == 0) | drops_asked).all()


@pytest.mark.parametrize("players", PLAYERS)
def test_every_card_is_in_its_pile_or_was_taken_from_its_top(players):
    for s in random_states(GAME, players, games=5, every=11):
        r = s[()]
        for pile in range(5):
            taken = [card for card in r.taken[: r.num_taken] if CARD_PILE[card] == pile]
            assert taken == np.flatnonzero(pile == CARD_PILE)[: r.gone[pile]].tolist()


def test_an_observation_counts_goods_up_to_its_bound():
    s = position("witch", "", "", goods={1: ("R" * 30, 0)})
    s[()].gold[1] = s[()].drops[1, 0] = s[()].vials[1] = MOST_SHOWN + 1
    seen = GAME.observe(s, 1)
    for name in ("gold", "drops", "vials"):
        assert seen[GAME.layout.start(name)] == USUAL_MOST
        assert seen[GAME.layout.start(f"{name}_above_{USUAL_MOST}")] == MOST_SHOWN - USUAL_MOST
    assert GAME.describe(s, 0)["gold"][1] == MOST_SHOWN + 1


def test_more_than_the_usual_is_shown_in_two_parts():
    s = position("witch", "", "", goods={1: ("R", 0)})
    s[()].gold[1], s[()].drops[2, 1], s[()].vials[0] = USUAL_MOST + 7, USUAL_MOST, USUAL_MOST + 1
    seen, layout = GAME.observe(s, 0), GAME.layout
    assert (seen[layout.start("gold") + 1], seen[layout.start("gold_above_100") + 1]) == (100, 7)
    assert (seen[layout.start("drops") + 7], seen[layout.start("drops_above_100") + 7]) == (100, 0)
    assert (seen[layout.start("vials")], seen[layout.start("vials_above_100")]) == (100, 1)


# What a player cannot know.


def shuffled_hidden(s: np.ndarray, viewer: int, rng: np.random.Generator) -> np.ndarray:
    """The same table with other roles in the other hands, and unseen scrolls and spare roles in another order."""
    other = GAME.clone(s)
    r = other[()]
    for p in range(r.num_players):
        if p == viewer:
            continue
        fixed = [r.role] if r.phase == FOLLOWING and r.current == p else []
        free = [role for role in range(12) if not r.banned[role] and not r.shown[p, role] and role not in fixed]
        r.hand[p] = 0
        r.hand[p, [*fixed, *rng.permutation(free)[: r.hand_size[p] - len(fixed)]]] = 1
    for deck, seen in ((r.scroll, r.set), (r.ban_deck, r.bans_seen)):
        deck[seen:] = rng.permutation(deck[seen:])
    r.rng = rng.integers(1 << 63)
    return other


@by_table
def test_nothing_hidden_shows(players, options):
    rng = np.random.default_rng(players)
    changed = 0
    for s in random_states(GAME, players, games=3, every=7, **options):
        for viewer in range(players):
            other = shuffled_hidden(s, viewer, rng)
            changed += (other[()].hand != s[()].hand).any()
            check_same_view(GAME, s, other, viewer)
    assert changed > 200


def test_the_secret_choice_takes_five_decisions_each_whatever_is_chosen():
    for seed in range(20):
        s = GAME.new(3, seed, banned_roles=True)
        leader = GAME.current_player(s)
        deciders = []
        while GAME.describe(s)["phase"] == "choose":
            deciders.append(GAME.current_player(s))
            play(s, legal(s)[seed % len(legal(s))])
        assert deciders == [(leader + i // 5) % 3 for i in range(15)]


@pytest.mark.holds("wie_verhext", 16)
def test_the_choice_of_others_cannot_be_seen_while_one_chooses():
    """All choices of the leader look the same to the second player."""
    views = set()
    for first in range(8):
        s = GAME.new(3, seed=1)
        leader = GAME.current_player(s)
        play(s, *(f"choose {role}" for role in ROLES[first : first + 5]))
        second = GAME.current_player(s)
        assert second != leader
        views.add((GAME.observe(s, second).tobytes(), str(GAME.describe(s, second)), GAME.legal_mask(s).tobytes()))
    assert len(views) == 1


@pytest.mark.holds("wie_verhext", 10, 13, 33, 49, 55, 59)
def test_describe_leaves_out_what_a_viewer_cannot_know():
    s = position("witch, druid", "witch", "wizard, druid", scroll="optio", banned_roles=True)
    d, all_seen = GAME.describe(s, viewer=2), GAME.describe(s)
    assert d["hands"] == [[None, None], [None], ["wizard", "druid"]]
    assert d["scrolls"] == ["optio", *[None] * 7]
    assert d["ban_deck"] is None
    assert len(all_seen["ban_deck"]) == 10
    secret = ("hands", "scrolls", "ban_deck")
    assert all(d[key] == all_seen[key] for key in d if key not in secret)
    assert GAME.describe(position("witch", "", ""), viewer=0)["ban_deck"] == []


def test_scrolls_once_seen_stay_known():
    s = GAME.new(3, seed=5)
    order = GAME.describe(s)["scrolls"]
    for _ in lazy_game(GAME, s, 5):
        n = int(s["set"])
        expected = [order[(n - 1 + i) % 8] if (n - 1 + i) % 8 < n else None for i in range(8)]
        assert GAME.describe(s, viewer=1)["scrolls"] == expected
        start = GAME.layout.start("next_scrolls")
        seen = GAME.observe(s, 1)[start : start + 8].tolist()
        assert seen == [expected.index(name) if name in expected else 8 for name in SCROLLS]
    assert n > 8


@by_table
def test_determinized_hands_fit_everything_seen(players, options):
    for number, s in enumerate(random_states(GAME, players, games=5, every=5, **options)):
        r = s[()]
        for viewer in range(players):
            other = GAME.determinize(s, viewer, number)[()]
            assert (other.hand[viewer] == r.hand[viewer]).all()
            assert (other.hand.sum(axis=1) == r.hand_size).all()
            assert not (other.hand & (other.shown != 0)).any()
            assert not (other.hand & other.banned).any()
            assert r.phase != FOLLOWING or other.hand[r.current, r.role]
            assert (other.scroll[: r.set] == r.scroll[: r.set]).all()
            assert sorted(other.scroll) == list(range(8))
            assert (other.ban_deck[: r.bans_seen] == r.ban_deck[: r.bans_seen]).all()
            assert sorted(other.ban_deck) == sorted(r.ban_deck)
            same = [name for name in GAME.record.names if name not in ("hand", "scroll", "ban_deck", "rng")]
            assert all((other[name] == r[name]).all() for name in same)


def chi_square(seen: Counter, kinds: int) -> float:
    """Of equally likely outcomes."""
    assert len(seen) == kinds
    expected = seen.total() / kinds
    return sum((n - expected) ** 2 / expected for n in seen.values())


def test_determinize_draws_every_possible_hand_equally_often():
    """Player 1 has passed on two roles, played one, and one is banned: 2 of the other 8 are in his hand."""
    s = position("witch", "alchemist, assistant", "druid", banned_roles=True)
    r = s[()]
    r.banned[:] = 0
    r.banned[ROLES.index("warlock")] = 1
    r.shown[1, [ROLES.index("witch"), ROLES.index("druid")]] = PASSED
    r.shown[1, ROLES.index("wizard")] = PLAYED
    seen = Counter(tuple(np.flatnonzero(GAME.determinize(s, 0, seed)[()].hand[1])) for seed in range(14_000))
    assert chi_square(seen, comb(8, 2)) < 55.5  # 0.1 % with 27 degrees of freedom
    impossible = {ROLES.index(role) for role in ("warlock", "witch", "druid", "wizard")}
    assert not impossible & {role for hand in seen for role in hand}


def test_determinize_leaves_the_role_with_the_player_who_is_asked_to_play_it():
    s = position("witch, druid", "witch, wizard", "witch, druid")
    play(s, "lead witch")
    hands = Counter(tuple(np.flatnonzero(GAME.determinize(s, 2, seed)[()].hand[1])) for seed in range(4400))
    assert all(ROLES.index("witch") in hand for hand in hands)
    assert chi_square(hands, 11) < 29.6  # 0.1 % with 10 degrees of freedom
    not_yet_asked = {bool(GAME.determinize(s, 1, seed)[()].hand[2, ROLES.index("witch")]) for seed in range(100)}
    assert not_yet_asked == {False, True}


def test_who_passed_on_a_role_is_never_given_it():
    s = position("witch, druid", "wizard, druid", "witch, wizard")
    play(s, "lead witch")
    assert s[()].shown[1, ROLES.index("witch")] == PASSED
    assert all(not GAME.determinize(s, 2, seed)[()].hand[1, ROLES.index("witch")] for seed in range(300))


def test_determinize_shuffles_unseen_scrolls_and_spare_roles_evenly():
    s = position("witch", "", "", banned_roles=True)
    samples = [GAME.describe(GAME.determinize(s, 0, seed)) for seed in range(3500)]
    assert chi_square(Counter(d["scrolls"][1] for d in samples), 7) < 22.5  # 0.1 % with 6 degrees of freedom
    assert chi_square(Counter(d["ban_deck"][0] for d in samples), 10) < 27.9  # 0.1 % with 9 degrees of freedom


def test_determinize_reseeds_the_generator():
    s = position("witch", "", "", banned_roles=True)
    s[()].bans_seen = 12  # the next set shuffles the spare roles
    drawn = {str(play(GAME.determinize(s, 0, seed), "lead witch")["banned"]) for seed in range(50)}
    assert len(drawn) > 10


# Every seat alike.


@pytest.mark.parametrize("players", PLAYERS)
def test_an_observation_is_relative_to_the_seat(players):
    """The same table turned by one seat looks the same to the player who has moved along."""
    by_seat = (
        "favour",
        "full_tax",
        "drops",
        "gold",
        "vials",
        "points",
        "hand",
        "hand_size",
        "shown",
        "played",
        "num_played",
    )
    for s in random_states(GAME, players, games=4, every=7):
        turned = GAME.clone(s)
        r, t = s[()], turned[()]
        for name in by_seat:
            t[name][:players] = np.roll(r[name][:players], 1, axis=0)
        for name in ("current", "leader", "claimant"):
            t[name] = (r[name] + 1) % players if r[name] >= 0 else r[name]
        for p in range(players):
            assert (GAME.observe(s, p) == GAME.observe(turned, (p + 1) % players)).all()
