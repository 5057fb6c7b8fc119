"""SuperSuit on our AEC envs, as far as it goes.

It transforms Box observations only, so `observation_lambda_v0` comes first: either it takes the observation out of the
dict, and the mask is asked of the env below, or it changes the dict and keeps the mask in it.
"""

from __future__ import annotations

import numpy as np
import pytest
import supersuit
from gymnasium.spaces import Box, Dict
from page import run, snippets

import coven

NAMES = coven.games.built_in()
SIZE = {name: coven.game(name).observation_size for name in NAMES}

ON_BOXES = {
    "dtype": (lambda env: supersuit.dtype_v0(env, np.float32), lambda n: (n,)),
    "flatten": (supersuit.flatten_v0, lambda n: (n,)),
    "normalize": (lambda env: supersuit.normalize_obs_v0(supersuit.dtype_v0(env, np.float32)), lambda n: (n,)),
    "frame_stack": (lambda env: supersuit.frame_stack_v1(env, 3), lambda n: (3 * n,)),
    "frame_stack_v2": (lambda env: supersuit.frame_stack_v2(env, 3), lambda n: (3 * n,)),
    "pad_observations": (supersuit.pad_observations_v0, lambda n: (n,)),
    "delay_observations": (lambda env: supersuit.delay_observations_v0(env, 2), lambda n: (n,)),
}

ON_DICTS = {
    "pad_action_space": supersuit.pad_action_space_v0,
    "clip_reward": supersuit.clip_reward_v0,
    "reward_lambda": lambda env: supersuit.reward_lambda_v0(env, lambda reward: reward / 2),
    "nan_random": supersuit.nan_random_v0,
    "nan_zeros": supersuit.nan_zeros_v0,
}


def without_mask(env):
    """The observation alone."""
    return supersuit.observation_lambda_v0(env, lambda seen, _: seen["observation"], lambda space: space["observation"])


def play(env, seed=1):
    """A whole random game; the rewards, and the last observation."""
    env.reset(seed=seed)
    rng, rewards = np.random.default_rng(seed), {}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        assert env.observation_space(agent).contains(seen)
        rewards[agent] = reward
        mask = env.unwrapped.observe(agent)["action_mask"]
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(mask))))
    return rewards, seen


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrapper", ON_BOXES)
def test_wrappers_of_boxes_work_on_the_observation_alone(name, wrapper):
    wrap, shape = ON_BOXES[wrapper]
    env = wrap(without_mask(coven.make(name, num_players=3)))
    rewards, seen = play(env)
    assert seen.shape == shape(SIZE[name])
    assert rewards == play(coven.make(name, num_players=3))[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrapper", ON_DICTS)
def test_wrappers_that_leave_observations_alone_keep_the_mask(name, wrapper):
    rewards, seen = play(ON_DICTS[wrapper](coven.make(name, num_players=3)))
    assert set(seen) == {"observation", "action_mask"}
    assert sum(rewards.values()) == pytest.approx(0)


@pytest.mark.parametrize("name", NAMES)
def test_a_lambda_can_scale_the_observation_and_keep_the_mask(name):
    layout = coven.game(name).layout
    env = supersuit.observation_lambda_v0(
        coven.make(name, num_players=3),
        lambda seen, _: {**seen, "observation": layout.scale(seen["observation"])},
        lambda space: Dict({**space, "observation": Box(0, 1, (layout.size,), np.float32)}),
    )
    _, seen = play(env)
    assert seen["observation"].dtype == np.float32


def test_its_limits_are_its_own():
    """Should one of these work one day, the page on integrations has to change."""
    env = coven.make("alchemists", num_players=3)
    for wrap in (
        lambda: supersuit.dtype_v0(env, np.float32),
        lambda: supersuit.flatten_v0(env),
        lambda: supersuit.frame_stack_v1(env, 3),
        lambda: supersuit.pad_observations_v0(env),
    ):
        with pytest.raises((AttributeError, AssertionError), match=r"Dict|Box"):
            wrap()


@pytest.mark.parametrize("snippet", snippets("SuperSuit"))
def test_the_page_on_integrations_is_right(snippet):
    run(snippet)
