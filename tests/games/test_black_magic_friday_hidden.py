"""What a player of Black Magic Friday cannot know, what she remembers, and what holds in every game."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from black_magic_friday_positions import GAME, cards, known, legal, play, position

from coven.games.black_magic_friday.state import (
    FETCH,
    GRIMOIRE,
    HAND_KINDS,
    IN_BOX,
    KINDS,
    MANDRAKE,
    NUM_KINDS,
    ONLOOKER,
    PARTS,
    PICK,
    POWER,
    RETURN,
    SCROLL,
    SPELL,
)
from coven.playthrough import random_game
from coven.testing import RandomBatch, check_same_view, random_states

PLAYERS = GAME.players


# In every game.


def _by_kind(indices: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Counts by kind of the entries of each row that are inside."""
    return np.stack([((indices == k) & inside).sum(axis=1) for k in range(NUM_KINDS)], axis=1)


@pytest.mark.parametrize("players", PLAYERS)
def test_all_106_cards_are_somewhere_after_every_step_and_every_game_ends(players):
    """A thousand games at once, without a step limit."""
    games = RandomBatch(GAME, players)
    while games.finished.min() < 2:
        games.play()
        r = games.states
        assert (_articles(r) == IN_BOX).all()
        piles = r["pile_size"].sum(axis=1) + r["spells"].sum(axis=(1, 2))
        assert (piles == 24).all()
        assert (r["hand"].sum(axis=2) == r["hand_size"]).all()
        assert (r["shop"].sum(axis=2) == r["shop_size"]).all()
        assert (r["scrolls"] @ [1, 2, 3] == r["curses"]).all()
        assert (r["spells_cast"].sum(axis=1) == r["num_cast"]).all()
        assert ((r["known"] <= r["hand"][:, :, None]) | (r["hand_size"] == 0)[..., None, None]).all()
        counts = ("hand", "shop", "known", "scrolls", "removed", "played", "laid", "pile_size", "deck_size")
        assert all(r[name].min() >= 0 for name in counts)
        assert not r["pool"].any()
        on_shop = np.take_along_axis(r["shop_size"], r["assistant"][:, None].astype(int), axis=1)
        assert not on_shop.any()  # the assistant's own shop is always empty
        assert games.length.max() <= GAME.facts.longest[players] <= 236


def _articles(r: np.ndarray) -> np.ndarray:
    """How many articles of each kind there are in each state of a batch."""
    total = _by_kind(r["deck"], np.arange(r["deck"].shape[1]) < r["deck_size"][:, None])
    total += r["shop"].sum(axis=1) + r["removed"]
    total[:, :SCROLL] += r["hand"].sum(axis=1) + r["played"]
    total[:, SCROLL:] += r["scrolls"].sum(axis=1)
    total[:, PARTS] += r["laid"]
    total += _by_kind(r["book"][:, None], np.ones((len(r), 1), bool))
    return total


@pytest.mark.holds("black_magic_friday", 51)
@pytest.mark.parametrize("players", PLAYERS)
def test_scores_are_those_of_the_cards_on_the_table(players):
    """The final count, taken from `describe` alone."""
    for seed in range(150):
        s = GAME.new(players, seed)
        for _ in random_game(GAME, s, seed):
            pass
        d = GAME.describe(s)
        for p in range(players):
            spells = d["spells"][p]
            colours = {name.split()[0] for name in d["hands"][p]}
            vanishing = sum(x["spell"] == "vanish" for x in spells)
            kept = 0 if any(x["spell"] == "oblivion" for x in spells) else max(0, len(colours) - vanishing)
            points = sum(x["value"] + x["book_points"] for x in spells)
            assert d["scores"][p] == points - kept - 2 * (d["marker"] == p)
        order = sorted(range(players), key=lambda p: (d["scores"][p], len(d["spells"][p])), reverse=True)
        assert d["ranks"][order[0]] == 1
        curses = [sum(row) for row in d["curses"]]
        assert d["marker"] is None if not any(curses) else curses[d["marker"]] == max(curses)


def test_random_play_meets_every_kind_of_decision():
    met = {int(s["phase"]) for n in PLAYERS for s in random_states(GAME, n, games=100)}
    assert met >= set(range(SPELL, RETURN + 1)) | {FETCH, PICK}


# What is shown.


