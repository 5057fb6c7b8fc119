"""A tournament on Ray gives the same games as a local one, whatever happens to its workers."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import ray

sys.path.insert(0, str(Path(__file__).parents[1] / "arena"))  # the helpers that tests of the arena share
from arena_help import digest, played, small

import coven
from coven.agents.generation import Job, Networks, Task, work
from coven.arena.engines import engine
from coven.arena.run import run
from coven.games.core.errors import CovenError


@pytest.fixture(scope="module", autouse=True)
def cluster():
    folder = str(Path(__file__).parents[1] / "arena")
    ray.init(num_cpus=2, logging_level="error", log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": folder}})
    yield
    ray.shutdown()


def test_ray_plays_the_same_games_and_a_killed_worker_loses_and_doubles_none(tmp_path):
    marker = tmp_path / "died"
    t = small(players=3, agents=("random", f"py:arena_help:mortal:{marker}", "greedy", "ismcts:2"), deals=8)
    on_ray = played(tmp_path / "ray.db", t, engine("ray"))
    assert marker.exists()
    assert on_ray == played(tmp_path / "here.db", t)


def test_a_tournament_begun_here_goes_on_there(tmp_path):
    played(tmp_path / "both.db", small(deals=4))
    assert played(tmp_path / "both.db", small(deals=8), engine("ray")) == played(tmp_path / "here.db", small(deals=8))


def test_what_an_agent_does_wrong_is_told(tmp_path):
    with pytest.raises(CovenError, match="is not legal"):
        run(tmp_path / "a.db", small(agents=("random", "py:arena_help:cheat")), engine("ray"))
    assert digest(tmp_path / "a.db")


def test_training_with_search_plays_the_same_blocks_on_ray():
    game, rng = coven.game("alchemists"), np.random.default_rng(1)
    policy, value = (
        [(rng.normal(size=(n, game.observation_size)).astype(np.float32), np.zeros(n, np.float32))]
        for n in (game.num_actions, 2)
    )
    job = Job(
        game.name, {}, (2, 3), 1, full=4, quick=2, full_share=0.5, drawn_share=0.5, networks=Networks(policy, value)
    )
    tasks = [Task(number, 100 + number) for number in range(4)]
    there = {block.number: block.positions for block in engine("ray", work=work)(job, tasks)}
    assert sorted(there) == [0, 1, 2, 3]
    for task in tasks:
        here = work(job, task).positions
        assert np.array_equal(here.views, there[task.number].views)
        assert np.array_equal(here.visits, there[task.number].visits)
