"""Whole games of Black Magic Friday beside a second referee: the same moves, the same table, the same secrets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from black_magic_friday_positions import GAME, known, legal, position
from black_magic_friday_referee import BOX, COLOURS, Referee, plain

Style = Callable[[list[str], np.random.Generator], str]


def uniform(moves: list[str], rng: np.random.Generator) -> str:
    return str(rng.choice(moves))


def by_verb(moves: list[str], rng: np.random.Generator) -> str:
    """Every kind of move equally often."""
    verb = rng.choice(sorted({move.split()[0] for move in moves}))
    return str(rng.choice([move for move in moves if move.startswith(verb)]))


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
            check_returns(s, referee)
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
    check_determinized(s, referee, viewer, int(rng.integers(1 << 60)))


def check_determinized(s: np.ndarray, referee: Referee, viewer: int, seed: int) -> None:
    """A determinized table fits all that the viewer saw, and depends on nothing else."""
    other = GAME.determinize(s, viewer, seed)
    referee.possible(viewer, referee.describe())
    referee.possible(viewer, GAME.describe(other))
    assert GAME.determinize(other, viewer, 5).tobytes() == GAME.determinize(s, viewer, 5).tobytes()
    assert GAME.observe(other, viewer).tobytes() == GAME.observe(s, viewer).tobytes()
    assert GAME.describe(other, viewer) == GAME.describe(s, viewer)
    assert GAME.text(other, viewer) == GAME.text(s, viewer)
    if referee.current == viewer:
        assert GAME.legal_actions(other) == GAME.legal_actions(s)


def check_returns(s: np.ndarray, referee: Referee) -> None:
    """Places are spread evenly from +1 to -1, and level players share theirs."""
    ranks = referee.ranks()
    places = {rank: [rank - 1 + i for i in range(ranks.count(rank))] for rank in ranks}
    expected = [1 - 2 * np.mean(places[rank]) / (referee.n - 1) for rank in ranks]
    assert GAME.returns(s) == pytest.approx(expected)
    assert sum(GAME.returns(s)) == pytest.approx(0, abs=1e-6)
    assert GAME.ranks(s) == ranks
    assert GAME.scores(s) == referee.scores()
    assert GAME.current_player(s) is None


@pytest.mark.parametrize("players", GAME.players)
@pytest.mark.parametrize("style", STYLES)
def test_a_second_referee_sees_the_same_game(players, style):
    seen: Counter[str] = Counter()
    for seed in range(12):
        s = GAME.new(players, seed)
        referee = Referee.fresh(GAME.describe(s), lambda s=s: GAME.describe(s))
        assert follow(s, referee, style, np.random.default_rng(seed), seen) <= 236
    print(players, style.__name__, seen)
