"""The examples of one file: they run, at a small scale, and are short."""

from __future__ import annotations

import importlib
import math
import re
import shlex
from pathlib import Path

import pytest
import tyro

FOLDER = Path(__file__).parents[2] / "examples"
FILES = sorted(FOLDER.glob("*.py"))
APART = {"with_agilerl", "with_rllib", "with_tianshou", "with_torchrl"}  # make test-integrations
FEW = {"steps": 256, "num_envs": 8, "rollout": 16, "epochs": 1, "minibatches": 2, "hidden": 8}
SMALL = {
    "dqn": {"steps": 400, "num_envs": 8, "begin": 100, "batch": 16, "buffer": 300, "target_every": 5, "hidden": 8},
    "own_bot": {"deals": 4},
    "ppo": FEW,
    "selfplay": FEW | {"test_games": 4},
    "video": {"most": 3, "width": 120},
    "with_sb3": {"steps": 64, "processes": 2, "start": "fork", "rollout": 32, "test_games": 2},
}


def run(name, **settings):
    """What an example returns."""
    example = importlib.import_module(name)
    return example.main(example.Args(**settings))


def test_every_example_is_short_and_run_somewhere():
    assert {path.stem for path in FILES} == APART | set(SMALL)
    tests = (FOLDER.parent / "tests" / "integrations").glob("test_example_*.py")
    assert {path.stem.replace("test_example", "with") for path in tests} == APART
    for path in FILES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 150, path


@pytest.mark.parametrize("name", SMALL)
def test_the_command_that_an_example_names_is_understood(name):
    if name not in ("own_bot", "video"):
        pytest.importorskip("torch")
    example = importlib.import_module(name)
    named = re.findall(rf"python (?:examples/)?{name}\.py(.*)$", example.__doc__, re.MULTILINE)
    assert named
    for words in named:
        tyro.cli(example.Args, args=shlex.split(words))


@pytest.mark.parametrize("name", ["dqn", "ppo", "selfplay", "with_sb3"])
def test_learners_learn(name, capsys):
    pytest.importorskip("torch")
    mean = run(name, **SMALL[name])
    assert -1 <= mean <= 1 or math.isnan(mean)
    assert "mean reward" in capsys.readouterr().out


def test_a_video_is_as_long_as_asked_for(tmp_path):
    from PIL import Image

    made = run("video", out=tmp_path / "new" / "game.gif", **SMALL["video"])
    with Image.open(made) as film:
        assert (film.n_frames, film.width) == (3, 120)


def test_a_bot_of_ones_own_beats_random(capsys):
    order = run("own_bot", **SMALL["own_bot"])
    assert order.index("py:own_bot:make") < order.index("random")
    assert "py:own_bot:make" in capsys.readouterr().out


def test_selfplay_credits_every_seat_with_its_own_reward():
    """A table of two: seats decide 0, 1, 0, then it is over; nothing is discounted, and the network knows nothing."""
    np = pytest.importorskip("numpy")
    pytest.importorskip("torch")
    from selfplay import by_seat

    seats, ends = np.array([[0], [1], [0], [1]]), np.array([[False], [False], [True], [False]])
    rewards = np.zeros((4, 1, 2), np.float32)
    rewards[2, 0] = 1, -1
    found = by_seat(np.zeros((4, 1), np.float32), seats, rewards, ends, gamma=1, decay=1)
    assert found[:, 0].tolist() == [1, -1, 1, 0]  # the last belongs to the next game, whose end is not known
