"""The SB3 VecEnv: credit, masks, rotation, and MaskablePPO itself."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
import torch
from players import Random, Watcher
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

import coven
from coven.envs.sb3 import SelfPlayVecEnv
from coven.games.core.drivers import pick_batch
from coven.games.core.errors import BadOption

TABLES = [(name, players) for name in coven.games.built_in() for players in coven.game(name).players]


def tables(players=3, size=6, name="alchemists", **options):
    return SelfPlayVecEnv(coven.game(name), size, [Random()] * (players - 1), players, seed=1, **options)


def random_actions(venv):
    actions = np.empty(venv.num_envs, np.int64)
    pick_batch(venv.games._dice, venv.games.batch.padded_masks, actions)
    return actions


@pytest.mark.parametrize("name", coven.games.built_in())
def test_maskable_ppo_learns_on_every_game(name):
    torch.set_num_threads(1)
    venv = tables(coven.game(name).players[-1], 16, name)
    model = MaskablePPO("MlpPolicy", venv, n_steps=32, batch_size=128, n_epochs=1, seed=1)
    model.learn(1024)
    assert model.num_timesteps >= 1024


def test_the_learner_always_decides_and_masks_are_its_own():
    venv = tables(4, 8)
    venv.reset()
    for _ in range(200):
        assert (venv.games.batch.players == venv.games.seats).all()
        assert (venv.action_masks().sum(axis=1) > 0).all()
        venv.step(random_actions(venv))


def test_rewards_are_the_final_ones_of_the_learners_seat():
    """On a forced outcome: the same games played once more state by state."""
    game = coven.game("alchemists")
    venv = tables(3, 4)
    venv.reset()
    batch, expected, seen = venv.games.batch, [], []
    plain_step = batch.step

    def step(actions, which=None):
        seats = venv.games.seats.copy()
        plain_step(actions, which)
        for i in range(4) if which is None else which:
            if batch.ends[i]:
                expected.append((int(i), float(batch.rewards[i, seats[i]])))

    batch.step = step
    while len(seen) < 12:
        _, rewards, dones, infos = venv.step(random_actions(venv))
        assert not rewards[~dones].any()
        for i in np.flatnonzero(dones):
            seen.append((int(i), float(rewards[i])))
            assert infos[i]["episode"]["r"] == rewards[i]
            assert infos[i]["episode"]["l"] > 0
    assert sorted(seen) == sorted(expected)
    assert {r for _, r in seen} <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert game.name == "alchemists"


def test_a_forced_win_is_credited_to_the_move_that_made_it():
    """The last cube of a third kind ends the round, and player 0 is forty points ahead."""
    venv = SelfPlayVecEnv(coven.game("alchemists"), 1, [Random()], 2, seed=1, seat=0)
    venv.reset()
    r = venv.games.batch.states[0]
    r.turn, r.first, r.current, r.phase = 10, 1, 0, 0
    r.hand[:], r.known[:], r.hand_size[:], r.bag[:] = 0, 0, 0, 0
    r.reserve[:] = [1, 1, 1, 0, 0]
    r.fame[:2] = [50, 10]
    venv.games.batch.players[0] = 0
    venv.games.batch.padded_masks[0, :297] = coven.game("alchemists").legal_mask(
        venv.games.batch.states[0:1].reshape(())
    )
    take_blue = coven.game("alchemists").actions.ids["take blue"]
    _, rewards, dones, _ = venv.step(np.array([take_blue]))
    assert dones[0]
    assert rewards[0] == 1


def test_the_seat_rotates_unless_it_is_fixed():
    venv = tables(3, 6)
    venv.reset()
    assert venv.games.seats.tolist() == [0, 1, 2, 0, 1, 2]
    seats = {i: [int(seat)] for i, seat in enumerate(venv.games.seats)}
    for _ in range(100):
        _, _, dones, _ = venv.step(random_actions(venv))
        for i in np.flatnonzero(dones):
            seats[int(i)].append(int(venv.games.seats[i]))
    assert all(b == (a + 1) % 3 for row in seats.values() for a, b in pairwise(row))
    fixed = tables(3, 6, seat=2)
    fixed.reset()
    assert set(fixed.games.seats) == {2}


def test_a_pool_is_asked_at_the_start_of_every_game():
    calls = []

    def pool(i, rng):
        calls.append(i)
        return [Random(), Watcher()]

    venv = SelfPlayVecEnv(coven.game("alchemists"), 3, pool, 3, seed=1)
    venv.reset()
    assert calls == [0, 1, 2]
    ended = 0
    for _ in range(60):
        ended += venv.step(random_actions(venv))[2].sum()
    assert len(calls) == 3 + ended > 3


def test_masks_reach_sb3_without_a_copy_for_each_env():
    venv = tables(3, 6)
    venv.reset()
    assert is_masking_supported(venv)
    assert np.shares_memory(venv.env_method("action_masks"), venv.games.batch.padded_masks)
    assert (get_action_masks(venv) == venv.games.masks).all()


def test_the_same_seed_gives_the_same_run():
    runs = []
    for _ in range(2):
        venv = tables(3, 4)
        total = venv.reset().sum()
        for _ in range(80):
            observations, rewards, _, _ = venv.step(random_actions(venv))
            total += observations.sum() + rewards.sum()
        runs.append(total)
    assert runs[0] == runs[1]


def test_observations_are_scaled():
    venv = tables(3, 6)
    observations = venv.reset()
    assert observations.dtype == np.float32
    assert observations.min() >= 0
    assert observations.max() <= 1
    assert venv.observation_space.contains(observations[0])


def test_a_wrong_number_of_opponents_is_refused():
    with pytest.raises(BadOption, match="allowed for 3 players: 2"):
        SelfPlayVecEnv(coven.game("alchemists"), 2, [Random()], 3)


def test_copies_and_resets_without_a_seed_go_on_alike():
    venv = tables(3, 4)
    venv.reset()
    twins = [copy.deepcopy(venv), pickle.loads(pickle.dumps(venv))]
    for number in range(60):
        if number == 30:
            first = venv.reset()
            assert all((twin.reset() == first).all() for twin in twins)
        actions = random_actions(venv)
        expected = venv.step(actions)[0]
        for twin in twins:
            random_actions(twin)  # its dice are thrown as often
            assert (twin.step(actions)[0] == expected).all()
            assert (twin.action_masks() == venv.action_masks()).all()
            assert (twin.action_space.mask == venv.action_masks()[0]).all()
