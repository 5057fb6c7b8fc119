"""Evaluations: the protocol, their results, and what happens to results that were touched."""

from __future__ import annotations

import json
import lzma
import sqlite3

import msgspec
import pytest

import coven
from coven.arena import anchors, evaluation, match, protocol, results
from coven.arena.engines import engine
from coven.arena.protocol import RESERVED, SEED, matches, tournaments
from coven.arena.results import BadResult, PlayedGame, Result
from coven.arena.schedule import MOST_DEALS, deal_seed
from coven.arena.verify import verify
from coven.benchmarks import leaderboard_page, strength, tune_greedy
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption

GAME = coven.game("alchemists")
SCALE = {n: {"random": 100.0, "greedy": 1000.0} for n in GAME.players}


def shrink(monkeypatch):
    """A protocol that takes no time, and a scale."""
    monkeypatch.setattr(protocol, "GAMES", {"random": 6, "greedy": 6, "ppo": 4})
    monkeypatch.setattr(anchors, "read", lambda game: SCALE)
    monkeypatch.setattr(match, "cost", lambda *_: 0.001)  # measuring it takes longer than all games


@pytest.fixture
def small(monkeypatch):
    shrink(monkeypatch)


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        shrink(monkeypatch)
        return evaluation.evaluate("alchemists", "mix:0.5", tmp_path_factory.mktemp("games"), name="half greedy")


@pytest.fixture
def written(small, evaluated, tmp_path):
    found = evaluated
    path = tmp_path / "result.jsonl.xz"
    results.write(found, path)
    return found, path


# The protocol.


def test_protocol_1_is_what_the_documentation_says():
    """A change of any of these is another protocol."""
    assert protocol.PROTOCOL == 1
    assert protocol.GAMES == {"random": 24, "greedy": 48, "ppo": 24, "ismcts:100": 24, "ismcts:1000": 12}
    assert deal_seed(SEED, 0) == RESERVED.start == 4407514037713204381
    at_five = {one.opponent: one.deals for one in matches(GAME, "x") if one.players == 5}
    assert at_five == {"random": 5, "greedy": 10, "ppo": 5, "ismcts:100": 5, "ismcts:1000": 3}


def test_all_numbers_of_players_and_nobody_against_itself():
    for name in coven.games.built_in():
        game = coven.game(name)
        assert {one.players for one in matches(game, "greedy")} == set(game.players)
        assert {one.opponent for one in matches(game, "greedy")} == set(protocol.GAMES) - {"greedy"}
    played = [(t.players, t.agents[1], t.deals) for t in tournaments(GAME, "greedy")]
    assert played == list(matches(GAME, "greedy"))


def test_a_quick_evaluation_is_small():
    quick = matches(GAME, "x", quick=True)
    assert "ismcts:1000" not in {one.opponent for one in quick}
    assert sum(one.deals * one.players for one in quick) < 150


def test_no_training_or_tuning_sees_the_deals_of_evaluations():
    """All seeds that are counted up from a start are far below, and other tournaments far away."""
    training = pytest.importorskip("coven.agents.run")
    training_table = pytest.importorskip("coven.benchmarks.training")
    highest = [
        2 * training.settings_seed((1 << 32) - 1, 1_000_000),  # a million updates from the highest seed
        (1000 + 1) << 40,  # `coven fit` with a seed of 1000
        tune_greedy.TUNING_SEED << 4,
        training.EVALUATION_SEED + MOST_DEALS,
        training_table.SEED + MOST_DEALS,
    ]
    assert max(highest) < RESERVED.start
    for seed in (strength.SEED, *range(5000)):
        start = deal_seed(seed, 0)
        assert start + MOST_DEALS < RESERVED.start or start > RESERVED.stop
    batch = Batch(GAME, 64, 2, seed=0)  # games that follow each other by themselves
    for _ in range(2000):
        batch.step(batch.random_actions())
        assert not ((batch.seeds >= RESERVED.start) & (batch.seeds < RESERVED.stop)).any()


# Playing.


