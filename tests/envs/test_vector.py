"""The native vector env: gymnasium's conventions, and the same games as the AEC env."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import coven
from coven.games.core.errors import BadOption, IllegalAction

TABLES = [(name, players) for name in coven.games.built_in() for players in coven.game(name).players]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_vector_and_aec_play_the_same_game_step_by_step(name, players):
    venv = coven.make_vec(name, num_envs=2, num_players=players)
    envs = [coven.make(name, num_players=players) for _ in range(2)]
    observations, infos = venv.reset(seed=3)
    for i, env in enumerate(envs):
        env.reset(seed=3 + i)
    ended = 0
    while ended < 3:
        for i, env in enumerate(envs):
            seen = env.last()[0]
            assert env.agent_selection == f"player_{infos['player'][i]}"
            assert (seen["observation"] == observations["observation"][i]).all()
            assert (seen["action_mask"] == observations["action_mask"][i]).all()
        actors = infos["player"].copy()
        actions = venv.batch.random_actions(active=True)
        observations, rewards, terminations, truncations, infos = venv.step(actions)
        for i, env in enumerate(envs):
            env.step(actions[i])
            assert all(env.terminations.values()) == terminations[i]
            assert all(env.truncations.values()) == truncations[i]
            assert list(env.rewards.values()) == pytest.approx(infos["rewards"][i].tolist())
            assert rewards[i] == infos["rewards"][i][actors[i]]
            if terminations[i] or truncations[i]:
                ended += 1
                env.reset()


def test_it_is_a_gymnasium_vector_env():
    venv = coven.make_vec("alchemists", num_envs=5, num_players=3, seed=1)
    assert isinstance(venv, VectorEnv)
    assert venv.num_envs == 5
    assert venv.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    observations, infos = venv.reset(seed=2)
    assert venv.observation_space.contains(observations)
    assert venv.single_observation_space.contains({key: array[0] for key, array in observations.items()})
    actions = venv.random_actions()
    assert venv.action_space.contains(actions)
    _, rewards, terminations, truncations, infos = venv.step(actions)
    assert rewards.shape == terminations.shape == truncations.shape == (5,)
    assert terminations.dtype == truncations.dtype == bool
    assert infos["rewards"].shape == (5, 3)
    assert len(venv.render()) == 5
    venv.close()


def test_seeds_reach_the_games():
    a = coven.make_vec("alchemists", num_envs=4, num_players=3, seed=9)
    b = coven.make_vec("alchemists", num_envs=4, num_players=3)
    first, _ = a.reset()  # keeps the deals of the constructor's seed
    assert (first["observation"] == b.reset(seed=9)[0]["observation"]).all()
    assert not (first["observation"] == a.reset()[0]["observation"]).all()
    assert (first["observation"] == a.reset(seed=9)[0]["observation"]).all()
    assert (a.reset()[0]["observation"] == b.reset()[0]["observation"]).all()  # the games that follow those of the seed
    for seed in (-1, 1.0, "9", [1, 2, 3, 4]):
        with pytest.raises(BadOption, match="seed="):
            a.reset(seed=seed)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_copies_go_on_alike(name):
    venv = coven.make_vec(name, num_envs=3, seed=1)
    venv.reset()
    for _ in range(2):
        twins = [copy.deepcopy(venv), pickle.loads(pickle.dumps(venv))]
        for _ in range(30):
            actions = venv.random_actions()
            observations = venv.step(actions)[0]
            for twin in twins:
                assert (twin.random_actions() == actions).all()
                seen = twin.step(actions)[0]
                assert all((seen[key] == observations[key]).all() for key in observations)
                assert (twin.single_action_space.mask == observations["action_mask"][0]).all()


def test_what_is_returned_is_the_callers_unless_asked_otherwise():
    venv = coven.make_vec("alchemists", num_envs=4, num_players=3, seed=9)
    kept, infos = venv.reset()
    before, players = kept["observation"].copy(), infos["player"].copy()
    venv.step(venv.random_actions())
    assert (kept["observation"] == before).all()
    assert (infos["player"] == players).all()
    shared = coven.make_vec("alchemists", num_envs=4, num_players=3, seed=9, copy=False)
    observations, _ = shared.reset()
    shared.step(shared.random_actions())
    assert np.shares_memory(observations["observation"], shared.batch.observations)
    assert not (observations["observation"] == before).all()


def test_what_an_env_shares_cannot_be_written_to():
    """Its masks decide what is legal: a mask written to 1 would let anything reach the rules."""
    venv = coven.make_vec("alchemists", num_envs=4, num_players=3, seed=9, copy=False)
    seen, infos = venv.reset()
    for array in (*seen.values(), infos["player"], infos["rewards"]):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1


def test_bad_input_is_refused():
    with pytest.raises(BadOption, match="allowed"):
        coven.make_vec("alchemists", num_envs=0)
    with pytest.raises(BadOption, match="no option 'speed'"):
        coven.make_vec("alchemists", num_envs=2, speed=3)
    venv = coven.make_vec("alchemists", num_envs=2, num_players=2, seed=1)
    venv.reset()
    with pytest.raises(IllegalAction, match="game 1 of the batch"):
        venv.step(np.array([venv.random_actions()[0], 296]))
    with pytest.raises(IllegalAction, match="2 games need 2 actions"):
        venv.step(np.array([0]))


def test_what_ended_is_told_by_gymnasiums_conventions():
    game = coven.game("alchemists")
    venv = coven.make_vec("alchemists", num_envs=3, num_players=3, seed=5)
    singles = [game.new(3, 5 + i) for i in range(3)]
    _, infos = venv.reset()
    ended = 0
    while ended < 4:
        actors, actions = infos["player"], venv.random_actions()
        _, rewards, terminations, truncations, infos = venv.step(actions)
        over = terminations | truncations
        assert ("final_obs" in infos) == ("final_info" in infos) == over.any()
        for i, s in enumerate(singles):
            game.apply(s, actions[i])
            if not over[i]:
                assert "final_obs" not in infos or infos["final_obs"][i] is None
                continue
            ended += 1
            assert infos["_final_obs"][i]
            assert infos["_final_info"][i]
            last = infos["final_obs"][i]
            assert venv.single_observation_space.contains(last)
            assert (last["observation"] == game.observe(s, actors[i])).all()
            assert not last["action_mask"].any()
            assert infos["final_info"]["returns"][i].tolist() == pytest.approx(game.returns(s))
            assert rewards[i] == pytest.approx(game.returns(s)[actors[i]])
            singles[i] = venv.batch.states[i : i + 1].reshape(()).copy()


def test_the_statistics_of_one_seat_are_its_returns():
    venv = RecordEpisodeStatistics(coven.make_vec("alchemists", num_envs=4, num_players=3, seed=5, seat=2))
    venv.reset()
    seen = 0
    while seen < 6:
        *_, infos = venv.step(venv.unwrapped.random_actions())
        if "episode" in infos:
            over = infos["_episode"]
            assert (infos["episode"]["r"][over] == infos["final_info"]["returns"][over, 2]).all()
            seen += over.sum()
    with pytest.raises(BadOption, match="seat=3 is not allowed; allowed: None"):
        coven.make_vec("alchemists", num_envs=2, num_players=3, seat=3)


def test_sampled_actions_are_legal():
    venv = coven.make_vec("alchemists", num_envs=64, num_players=3, seed=5)
    venv.reset()
    venv.action_space.seed(1)
    drawn = set()
    for _ in range(50):
        actions = venv.action_space.sample()
        assert venv.action_space.contains(actions)
        assert venv.batch.masks[np.arange(64), actions].all()
        drawn |= set(actions.tolist())
        venv.step(actions)
    assert len(drawn) > 30
    stale = venv.action_space.sample()
    venv.reset(seed=77)
    venv.step(stale)  # drawn before the reset: what is not legal any more is replaced
    twin = pickle.loads(pickle.dumps(venv))
    assert twin.action_space.buffer is twin.batch.padded_masks
    assert (twin.action_space.sample() == venv.action_space.sample()).all()
    mask = tuple(np.eye(1, 297, 295, dtype=np.int8)[0] for _ in range(64))
    assert (venv.action_space.sample(mask=mask) == 295).all()