@pytest.mark.holds("black_magic_friday", 11, 13, 30)
def test_describe_leaves_out_what_a_viewer_cannot_know():
    s = position("red ingredient", "blue ingredient", "mandrake", shops={1: "red grimoire", 2: "2 mandrake"})
    d, everything = GAME.describe(s, viewer=1), GAME.describe(s)
    assert d["hands"] == [None, {"blue ingredient": 1}, None]
    assert d["hand_sizes"] == [1, 1, 1]
    assert d["deck"] == [None] * 12
    assert d["shops"][1] == everything["shops"][1] == {"kind": "day", "cards": ["red grimoire"]}
    assert d["shops"][2] == {"kind": "night", "cards": [None, None]}
    assert everything["shops"][2] == {"kind": "night", "cards": ["mandrake", "mandrake"]}
    assert d["piles"]["1"] == ["cleanse"] + [None] * 8
    assert d["piles"]["4"] == ["vanish", None]
    hidden = {"hands", "deck", "shops", "piles"}
    assert {key for key in d if d[key] != everything[key]} == hidden


def shuffled_hidden(s: np.ndarray, viewer: int, rng: np.random.Generator) -> np.ndarray:
    """The same table with everything that the viewer cannot know dealt anew, memories of the others included."""
    other = GAME.clone(s)
    r = other[()]
    nights = [i for i in range(10) if r.night[i]]
    rivals = [p for p in range(r.num_players) if p != viewer]
    unknown = {p: r.hand[p] - r.known[p, viewer] for p in rivals}
    face_down = [*r.deck[: r.deck_size], *(k for i in nights for k in np.repeat(np.arange(NUM_KINDS), r.shop[i]))]
    pool = [*face_down, *(k for p in rivals for k in np.repeat(np.arange(HAND_KINDS), unknown[p]))]
    harmless, scrolls = [k for k in pool if k < SCROLL], [k for k in pool if k >= SCROLL]
    rng.shuffle(harmless)
    for p in rivals:
        mine, harmless = harmless[: unknown[p].sum()], harmless[unknown[p].sum() :]
        r.hand[p] = r.known[p, viewer] + np.bincount(np.array(mine, int), minlength=HAND_KINDS)
        for v in rivals:
            if v != p:
                r.known[p, v] = rng.integers(0, r.hand[p] + 1)
    rest = [*harmless, *scrolls]
    rng.shuffle(rest)
    for i in nights:
        mine, rest = rest[: r.shop_size[i]], rest[r.shop_size[i] :]
        r.shop[i] = np.bincount(np.array(mine, int), minlength=NUM_KINDS)
    r.deck[: r.deck_size] = rest
    r.deck[r.deck_size :] = rng.integers(0, NUM_KINDS, len(r.deck) - r.deck_size)
    for pile, size in enumerate(r.pile_size):
        if size:
            r.pile[pile, : size - 1] = rng.permutation(r.pile[pile, : size - 1])
    r.rng = rng.integers(1 << 63)
    return other


@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_hidden_shows(players):
    rng = np.random.default_rng(players)
    changed = 0
    for s in random_states(GAME, players, games=15, every=5):
        for viewer in range(players):
            if not GAME.is_over(s):
                other = shuffled_hidden(s, viewer, rng)
                changed += other.tobytes() != s.tobytes()
                check_same_view(GAME, s, other, viewer)
    assert changed > 200


@pytest.mark.parametrize("players", PLAYERS)
def test_determinize_depends_on_nothing_hidden(players):
    """Two tables that look the same to a player give her the very same bytes."""
    rng = np.random.default_rng(players)
    for number, s in enumerate(random_states(GAME, players, games=25, every=3)):
        for viewer in range(players):
            if not GAME.is_over(s):
                other = shuffled_hidden(s, viewer, rng)
                a, b = GAME.determinize(s, viewer, number), GAME.determinize(other, viewer, number)
                assert a.tobytes() == b.tobytes()
                assert GAME.determinize(a, viewer, number).tobytes() == a.tobytes()


# What is remembered.


def test_everyone_knows_the_first_mandrakes():
    s = GAME.new(3, seed=5)
    assert all(known(s, v, o) == {"mandrake": 1} for v in range(3) for o in range(3) if v != o)


