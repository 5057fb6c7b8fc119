"""However a tournament is played, the same games come out."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from arena_help import digest, played, small

from coven.arena.engines import engine
from coven.arena.match import play_unit
from coven.arena.report import report
from coven.arena.run import looks, run
from coven.arena.schedule import plan
from coven.arena.sources import differing, sources
from coven.arena.store import BadStore, Store
from coven.games.core.errors import BadOption, CovenError, IllegalAction


class Stopped(Exception):
    pass


def stopping_after(units):
    """An engine that breaks off, and plays the last units first."""

    def play(tournament, missing):
        for done, unit in enumerate(list(missing)[::-1]):
            if done == units:
                raise Stopped
            yield play_unit(tournament, unit)

    return play


def test_a_stopped_tournament_ends_with_the_same_games(tmp_path):
    t = small(players=3, agents=("random", "greedy", "mix:0.5", "ismcts:2"))
    whole = played(tmp_path / "whole.db", t)
    for stop in (0, 1, 3):
        with pytest.raises(Stopped):
            run(tmp_path / "parts.db", t, stopping_after(stop))
    assert digest(tmp_path / "parts.db") != whole
    assert played(tmp_path / "parts.db", t) == whole
    with Store(tmp_path / "parts.db") as store:
        assert len(store) == t.games


def test_more_deals_go_on_with_the_games_that_are_there(tmp_path):
    played(tmp_path / "grown.db", small(deals=4))
    assert played(tmp_path / "grown.db", small(deals=8)) == played(tmp_path / "whole.db", small(deals=8))


def test_games_are_stored_once(tmp_path):
    t = small()
    rows = play_unit(t, next(t.units()))
    with Store(tmp_path / "a.db", t) as store:
        store.add(rows)
        store.add(rows)
        assert len(store) == len(rows)


def test_worker_processes_play_the_same_games_and_one_that_dies_is_replaced(tmp_path):
    marker = tmp_path / "died"
    t = small(agents=("random", f"py:arena_help:mortal:{marker}", "greedy"), deals=8)
    killed = played(tmp_path / "workers.db", t, engine(workers=2))
    assert marker.exists()
    assert killed == played(tmp_path / "here.db", t)


def test_workers_that_always_die_and_agents_with_bugs_end_the_tournament(tmp_path):
    with pytest.raises(CovenError, match="died 3 times"):
        run(tmp_path / "a.db", small(agents=("random", "py:arena_help:deadly"), deals=1), engine(workers=2))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run(tmp_path / "b.db", small(agents=("random", "py:arena_help:buggy"), deals=1), engine(workers=2))
    with pytest.raises(CovenError, match="is not legal"):
        run(tmp_path / "c.db", small(agents=("random", "py:arena_help:cheat"), deals=1), engine(workers=2))


def test_what_an_agent_does_wrong_is_told(tmp_path):
    t = small(agents=("random", "py:arena_help:cheat"))
    with pytest.raises(IllegalAction, match="is not legal"):
        run(tmp_path / "a.db", t)


COMMAND = """
import sys
from pathlib import Path
from coven.arena.engines import engine
from coven.arena.run import run
from coven.arena.schedule import Tournament
import json
t = Tournament.from_dict(json.loads(sys.argv[2]))
run(Path(sys.argv[1]), t, engine(workers=int(sys.argv[3])))
"""


LONG = small(players=3, deals=200, block=1)
"""Far more than can be played between two looks at the file."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return played(tmp_path_factory.mktemp("whole") / "whole.db", LONG)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_tournament_killed_at_any_moment_resumes_to_the_same_games(tmp_path, whole, workers):
    t = LONG
    path, dice = tmp_path / "killed.db", random.Random(workers)
    command = [sys.executable, "-c", COMMAND, str(path), json.dumps(t.to_dict()), str(workers)]
    for kill in range(2):
        process = subprocess.Popen(command)
        enough = dice.randrange(1, 40) + 60 * kill
        while process.poll() is None and _stored(path) < enough * t.players:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
    stored = _stored(path)
    assert 0 < stored < t.games
    assert stored % t.players == 0  # whole units
    subprocess.run(command, check=True)
    assert digest(path) == whole


