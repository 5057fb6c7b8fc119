"""Tournaments with programs: workers, resuming, faults in the table, forfeits in replays, and sources."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rich.console import Console

import coven
from coven.agents.following import behind
from coven.arena import evaluation, protocol, results
from coven.arena.engines import engine
from coven.arena.league import print_league
from coven.arena.ratings import Games, standings
from coven.arena.replay import BadReplay, Replay, of_row
from coven.arena.report import report
from coven.arena.run import run
from coven.arena.schedule import plan
from coven.arena.store import BadStore, Store
from coven.arena.verify import verify
from coven.benchmarks import leaderboard_page

ROOT = Path(__file__).resolve().parents[2]
PYTHON = shlex.quote(sys.executable)
GAME = coven.game("alchemists")


def faulty(fault, decision, rule, folder):
    return f"cmd:on_fault={rule} log={folder} {PYTHON} -S {ROOT / 'benchmarks' / 'faulty_bot.py'} '{fault}' {decision}"


def table(store):
    text = io.StringIO()
    print_league(Console(file=text, width=200), standings(Games.load(store)))
    return text.getvalue()


@pytest.fixture(scope="module")
def forfeited(tmp_path_factory):
    """A tournament in which a program crashes now and then, and loses the game each time."""
    folder = tmp_path_factory.mktemp("forfeits")
    spec = faulty("crash", 30, "forfeit", folder / "log")
    run(folder / "a.db", plan("alchemists", ["random", spec], deals=4, seed=3, block=2))
    return folder / "a.db"


def test_faults_and_forfeits_stand_in_the_table_and_the_report(forfeited, tmp_path):
    with Store(forfeited) as store:
        found = standings(Games.load(store))
        line = next(line for line in found.lines if line.agent.startswith("cmd:"))
        assert 0 < line.faults == line.forfeits < 8
        assert f"{line.faults} ({line.forfeits} forfeits)" in table(store)
        assert "is an outside program: the same seed need not give the same games" in table(store)
        assert f"<td>{line.faults} ({line.forfeits} forfeits)</td>" in report(store, tmp_path).read_text()


def test_a_forfeited_game_is_a_replay_that_fits_and_one_that_hides_it_does_not(forfeited):
    with Store(forfeited) as store:
        rows = list(store.games())
        replays = [of_row(store.tournament, row) for row in rows]
    lost = [replay for replay in replays if replay.forfeits is not msgspec.UNSET]
    assert 0 < len(lost) < len(replays)
    for replay in replays:
        replay.check()
    for replay in lost:
        assert replay.ranks[replay.forfeits.index(1)] == 2
        assert '"forfeits":[' in replay.to_json()
    fields = {name: getattr(lost[0], name) for name in lost[0].__struct_fields__}
    with pytest.raises(BadReplay, match="are no forfeits"):
        Replay(**fields | {"forfeits": [2, 0]})
    winner = lost[0].scores.index(max(lost[0].scores))
    forfeits = [int(seat == winner) for seat in range(2)]
    Replay(**fields | {"forfeits": forfeits, "ranks": [1 + lost for lost in forfeits]}).check()
    with pytest.raises(BadReplay, match="but the game ends with"):
        Replay(**fields | {"forfeits": msgspec.UNSET, "ranks": [1 + lost for lost in forfeits]}).check()


def test_those_who_forfeit_are_level_behind_all_others():
    ranks, returns = behind(np.array([[1, 2, 3, 3], [2, 1, 3, 4]]), np.array([[1, 0, 1, 0], [0, 0, 0, 0]]))
    assert ranks.tolist() == [[3, 1, 3, 2], [2, 1, 3, 4]]
    assert returns[0].tolist() == pytest.approx([-2 / 3, 1, -2 / 3, 1 / 3])


def test_an_evaluation_counts_the_faults_and_the_leaderboard_tells_them(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "GAMES", {"random": 2})
    spec = faulty("wrong id", 4, "random", tmp_path / "log")
    found = evaluation.evaluate("alchemists", spec, tmp_path / "games", name="mine")
    by_match = {match.players: sum(game.faults for game in games) for match, games in found.by_match()}
    assert by_match == dict.fromkeys(GAME.players, 1)  # one process plays all games of a match, and fails once
    results.write(found, tmp_path / "mine.jsonl.xz")
    known = verify(tmp_path / "mine.jsonl.xz").result.head.figures
    assert known["faults"] == 4
    assert leaderboard_page._name(found, known) == "`mine` (not reproducible, 4 faults)"


def test_workers_and_resuming_give_the_same_games(tmp_path):
    """A program that follows the seed of hello is reproducible wherever it is asked."""
    spec = f"cmd:log={tmp_path} {PYTHON} -S {ROOT / 'examples' / 'bots' / 'random_bot.py'}"
    whole = plan("alchemists", ["greedy", spec], deals=4, seed=3, block=2)
    run(tmp_path / "whole.db", whole)
    run(tmp_path / "parts.db", plan("alchemists", ["greedy", spec], deals=2, seed=3, block=2))
    run(tmp_path / "parts.db", whole, engine(workers=2))
    with Store(tmp_path / "whole.db") as one, Store(tmp_path / "parts.db") as other:
        assert one.digest() == other.digest()
        assert len(one) == 8
        assert standings(Games.load(one)).lines[1].faults == 0
        assert "faults" in table(one)


def test_a_fault_stops_a_tournament_that_goes_on_later(tmp_path):
    bot = tmp_path / "faulty_bot.py"
    shutil.copy(ROOT / "benchmarks" / "faulty_bot.py", bot)
    spec = f"cmd:log={tmp_path / 'log'} {PYTHON} -S {bot} crash 40"
    t = plan("alchemists", ["random", spec], deals=4, seed=3, block=1)
    with pytest.raises(coven.CovenError, match=r"ended with exit code 1 .*ZeroDivisionError"):
        run(tmp_path / "a.db", t)
    with Store(tmp_path / "a.db") as store:
        assert 0 < len(store) < 8
    bot.write_text(bot.read_text().replace("1 // 0", "None"))
    with pytest.raises(BadStore, match=r"the sources of the agent cmd:.* have changed"):
        run(tmp_path / "a.db", t)