def test_cards_taken_by_day_are_known_to_be_in_that_hand():
    s = position("", "", "", shops={1: "2 red ingredient, mandrake, curse 1"})
    play(s, "move 1")
    for viewer in (1, 2):
        assert known(s, viewer, owner=0) == {"red ingredient": 2, "mandrake": 1}


def test_cards_taken_by_night_are_not_known():
    s = position("", "", "", shops={2: "2 red ingredient, curse 1"})
    d = play(s, "move 2")
    assert d["curses"][0] == [1]
    assert known(s, 1, 0) == known(s, 2, 0) == {}


def test_a_card_fetched_by_day_is_known():
    s = position("green grimoire, 2 green ingredient", "", shops={1: "mandrake"})
    play(s, "book green", "add green", "add green", "cast 2", "fetch shop 1", "pick mandrake")
    assert known(s, 1, 0) == {"mandrake": 1}


def test_what_is_laid_is_no_longer_known_to_be_in_hand():
    s = position("red grimoire, red ingredient", "", shops={1: "2 red ingredient"})
    play(s, "move 1", "move 1")
    assert known(s, 1, 0) == {"red ingredient": 2}
    play(s, "book red", "add red")
    assert known(s, 1, 0) == {"red ingredient": 1}
    play(s, "add red")
    assert known(s, 1, 0) == {}


def swapping() -> np.ndarray:
    """Player 0 swaps with player 1, who was seen to take two red and a mandrake; player 2 looks on."""
    s = position(
        "green grimoire, green ingredient, blue grimoire", "2 red ingredient, mandrake", "", piles={"1": "swap"}
    )
    r = s[()]
    for viewer in (0, 2, 3, ONLOOKER):
        r.known[1, viewer] = cards("2 red ingredient, mandrake")[:HAND_KINDS]
    for viewer in (1, 2, 3, ONLOOKER):
        r.known[0, viewer] = cards("blue grimoire")[:HAND_KINDS]
    play(s, "book green", "add green", "cast 1", "target 1")
    return s


def test_the_two_who_swap_know_both_cards():
    s = swapping()
    drawn = next(name for name in GAME.describe(s)["hands"][0] if name != "blue grimoire")
    left = Counter({"red ingredient": 2, "mandrake": 1}) - Counter([drawn])
    assert known(s, 0, 1) == left
    assert known(s, 1, 0) == {drawn: 1, "blue grimoire": 1}
    play(s, "return blue grimoire")
    assert known(s, 0, 1) == left | {"blue grimoire": 1}
    assert known(s, 1, 0) == {drawn: 1}


def test_for_the_others_any_card_of_a_swap_may_have_left():
    s = swapping()
    assert known(s, 2, 1) == {"red ingredient": 1}
    assert known(s, 2, 0) == {"blue grimoire": 1}
    play(s, "return blue grimoire")
    assert known(s, 2, 1) == {"red ingredient": 1}
    assert known(s, 2, 0) == {}


def test_a_card_given_that_was_not_known_lowers_nothing_for_the_one_who_gets_it():
    s = position("green grimoire, green ingredient, mandrake", "red ingredient", piles={"1": "swap"})
    s[()].known[0, 1] = 0
    play(s, "book green", "add green", "cast 1", "target 1", "return mandrake")
    assert known(s, 1, 0) == {"red ingredient": 1}
    assert known(s, 0, 1) == {"mandrake": 1}


class Witness:
    """One player's memory of another's hand, kept by the rules page from what happens on the table."""

    def __init__(self, viewer: int, owner: int) -> None:
        self.viewer, self.owner, self.memory = viewer, owner, Counter({"mandrake": 1})

    def enters(self, names: dict[str, int]) -> None:
        self.memory += Counter(names)

    def leaves(self, name: str) -> None:
        self.memory -= Counter([name])

    def something_leaves(self) -> None:
        self.memory -= Counter(list(self.memory))

    def see(self, move: str, before: dict, after: dict) -> None:
        player = before["current_player"]
        gained = [Counter(new) - Counter(old) for old, new in zip(before["hands"], after["hands"], strict=True)]
        gone = [Counter(old) - Counter(new) for old, new in zip(before["hands"], after["hands"], strict=True)]
        verb = move.split()[0]
        if verb in ("book", "add") and player == self.owner:
            self.leaves(*gone[player])
        elif verb in ("move", "pick") and player == self.owner:
            if verb == "pick" or before["shops"][after["assistant"]]["kind"] == "day":
                self.enters(gained[player])
        elif verb in ("target", "return") and any(gained):
            giver = next(p for p, names in enumerate(gone) if names)
            taker = next(p for p, names in enumerate(gained) if names)
            if self.owner == giver:
                self.leaves(*gone[giver]) if self.viewer == taker else self.something_leaves()
            if self.owner == taker and self.viewer == giver:
                self.enters(gained[taker])


