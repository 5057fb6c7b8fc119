"""Training with search: blocks that follow from seeds, a bounded buffer, a learner that learns, runs that go on."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from agents_help import some_network
from safetensors.numpy import load_file, save_file

import coven
from coven.agents import learned
from coven.agents.generation import Job, Networks, Task, is_better, work
from coven.agents.learner import Learner
from coven.agents.positions import Buffer, Positions
from coven.agents.registry import create
from coven.agents.run import lock
from coven.agents.search_settings import search_preset
from coven.agents.search_training import SearchRun, train
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption, BadState, CovenError, InUse
from coven.games.core.rng import generator

GAME = coven.game("alchemists")
TINY = {"players": [2, 3], "network": [16], "full": 8, "quick": 2, "games": 2, "blocks": 2, "lessons": 2}
TINY |= {"lesson_games": 2, "window": 1000, "batch_size": 64, "proof_blocks": 1, "evaluation_deals": 2, "rounds": 3}


def networks(seed=1):
    agent = some_network(GAME, seed, hidden=(16,))
    return Networks(agent.layers, agent.value_layers)


def job(**changes):
    usual = Job("alchemists", {}, (2, 3), 2, full=8, quick=2, full_share=0.5, drawn_share=0.5, networks=networks())
    return dataclasses.replace(usual, **changes)


def same(one, other):
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one))


def same_numbers(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_block_follows_from_its_job_and_task():
    first, again, other = (work(job(), Task(1, seed)).positions for seed in (5, 5, 6))
    assert same(first, again)
    assert first.size != other.size or (first.views != other.views).any()
    assert not same(first, work(job(networks=networks(2)), Task(1, 5)).positions)


@pytest.mark.parametrize("number", [0, 1])
def test_positions_are_seen_from_every_seat_and_know_how_the_game_ended(number):
    players, found = 2 + number, work(job(), Task(number, 3)).positions
    assert found.size == players * len(found.decisions)
    assert (found.decisions // players == np.arange(len(found.decisions))).all()
    returns, margins = found.targets.reshape(-1, players, 2).transpose(2, 0, 1)
    assert np.allclose(returns.sum(axis=1), 0, atol=1e-6)
    assert np.allclose(margins.sum(axis=1), 0, atol=1e-3)
    assert (found.visits.sum(axis=1) == 8).all()
    legal = np.unpackbits(found.masks, axis=1, count=GAME.num_actions, bitorder="little")
    assert (legal.sum(axis=1) > 1).all()
    assert (found.visits[legal == 0] == 0).all()


def test_lessons_show_what_greedy_does():
    found, greedy = work(job(networks=None), Task(0, 3)).positions, create("greedy", GAME, 2)
    legal = np.unpackbits(found.masks, axis=1, count=GAME.num_actions, bitorder="little").astype(np.int8)
    chosen = greedy.act_batch(found.views[found.decisions], legal, generator(0))
    assert (found.visits.sum(axis=1) == 1).all()
    assert (chosen == found.visits.argmax(axis=1)).mean() > 0.5, "it draws lots where it is undecided"


def test_a_search_teaches_at_every_decision_whoever_plays():
    taught = job(teacher="ismcts:6", games=4, full_share=0.1)
    found = work(taught, Task(0, 3)).positions
    assert (found.visits.sum(axis=1) == 6).all()
    assert len(found.decisions) > 2 * len(work(job(games=4, full_share=0.1), Task(0, 3)).positions.decisions)
    assert same(found, work(taught, Task(0, 3)).positions)
    other = work(dataclasses.replace(taught, networks=networks(2)), Task(0, 3)).positions
    first = next(i for i, (a, b) in enumerate(zip(found.views, other.views, strict=False)) if (a != b).any())
    assert first > 0, "the teacher plays the first game, the network only the second"


def test_a_run_with_a_teacher_keeps_what_it_has_learned_and_learns_ever_more_slowly(tmp_path, monkeypatch):
    rates, learn = [], Learner.learn
    monkeypatch.setattr(
        Learner, "learn", lambda self, batches, rate, values: rates.append(rate) or learn(self, batches, rate, values)
    )
    run = SearchRun.begin(GAME, tmp_path, search_preset(GAME, **TINY | {"teacher": "ismcts:4", "learning_rate": 0.003}))
    train(run, quiet=True)
    assert np.allclose(rates, [0.003, 0.002, 0.001])
    for mine, theirs in zip(run.networks, run.learner.networks(), strict=True):
        for one, other in zip(mine, theirs, strict=True):
            assert same_numbers(one, other)
    assert "--teacher ismcts:4" in learned.load(run.agent_file, GAME)[1]["command"]


def test_a_teacher_leaves_the_value_to_the_end_and_greedy_games_behind(tmp_path, monkeypatch):
    """What a search and greedy would do is not learned together; what seats get is learned from games of the agent."""
    learned_from, before = [], []
    batches = Buffer.batches
    monkeypatch.setattr(
        Buffer, "batches", lambda self, *how: learned_from.append([n for n, _ in self.blocks]) or batches(self, *how)
    )
    settings = search_preset(GAME, **TINY | {"teacher": "ismcts:4", "lessons": 1, "value_rows": 400})
    run = SearchRun.begin(GAME, tmp_path, settings)
    untrained = run.learner.networks().value[0]
    fit_value = run.fit_value
    monkeypatch.setattr(run, "fit_value", lambda: before.append(learned.load(run.agent_file, GAME)[0]) or fit_value())
    train(run, quiet=True)
    rounds = [{name.split("-")[1] for name in names} for names in learned_from]
    assert rounds == [{"000000"}, {"000001"}, {"000001", "000002"}]
    assert all(block.size == len(block.decisions) for _, block in run.buffer.blocks), "only of the seat that decides"
    assert same_numbers(run.networks.value[0], untrained)
    assert not before[0].value_layers, "none is better than one that knows nothing"
    assert learned.load(run.agent_file, GAME)[0].tells_margin


def test_without_lessons_the_first_games_of_a_teacher_stay(tmp_path):
    run = SearchRun.begin(GAME, tmp_path, search_preset(GAME, **TINY | {"teacher": "ismcts:4", "lessons": 0}))
    train(run, quiet=True)
    assert {name.split("-")[1] for name, _ in run.buffer.blocks} == {"000000", "000001", "000002"}


def test_when_the_time_is_up_what_a_teacher_has_shown_is_learned_from(tmp_path):
    settings = search_preset(GAME, **TINY | {"teacher": "ismcts:200", "blocks": 5000, "rounds": 0, "value_rows": 0})
    run = SearchRun.begin(GAME, tmp_path, settings)
    train(run, minutes=0.03, quiet=True)
    assert run.rounds == 2, "the lessons and a round that was cut short"
    assert 0 < len(run.buffer.blocks) < 5000
    assert run.learner._n_updates > 1


def test_a_teacher_can_train_the_value_too(tmp_path):
    settings = search_preset(GAME, **TINY | {"teacher": "ismcts:4", "value_rows": 0})
    assert settings.learns_values
    run = SearchRun.begin(GAME, tmp_path, settings)
    untrained = run.learner.networks().value[0][0]
    train(run, quiet=True)
    assert run.buffer.rows > len(run.buffer.blocks[0][1].decisions)
    assert (learned.load(run.agent_file, GAME)[0].value_layers[0][0] != untrained).any()


def test_a_network_must_prove_itself():
    assert is_better(np.array([0.5, 0.5, 0.0, 0.5]))
    assert not is_better(np.array([1.0, -1.0, 1.0, -0.9]))
    level = work(job(rival=networks(), games=4), Task(0, 1))
    assert level.positions is None
    assert level.returns.shape == (4,)


def test_stored_positions_come_back_and_others_are_refused(tmp_path):
    found, path = work(job(), Task(0, 3)).positions, tmp_path / "block.safetensors"
    found.save(path)
    assert same(found, Positions.load(path, GAME))
    good = load_file(path)
    none = {"decisions": good["decisions"][:0], "masks": good["masks"][:0], "visits": good["visits"][:0]}
    save_file(good | none, path)
    assert len(Positions.load(path, GAME).decisions) == 0
    visits, views, targets = (good[name].copy() for name in ("visits", "views", "targets"))
    visits[0] = 1
    views[0] = 255
    targets[0, 1] = np.nan
    for changed, message in (
        ({"views": good["views"][:, 1:].copy()}, "views is"),
        ({"views": good["views"].astype(np.int16)}, "views is"),
        ({"views": np.array(3, np.uint8)}, "holds no positions"),
        ({"masks": good["masks"][1:].copy()}, "masks is"),
        ({"visits": visits}, "visits holds"),
        ({"visits": np.zeros_like(visits)}, "visits holds"),
        ({"views": views}, "views holds"),
        ({"targets": targets}, "targets holds"),
        ({"decisions": good["decisions"] + good["views"].shape[0]}, "decisions holds"),
        ({"decisions": good["decisions"] - 10**9}, "decisions holds"),
        ({"more": targets}, "it holds"),
    ):
        save_file(good | changed, path)
        with pytest.raises(BadState, match=message):
            Positions.load(path, GAME)
    path.write_bytes(b"\x80\x04pickle")
    with pytest.raises(BadState, match="holds no positions"):
        Positions.load(path, GAME)


def test_a_buffer_keeps_the_newest_blocks():
    blocks = [work(job(), Task(0, seed)).positions for seed in range(3)]
    buffer = Buffer(GAME, sum(block.size for block in blocks) - 1)
    assert [buffer.add(str(number), block) for number, block in enumerate(blocks)] == [[], [], ["0"]]
    drawn = list(buffer.batches(2, 500, np.random.default_rng(1)))
    assert {len(part.views) for part in drawn} == {len(part.visits) for part in drawn} == {500}
    held = {view.tobytes() for block in blocks[1:] for view in block.views}
    assert {view.tobytes() for view in drawn[0].views} <= held
    assert (drawn[0].visits[~drawn[0].legal] == 0).all()


def test_where_nothing_was_searched_in_full_nothing_is_learned():
    buffer, size = Buffer(GAME, 10), GAME.observation_size
    buffer.add("", work(job(full_share=0.0), Task(0, 1)).positions)
    usual = {"usual": np.zeros(size, np.float32), "spread": np.ones(size, np.float32)}
    learner = Learner(GAME, [4], usual, 10.0, 1e-3, seed=1)
    losses = learner.learn(buffer.batches(3, 8, np.random.default_rng(1)))
    assert losses == {"policy": 0.0, "rank": 0.0, "margin": 0.0}
    assert learner._n_updates == 0


def test_a_learner_learns_and_answers_as_what_it_exports():
    torch.set_num_threads(1)
    buffer = Buffer(GAME, 10**6)
    buffer.add("", work(job(networks=None, games=15), Task(0, 1)).positions)
    size = GAME.observation_size
    usual = {"usual": np.full(size, 0.1, np.float32), "spread": np.full(size, 0.5, np.float32)}
    learner = Learner(GAME, [32], usual, 10.0, 1e-3, seed=1)
    losses = [learner.learn(buffer.batches(30, 128, np.random.default_rng(n))) for n in range(3)]
    assert losses[-1]["policy"] < 0.8 * losses[0]["policy"]
    assert losses[-1]["rank"] < losses[0]["rank"]
    policy, value = learner.networks()
    agent, views = learned.LearnedAgent(GAME, policy, value_layers=value), Batch(GAME, 8, 2, seed=3).observations
    with torch.no_grad():
        expected = learner.policy.critic(learner._seen(views)).numpy() * [1, 10]
    assert np.allclose(agent.values(views), np.clip(expected, [-1, -1e9], [1, 1e9]), atol=1e-4)
    twin = Learner(GAME, [32], {"usual": usual["usual"] * 2, "spread": usual["spread"]}, 7.0, 1e-3, seed=2)
    twin.begin_with(agent)
    for mine, theirs in zip((*twin.networks().policy, *twin.networks().value), (*policy, *value), strict=True):
        assert np.allclose(mine[0], theirs[0], atol=1e-4)
        assert np.allclose(mine[1], theirs[1], atol=1e-3)
    with pytest.raises(BadOption, match=r"allowed: \[32\]"):
        Learner(GAME, [16], usual, 10.0, 1e-3, seed=1).begin_with(agent)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run of three rounds, the first of them lessons."""
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    run = SearchRun.begin(GAME, folder, search_preset(GAME, seed=3, **TINY))
    train(run, quiet=True)
    return run


