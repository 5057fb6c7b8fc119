"""Ray RLlib on its new API stack: its own check, credit as it counts it, and PPO with masks."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
import ray
import torch
from page import run, snippets
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

import coven
from coven.envs.rllib import CovenMultiAgentEnv, MaskedPPOModule
from coven.games.core.errors import BadOption, IllegalAction, OutOfOrder, UnknownGame

NAMES = coven.games.built_in()
TABLES = [(name, players) for name in NAMES for players in coven.game(name).players]


def table(name="alchemists", players=3, **config):
    return CovenMultiAgentEnv({"game": name, "num_players": players, **config})


def decide(views, rng):
    """A random legal action of the one who decides."""
    (agent,) = views
    return {agent: rng.choice(np.flatnonzero(views[agent]["action_mask"]))}


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def ppo(name, players, runners=0, envs=2, **config):
    spec = RLModuleSpec(module_class=MaskedPPOModule, model_config={"fcnet_hiddens": [64, 64]})
    return (
        PPOConfig()
        .environment(CovenMultiAgentEnv, env_config={"game": name, "num_players": players, **config})
        .env_runners(num_env_runners=runners, num_envs_per_env_runner=envs)
        .training(train_batch_size_per_learner=256, minibatch_size=64, num_epochs=2)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": spec}))
        .debugging(seed=1)
    )


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_rllibs_own_check_passes(name, players):
    for scaled in (True, False):
        check_multiagent_environments(table(name, players, scaled=scaled))


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_it_plays_the_same_game_as_the_aec_env(name, players):
    env, aec, rng = table(name, players, scaled=False), coven.make(name, num_players=players), random.Random(1)
    views, _ = env.reset(seed=5)
    aec.reset(seed=5)
    for _ in range(2):  # the second game follows without a seed
        ended = False
        while not ended:
            seen, *_ = aec.last()
            assert list(views) == [aec.agent_selection]
            view = views[aec.agent_selection]
            assert (view["observations"] == seen["observation"]).all()
            assert (view["action_mask"] == seen["action_mask"]).all()
            assert env.observation_spaces[aec.agent_selection].contains(view)
            actions = decide(views, rng)
            aec.step(actions[aec.agent_selection])
            views, rewards, terminateds, truncateds, _ = env.step(actions)
            ended = terminateds["__all__"]
            assert not truncateds["__all__"]
        assert set(views) == set(rewards) == set(env.possible_agents)
        assert rewards == aec.rewards
        assert all(env.observation_spaces[agent].contains(views[agent]) for agent in views)
        views, _ = env.reset()
        aec.reset()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_rllib_credits_the_final_reward_to_each_agents_last_action(name, players):
    """As its own episodes count, in which an agent's step lasts until it decides again."""
    env, rng = table(name, players), random.Random(2)
    views, infos = env.reset(seed=9)
    episode = MultiAgentEpisode(
        agent_module_ids=dict.fromkeys(env.possible_agents, "shared"),
        observation_space=env.observation_spaces,
        action_space=env.action_spaces,
    )
    episode.add_env_reset(observations=views, infos=infos)
    made = dict.fromkeys(env.possible_agents, 0)
    while not episode.is_done:
        actions = decide(views, rng)
        made[next(iter(actions))] += 1
        views, rewards, terminateds, truncateds, infos = env.step(actions)
        episode.add_env_step(views, actions, rewards, infos, terminateds=terminateds, truncateds=truncateds)
    assert set(episode.agent_episodes) == {agent for agent in made if made[agent]}
    for agent, own in episode.agent_episodes.items():
        assert len(own) == made[agent]
        paid = own.get_rewards()
        assert not np.any(paid[:-1])
        assert paid[-1] == rewards[agent]
        assert own.is_terminated


@pytest.mark.parametrize("name", NAMES)
def test_an_iteration_of_ppo_with_masks(cluster, name):
    """Illegal actions are errors in our envs, so that it runs at all says that the masks hold."""
    torch.set_num_threads(1)
    players = coven.game(name).players[-1]
    algorithm = ppo(name, players).build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["num_env_steps_sampled"] >= 256
    losses = result["learners"]["shared"]
    assert all(np.isfinite(float(losses[key])) for key in ("policy_loss", "vf_loss", "entropy", "mean_kl_loss"))
    assert float(losses["entropy"]) > 0


