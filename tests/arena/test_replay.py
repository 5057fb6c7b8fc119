from __future__ import annotations

import json

import msgspec
import pytest
from arena_help import small

import coven
from coven.arena.replay import BadReplay, Replay, lines, of_row, read, record, write
from coven.arena.run import run
from coven.arena.store import BadStore, Store
from coven.playthrough import random_game


@pytest.fixture(scope="module")
def replay():
    """A game of Alchemists."""
    game = coven.game("alchemists")
    s = game.new(3, seed=4, setup="german")
    return record(game, s, 4, list(random_game(game, s, 1)), ["a", "b", "c"])


def changed(replay, **fields):
    return type(replay)(**msgspec.structs.asdict(replay) | fields)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_stored_game_can_be_played_again_from_its_row_alone(name, tmp_path):
    players = coven.game(name).players[-1]
    agents = ("random", "greedy", "mix:0.5", "mix:0.1", "ismcts:1")[-players:]
    t = small(players=players, agents=agents, deals=1, game=name)
    run(tmp_path / "a.db", t)
    with Store(tmp_path / "a.db") as store:
        for row in store.games():
            of_row(t, row).check()
    assert read(tmp_path / "a.db", 1).agents == [agents[-1], *agents[:-1]]
    with pytest.raises(BadStore, match=f"no game 99; it holds {t.games}"):
        read(tmp_path / "a.db", 99)


def test_a_replay_reads_as_it_was_written(replay, tmp_path):
    write([replay, changed(replay, agents=[])], tmp_path / "r.jsonl")
    assert read(tmp_path / "r.jsonl", 0) == replay
    assert read(tmp_path / "r.jsonl", 1).agents == []
    read(tmp_path / "r.jsonl", 0).check()
    with pytest.raises(BadReplay, match="no game 2; it holds 2"):
        read(tmp_path / "r.jsonl", 2)


def test_a_replay_that_does_not_fit_is_refused_with_the_move(replay):
    total = len(replay.actions)
    for move in (1, 5, total):
        actions = [*replay.actions]
        actions[move - 1] = 100_000
        with pytest.raises(BadReplay, match=f"at move {move} of {total}: alchemists has no action 100000"):
            changed(replay, actions=actions).check()
    with pytest.raises(BadReplay, match=rf"move {total + 1} of {total + 1}: .*the game is over"):
        changed(replay, actions=[*replay.actions, 0]).check()
    with pytest.raises(BadReplay, match=f"stops after move {total - 1}"):
        changed(replay, actions=replay.actions[:-1]).check()
    with pytest.raises(BadReplay, match=f"all {total} moves fit, but"):
        changed(replay, scores=[0, 0, 0]).check()
    with pytest.raises(BadReplay, match="at move"):
        changed(replay, seed=5).check()


def test_a_replay_of_another_game_version_or_options_is_refused(replay):
    with pytest.raises(coven.UnknownGame, match="chess"):
        changed(replay, game="chess").check()
    with pytest.raises(BadReplay, match="alchemists_v7"):
        changed(replay, version=7).check()
    with pytest.raises(BadReplay, match="a table of 9"):
        changed(replay, num_players=9).check()
    with pytest.raises(coven.BadOption, match="french"):
        changed(replay, options={"setup": "french"}).check()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "malformed"),
        ("[1, 2]", "Expected `object`"),
        ("{}", "missing required field"),
        ('{"format": "other"}', "Invalid enum value 'other'"),
        (None, "Expected `array`"),
    ],
)
def test_what_is_no_replay_is_refused(text, message, replay, tmp_path):
    if text is None:
        text = json.dumps(json.loads(replay.to_json()) | {"actions": "none"})
    (tmp_path / "r.jsonl").write_text(text)
    with pytest.raises(BadReplay, match=f"line 1 of .* is not a replay: .*{message}"):
        read(tmp_path / "r.jsonl", 0)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadReplay, match="cannot be read"):
        read(tmp_path / "none.jsonl", 0)


def test_a_game_is_told_move_by_move(replay):
    told = list(lines(replay))
    assert "Alchemists, 3 players, seed 4, setup='german'" in told[0]
    assert told[1] == "player 0: a, player 1: b, player 2: c"
    assert sum(line.startswith(" ") for line in told) == len(replay.actions)
    assert "rank 1" in told[-1]
    assert len(list(lines(replay, tables=True))) == 2 * len(replay.actions) + 3


def test_a_viewer_sees_what_its_seat_may_know(replay):
    assert "school hidden" in list(lines(replay, viewer=1))[2]
    with pytest.raises(coven.BadOption, match="viewer=3"):
        list(lines(replay, viewer=3))


def test_a_viewer_sees_open_moves_of_others_but_no_secret_ones():
    game = coven.game("wie_verhext")
    s = game.new(3, seed=4, max_sets=1)
    replay = record(game, s, 4, list(random_game(game, s, 1)))
    seen = [line.split("  ")[-1] for line in lines(replay, viewer=1) if line.startswith(" ")]
    all_of_it = [line.split("  ")[-1] for line in lines(replay) if line.startswith(" ")]
    secret = [move.split(":")[0] + " chooses a role" if ": choose" in move else move for move in all_of_it]
    assert seen == [a if a.startswith("player 1:") else b for a, b in zip(all_of_it, secret, strict=True)]
    assert sum(move.endswith("chooses a role") for move in seen) == 10


def test_replays_are_plain_json(replay):
    fields = json.loads(replay.to_json())
    assert set(fields) == set(Replay.__struct_fields__) - {"forfeits"}  # nobody did
    assert fields["format"] == "coven-replay-1"
