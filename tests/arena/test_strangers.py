"""Tournaments and replays from strangers: nothing that they name is run, and nothing reaches the terminal."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from arena_help import small

from coven.arena.export import export
from coven.arena.ratings import Games, standings
from coven.arena.replay import BadReplay, Replay, read
from coven.arena.report import report
from coven.arena.run import run
from coven.arena.schedule import Tournament
from coven.arena.store import BadStore, Store
from coven.games.core.errors import BadOption, CovenError, printable


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    path = tmp_path_factory.mktemp("strangers") / "played.db"
    run(path, small(deals=2))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    return path


@pytest.fixture
def db(played, tmp_path):
    """A copy of a small tournament."""
    return Path(shutil.copy(played, tmp_path / "a.db"))


def rewrite(db, **changes):
    """Change the description of a stored tournament."""
    connection = sqlite3.connect(db)
    (text,) = connection.execute("SELECT value FROM about WHERE key = 'tournament'").fetchone()
    changed = json.dumps(json.loads(text) | changes)
    connection.execute("UPDATE about SET value = ? WHERE key = 'tournament'", (changed,))
    connection.commit()
    connection.close()


def rename(db, old, new):
    """Call an agent something else everywhere."""
    connection = sqlite3.connect(db)
    for table, column in (("about", "value"), ("games", "agents")):
        statement = f"UPDATE {table} SET {column} = replace({column}, ?, ?)"
        connection.execute(statement, (json.dumps(old), json.dumps(new)))
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"players": 10**9}, "not played by 1000000000 players"),
        ({"players": "2"}, "is damaged"),
        ({"deals": 10**30}, "deals="),
        ({"block": 0}, "block=0"),
        ({"seed": -1}, "seed=-1"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"game": "\x1b[31m"}, "cannot be shown"),
        ({"options": {"seed": 3}}, "no option 'seed'"),
        ({"options": {"self": 3}}, "no option 'self'"),
        ({"options": []}, "is damaged"),
        ({"agents": [f"mix:{i}" for i in range(10_000)]}, "too many"),
        ({"agents": [f"mix:{i}" for i in range(200)], "players": 5}, "more than 100,000 lineups"),
        ({"agents": ["\x1b]0;title\x07", "greedy"]}, "cannot be shown"),
        ({"schedule": "none"}, "schedule="),
        ({"more": 1}, "a tournament has"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused(db, changes, message):
    rewrite(db, **changes)
    with pytest.raises(CovenError, match=message), Store(db):
        pass


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("ranks", "[1, 3]", "allowed: 2 numbers from 1 to 2"),
        ("ranks", "[2, 2]", "are no ranks"),
        ("ranks", "[" * 100_000, "ranks"),
        ("scores", "[1e400, 2]", "scores"),
        ("scores", "[1]", "scores"),
        ("seconds", "[-1.0, 0.5]", "seconds"),
        ("moves", "[1000000, 2]", "moves"),
        ("agents", '["random", "somebody"]', "agents"),
        ("deal", "x", "deals that the tournament does not have"),
        ("deal", 99, "deals that the tournament does not have"),
        ("scores", b"\xff\xfe", "scores"),
    ],
)
def test_a_game_that_cannot_be_is_refused(db, column, value, message):
    connection = sqlite3.connect(db)
    connection.execute(f"UPDATE games SET {column} = ? WHERE number = 3", (value,))
    connection.commit()
    connection.close()
    with Store(db) as store, pytest.raises(BadStore, match=f"a.db is damaged: .*{message}"):
        Games.load(store)


@pytest.mark.parametrize(("column", "value"), [("options", "=1+1"), ("seconds", "=1+1"), ("agents", "=1+1")])
def test_what_a_sheet_would_obey_is_not_exported(db, column, value, tmp_path):
    connection = sqlite3.connect(db)
    connection.execute(f"UPDATE games SET {column} = ? WHERE number = 3", (value,))
    connection.commit()
    connection.close()
    with Store(db) as store, pytest.raises(BadStore, match=f"a.db is damaged: {column} "):
        export(store, tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW other AS SELECT * FROM games",
        "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",
        "ALTER TABLE games ADD COLUMN more GENERATED ALWAYS AS (number * 2)",
    ],
)
def test_a_file_with_more_than_our_tables_is_refused(db, statement):
    connection = sqlite3.connect(db)
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(BadStore, match="is not the file of a tournament"), Store(db):
        pass


def a_journal_of_several_databases(db, names):
    """What a crash in a transaction over several databases leaves beside each, with the file that names them all."""
    connection = sqlite3.connect(db, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE more (what)")
    connection.executemany("INSERT INTO more VALUES (?)", [(bytes(3000),) for _ in range(99)])
    journal = db.with_name(f"{db.name}-journal")
    held = journal.read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    sector, page = (int.from_bytes(held[at : at + 4]) for at in (20, 24))
    name = str(names).encode()
    tail = [(1 << 30) // page + 1, name, len(name), sum(name)]
    packed = b"".join(part if isinstance(part, bytes) else part.to_bytes(4) for part in tail)
    journal.write_bytes(held.ljust(-(-len(held) // sector) * sector, b"\0") + packed + held[:8])


def test_a_journal_that_would_delete_a_file_elsewhere_is_refused(db, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    a_journal_of_several_databases(db, precious)
    with pytest.raises(BadStore, match=r"a.db-journal beside it is of several databases, which no tournament is"):
        Store(db)
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("ending", ["journal", "wal", "shm"])
def test_nobody_waits_for_a_pipe_beside_a_tournament(db, ending):
    os.mkfifo(db.with_name(f"{db.name}-{ending}"))
    with pytest.raises(BadStore, match=f"a.db-{ending} beside it is a link, a pipe or a folder"):
        Store(db)


def test_what_a_stored_tournament_names_is_never_loaded(db, tmp_path, monkeypatch):
    """Looking at a stranger's file imports no module and opens no file that it names."""
    (tmp_path / "evil.py").write_text("raise SystemExit('loaded')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    rename(db, "greedy", "py:evil:make")
    rename(db, "random", "cmd:touch ran")
    with Store(db) as store:
        assert {"cmd:touch ran", "py:evil:make"} <= set(store.tournament.agents)
        standings(Games.load(store))
        report(store, tmp_path / "out")
        read(db, 0).check()
    rename(db, "cmd:touch ran", "ppo:/dev/stdin")
    with Store(db) as store:
        standings(Games.load(store))
    assert not (tmp_path / "ran").exists()


def test_a_dollar_in_a_name_is_no_formula(db, tmp_path):
    rename(db, "greedy", "py:mine:make:$$")
    rename(db, "random", "ppo:$x^{$.safetensors")
    with Store(db) as store:
        assert "$$" in report(store, tmp_path / "out").read_text(encoding="utf-8")


def test_a_name_that_a_terminal_would_obey_is_refused(tmp_path):
    with pytest.raises(BadOption, match="cannot be shown") as error:
        Tournament("alchemists", ("random", "\x1b[2J"), 2, 1)
    assert "\x1b" not in str(error.value)
    given = {"format": "coven-replay-1", "game": "alchemists", "version": 0, "num_players": 2, "seed": 1}
    lists = {"actions": [], "ranks": [], "scores": []}
    with pytest.raises(CovenError, match="cannot be shown"):
        Replay(**given, **lists, agents=["a", "\x1b[2J"])
    assert printable("a\x1b[31m\u202eb\nc") == "a\\x1b[31m\\u202eb\nc"


def test_a_replay_longer_than_any_game_is_refused(tmp_path):
    given = {"format": "coven-replay-1", "game": "alchemists", "version": 0, "num_players": 2, "seed": 1}
    with pytest.raises(BadReplay, match="no game of alchemists is so long"):
        Replay(**given, actions=[0] * 10_000, ranks=[1, 2], scores=[0, 0]).check()
    with pytest.raises(BadOption, match="no option 'seed'"):
        Replay(**given, actions=[], ranks=[1, 2], scores=[0, 0], options={"seed": 3}).check()


@pytest.mark.parametrize("number", [-1, 10**26])
def test_a_game_number_that_no_file_has_is_refused(db, number, tmp_path):
    (tmp_path / "r.jsonl").write_text("{}\n")
    with pytest.raises(BadStore, match="has no game"):
        read(db, number)
    with pytest.raises(BadReplay, match="has no game"):
        read(tmp_path / "r.jsonl", number)
