"""Settings of training: all of them on the command line, fixed opponents, a network to begin with, runs again."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict, fields

import numpy as np
import pytest
import torch

import coven
from coven import cli, cli_train
from coven.agents import checkpoint, learned, search_settings, train
from coven.agents import settings as agent_settings
from coven.agents.registry import UnknownAgent, create
from coven.agents.search_settings import search_preset
from coven.agents.search_training import SearchRun
from coven.agents.settings import Settings, flags_of, usual_method
from coven.benchmarks import baselines
from coven.games.core.errors import BadOption
from coven.games.core.rng import generator

GAME = coven.game("alchemists")
TINY = {"players": [2, 3], "network": [16], "tables": 4, "steps_per_update": 8, "batch_size": 32, "epochs": 1}
TINY |= {"lessons": 1, "lesson_length": 20, "evaluation_deals": 2, "seed": 3, "updates": 3}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A short run against two fixed opponents."""
    torch.set_num_threads(1)
    settings = train.preset(GAME, **TINY, against=["random", "mix:0.5"])
    run = train.Run.begin(GAME, tmp_path_factory.mktemp("runs") / "run", settings)
    train.train(run, quiet=True)
    return run


def command(*words, monkeypatch):
    monkeypatch.setattr(sys, "argv", list(map(str, words)))
    cli.main()


def test_the_recorded_command_has_every_setting_and_makes_the_same_network(finished, tmp_path, monkeypatch):
    _, about = learned.load(finished.agent_file, GAME)
    words = shlex.split(about["command"])
    for field in fields(Settings):
        if getattr(finished.settings, field.name) not in ("", {}):
            assert f"--{field.name.replace('_', '-')}" in words
    command(*words, "--out", tmp_path / "again", monkeypatch=monkeypatch)
    again = train.Run.resume(GAME, tmp_path / "again")
    assert asdict(again.settings) == asdict(finished.settings)
    assert again.updates == finished.updates == TINY["updates"]
    first, second = (checkpoint.tensors(run.model) for run in (finished, again))
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_a_baseline_says_all_commands_that_made_it(finished, tmp_path):
    (tmp_path / GAME.name).mkdir()
    baselines.main(GAME.name, [finished.folder, finished.folder], games=tmp_path, pictures=tmp_path)
    agent, about = learned.load(tmp_path / GAME.name / learned.BASELINE, GAME)
    kept, _ = learned.load(finished.agent_file, GAME)
    assert all((a == b).all() for a, b in zip(agent.layers[0], kept.layers[0], strict=True))
    assert about["before"] == [about["command"]] == [finished.command()]
    assert (tmp_path / f"curve-{GAME.name}.png").stat().st_size > 1000


def test_options_are_part_of_the_command():
    settings = train.preset(GAME, options={"setup": "german"}, start="ppo", network=[8])
    words = settings.flags()
    assert words[words.index("--options") + 1] == "setup=german"
    assert words[words.index("--start") + 1] == "ppo"
    assert "--against" not in words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tables", "99999"], "tables=99999 is not allowed: Expected `int` <= 65536"),
        (["--learning-rate", "nan"], "learning_rate=nan"),
        (["--gae-lambda", "2"], "gae_lambda=2.0 is not allowed"),
        (["--network", "0"], r"network=[0] is not allowed"),
        (["--rewards", "gold"], "rewards='gold' is not allowed"),
        (["--against", "nobody"], "there is no agent 'nobody'"),
        (["--start", "greedy"], "start='greedy' is not allowed; allowed: ppo or ppo:FILE"),
        (["--start", "ppo:nothing.safetensors"], "nothing.safetensors is not a stored network"),
        (["--start", "ppo", "--network", "3"], "network is not allowed with start='ppo'; allowed: [128, 128]"),
        (["--tables", "many"], "invalid literal"),
    ],
)
def test_a_bad_setting_is_one_clear_error_and_no_folder(words, message, tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit) as end:
        command("coven", "train", "alchemists", "--out", tmp_path / "run", *words, monkeypatch=monkeypatch)
    assert end.value.code == 2
    said = capsys.readouterr()
    assert message in " ".join((said.out + said.err).replace("│", " ").split())
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", coven.games.built_in())
def test_a_preset_trains_all_player_counts(name):
    game = coven.game(name)
    settings = train.preset(game)
    settings.check(game)
    assert settings.players == list(game.players)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_a_preset_names_the_method_and_its_settings(name):
    game = coven.game(name)
    settings = search_preset(game)
    settings.check(game)
    assert usual_method(game) == ("search" if settings.taught else "ppo")
    assert search_preset(game, teacher="guided").taught is False
    assert search_preset(game, start="ppo").lessons == 0, "a trained network needs none"


