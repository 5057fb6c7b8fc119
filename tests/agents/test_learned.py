"""Learned agents: stored without pickle, refused where they do not fit, and training that survives a kill."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

import coven
from coven.agents import learned, lessons, network_files, start, train
from coven.agents.learned import LearnedAgent
from coven.agents.registry import UnknownAgent, create
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption, BadState
from coven.games.core.rng import generator

GAME = coven.game("alchemists")
TINY = {"players": [2, 3], "network": [16, 16], "tables": 4, "steps_per_update": 8, "batch_size": 32, "epochs": 1}
TINY |= {"lessons": 2, "lesson_length": 20, "evaluation_deals": 4}


@pytest.fixture
def run(tmp_path):
    torch.set_num_threads(1)
    return train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, seed=3, **TINY))


def some_views():
    batch = Batch(GAME, 64, 2, seed=1)
    for _ in range(10):
        batch.step(batch.random_actions())
    return batch.observations.copy(), batch.padded_masks.copy()


def test_it_plays_without_torch_as_the_model_does(run):
    observations, masks = some_views()
    agent = train.export(run.model, GAME)
    scaled = GAME.layout.scale(observations).astype(np.float32)
    expected, _ = run.model.predict(scaled, action_masks=masks[:, : GAME.num_actions], deterministic=True)
    assert (agent.act_batch(observations, masks, generator(0)) == expected).all()
    code = "import sys; import coven.agents.learned; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_draws_follow_the_softmax_over_legal_actions():
    size, actions = GAME.observation_size, GAME.num_actions
    bias = np.zeros(actions, np.float32)
    bias[[3, 5]] = np.log([3.0, 1.0])
    agent = LearnedAgent(GAME, [(np.zeros((actions, size), np.float32), bias)], sampling=True)
    masks = np.zeros((4000, len(GAME.new_mask())), np.int8)
    masks[:, [3, 5]] = 1
    drawn = agent.act_batch(np.zeros((4000, size), np.uint8), masks, generator(1))
    assert set(drawn) == {3, 5}
    assert abs((drawn == 3).mean() - 0.75) < 0.03


def test_a_network_for_the_raw_part_is_given_that_part(tmp_path):
    observations, masks = some_views()
    raw, noise = GAME.layout.raw_size, np.random.default_rng(1)
    weight = noise.normal(size=(GAME.num_actions, raw)).astype(np.float32)
    bias, blind = np.zeros(GAME.num_actions, np.float32), np.zeros((GAME.num_actions, GAME.observation_size - raw))
    learned.save(LearnedAgent(GAME, [(weight, bias)]), tmp_path / "raw.safetensors", {})
    agent, _ = learned.load(tmp_path / "raw.safetensors", GAME)
    whole = LearnedAgent(GAME, [(np.hstack([weight, blind]).astype(np.float32), bias)])
    expected = whole.act_batch(observations, masks, generator(0))
    assert (agent.act_batch(observations, masks, generator(0)) == expected).all()
    assert (agent.act_batch(observations[:, :raw].copy(), masks, generator(0)) == expected).all()
    assert np.allclose(agent.probabilities(observations[0], masks[0]), whole.probabilities(observations[0], masks[0]))
    with pytest.raises(ValueError, match="weight has the shape"):
        LearnedAgent(GAME, [(weight[:, 1:], bias)])


def test_a_stored_agent_comes_back_and_is_found_by_its_spec(run, tmp_path):
    observations, masks = some_views()
    agent = train.export(run.model, GAME)
    path = tmp_path / "agent.safetensors"
    learned.save(agent, path, {"players": 2, "steps": 7})
    again, about = learned.load(path, GAME)
    assert about["steps"] == 7
    assert about["game"] == "alchemists"
    by_spec = create(f"ppo:{path}", GAME, 2)
    expected = agent.act_batch(observations, masks, generator(0))
    for other in (again, by_spec):
        assert (other.act_batch(observations, masks, generator(0)) == expected).all()
    assert create(f"ppo:{path}:sample", GAME, 2).sampling


def test_an_agent_for_another_layout_or_game_is_refused(run, tmp_path, monkeypatch):
    path = tmp_path / "agent.safetensors"
    learned.save(train.export(run.model, GAME), path, {})
    with pytest.raises(BadState, match="is for 'alchemists', not"):
        learned.load(path, coven.game("wie_verhext"))
    monkeypatch.setattr(network_files, "layout_digest", lambda game: "another")
    with pytest.raises(BadState, match="make it again"):
        learned.load(path, GAME)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x80\x04pickle"])
def test_what_is_no_agent_is_refused(tmp_path, content):
    path = tmp_path / "agent.safetensors"
    path.write_bytes(content)
    with pytest.raises(BadState, match="is not a stored network"):
        learned.load(path, GAME)
    with pytest.raises(UnknownAgent, match="missing"):
        create(f"ppo:{tmp_path / 'missing.safetensors'}", GAME, 2)


def test_a_layout_digest_knows_slices_and_actions():
    changed = dataclasses.replace(GAME.observation_layout[0], high=9)
    other = object.__new__(type(GAME))
    other.__dict__.update(GAME.__dict__)
    other.layout = [changed, *GAME.observation_layout[1:]]
    assert network_files.layout_digest(other) != network_files.layout_digest(GAME)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_game_has_a_preset(name):
    settings = train.preset(coven.game(name))
    assert set(settings.players) <= set(coven.game(name).players)
    with pytest.raises(BadOption, match="no setting speed"):
        train.preset(coven.game(name), speed=3)


def test_opponents_are_drawn_from_present_past_and_bots():
    pool = train.Pool(GAME)
    rng = np.random.default_rng(0)
    assert {agent.name for _ in range(50) for agent in pool.opponents(2, rng)} == {"greedy", "random"}
    pool.present, pool.past = object(), [object(), object()]
    drawn = [agent for _ in range(2000) for agent in pool.opponents(2, rng)]
    share = {id(agent): drawn.count(agent) / len(drawn) for agent in drawn}
    assert abs(share[id(pool.present)] - train.SHARES["present"]) < 0.03
    assert all(abs(share[id(past)] - train.SHARES["past"] / 2) < 0.03 for past in pool.past)
    assert abs(share[id(pool.greedy)] - train.SHARES["greedy"]) < 0.03
    assert abs(share[id(pool.random)] - train.SHARES["random"]) < 0.03


def test_tables_are_shared_out_among_the_player_counts(run):
    assert [(part.num_envs, part.games.num_players) for part in run.env.parts] == [(2, 2), (2, 3)]
    run.env.reset()
    masks = run.env.action_masks()
    observations, rewards, dones, infos = run.env.step(masks.argmax(axis=1))
    assert len(observations) == len(rewards) == len(dones) == len(infos) == len(masks) == 4
    assert (observations[2:] == run.env.parts[1]._observations()).all()


def test_lessons_show_what_greedy_does_and_what_came_of_it():
    batch, greedy, pupil = Batch(GAME, 16, 2, seed=1), create("greedy", GAME, 2), create("random", GAME, 2)
    lesson = lessons.give(batch, greedy, pupil, 60, seed=1)
    assert lesson.masks[np.arange(960), lesson.actions].all()
    known = lesson.returns[~np.isnan(lesson.returns)]
    assert len(known) > 480
    assert set(known) <= {-1.0, 0.0, 1.0}
    players, ends = np.array([[0], [1], [0], [1]]), np.array([[False], [True], [False], [False]])
    rewards = np.zeros((4, 1, 2), np.float32)
    rewards[1, 0] = 1, -1
    assert str(lessons._returns(players, rewards, ends).ravel().tolist()) == "[1.0, -1.0, nan, nan]"


def test_a_search_gives_lessons_too_and_learns_nothing_hidden_from_the_tables():
    """What it advises is legal, and the same in tables that look the same to whoever is on turn."""
    pupil, search = create("random", GAME, 2), create("ismcts:20", GAME, 2)
    batch, twin = Batch(GAME, 8, 2, seed=1), Batch(GAME, 8, 2, seed=1)
    for i in range(8):
        twin.states[i] = GAME.determinize(batch.states[i : i + 1].reshape(()), int(batch.players[i]), 50 + i)[()]
    assert (twin.states != batch.states).any()
    first, again = (lessons.give(tables, search, pupil, 1, seed=1) for tables in (batch, twin))
    assert (first.actions == again.actions).all()
    assert first.masks[np.arange(8), first.actions].all()


def test_the_teacher_and_the_passes_of_a_run_are_its_settings(tmp_path, monkeypatch):
    asked, passes = [], []
    settings = train.preset(GAME, **TINY | {"teacher": "ismcts:5", "lesson_passes": 3})
    run = train.Run.begin(GAME, tmp_path / "run", settings)
    monkeypatch.setattr(lessons, "give", lambda batch, teacher, *rest: asked.append((teacher.name, batch.num_players)))
    monkeypatch.setattr(lessons, "learn", lambda model, lesson, layout, seed, **how: passes.append(seed))
    run.study()
    run.updates += 1
    run.study()
    assert asked == [("ismcts:5", 2), ("ismcts:5", 3)]
    assert len(set(passes)) == 6


@pytest.mark.parametrize(
    ("given", "teacher", "imitates"),
    [
        ({}, "greedy", True),
        ({"start": "ppo"}, "ppo", False),
        ({"start": "ppo", "teacher": "ismcts:5"}, "ismcts:5", True),
    ],
)
def test_a_trained_network_is_taught_by_nobody_unless_a_teacher_is_named(
    given, teacher, imitates, tmp_path, monkeypatch
):
    seen = []
    shape = {"network": start.hidden_layers("ppo", GAME)} if "start" in given else {}
    run = train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **TINY | shape | given))
    monkeypatch.setattr(lessons, "give", lambda batch, teacher, *rest: seen.append(teacher.name))
    monkeypatch.setattr(lessons, "learn", lambda *rest, imitate, rate: seen.append(imitate))
    run.study()
    assert seen == [teacher, imitates]


def test_a_network_takes_after_greedy(run):
    batch, greedy = Batch(GAME, 64, 2, seed=1), create("greedy", GAME, 2)
    lesson = lessons.give(batch, greedy, greedy, 60, seed=1)

    def alike():
        chosen = train.export(run.model, GAME).act_batch(lesson.observations, lesson.masks, generator(0))
        return (chosen == lesson.actions).mean()

    before = alike()
    for seed in range(3):
        lessons.learn(run.model, lesson, GAME.layout, seed)
    assert alike() > before + 0.2


def test_a_folder_with_a_run_is_not_overwritten(run):
    with pytest.raises(BadOption, match="holds a run already"):
        train.Run.begin(GAME, run.folder, run.settings)
    with pytest.raises(BadOption, match="holds no run"):
        train.Run.resume(GAME, run.folder / "nothing")
    with pytest.raises(BadOption, match="another game"):
        train.Run.resume(coven.game("wie_verhext"), run.folder)


def test_a_run_or_an_agent_of_another_version_is_refused(run, tmp_path, monkeypatch):
    path = tmp_path / "agent.safetensors"
    learned.save(train.export(run.model, GAME), path, {})
    monkeypatch.setattr(GAME, "version", 1)
    with pytest.raises(BadOption, match=r"a run of alchemists_v0; the game is now alchemists_v1"):
        train.Run.resume(GAME, run.folder)
    with pytest.raises(BadState, match=r"for version 0; the game is now alchemists_v1"):
        learned.load(path, GAME)


def test_a_game_without_preset_and_greedy_is_trained_with_usual_settings_and_against_random(tmp_path, monkeypatch):
    monkeypatch.setattr(GAME, "greedy", None)
    monkeypatch.setattr(GAME, "file", lambda name: None)
    settings = train.preset(GAME, **{name: value for name, value in TINY.items() if name != "lessons"})
    assert settings.lessons == 0
    run = train.Run.begin(GAME, tmp_path / "run", settings)
    assert run.pool.greedy.name == "random"
    curve = train.train(run, 0.02, quiet=True)
    assert run.updates > 0
    assert {row["rival"] for row in curve} == {"random"}


TRAIN = """
import sys, coven
from pathlib import Path
from coven.agents import train
game, folder = coven.game("alchemists"), Path(sys.argv[1])
if folder.exists():
    run = train.Run.resume(game, folder)
else:
    run = train.Run.begin(game, folder, train.preset(game, seed=3, **{tiny}))
train.train(run, float(sys.argv[2]))
"""


def progress(folder):
    """How many updates a run's checkpoint holds."""
    path = folder / "checkpoint.safetensors"
    if not path.exists():
        return -1
    with safe_open(path, "np") as file:
        return json.loads(file.metadata()["about"])["updates"]


def test_killed_training_goes_on_from_its_last_update(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-c", TRAIN.format(tiny=TINY), str(folder)]
    process = subprocess.Popen([*command, "5"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while progress(folder) < 25:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.2)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = progress(folder)
    resumed = train.Run.resume(GAME, folder)
    assert resumed.updates == before >= 25
    assert resumed.model.num_timesteps == (before - TINY["lessons"]) * 32
    assert len(resumed.pool.past) == before // train.KEEP_EVERY
    done = subprocess.run([*command, "0.05"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert progress(folder) > before
    rows = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    evaluated = sorted({row["updates"] for row in rows})
    assert [(row["updates"], row["players"]) for row in rows] == [(n, players) for n in evaluated for players in (2, 3)]
    assert Path(folder / "agent.safetensors").exists()