def test_ppo_with_an_env_runner_of_its_own_and_a_checkpoint(cluster, tmp_path):
    algorithm = ppo("alchemists", 2, runners=1).build_algo()
    result = algorithm.train()
    assert result["env_runners"]["num_episodes"] > 0
    assert result["env_runners"]["episode_return_mean"] == pytest.approx(0)  # of all agents together: zero-sum
    algorithm.save_to_path(str(tmp_path))
    algorithm.stop()
    again = Algorithm.from_checkpoint(str(tmp_path))
    weights = again.get_module("shared").state_dict()
    assert weights.keys() == algorithm.get_module("shared").state_dict().keys()
    env = table("alchemists", 2)
    views, _ = env.reset(seed=3)
    (view,) = views.values()
    batch = {Columns.OBS: {key: torch.as_tensor(value[None]) for key, value in view.items()}}
    action = again.get_module("shared").forward_inference(batch)[Columns.ACTION_DIST_INPUTS].argmax()
    assert view["action_mask"][action]
    again.stop()


def test_the_network_gives_illegal_actions_no_chance_and_leaves_its_batch_alone():
    env = table()
    views, _ = env.reset(seed=1)
    (agent,) = views
    module = MaskedPPOModule(
        observation_space=env.observation_spaces[agent],
        action_space=env.action_spaces[agent],
        model_config={"fcnet_hiddens": [16], "vf_share_layers": True},
    )
    batch = {Columns.OBS: {key: torch.as_tensor(value[None]) for key, value in views[agent].items()}}
    mask = views[agent]["action_mask"].astype(bool)
    for forward in (module.forward_inference, module.forward_exploration, module.forward_train):
        chances = torch.softmax(forward(batch)[Columns.ACTION_DIST_INPUTS][0], -1).detach().numpy()
        assert (chances[~mask] == 0).all()
        assert (chances[mask] > 0).all()
        assert set(batch[Columns.OBS]) == {"observations", "action_mask"}
    assert module.compute_values(batch).shape == (1,)


def test_a_game_cut_off_by_its_own_limit_pays_and_says_so():
    env, rng = table("wie_verhext", max_sets=1), random.Random(3)
    views, _ = env.reset(seed=2)
    terminateds = {"__all__": False}
    while not terminateds["__all__"]:
        views, rewards, terminateds, truncateds, infos = env.step(decide(views, rng))
    assert all(info["truncated"] for info in infos.values())
    assert not truncateds["__all__"]
    assert sum(rewards.values()) == pytest.approx(0)


def test_observations_are_scaled_and_the_callers_to_keep():
    env, rng = table(), random.Random(4)
    views, _ = env.reset(seed=1)
    (kept,) = views.values()
    before = copy.deepcopy(kept)
    assert kept["observations"].dtype == np.float32
    for _ in range(5):
        views, *_ = env.step(decide(views, rng))
    assert all((kept[key] == before[key]).all() for key in kept)


def test_copies_go_on_alike_and_sample_what_is_legal_there():
    env, rng = table(), random.Random(5)
    views, _ = env.reset(seed=1)
    for _ in range(4):
        views, *_ = env.step(decide(views, rng))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        same = copy.deepcopy(env)
        seen, other = views, views
        for _ in range(10):
            (agent,) = seen
            action = twin.get_action_space(agent).sample()
            seen, *_ = twin.step({agent: action})
            other, *_ = same.step({agent: action})
            assert (seen[next(iter(seen))]["observations"] == other[next(iter(other))]["observations"]).all()


def test_bad_input_is_refused():
    with pytest.raises(BadOption, match="names no game"):
        CovenMultiAgentEnv({})
    with pytest.raises(UnknownGame, match="there are"):
        table("chess")
    with pytest.raises(BadOption, match="rewards='gold'"):
        table(rewards="gold")
    with pytest.raises(BadOption, match="no option 'speed'"):
        table(speed=3)
    env = table()
    with pytest.raises(OutOfOrder, match=r"reset\(\) first"):
        env.step({"player_0": 0})
    views, _ = env.reset(seed=1)
    (agent,) = views
    waiting = next(other for other in env.agents if other != agent)
    with pytest.raises(OutOfOrder, match=f"it is {agent}'s decision"):
        env.step({waiting: 0})
    for wrong in (-1, 296, 297, "draw"):
        with pytest.raises(IllegalAction, match="legal actions are"):
            env.step({agent: wrong})


@pytest.mark.parametrize("snippet", snippets("Ray RLlib"))
def test_the_page_on_integrations_is_right(snippet):
    run(snippet)
