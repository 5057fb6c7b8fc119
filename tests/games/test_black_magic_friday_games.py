"""Whole games of Black Magic Friday beside a second referee: the same moves, the same table, the same secrets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from black_magic_friday_positions import GAME, known, legal, position
from black_magic_friday_referee import BOX, OUT, PILES, Referee, plain
from words_help import Style, by_verb, check_looks_the_same, check_returns, uniform


def patient(moves: list[str], rng: np.random.Generator) -> str:
    """Large spells: ingredients are gathered, all of them added and the greatest power cast."""
    for verb, chance in (("add", 0.95), ("cast", 0.8), ("book", 0.25), ("play again", 0.8), ("move", 0.9)):
        some = [move for move in moves if move.startswith(verb)]
        if some and rng.random() < chance:
            return some[-1] if verb == "cast" else str(rng.choice(some))
    return str(rng.choice(moves))


STYLES: list[Style] = [uniform, by_verb, patient]


def follow(s: np.ndarray, referee: Referee, style: Style, rng: np.random.Generator, seen: Counter[str]) -> int:
    """Play to the end; game and referee must agree before every decision and at the end. The number of decisions."""
    decisions = 0
    while True:
        compare(s, referee, rng)
        seen[referee.phase] += 1
        if GAME.is_over(s):
            check_returns(GAME, s, referee.ranks(), referee.scores())
            seen.update(str(spell["spell"]) for row in referee.spells for spell in row)
            return decisions
        move = style(legal(s), rng)
        GAME.apply(s, GAME.string_to_action(s, move))
        referee.play(move)
        decisions += 1


def compare(s: np.ndarray, referee: Referee, rng: np.random.Generator) -> None:
    assert plain(GAME.describe(s)) == referee.describe()
    strings = legal(s)
    assert len(strings) == len(set(strings))
    assert set(strings) == set(referee.legal)
    viewer = int(rng.integers(referee.n))
    assert plain(GAME.describe(s, viewer)) == referee.describe(viewer)
    for owner in referee.others(viewer):
        assert known(s, viewer, owner) == +referee.known[viewer][owner]
    # A determinized table fits all that the viewer saw, looks the same and depends on nothing else.
    other = GAME.determinize(s, viewer, int(rng.integers(1 << 60)))
    referee.possible(viewer, GAME.describe(other))
    check_looks_the_same(GAME, s, other, viewer)
    if rng.random() < 0.1:
        referee.possible(viewer, referee.describe())


@pytest.mark.parametrize("players", GAME.players)
@pytest.mark.parametrize("style", STYLES)
def test_a_second_referee_sees_the_same_game(players, style):
    seen: Counter[str] = Counter()
    for seed in range(8):
        s = GAME.new(players, seed)
        referee = Referee.fresh(GAME.describe(s), lambda s=s: GAME.describe(s))
        assert follow(s, referee, style, np.random.default_rng(seed), seen) <= 236


def rich(players: int, rng: np.random.Generator) -> np.ndarray:
    """Full hands, scrolls in front of all, several cards in a shop, little in the deck and in the piles."""
    strong = Counter({"green grimoire": 1, "green ingredient": 5})  # enough for the greatest power
    box = rng.permutation(sorted((BOX - OUT[players] - strong).elements())).tolist()
    level = rng.random() < 0.5  # then every witch has one curse, and the marker is often asked for
    scrolls = [card for card in (sorted(box, reverse=True) if level else box) if card.startswith("curse")]
    curses = [[int(scrolls.pop()[-1]) for _ in range(1 if level else rng.integers(3))] for _ in range(players)]
    most = max(map(sum, curses))
    cursed = [p for p in range(players) if most and sum(curses[p]) == most]
    articles = [card for card in box if not card.startswith("curse")]
    hands = [", ".join(articles.pop() for _ in range(rng.integers(10))) for _ in range(players)]
    hands[rng.integers(players)] += "".join(f", {n} {card}" for card, n in strong.items())
    rest = rng.permutation([*scrolls, *articles]).tolist()
    shops = {shop: ", ".join(rest.pop() for _ in range(rng.integers(3))) for shop in range(1, 10)}
    deck = rest[: rng.integers(12)]
    piles = {pile: " ".join(rng.permutation(spells)[: rng.integers(10)]) for pile, spells in PILES.items()}
    last_rounds = int(rng.integers(1, 4)) if not deck else None
    marker = int(rng.choice(cursed)) if cursed else None
    return position(
        *hands,
        shops=shops,
        deck=", ".join(deck),
        curses=tuple(map(tuple, curses)),
        marker=marker,
        piles=piles | ({"1": "swap " * 9} if rng.random() < 0.3 else {}),
        last_rounds=last_rounds,
    )


def eager(moves: list[str], rng: np.random.Generator) -> str:
    """Spells whenever there is one to cast."""
    books = [move for move in moves if move.startswith("book")]
    return by_verb(books if books and rng.random() < 0.8 else moves, rng)


@pytest.mark.parametrize("players", GAME.players)
def test_a_second_referee_sees_the_same_rich_games(players):
    """Every spell and every kind of decision comes up, swaps after swaps and level witches too."""
    rng = np.random.default_rng(players)
    seen: Counter[str] = Counter()
    for _ in range(40):
        s = rich(players, rng)
        referee = Referee(GAME.describe(s), lambda s=s: GAME.describe(s))
        follow(s, referee, [eager, patient][rng.integers(2)], rng, seen)
    phases = {"turn", "spell", "discard", "target", "return", "fetch", "pick", "again", "marker", "over"}
    spells = {"cleanse", "bestow", "swap", "fetch", "again", "haste", "vanish", "oblivion", "None"}
    assert set(seen) == (phases | spells) - ({"marker"} if players == 2 else set())


@pytest.mark.parametrize("players", GAME.players)
def test_the_true_hands_are_among_those_dealt(players):
    """Few kinds of cards and many swaps: whatever a witch remembers, determinize can still deal what is true."""
    rng = np.random.default_rng(players)
    for _ in range(6):
        hands = [", ".join(rng.choice(["red ingredient", "red grimoire", "mandrake"], 2)) for _ in range(players)]
        shops = {1: "red ingredient", 2: "mandrake", 3: "red grimoire", 5: "red grimoire", 8: "curse 1"}
        deck = "mandrake, red ingredient, red grimoire, red ingredient"
        s = position(*hands, shops=shops, deck=deck, piles={"1": "swap " * 9, "2": "fetch " * 6})
        while not GAME.is_over(s):
            viewer, r = int(rng.integers(players)), s[()]
            for name in ("hand", "shop"):
                dealt = (GAME.determinize(s, viewer, seed)[()] for seed in range(20_000))
                assert any((other[name] == r[name]).all() for other in dealt)
            GAME.apply(s, GAME.string_to_action(s, eager(legal(s), rng)))
