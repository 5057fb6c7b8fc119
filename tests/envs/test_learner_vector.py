"""Gymnasium's vector env of one learner against bots: the same games as the single env's."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from players import Random, Watcher

import coven
from coven.envs.agent import fair_views
from coven.envs.gym import CovenGymEnv
from coven.envs.learner_vector import CovenLearnerVectorEnv
from coven.envs.registration import gym_id
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption, IllegalAction, OutOfOrder
from coven.games.core.rng import generator
from coven.testing import check_same_view

GAME = coven.game("alchemists")


class First(Random):
    """The first legal action: no dice, so that games can be compared."""

    def act_batch(self, views, masks, dice):
        return masks.argmax(axis=1).astype(np.int64)


@pytest.mark.parametrize("scaled", [False, True])
def test_it_plays_the_games_of_single_envs(scaled):
    opponents = [First(), First()]
    venv = CovenLearnerVectorEnv(GAME, 2, opponents, 3, seat=1, scaled=scaled)
    envs = [CovenGymEnv(GAME, opponents, 3, seat=1, scaled=scaled) for _ in range(2)]
    observations, infos = venv.reset(seed=4)
    singles = [env.reset(seed=4 + i) for i, env in enumerate(envs)]
    ended = 0
    while ended < 4:
        for i, (observation, info) in enumerate(singles):
            assert (observations[i] == observation).all()
            assert (infos["action_mask"][i] == info["action_mask"]).all()
            assert infos["seat"][i] == info["seat"] == 1
        actions = [int(np.flatnonzero(mask)[-1]) for mask in infos["action_mask"]]
        observations, rewards, terminations, truncations, infos = venv.step(np.array(actions))
        for i, env in enumerate(envs):
            observation, reward, terminated, truncated, info = env.step(actions[i])
            assert (rewards[i], terminations[i], truncations[i]) == (np.float32(reward), terminated, truncated)
            if terminated or truncated:
                ended += 1
                assert (infos["final_obs"][i] == observation).all()
                assert infos["final_info"]["returns"][i].tolist() == pytest.approx(env.running.returns())
                assert infos["final_info"]["seat"][i] == 1
                observation, info = env.reset()
            singles[i] = observation, info


def test_make_vec_makes_it_and_its_samples_are_legal():
    venv = gymnasium.make_vec(gym_id(GAME), num_envs=8, num_players=3, opponents=["greedy", "random"])
    assert isinstance(venv, CovenLearnerVectorEnv)
    assert venv.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    observations, infos = venv.reset(seed=1)
    assert venv.observation_space.contains(observations)
    assert set(infos["seat"]) == {0, 1, 2}
    recorded, returns = RecordEpisodeStatistics(venv), []
    while len(returns) < 10:
        seats, actions = infos["seat"], venv.action_space.sample()
        assert venv.games.masks[np.arange(8), actions].all()
        *_, infos = recorded.step(actions)
        for i in np.flatnonzero(infos.get("_episode", [])):
            returns.append(infos["episode"]["r"][i])
            assert returns[-1] == infos["final_info"]["returns"][i, seats[i]]
            assert infos["seat"][i] == (seats[i] + 1) % 3  # it moves on
    assert len(venv.render()) == 8
    venv.close()


def test_copies_go_on_alike():
    venv = coven.make_gym_vec("alchemists", 3, num_players=2, opponents="random")
    venv.reset(seed=1)
    venv.action_space.seed(1)
    twins = [copy.deepcopy(venv), pickle.loads(pickle.dumps(venv))]
    for _ in range(20):
        actions = venv.action_space.sample()
        seen = venv.step(actions)[0]
        for twin in twins:
            assert (twin.action_space.sample() == actions).all()
            assert (twin.step(actions)[0] == seen).all()


def test_what_a_search_may_see_is_drawn_anew_and_leaves_the_games_alone():
    batch = Batch(GAME, 4, 3, seed=1)
    for _ in range(10):
        batch.step(batch.random_actions())
    which, before = np.array([1, 3]), batch.states.tobytes()
    shown = fair_views(Watcher(), batch.states, batch.players, batch.observations, which, generator(1))
    assert batch.states.tobytes() == before
    for view, i in zip(shown, which, strict=True):
        state, player = view.reshape(()).copy(), int(batch.players[i])
        true = batch.states[i : i + 1].reshape(())
        assert state.tobytes() != true.tobytes()
        check_same_view(GAME, true, np.array(state, GAME.record), player)
    seen = fair_views(Random(), batch.states, batch.players, batch.observations, which, generator(1))
    assert (seen == batch.observations[which]).all()


def test_bad_input_is_refused():
    with pytest.raises(BadOption, match="allowed for 3 players: 2"):
        CovenLearnerVectorEnv(GAME, 2, [Random()], 3)
    with pytest.raises(BadOption, match="render_mode='human' is not allowed"):
        coven.make_gym_vec("alchemists", 2, render_mode="human")
    venv = coven.make_gym_vec("alchemists", 2, opponents="random")
    with pytest.raises(OutOfOrder, match="call reset"):
        venv.step(np.zeros(2, np.int64))
    venv.reset(seed=1)
    with pytest.raises(IllegalAction, match="game 0 of the batch"):
        venv.step(np.array([295, 295]))