def test_an_evaluation_that_was_stopped_goes_on_and_gives_the_same_result(small, evaluated, tmp_path):
    whole = evaluated

    class Stop(Exception):
        pass

    def stopping(tournament, units):
        for number, rows in enumerate(engine()(tournament, units)):
            yield rows
            if number == 0 and tournament.players == 3:
                raise Stop

    with pytest.raises(Stop):
        evaluation.evaluate("alchemists", "mix:0.5", tmp_path / "b", engine=stopping)
    again = evaluation.evaluate("alchemists", "mix:0.5", tmp_path / "b")
    assert again.digest() == whole.digest()
    assert again.head.figures["overall"] == whole.head.figures["overall"]
    assert [game.actions for game in again.games] == [game.actions for game in whole.games]


def test_matches_of_different_programs_are_told_apart(small, tmp_path):
    played = evaluation.play(GAME, "mix:0.5", tmp_path)
    with sqlite3.connect(played[4]) as db:
        (sources,) = db.execute("SELECT value FROM about WHERE key = 'sources'").fetchone()
        other = json.dumps(json.loads(sources) | {"the core": "0" * 16})
        db.execute("UPDATE about SET value = ? WHERE key = 'sources'", [other])
    found = evaluation.result(GAME, "mix:0.5", played)
    assert found.head.changes == ["3 players against greedy: other sources of the core"]


def test_specs_have_places_of_their_own(tmp_path):
    specs = ["greedy", "ismcts:100", "ppo:a/b", "ppo:a_b", "cmd:x" * 50, "cmd:x" * 49 + "cmd:y"]
    places = {evaluation.place(tmp_path, "alchemists", spec).name for spec in specs}
    assert len(places) == len(specs)
    assert all(name.isprintable() and "/" not in name and len(name) < 120 for name in places)
    assert evaluation.place(tmp_path, "alchemists", "ismcts:100").name == "alchemists-ismcts_100"
    assert evaluation.place(tmp_path, "alchemists", "\udc80").name.startswith("alchemists-"), "a word that is not UTF-8"


def test_a_result_says_what_played_where_and_how_fast(written):
    head = written[0].head
    assert (head.game, head.version, head.agent, head.name) == ("alchemists", 0, "mix:0.5", "half greedy")
    assert "numba" in head.machine
    assert {"the core", "the rules of alchemists", "the agents of Coven", "the agent ppo"} <= set(head.sources)
    assert not head.timed
    assert head.figures["milliseconds"] > 0
    assert 100 < head.figures["overall"][0] < 1000
    assert head.figures["games"] == len(written[0].games) == sum(row["games"] for row in head.figures["matches"])


# Verifying.


def test_a_result_is_read_as_it_was_written_and_verified(written):
    found, path = written
    back = verify(path)
    assert back.result.head == found.head
    assert [g.actions for g in back.result.games] == [g.actions for g in found.games]
    assert back.notices == []


def forged(found: Result, number: int, path, **changes):
    """The result with one game changed, and all checks made anew as a forger would."""
    games = list(found.games)
    games[number] = msgspec.structs.replace(games[number], **changes)
    results.write(Result(found.head, games), path)
    return path, games[number].where


def rewritten(path, change):
    """The result with its lines changed, and no check made anew."""
    lines = lzma.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(lzma.compress(b"".join(change(lines))))
    return path


def test_a_game_with_another_action_is_named(written):
    found, path = written
    actions = list(found.games[7].actions)
    actions[3] = 296 - actions[3]
    touched, where = forged(found, 7, path, actions=actions)
    with pytest.raises(BadResult, match=f"{where} does not fit"):
        verify(touched)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ranks": [1, 1]}, "its ranks are"),
        ({"scores": [500, 0]}, "its scores are"),
        ({"moves": [1, 1]}, "its moves are"),
        ({"actions": []}, "before it is over"),
        ({"actions": [0] * 9999}, "no game of alchemists has"),
        ({"ranks": [1, 2] * 50_000}, "its lists are not by seat"),
        ({"moves": []}, "its lists are not by seat"),
        ({"actions": [-1]}, "move 1 of 1"),
        ({"seconds": -1.0}, "seconds"),
        ({"faults": -1}, "-1 faults in"),
        ({"faults": 999}, "999 faults in"),
    ],
)
def test_what_does_not_come_out_of_the_actions_is_refused(written, changes, message):
    touched, where = forged(written[0], 2, written[1], **changes)
    with pytest.raises(BadResult, match=message) as error:
        verify(touched)
    assert where in str(error.value)


