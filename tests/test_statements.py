"""Every statement of a rulebook that a game should keep, or departs from on purpose, is held by a test."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import coven
from coven.games.core.statements import Statement, read
from coven.statements import check, marks

TESTS = Path(__file__).parent


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_statement_is_held_by_a_test(name):
    check(coven.game(name), TESTS)


def test_marks_name_games_that_exist():
    assert set(marks(TESTS)) <= set(coven.games.built_in())


@pytest.mark.parametrize(
    ("name", "number"), [("alchemists", 51), ("black_magic_friday", 66), ("wie_verhext", 82), ("witchstone", 204)]
)
def test_all_statements_of_the_rulebook_are_there(name, number):
    assert list(read(coven.game(name).folder)) == list(range(1, number + 1))


GOOD = """
[[statement]]
id = 1
says = "Turns go clockwise."
kept = "yes"
[[statement]]
id = 4
says = "The oldest begins."
kept = "departs"
why = "by lot"
[[statement]]
id = 5
says = "The box is blue."
kept = "without effect"
why = "nobody sees it"
"""


@pytest.fixture
def game(tmp_path):
    """A game with a file of statements and a folder of tests."""
    (tmp_path / "statements.toml").write_text(GOOD, encoding="utf-8")
    return SimpleNamespace(name="chess", folder=tmp_path)


def write_test(game, text):
    (game.folder / "test_it.py").write_text(text, encoding="utf-8")


def test_statements_are_read_by_number(game):
    found = read(game.folder)
    assert found[4] == Statement(4, "The oldest begins.", "departs", "by lot")
    assert [s.needs_test for s in found.values()] == [True, True, False]


def test_a_game_without_statements_has_none(tmp_path):
    assert read(tmp_path) == {}
    check(SimpleNamespace(name="chess", folder=tmp_path), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id = 4", "id = 1", "two statements have the id 1"),
        ("id = 4", 'id = "4"', "needs an id"),
        ("id = 4", "id = true", "needs an id"),
        ("id = 4\n", "", "needs an id"),
        ('why = "by lot"', "", "statement 4 is kept='departs' and must say why"),
        ('why = "by lot"', 'why = ""', "statement 4 needs the texts"),
        ('why = "by lot"', 'who = "me"', "statement 4 needs the texts"),
        ('kept = "departs"', 'kept = "no"', "kept='no'; allowed: 'yes', 'departs'"),
        ('says = "The oldest begins."', "says = 3", "statement 4 needs the texts"),
        ("[[statement]]\nid = 5", "[[sentence]]\nid = 5", "nothing else"),
    ],
)
def test_a_bad_statement_is_refused(game, old, new, message):
    (game.folder / "statements.toml").write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read(game.folder)


def test_a_mark_counts_whatever_else_decorates_the_test(game):
    write_test(
        game,
        '@pytest.mark.holds("chess", 1, 4)\n@pytest.mark.parametrize("p", [2])\ndef test_a(p): ...\n'
        '@mark.holds("chess", 4)\ndef test_b(): ...\n',
    )
    assert marks(game.folder) == {"chess": {1: ["test_a"], 4: ["test_a", "test_b"]}}
    check(game, game.folder)


def test_a_statement_without_a_test_is_found(game):
    write_test(game, '@pytest.mark.holds("chess", 1)\ndef test_a(): ...\n')
    with pytest.raises(AssertionError, match=r"no test holds these statements of chess: 4 \(The oldest begins"):
        check(game, game.folder)


def test_a_mark_for_an_unknown_statement_is_found(game):
    write_test(game, '@pytest.mark.holds("chess", 1, 4, 9)\ndef test_a(): ...\n')
    with pytest.raises(AssertionError, match=r"do not exist: \[9\]"):
        check(game, game.folder)


@pytest.mark.parametrize("mark", ["holds", 'holds("chess")', "holds(4)", 'holds("chess", n)', 'holds("chess", "4")'])
def test_a_mark_that_cannot_be_read_is_refused(game, mark):
    write_test(game, f"@pytest.mark.{mark}\ndef test_a(): ...\n")
    with pytest.raises(ValueError, match=r"test_it\.py:1: the mark of test_a is not read"):
        marks(game.folder)