def _stored(path):
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(path) as db:
            return db.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_until_sure_stops_early_and_at_the_same_deal_when_it_was_interrupted(tmp_path):
    t = small(agents=("random", "greedy", "mix:0.5"), deals=640, block=16)
    verdict = run(tmp_path / "a.db", t, until_sure=0.05)
    assert verdict.sure
    assert verdict.deals < t.deals
    with pytest.raises(Stopped):
        run(tmp_path / "b.db", t, stopping_after(2), until_sure=0.05)
    assert run(tmp_path / "b.db", t, until_sure=0.05) == verdict
    assert digest(tmp_path / "a.db") == digest(tmp_path / "b.db")


def test_until_sure_says_when_the_order_is_open(tmp_path):
    t = small(agents=("mix:0.5", "mix:0.500001"), deals=40, block=16)
    verdict = run(tmp_path / "a.db", t, until_sure=0.05)
    assert verdict.sure is False
    assert verdict.deals == 40
    with pytest.raises(BadOption, match="error rate"):
        run(tmp_path / "a.db", t, until_sure=1.5)


def test_looks_double_and_end_with_all_blocks():
    assert list(looks(small(deals=100, block=2))) == [16, 32, 50]
    assert list(looks(small(deals=10, block=2))) == [5]
    assert list(looks(small(deals=1000, block=500))) == [1, 2]


def test_another_tournament_in_the_file_is_refused(tmp_path):
    played(tmp_path / "a.db", small())
    with pytest.raises(BadOption, match="another tournament"):
        run(tmp_path / "a.db", small(seed=6))


def test_files_that_are_no_tournaments_are_refused(tmp_path):
    with pytest.raises(BadStore, match="no file"):
        Store(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("hello" * 100)
    for given in (None, small()):
        with pytest.raises(BadStore, match="not a database"):
            Store(tmp_path / "text.db", given)
    with sqlite3.connect(tmp_path / "other.db") as db:
        db.execute("CREATE TABLE games (id)")
    for given in (None, small()):
        with pytest.raises(BadStore, match="not the file of a tournament"):
            Store(tmp_path / "other.db", given)


def test_a_tournament_of_another_version_is_not_mixed_with_this_one(tmp_path):
    played(tmp_path / "a.db", small())
    with sqlite3.connect(tmp_path / "a.db") as db:
        db.execute("UPDATE about SET value = 'coven-rl 0.0.0' WHERE key = 'versions'")
    with pytest.raises(BadStore, match=r"begun with 'coven-rl 0\.0\.0'"):
        run(tmp_path / "a.db", small())
    assert digest(tmp_path / "a.db")  # but it can be read


@pytest.mark.parametrize(("name", "workers", "message"), [("spark", 1, "local, ray"), ("local", 0, "workers=0")])
def test_bad_engines_are_refused(name, workers, message):
    with pytest.raises(BadOption, match=message):
        engine(name, workers)


MODULE = """
from coven.agents.random import RandomAgent

CONSTANT = 1


class Mine(RandomAgent):
    name = "mine"


def make(rest, game, num_players):
    return Mine()
"""


def test_going_on_with_a_changed_agent_is_refused_or_noted(tmp_path, monkeypatch):
    """A bot's constant, or the file of its network: the table would hold games of two programs."""
    monkeypatch.syspath_prepend(tmp_path)
    source, path = tmp_path / "my_bots.py", tmp_path / "t.db"
    source.write_text(MODULE, encoding="utf-8")
    tournament = plan("alchemists", ["random", "py:my_bots:make"], 2, 1)
    run(path, tournament)
    run(path, tournament)  # nothing has changed
    source.write_text(MODULE.replace("CONSTANT = 1", "CONSTANT = 2"), encoding="utf-8")
    with pytest.raises(BadStore, match=r"the agent py:my_bots:make have changed.*--anyway"):
        run(path, tournament)
    with Store(path) as store:
        assert store.changes == []
    run(path, tournament, anyway=True)
    with Store(path) as store:
        assert store.changes == ["from game 2 on, other sources of the agent py:my_bots:make"]
        page = report(store, tmp_path / "report").read_text(encoding="utf-8")
    assert "Games of different programs" in page
    run(path, tournament)  # once accepted, it goes on


def test_the_sources_of_a_tournament_are_its_rules_its_agents_and_their_files():
    names = set(sources(plan("black_magic_friday", ["greedy", "ppo", "ismcts:2"], 2, 1)))
    ours = {"the core", "the rules of black_magic_friday", "the agents of Coven"}
    assert names == ours | {"the agent ppo", "the agent ismcts:2"}
    assert differing({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"}) == ["b", "c"]