@pytest.mark.parametrize("players", PLAYERS)
def test_memory_is_that_of_a_witness_at_the_table(players):
    swaps = 0
    for seed in range(25):
        s = GAME.new(players, seed)
        witnesses = [Witness(v, o) for v in range(players) for o in range(players) if v != o]
        before = GAME.describe(s)
        for action in random_game(GAME, GAME.clone(s), seed):
            move = GAME.action_to_string(s, action)
            after = play(s, move)
            swaps += move.startswith("return")
            for w in witnesses:
                w.see(move, before, after)
                assert known(s, w.viewer, w.owner) == w.memory
                assert w.memory <= Counter(after["hands"][w.owner])
            before = after
    assert swaps > 10


# Determinization.


@pytest.mark.parametrize("players", PLAYERS)
def test_determinized_states_keep_all_the_player_has_seen(players):
    free = {"rng", "deck", "shop", "hand", "known", "pile"}
    for number, s in enumerate(random_states(GAME, players, games=25, every=3)):
        for viewer in range(players):
            r, other = s[()], GAME.determinize(s, viewer, number)[()]
            assert all((r[name] == other[name]).all() for name in GAME.record.names if name not in free)
            assert (other.hand[viewer] == r.hand[viewer]).all()
            assert (other.hand >= other.known[:, viewer]).all()
            assert (other.known[:, viewer] == r.known[:, viewer]).all()
            assert (other.known[viewer] == r.known[viewer]).all()
            assert (other.known[:players] <= other.hand[:players, None]).all()
            assert (other.hand.sum(axis=1) == r.hand_size).all()
            assert (other.shop[r.night == 0] == r.shop[r.night == 0]).all()
            assert (other.shop.sum(axis=1) == r.shop_size).all()
            assert (_articles(np.array([other])) == IN_BOX).all()
            for pile, size in enumerate(r.pile_size):
                assert sorted(other.pile[pile]) == sorted(r.pile[pile])
                assert (other.pile[pile, size - 1 :] == r.pile[pile, size - 1 :]).all() or not size


def chi_square(seen: Counter, expected: dict) -> float:
    """How far the counts are from what is expected; every possible outcome must have been seen and no other."""
    assert seen.keys() == expected.keys()
    scale = sum(seen.values()) / sum(expected.values())
    return sum((seen[k] - n * scale) ** 2 / (n * scale) for k, n in expected.items())


def test_determinize_deals_every_possible_table_equally_often():
    """Two red, a mandrake and a scroll are unknown: one is in a hand, one by night, two in the deck."""
    s = position("", "red ingredient, blue grimoire", shops={2: "curse 1"}, deck="mandrake, red ingredient")
    s[()].known[1, 0] = cards("blue grimoire")[:HAND_KINDS]
    pool = ["red", "red", "mandrake", "curse"]
    expected: Counter = Counter()
    for a in range(3):
        for b in range(4):
            for c in range(4):
                if len({a, b, c}) == 3:
                    d = 6 - a - b - c
                    expected[pool[a], pool[b], pool[c], pool[d]] += 1
    seen: Counter = Counter()
    for seed in range(12_000):
        t = GAME.describe(GAME.determinize(s, 0, seed))
        assert t["hands"][1].pop("blue grimoire") == 1
        seen[tuple(name.split()[0] for name in (*t["hands"][1], *t["shops"][2]["cards"], *t["deck"]))] += 1
    assert len(expected) == 9
    assert chi_square(seen, expected) < 26.1  # 0.1 % with eight degrees of freedom


def test_determinize_shuffles_the_spells_below_the_top():
    s = position("", "", piles={"3": "again haste haste again"})
    seen = Counter(tuple(GAME.describe(GAME.determinize(s, 1, seed))["piles"]["3"]) for seed in range(3000))
    below = [("again", "haste", "haste"), ("haste", "again", "haste"), ("haste", "haste", "again")]
    assert chi_square(seen, {("again", *three): 1 for three in below}) < 13.8  # 0.1 %, two degrees of freedom


