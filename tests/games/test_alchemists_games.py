"""Whole games of Alchemists beside a second referee: the same moves, the same table, the same secrets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from alchemists_positions import COLOURS, GAME, legal, position
from alchemists_referee import PAIRS, Referee, mixes
from words_help import Style, by_verb, check_looks_the_same, check_returns, uniform

# By table: how many games, and the most decisions that the rules page allows.
TABLES = [
    *[(2, "book", 8, 131), (3, "book", 8, 150), (3, "german", 8, 162), (4, "book", 8, 199), (5, "book", 8, 218)],
    *[(2, "german", 2, 131), (4, "german", 2, 199), (5, "german", 2, 218)],
]


def brewing(moves: list[str], rng: np.random.Generator) -> str:
    """Small potions first, copied as often as can be: the reserve runs out fast."""
    for verb in ("copy", "create"):
        some = [move for move in moves if move.startswith(verb)]
        if some and rng.random() < 0.9:
            shortest = min(map(len, some))
            return str(rng.choice([move for move in some if len(move) <= shortest + 9]))
    return str(rng.choice(moves))


STYLES: list[Style] = [uniform, by_verb, brewing]


def follow(s: np.ndarray, referee: Referee, style: Style, rng: np.random.Generator) -> int:
    """Play to the end; game and referee must agree before every decision and at the end. The number of decisions."""
    decisions = 0
    while True:
        compare(s, referee, rng)
        if GAME.is_over(s):
            return decisions
        move = style(legal(s), rng)
        GAME.apply(s, GAME.string_to_action(s, move))
        referee.play(move)
        decisions += 1


def compare(s: np.ndarray, referee: Referee, rng: np.random.Generator) -> None:
    assert GAME.describe(s) == referee.describe()
    strings = legal(s)
    assert len(strings) == len(set(strings))
    assert set(strings) == referee.legal()
    viewer = int(rng.integers(referee.n))
    assert GAME.describe(s, viewer) == referee.describe(viewer)
    check_determinized(s, referee, viewer, int(rng.integers(1 << 60)))


def check_determinized(s: np.ndarray, referee: Referee, viewer: int, seed: int) -> None:
    """A determinized table fits all that the viewer saw, and depends on nothing else."""
    other = GAME.determinize(s, viewer, seed)
    referee.possible(viewer, referee.describe())
    referee.possible(viewer, GAME.describe(other))
    check_looks_the_same(GAME, s, other, viewer)


@pytest.mark.parametrize(("players", "setup", "games", "longest"), TABLES)
@pytest.mark.parametrize("style", STYLES)
def test_a_second_referee_sees_the_same_game(players, setup, games, longest, style):
    for seed in range(games):
        s = GAME.new(players, seed, setup=setup)
        referee = Referee.fresh(GAME.describe(s), lambda s=s: GAME.describe(s))
        assert follow(s, referee, style, np.random.default_rng(seed)) <= longest
        check_returns(GAME, s, referee.ranks(), referee.fame)


def scarce(players: int, rng: np.random.Generator) -> np.ndarray:
    """A last round: little in the reserve, little in the hands, some potions, an empty bag as often as not."""

    def some(most: int, kinds: int) -> str:
        chosen = rng.choice(COLOURS, kinds, replace=False)
        return " ".join(f"{rng.integers(1, most + 1)} {c}" for c in chosen)

    potions, standing = {}, []
    for cauldron in rng.choice(10, rng.integers(1, 10), replace=False):
        mix = mixes(PAIRS[cauldron])[rng.integers(25)]
        if mix not in standing:
            standing.append(mix)
            text = f"{'+'.join(PAIRS[cauldron])}: {' '.join(f'{n} {c}' for c, n in mix.items())}"
            potions[text] = (int(rng.integers(players)), len(potions) + 1)
    s = position(
        *(some(2, rng.integers(0, 3)) for _ in range(players)),
        reserve=some(1, rng.integers(0, players)),
        bag=rng.choice(["", "1 blue 1 green", "2 grey"], p=[0.8, 0.1, 0.1]),
        potions=potions,
        turn=players * 10,
        schools=tuple(rng.permutation(COLOURS)),
    )
    s[()].seals[:players] = np.minimum(s[()].seals[:players], rng.integers(0, 2, players) * 5)
    s[()].seals[:players] = np.maximum(s[()].seals[:players], 0)
    s[()].fame[:players] = rng.integers(20, 23, players)
    return s


@pytest.mark.parametrize("players", GAME.players)
def test_a_second_referee_sees_the_same_last_rounds(players):
    """Positions where players must pass, ties and shared places among them."""
    rng = np.random.default_rng(players)
    seen: Counter[str] = Counter()
    for _ in range(100):
        s = scarce(players, rng)
        referee = Referee(GAME.describe(s), lambda s=s: GAME.describe(s))

        def style(moves: list[str], rng: np.random.Generator, s=s, referee=referee) -> str:
            if referee.passes:
                seen["after a pass"] += 1
                check_the_truth_comes_up(s, referee.current)
            return STYLES[rng.integers(3)](moves, rng)

        follow(s, referee, style, rng)
        check_returns(GAME, s, referee.ranks(), referee.fame)
        seen["tie"] += len(set(referee.fame)) < players
        seen["shared win"] += referee.ranks().count(1) > 1
        seen["shared place"] += len(set(referee.rewards)) < players
    assert min(seen[key] for key in ("after a pass", "tie", "shared win", "shared place")) > 0


def check_the_truth_comes_up(s: np.ndarray, viewer: int) -> None:
    """The hands as they are must be among those that determinize deals."""
    hands = s[()].hand.tobytes()
    assert any(GAME.determinize(s, viewer, seed)[()].hand.tobytes() == hands for seed in range(20_000))
