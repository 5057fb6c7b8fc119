"""Gymnasium and SB3: their own checkers, and one credit rule."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env as check_gymnasium
from page import snippets
from players import Cheat, Random, Watcher

import coven
from coven.agents.random import RandomAgent
from coven.envs.gym import CovenGymEnv
from coven.envs.registration import aec_id, gym_id
from coven.games.core.errors import BadOption, IllegalAction, OutOfOrder
from coven.testing import check_same_view

TABLES = [(name, players) for name in coven.games.built_in() for players in coven.game(name).players]
ALCHEMISTS = coven.game("alchemists")


def table(players=3, name="alchemists", **options):
    return CovenGymEnv(coven.game(name), [Random()] * (players - 1), players, **options)


def play(env, seed):
    """A whole game of a random learner: seats, rewards and how it ended."""
    _, info = env.reset(seed=seed)
    rewards, ended = [], False
    while not ended:
        _, reward, terminated, truncated, _ = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        info = {"action_mask": env.action_masks()}
        rewards.append(reward)
        ended = terminated or truncated
    return rewards


@pytest.mark.parametrize(("name", "players"), TABLES)
@pytest.mark.parametrize("scaled", [False, True])
def test_the_checkers_of_gymnasium_and_sb3_pass(name, players, scaled):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_gymnasium(table(players, name, scaled=scaled), skip_render_check=True)
        sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
        sb3.check_env(table(players, name, scaled=scaled))


@pytest.mark.parametrize("name", coven.games.built_in())
def test_ids_are_registered(name):
    env = gymnasium.make(gym_id(coven.game(name)), opponents="random")
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert (env.reset(seed=np.int64(1))[0] == observation).all()
    if hasattr(pettingzoo, "register"):  # from 1.27 on
        assert pettingzoo.make("aec", aec_id(coven.game(name))).game is coven.game(name)


def test_only_the_last_action_is_paid_and_by_the_final_rank():
    env = table(3, seat=1)
    for seed in range(5):
        rewards = play(env, seed)
        assert not any(rewards[:-1])
        assert rewards[-1] == ALCHEMISTS.returns(env.running.s)[1]


def test_the_seat_rotates_or_stays():
    env = table(3)
    seats = [env.reset(seed=5)[1]["seat"]] + [env.reset()[1]["seat"] for _ in range(4)]
    assert seats == [0, 1, 2, 0, 1]
    env = table(3, seat=2)
    assert {env.reset()[1]["seat"] for _ in range(4)} == {2}


def test_opponents_sit_clockwise_from_the_learner_and_see_only_what_they_may():
    watcher = Watcher()
    env = CovenGymEnv(ALCHEMISTS, [watcher, Random()], 3, seat=1)
    env.reset(seed=3)
    while not watcher.seen:
        env.step(env.action_space.sample())
    seen = watcher.seen[0].reshape(())
    assert seen["current"] == 2
    truth = ALCHEMISTS.new(3, seed=3)
    assert seen["turn"] < 3
    if seen["turn"] == 0:
        check_same_view(ALCHEMISTS, truth, seen, 2)
    assert seen["hand"][0].tolist() != truth["hand"][0].tolist() or seen["bag"].tolist() != truth["bag"].tolist()


def test_copies_of_an_env_go_on_alike():
    env = table(4)
    env.reset(seed=2)
    for _ in range(5):
        env.step(env.action_space.sample())
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    action = int(np.flatnonzero(env.action_masks())[0])
    expected = env.step(action)[0]
    assert all((twin.step(action)[0] == expected).all() for twin in twins)
    for twin in twins:
        assert (twin.action_space.mask == env.action_masks()).all()
        assert np.shares_memory(twin.action_space.mask, twin.running.padded_mask)


def test_a_wrong_action_is_refused_but_a_sample_is_always_legal():
    env = table(2)
    env.reset(seed=1)
    with pytest.raises(IllegalAction, match="legal actions are"):
        env.step(296)
    with pytest.raises(IllegalAction, match="legal actions are"):
        env.step("draw")
    for _ in range(20):
        assert env.action_masks()[env.action_space.sample()]


def test_calls_out_of_order_are_refused():
    env = table(2)
    with pytest.raises(OutOfOrder, match=r"reset\(\) first"):
        env.step(0)
    with pytest.raises(OutOfOrder, match=r"reset\(\) first"):
        table(2, render_mode="ansi").render()
    play(env, 1)
    with pytest.raises(OutOfOrder, match=r"reset\(\) first"):
        env.step(0)


def test_wrong_opponents_seats_and_modes_are_refused():
    with pytest.raises(BadOption, match="opponents has the length 1; allowed for 3 players: 2"):
        CovenGymEnv(ALCHEMISTS, [Random()], 3)
    with pytest.raises(BadOption, match="seat=3 is not allowed"):
        table(3, seat=3)
    with pytest.raises(BadOption, match="render_mode='paper'"):
        table(3, render_mode="paper")
    with pytest.raises(BadOption, match="rewards='gold'"):
        table(3, rewards="gold")
    env = CovenGymEnv(ALCHEMISTS, [Cheat()], 2, seat=0)
    with pytest.raises(IllegalAction, match=r"is not legal in alchemists now|has no action"):
        play(env, 1)


def test_unknown_bots_are_refused():
    with pytest.raises(coven.CovenError, match="genius"):
        coven.make_gym("alchemists", num_players=2, opponents=["genius"])
    for opponents in (None, 5, [1, 2], {"random"}):
        with pytest.raises(BadOption, match="allowed"):
            coven.make_gym("alchemists", num_players=3, opponents=opponents)


@pytest.mark.parametrize("seed", [-1, 1 << 64, 1.0, "1", True])
def test_a_wrong_seed_is_refused_and_the_game_goes_on(seed):
    env = table(2)
    env.reset(seed=1)
    before = env.running.s.tobytes()
    with pytest.raises(BadOption, match="seed="):
        env.reset(seed=seed)
    assert env.running.s.tobytes() == before
    env.step(env.action_space.sample())


@pytest.mark.parametrize("bad", [*({"num_players": n} for n in (9, "3", 3.0)), {"seat": 1.0}, {"x": 1}])
def test_wrong_arguments_are_refused(bad):
    with pytest.raises(BadOption, match="allowed"):
        coven.make_gym("alchemists", **bad)


def test_a_class_that_extends_a_bot_of_ours_is_asked_in_its_own_way():
    class Last(RandomAgent):
        asked = 0

        def act_batch(self, views, masks, dice):
            Last.asked += 1
            return super().act_batch(views, masks, dice)

    env = CovenGymEnv(coven.game("alchemists"), [Last()], 2, seat=1)
    env.reset(seed=1)
    assert Last.asked, "the first seat was asked through what its class extends"


def an_illegal_action(env):
    return int(np.flatnonzero(env.action_masks() == 0)[0])


def test_an_illegal_action_is_an_error_unless_told_otherwise():
    env = table()
    env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(an_illegal_action(env))


def test_an_illegal_action_can_be_replaced_by_a_random_legal_one():
    env, again = table(illegal="random"), table(illegal="random")
    seen = []
    for one in (env, again):
        one.reset(seed=1)
        before = one.running.s.copy()
        observation, reward, terminated, truncated, info = one.step(an_illegal_action(one))
        assert info["illegal"]
        assert (reward, terminated, truncated) == (0, False, False)
        assert one.running.s != before
        seen.append(observation)
    assert (seen[0] == seen[1]).all()  # the seed says which
    assert "illegal" not in env.step(int(np.flatnonzero(env.action_masks())[0]))[4]


@pytest.mark.parametrize(("rewards", "lost"), [("rank", -1), ("win", -0.5)])
def test_an_illegal_action_can_lose_the_game(rewards, lost):
    env = table(3, illegal="lose", rewards=rewards)
    env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(an_illegal_action(env))
    assert env.observation_space.contains(observation)
    assert (reward, terminated, truncated, info["illegal"]) == (lost, True, False, True)
    assert not info["action_mask"].any()
    with pytest.raises(OutOfOrder):
        env.step(0)
    env.reset()
    env.step(int(np.flatnonzero(env.action_masks())[0]))


def test_what_is_no_action_at_all_and_no_way_to_treat_it_are_errors():
    env = table(illegal="random")
    env.reset(seed=1)
    for action in (-1, env.game.num_actions, 0.5, None):
        with pytest.raises(IllegalAction):
            env.step(action)
    for options in ({"illegal": "skip"}, {"illegal": "lose", "rewards": "score"}):
        with pytest.raises(BadOption, match="allowed: "):
            table(**options)


@pytest.mark.parametrize("illegal", ["random", "lose"])
def test_learners_without_masks_learn(illegal):
    sb3 = pytest.importorskip("stable_baselines3")
    env = coven.make_gym("alchemists", num_players=2, scaled=True, illegal=illegal)
    sb3.PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, device="cpu").learn(128)
    sb3.DQN("MlpPolicy", env, learning_starts=20, buffer_size=500, device="cpu").learn(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_gymnasium(table(illegal=illegal), skip_render_check=True)


@pytest.mark.parametrize("snippet", snippets("Gymnasium"))
def test_the_page_on_integrations_is_right(snippet):
    pytest.importorskip("stable_baselines3")
    exec(snippet, {})