def test_a_book_tells_that_an_ingredient_is_in_hand():
    """Player 1 has laid the yellow grimoire: of the four unknown cards she holds the yellow one or the mandrake."""
    s = position("", "yellow grimoire, yellow ingredient", deck="mandrake, red ingredient, blue ingredient", current=1)
    play(s, "book yellow")
    seen = Counter(next(iter(GAME.describe(GAME.determinize(s, 0, seed))["hands"][1])) for seed in range(2000))
    assert chi_square(seen, {"yellow ingredient": 1, "mandrake": 1}) < 10.8  # 0.1 %, one degree of freedom


@pytest.mark.parametrize(
    ("book", "holding", "possible"),
    [
        ("black", "mandrake", {"mandrake", "red ingredient", "blue ingredient"}),
        ("mandrake", "red ingredient", {"red ingredient", "blue ingredient"}),
        ("red", "mandrake", {"mandrake", "red ingredient"}),
    ],
)
def test_a_determinized_builder_can_finish_her_spell(book, holding, possible):
    name = "mandrake" if book == "mandrake" else f"{book} grimoire"
    deck = "mandrake, red ingredient, blue ingredient, green grimoire"
    s = position("", f"{name}, {holding}", deck=deck, current=1)
    play(s, f"book {book}")
    seen = set()
    for seed in range(300):
        other = GAME.determinize(s, 0, seed)
        assert legal(other, "add")
        seen |= set(GAME.describe(other)["hands"][1])
    assert seen == possible


def test_once_an_ingredient_is_laid_the_hand_may_be_anything():
    s = position("", "red grimoire, 2 red ingredient", deck="blue ingredient", current=1)
    play(s, "book red", "add red")
    seen = {next(iter(GAME.describe(GAME.determinize(s, 0, seed))["hands"][1])) for seed in range(50)}
    assert seen == {"red ingredient", "blue ingredient"}


def test_memories_that_a_player_cannot_tell_are_those_of_an_onlooker():
    s = swapping()
    play(s, "return blue grimoire")
    r = GAME.determinize(s, 2, 0)[()]
    assert (r.known[0, 1] == s[()].known[0, ONLOOKER]).all()
    assert (r.known[1, 0] == s[()].known[1, ONLOOKER]).all()
    assert (s[()].known[1, 0] != s[()].known[1, ONLOOKER]).any()


def test_a_search_cannot_read_the_future():
    """The next card of the deck and the card of a swap differ between determinizations."""
    s = position(
        "green grimoire, green ingredient", "red ingredient, mandrake", piles={"1": "swap"}, deck="2 blue ingredient"
    )
    play(s, "book green", "add green", "cast 1")
    s[()].known[1, 0] = s[()].hand[1]
    drawn = {next(iter(play(GAME.determinize(s, 0, seed), "target 1")["hands"][0])) for seed in range(40)}
    assert drawn == {"red ingredient", "mandrake"}


def test_observation_shows_seats_from_the_viewer_and_shops_from_the_assistant():
    s = position("", "", "", shops={9: "red ingredient", 8: "mandrake"}, curses=((), (3,), ()), marker=1, points={2: 7})
    s[()].assistant = 7
    layout = GAME.layout

    def part(name: str, viewer: int) -> list[int]:
        piece = layout[name]
        values: list[int] = GAME.observe(s, viewer)[piece.start : piece.stop].tolist()
        return values

    assert part("marker", 0) == [0, 1, 0, 0]
    assert part("marker", 2) == [0, 0, 1, 0]
    assert part("points", 1) == [0, 7, 0, 0]
    assert part("on_turn", 1) == [0, 0, 1, 0]
    assert part("shop_size", 0) == [1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert part("night", 0) == [0, 1, 0, 0, 0, 1, 0, 0, 1, 0]
    shops = np.array(part("shops", 0)).reshape(9, NUM_KINDS)
    assert not shops[0].any()  # by night
    assert shops[1].tolist() == cards("red ingredient").tolist()


def test_powers_and_kinds_are_in_the_order_of_the_rules_page():
    assert POWER.tolist() == [1, 1, 1, 2, 3, 3, 4, 5]
    assert KINDS[GRIMOIRE] == "purple grimoire"
    assert KINDS[MANDRAKE] == "mandrake"
