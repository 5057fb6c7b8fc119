"""`coven arena` and `coven replay` as a user types them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from cli_help import run

from coven import cli_arena
from coven.arena.store import Store

WORDS = ("alchemists", "--agents", "random", "greedy", "mix:0.5", "--deals", "8", "--seed", "3")


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("arena") / "a.db"
    text = run("arena", "run", *WORDS, "--db", str(path), "--workers", "1")
    assert "48 games, 8 deals, seed 3" in text
    return str(path)


def test_a_finished_tournament_is_not_played_again_and_has_the_same_table(db):
    table = run("arena", "table", db)
    assert run("arena", "run", *WORDS, "--db", db, "--workers", "2").startswith(table)


def test_the_table_names_the_best_first_with_intervals(db):
    text = run("arena", "table", db, "--openskill")
    lines = [line for line in text.splitlines() if re.match(r" +\d ", line)]
    assert "greedy" in lines[0]
    assert "random" in lines[2]
    assert all(" to " in line for line in lines[:3]), "further columns stand below, where the terminal is narrow"
    assert "openskill" in text


def test_the_table_as_json_has_the_figures_of_the_table(db):
    found = json.loads(run("arena", "table", db, "--json", "--openskill"))
    assert (found["game"], found["games"], found["missing"]) == ("alchemists", 48, 0)
    best = found["agents"][0]
    assert best["agent"] == "greedy"
    assert best["rating"]["low"] < best["rating"]["value"] < best["rating"]["high"]
    assert f"{best['win_share']['value']:.1%}" in run("arena", "table", db)


def test_without_the_extra_games_are_played_and_stored_and_both_is_said(tmp_path, monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith(("coven.arena.ratings", "coven.arena.league"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "choix", None)
    cli_arena.run("alchemists", ("random", "greedy"), deals=2, db=tmp_path / "a.db", workers=1)
    text = " ".join(capsys.readouterr().out.split())
    assert "The games will be stored, but no table can be printed: league tables need the extra 'arena'" in text
    assert f"Games: {tmp_path}" in text
    with Store(tmp_path / "a.db") as store:
        assert len(store) == 4


def test_report_export_and_replay(db, tmp_path):
    assert run("arena", "report", db, "--out", str(tmp_path / "r")).strip().endswith("report.html")
    file = str(tmp_path / "g.jsonl")
    run("arena", "export", db, file)
    assert run("replay", file, "--game", "5", "--viewer", "1") == run("replay", db, "--game", "5", "--viewer", "1")
    one = str(tmp_path / "one.json")
    run("replay", db, "--game", "5", "--export", one)
    assert "moves fit" in run("replay", one, "--check")


def test_until_sure_states_its_error_rate(tmp_path):
    words = ("--deals", "400", "--until-sure", "--error-rate", "0.01", "--workers", "1", "--db", str(tmp_path / "s.db"))
    text = run("arena", "run", "alchemists", "--agents", "random", "greedy", *words)
    assert "certain after 32 deals" in text
    assert "at most 1.0%" in text


@pytest.mark.parametrize("words", [("arena",), ("arena", "run"), ("replay",)])
def test_help_everywhere(words):
    assert "usage: coven" in run(*words, "--help")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("arena", "run", "chess", "--agents", "random", "greedy"), "there is no game 'chess'"),
        (("arena", "run", "alchemists", "--agents", "random", "clever"), "there is no agent 'clever'"),
        (("arena", "run", "alchemists", "--agents", "random"), "name 2 or more"),
        (("arena", "run", "alchemists", "--agents", "random", "greedy", "--deals", "0"), "deals=0"),
        (("arena", "table", "no.db"), "there is no file no.db"),
        (("arena", "report", __file__), "not a database"),
        (("replay", __file__), "is not a replay"),
        (("replay", str(Path(__file__).parent)), "it is no regular file"),
    ],
)
def test_a_users_mistake_is_one_clear_message(words, message):
    assert message in run(*words, code=2)
