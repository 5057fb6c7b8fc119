"""The comparison with peers: who works is measured, who does not is reported, and the page says what was found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from coven.benchmarks import compare, plots, rounds
from coven.benchmarks.ours import CEILING, all_subjects
from coven.benchmarks.peers.worker import AEC, FACES, KERNEL, measure
from coven.benchmarks.report import Comparison, Scaling, markdown, short
from coven.benchmarks.rounds import Row, WorkerFailed, in_turn, start
from coven.benchmarks.targets import CLASSES, targets
from coven.games import built_in

BENCHMARKS = Path(compare.__file__).parent
PEER = """
import os, time
from peers.worker import AEC, KERNEL, Subject, serve

def works():
    print("noise that is no answer")
    return lambda n: [sum(range(1000)) for _ in range(n)] and n

def fails():
    raise ImportError("its part is missing\\nmore about it")

def crashes():
    return lambda n: os._exit(3)

serve(["peer 1.0"], [Subject(AEC, "good", works), Subject(AEC, "bad", fails), Subject(KERNEL, "ugly", crashes),
                     Subject(AEC, "last", works, "a note")])
"""


@pytest.fixture
def workers():
    commands = {"peer": [sys.executable, "-c", PEER], "absent": [sys.executable, "-c", "import no_such_peer"]}
    started, missing = start(commands | {"nowhere": ["/no/such/python"]}, BENCHMARKS, None)
    yield started, missing
    for worker in started:
        worker.close()


def test_what_works_is_measured_in_every_round_and_the_rest_is_reported(workers):
    started, missing = workers
    rows = {row.game: row for row in in_turn(started, 2, 0.001)}
    assert [len(rows[game].samples) for game in ("good", "bad", "ugly", "last")] == [2, 0, 0, 2]
    assert rows["bad"].problem == "ImportError: its part is missing"
    assert rows["ugly"].problem == "ended with code 3"
    assert rows["last"].note == "a note"
    assert 0 < rows["good"].spread[0] <= rows["good"].per_cpu_second <= rows["good"].spread[1]
    assert missing["absent"] == "ModuleNotFoundError: No module named 'no_such_peer'"
    assert "/no/such/python" in missing["nowhere"]
    assert started[0].versions == ["peer 1.0"]


def test_faces_come_one_after_the_other_and_can_be_left_out(workers):
    told = []
    assert [row.game for row in in_turn(workers[0], 1, 0.001, (AEC,), told.append)] == ["good", "bad", "last"]
    assert told[0] == "round 1 of 1: AEC: peer good"


def test_a_worker_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setattr(rounds, "LONGEST_WAIT", 0.01)
    with pytest.raises(WorkerFailed, match="no answer"):
        rounds.Worker("slow", [sys.executable, "-c", "import time; time.sleep(60)"], BENCHMARKS)


def test_a_measurement_counts_what_was_made():
    asked = []

    def run(decisions):
        asked.append(decisions)
        return sum(range(20_000)) and decisions + 7

    result = measure(run, 0.01)
    assert result["decisions"] == sum(asked) + 7 * len(asked)
    assert result["cpu"] >= 0.01


def row(peer, face, game, rate, note=""):
    samples = [{"decisions": rate * 2.0, "cpu": 2.0, "wall": 4.0}, {"decisions": rate * 1.0, "cpu": 1.0, "wall": 2.0}]
    return Row(peer, face, game, note, samples=samples)


ROWS = [
    row("coven", AEC, "witchstone", 100_000),
    row("pettingzoo", AEC, "connect_four", 10_000),
    row("pettingzoo", AEC, "tictactoe", 25_000),
    row("coven", KERNEL, "alchemists", 3_000_000),
    row("coven", KERNEL, "alchemists", 6_000_000, CEILING),
    row("open_spiel", KERNEL, "hearts", 2_000_000),
    row("open_spiel", KERNEL, "backgammon", 9_000_000),
    Row("open_spiel", KERNEL, "oh_hell", problem="ended with code -11"),
]


def test_targets_take_the_fastest_rival_of_the_class():
    found = {(t.what, t.game): t for t in targets(ROWS)}
    aec = found["AEC beside PettingZoo", "witchstone"]
    assert (aec.rival, aec.ratio, aec.reached) == ("pettingzoo tictactoe", 4, False)
    kernel = found["in-kernel beside OpenSpiel's C++", "alchemists"]
    assert (kernel.rival, kernel.ratio, kernel.reached) == ("open_spiel hearts", 1.5, True)
    ceiling = found[f"the C ceiling, {KERNEL}", "alchemists"]
    assert (ceiling.rival, ceiling.ratio, ceiling.reached) == (CEILING, 0.5, True)
    assert len(found) == 3


def test_the_page_shows_what_was_measured_and_what_was_not():
    scaling = Scaling(players={"alchemists": {2: 100.0, 5: 170.0}}, memory={"alchemists": {"state": 200, "mask": 304}})
    page = markdown(
        Comparison("today", ["numba 1"], ROWS, {"pgx": "No module named 'pgx'"}, scaling, [("bars", "b.png")])
    )
    assert "![bars](b.png)" in page
    assert "| AEC beside PettingZoo | witchstone | 100 k | pettingzoo tictactoe | 25 k | 4.00 | 5 | **no** |" in page
    assert "| open_spiel | hearts |  | 2,000,000 | 2,000,000 to 2,000,000 | 1,000,000 |" in page
    assert "| open_spiel | oh_hell |  | not measured: ended with code -11 |" in page
    assert "pgx: not installed or not working here: No module named 'pgx'" in page
    assert "| alchemists | 100 | 170 |" in page
    assert "| alchemists | 200 | 304 | 504 |" in page


def test_rates_are_shown_short():
    assert [short(rate) for rate in (12.34, 4_500, 16_000, 9_123_456)] == ["12.3", "4.5 k", "16 k", "9.12 M"]


def test_pictures_are_drawn(tmp_path):
    plots.bars({AEC: ROWS[:3], KERNEL: ROWS[3:]}, tmp_path / "bars.png")
    plots.growth({"by players": {"alchemists": {2: 100.0, 5: 170.0}}}, tmp_path / "growth.png")
    plots.bars({AEC: [ROWS[-1]]}, tmp_path / "nothing.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bars.png", "growth.png"]


def test_every_game_of_ours_is_measured_on_every_face_and_has_a_class():
    ours = {(s.face, s.game) for s in all_subjects()}
    assert ours == {(face, name) for face in FACES for name in built_in()}
    assert set(CLASSES) == set(built_in())


def test_an_unknown_peer_is_refused():
    with pytest.raises(compare.BadOption, match="no peer chess; allowed: open_spiel"):
        compare.main(peers=("chess",))