def test_a_run_leaves_an_agent_a_curve_and_what_it_needs_to_go_on(undisturbed):
    folder = undisturbed.folder
    assert undisturbed.rounds == 3
    agent, about = learned.load(undisturbed.agent_file, GAME)
    assert agent.tells_margin
    assert about["command"].startswith("coven train alchemists --method search --players 2 3 --network 16 --full 8 ")
    assert about["steps"] == 2 * 2 + 2 * 2 * 2
    assert {row["players"] for row in undisturbed.rows} == {2, 3}
    assert (folder / "curve.png").exists()
    assert list(folder.glob("tensorboard/*"))
    assert not list(folder.rglob("*.pkl"))
    assert create(f"guided:{undisturbed.agent_file}:4", GAME, 2).search(GAME.new(2, seed=1), generator(1)).visits.any()


def test_a_run_that_was_killed_goes_on_to_the_same_networks(undisturbed, tmp_path, monkeypatch):
    """Killed in the middle of each round: while blocks are played, and before the checkpoint is written."""
    folder, played = tmp_path / "run", 0

    def failing(plan, parts):
        nonlocal played
        for part in parts:
            played += 1
            if played in (2, 5, 9):
                raise KeyboardInterrupt
            yield work(plan, part)

    run = SearchRun.begin(GAME, folder, undisturbed.settings)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            train(run, engine=failing, quiet=True)
        run = SearchRun.resume(GAME, folder)
    monkeypatch.setattr(SearchRun, "save", lambda run: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        train(run, quiet=True)
    monkeypatch.undo()
    run = SearchRun.resume(GAME, folder)
    train(run, engine=failing, quiet=True)
    assert run.rounds == 3
    for mine, theirs in zip(run.learner.networks(), undisturbed.learner.networks(), strict=True):
        for one, other in zip(mine, theirs, strict=True):
            assert same_numbers(one, other)
    mine, theirs = (load_file(which.agent_file) for which in (run, undisturbed))
    assert mine.keys() == theirs.keys()
    assert all((mine[name] == theirs[name]).all() for name in mine)
    assert [row["win_share"] for row in run.rows] == [row["win_share"] for row in undisturbed.rows]


def test_a_folder_that_does_not_fit_is_refused(undisturbed, tmp_path):
    with pytest.raises(BadOption, match="holds a run already"):
        SearchRun.begin(GAME, undisturbed.folder, undisturbed.settings)
    with pytest.raises(BadOption, match="with seed=3, not 4"):
        SearchRun.resume(GAME, undisturbed.folder, seed=4)
    with pytest.raises(BadOption, match="another game"):
        SearchRun.resume(coven.game("wie_verhext"), undisturbed.folder)
    with pytest.raises(BadOption, match="holds no run"):
        SearchRun.resume(GAME, tmp_path)
    with lock(undisturbed.folder), pytest.raises(InUse, match="another process is at work there"):
        SearchRun.resume(GAME, undisturbed.folder)
    for changes, message in (
        ({"full": 1}, "full=1 is not allowed"),
        ({"full_share": 0.0}, "full_share=0.0 is not allowed"),
        ({"players": [9]}, "9"),
        ({"start": "greedy"}, "start='greedy' is not allowed"),
        ({"teacher": "greedy"}, "teacher='greedy' is not allowed"),
        ({"teacher": "ismcts:soon"}, "agent 'ismcts:soon'"),
        ({"window": 1 << 28, "network": [60000, 60000]}, "GiB of memory"),
    ):
        with pytest.raises(CovenError, match=message):
            search_preset(GAME, **TINY | changes).check(GAME)
    with pytest.raises(BadOption, match="no setting speed"):
        search_preset(GAME, speed=3)


def test_a_run_begins_with_a_trained_agent(tmp_path):
    path = tmp_path / "agent.safetensors"
    agent = some_network(GAME, hidden=(12,), values=1)
    learned.save(agent, path, {})
    tiny = {name: value for name, value in TINY.items() if name not in ("network", "lessons")}
    settings = search_preset(GAME, start=f"ppo:{path}", **tiny)
    assert (settings.network, settings.lessons) == ([12], 0)
    run = SearchRun.begin(GAME, tmp_path / "run", settings)
    views = Batch(GAME, 8, 2, seed=3).observations
    assert np.allclose(run.agent().values(views), agent.values(views), atol=1e-4)