def test_a_mistake_in_a_preset_is_a_clear_error(monkeypatch):
    monkeypatch.setattr(agent_settings, "preset_file", lambda game: {"method": "sarsa", "speed": 3})
    with pytest.raises(BadOption, match="method='sarsa' is not allowed; allowed: ppo, search"):
        usual_method(GAME)
    with pytest.raises(BadOption, match="there is no setting speed; allowed: against, "):
        train.preset(GAME)
    monkeypatch.setattr(search_settings, "preset_file", lambda game: {"search": {"rest": 1}})
    monkeypatch.setattr(agent_settings, "preset_file", lambda game: {})
    with pytest.raises(BadOption, match="there is no setting rest"):
        search_preset(GAME)


def test_a_command_says_that_nobody_teaches():
    """Else the preset would name a teacher when the command is used again."""
    words = flags_of(search_preset(coven.game("witchstone"), teacher=""))
    assert words[words.index("--teacher") + 1] == "guided"


def test_the_method_is_that_of_the_preset_or_of_the_run(tmp_path, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(cli_train, "_train_with_search", lambda g, *rest: asked.append(g.name))
    command("coven", "train", "witchstone", "--out", tmp_path, monkeypatch=monkeypatch)
    with pytest.raises(SystemExit):
        command("coven", "train", "witchstone", "--out", tmp_path, "--tables", "4", monkeypatch=monkeypatch)
    assert "--method search has no --tables" in capsys.readouterr().err
    settings = search_preset(GAME, players=[2], network=[8], lessons=0)
    SearchRun.begin(GAME, tmp_path / "run", settings)
    command("coven", "train", "alchemists", "--out", tmp_path / "run", "--resume", monkeypatch=monkeypatch)
    assert asked == ["witchstone", "alchemists"]
    (tmp_path / "run" / "settings.json").write_bytes(b"[")
    with pytest.raises(SystemExit):
        command("coven", "train", "alchemists", "--out", tmp_path / "run", "--resume", monkeypatch=monkeypatch)
    assert "settings.json is damaged" in capsys.readouterr().err


def test_fixed_opponents_are_the_only_ones_and_no_selves_are_kept(finished):
    drawn = {agent.name for _ in range(40) for agent in finished.pool.opponents(2, np.random.default_rng(_))}
    assert drawn == {"random", "mix:0.5"}
    assert [agent.name for agent in finished.pool.rivals(2)] == ["random", "mix:0.5"]
    assert {row["rival"] for row in finished.rows} == {"random, mix:0.5"}
    assert not list(finished.folder.glob("past-*"))


def test_a_folder_alone_does_not_make_us_run_code_or_read_files(tmp_path):
    file = tmp_path / "agent.safetensors"
    file.write_bytes(GAME.file(learned.BASELINE).read_bytes())
    spec = f"ppo:{file}"
    run = train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **TINY, against=[spec]))
    run.save()
    with pytest.raises(BadOption, match="runs code or reads a file; if you want that, say it again: --against"):
        train.Run.resume(GAME, run.folder)
    assert train.Run.resume(GAME, run.folder, against=[spec]).pool.fixed
    begun = {name: value for name, value in TINY.items() if name != "network"}
    run = train.Run.begin(GAME, tmp_path / "start", train.preset(GAME, **begun, start=spec))
    with pytest.raises(BadOption, match="say it again: --start"):
        train.Run.resume(GAME, run.folder)
    run.save()
    assert train.Run.resume(GAME, run.folder).settings.start == spec  # the checkpoint is enough


def test_a_run_that_begins_with_a_network_plays_like_it_and_learns_what_games_are_worth(tmp_path):
    begun = {name: value for name, value in TINY.items() if name not in ("network", "lessons")}
    begun["lesson_length"] = 60  # long enough for games to end
    run = train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **begun, start="ppo"))
    assert run.settings.lessons
    baseline = create("ppo", GAME, 2)
    batch = train.Run.begin(GAME, tmp_path / "other", train.preset(GAME, **TINY)).env.parts[0].games.batch
    batch.deal(1)
    for _ in range(5):
        batch.step(batch.random_actions())
    seen, masks = batch.observations.copy(), batch.padded_masks.copy()
    before = checkpoint.tensors(run.model)
    run.study()
    after = checkpoint.tensors(run.model)
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert changed == {name for name in before if "value_net" in name}
    expected = baseline.act_batch(seen, masks, generator(0))
    assert (train.export(run.model, GAME).act_batch(seen, masks, generator(0)) == expected).all()


def test_a_run_that_begins_with_a_network_takes_its_value_too(finished, tmp_path):
    begun = {name: value for name, value in TINY.items() if name not in ("network", "lessons")}
    spec = f"ppo:{finished.agent_file}"
    run = train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **begun, start=spec))
    view = GAME.observe(GAME.new(2, seed=1), 0)[None]
    np.testing.assert_allclose(
        train.export(run.model, GAME).values(view), learned.load(finished.agent_file, GAME)[0].values(view), atol=1e-3
    )


def test_an_opponent_of_another_game_or_with_bad_words_is_refused(tmp_path):
    with pytest.raises(UnknownAgent, match="ismcts"):
        train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **TINY, against=["ismcts:x"]))
    assert not (tmp_path / "run").exists()