def test_a_better_figure_than_the_games_give_is_refused(written):
    found, path = written
    figures = found.head.figures | {"overall": [2000.0, 1990.0, 2010.0]}
    results.write(Result(msgspec.structs.replace(found.head, figures=figures), found.games), path)
    with pytest.raises(BadResult, match=r"figures, overall, 0: 2000.0 instead of"):
        verify(path)


def test_touched_bytes_are_found_even_if_the_game_still_fits(written):
    """Another timing: nothing in the game says that it is wrong, but its check does."""
    path = rewritten(
        written[1], lambda lines: [*lines[:5], lines[5].replace(b'"seconds":', b'"seconds":1'), *lines[6:]]
    )
    with pytest.raises(BadResult, match="2 players against random, deal 2, rotation 0 does not fit: it was changed"):
        verify(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "it ends before the game 5 players against ppo, deal 0, rotation 4"),
        (lambda lines: [*lines, lines[-1]], "more games than the protocol"),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], "another game stands in its place"),
        (lambda lines: [lines[0], b"[]\n", *lines[2:]], "deal 0, rotation 0 does not fit"),
        (lambda lines: lines[1:], "not the result"),
        (lambda lines: [lines[0].replace(b"evaluation-1", b"evaluation-9"), *lines[1:]], "not the result"),
        (lambda lines: [lines[0].replace(b'"protocol":1', b'"protocol":2'), *lines[1:]], "protocol 2"),
        (lambda lines: [lines[0].replace(b'"version":0', b'"version":7'), *lines[1:]], "alchemists_v7"),
        (lambda lines: [lines[0].replace(b"half greedy", b"half\\u001bgreedy"), *lines[1:]], "cannot be shown"),
        (lambda lines: [b"x" * (1 << 21)], "too long"),
    ],
)
def test_files_with_other_lines_are_refused(written, change, message):
    with pytest.raises(BadResult, match=message):
        verify(rewritten(written[1], change))


def test_what_is_no_result_is_refused(tmp_path):
    for number, data in enumerate((b"", b"abc", lzma.compress(b""), lzma.compress(b"{}\n")[:-3])):
        path = tmp_path / f"{number}.jsonl.xz"
        path.write_bytes(data)
        with pytest.raises(BadResult):
            verify(path)
    with pytest.raises(BadResult, match="there is no file"):
        verify(tmp_path / "nothing")


def test_changed_sources_and_other_anchors_are_notices(written, monkeypatch):
    found, path = written
    head = msgspec.structs.replace(found.head, sources=found.head.sources | {"the core": "0" * 16}, timed=True)
    results.write(Result(head, found.games), path)
    monkeypatch.setattr(anchors, "read", lambda game: {})
    notices = " ".join(verify(path).notices)
    assert "sources of the core have changed" in notices
    assert "time limit" in notices
    assert "not the published ones" in notices


# The leaderboard.


def test_the_page_ranks_the_files_of_a_folder(written, tmp_path):
    found, path = written
    page = leaderboard_page.page(tmp_path)
    assert "## Alchemists" in page
    assert f"| 1 | `half greedy` | {found.head.figures['overall'][0]:.0f} |" in page
    assert "`greedy` 1000 (1000, 1000, 1000, 1000)" in page
    head = msgspec.structs.replace(found.head, quick=True)
    results.write(Result(head, found.games), path)
    with pytest.raises(BadResult):
        leaderboard_page.page(tmp_path)


def test_points_count_level_players_half():
    games = [
        PlayedGame(
            players=3,
            opponent="x",
            deal=0,
            rotation=r,
            actions=[],
            ranks=ranks,
            scores=[],
            moves=[],
            seconds=0,
            faults=0,
        )
        for r, ranks in enumerate(([1, 1, 3], [1, 1, 1], [1, 1, 3]))
    ]
    points = results._points(protocol.Match(3, "x", 1), games)
    assert points.ahead.tolist() == [1.5 + 1.0 + 0.0]
    assert points.of.tolist() == [6]


def test_an_agent_that_would_forfeit_is_refused_before_anything_is_played(tmp_path):
    with pytest.raises(BadOption, match="on_fault=stop or on_fault=random"):
        evaluation.play(coven.game("alchemists"), "cmd:on_fault=forfeit ./bot", tmp_path)
    assert not list(tmp_path.iterdir())
