"""Batches: the same games as one by one, whatever the threads."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import coven
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption, CovenError, IllegalAction
from coven.games.core.rng import next_seed


@pytest.mark.parametrize("name", coven.games.built_in())
def test_a_batch_plays_the_very_games_of_single_states(name):
    game = coven.game(name)
    batch = Batch(game, 3, game.players[-1], seed=5)
    seeds = [5, 6, 7]
    singles = [game.new(game.players[-1], seed) for seed in seeds]
    ended = 0
    while ended < 4:
        actions = batch.random_actions(active=True)
        for i, s in enumerate(singles):
            assert batch.players[i] == game.current_player(s)
            assert (batch.masks[i] == game.legal_mask(s)).all()
            assert (batch.observations[i] == game.observe(s, game.current_player(s))).all()
            game.apply(s, actions[i])
        batch.step(actions)
        for i, s in enumerate(singles):
            over = game.is_over(s)
            assert bool(batch.ends[i]) == over
            assert batch.rewards[i].tolist() == pytest.approx(game.returns(s))
            if over:
                ended += 1
                seeds[i] = int(next_seed(np.uint64(seeds[i])))
                singles[i] = game.new(game.players[-1], seeds[i])
            assert batch.states[i].tobytes() == singles[i].tobytes()


@pytest.mark.parametrize("size", [10, 7000, 13_000])  # too few for threads, enough to step, enough to pick too
def test_threads_change_nothing(size):
    game = coven.game("alchemists")
    one, three = Batch(game, size, 4, seed=1), Batch(game, size, 4, seed=1, threads=3)
    for _ in range(20):
        actions = one.random_actions()
        assert (actions == three.random_actions()).all()
        one.step(actions)
        three.step(actions)
        assert one.states.tobytes() == three.states.tobytes()
        assert (one.rewards == three.rewards).all()
    three.close()


def test_some_games_can_be_stepped_while_others_wait():
    game = coven.game("alchemists")
    for threads in (1, 2):
        batch, whole = Batch(game, 8, 4, seed=1, threads=threads), Batch(game, 8, 4, seed=1)
        which = np.array([0, 3, 7])
        before = batch.states.copy()
        actions = batch.random_actions()
        batch.step(actions[which], which)
        whole.step(actions)
        for i in range(8):
            expected = whole.states[i] if i in which else before[i]
            assert batch.states[i].tobytes() == expected.tobytes()
        batch.close()


def test_the_number_of_actions_must_fit():
    batch = Batch(coven.game("alchemists"), 4, 2, seed=1)
    with pytest.raises(IllegalAction, match="4 games need 4 actions"):
        batch.step(batch.random_actions()[:3])


def test_one_illegal_action_stops_the_whole_step_before_anything_is_done():
    batch = Batch(coven.game("alchemists"), 4, 2, seed=1)
    before = batch.states.tobytes()
    actions = batch.random_actions()
    actions[2] = 295
    with pytest.raises(IllegalAction, match=r"game 2 of the batch: action 295 \(draw\) is not legal"):
        batch.step(actions)
    actions[2] = 10**6
    with pytest.raises(IllegalAction, match="game 2 of the batch: alchemists has no action 1000000"):
        batch.step(actions)
    assert batch.states.tobytes() == before


@pytest.mark.parametrize("bad", [[1.0] * 4, [True] * 4, ["draw"] * 4, None, [10**30] * 4, [[0], [0, 1]], [0.5] * 4])
def test_actions_are_whole_numbers(bad):
    batch = Batch(coven.game("alchemists"), 4, 2, seed=1)
    before = batch.states.tobytes()
    with pytest.raises(IllegalAction, match="actions must be whole numbers, one for each game"):
        batch.step(bad)
    assert batch.states.tobytes() == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_a_copy_goes_on_alike_with_masks_and_threads_of_its_own(copied):
    batch = Batch(coven.game("alchemists"), 5000, 2, seed=1, threads=2)
    batch.step(batch.random_actions())
    twin = copied(batch)
    for _ in range(3):
        actions = twin.random_actions()
        assert (actions == batch.random_actions()).all()
        twin.step(actions)
        batch.step(actions)
        assert (twin.masks == batch.masks).all()
        assert twin.states.tobytes() == batch.states.tobytes()
    assert not np.shares_memory(twin.masks, batch.masks)
    twin.close()
    batch.close()
    batch.step(batch.random_actions())  # it starts threads again
    batch.close()


def test_deals_without_a_seed_go_on_as_the_games_would():
    game = coven.game("alchemists")
    batch = Batch(game, 3, 4, seed=5)
    batch.step(batch.random_actions())
    batch.deal()
    for i in range(3):
        assert batch.states[i].tobytes() == game.new(4, int(next_seed(np.uint64(5 + i)))).tobytes()
    assert Batch(game, 1, 4).states.tobytes() != Batch(game, 1, 4).states.tobytes()


@pytest.mark.parametrize("bad", [{"size": 0}, {"size": 2.5}, {"threads": 0}, {"rewards": "gold"}, {"num_players": 9}])
def test_bad_sizes_are_refused(bad):
    with pytest.raises(BadOption, match="allowed"):
        Batch(coven.game("alchemists"), **({"size": 2} | bad))


@pytest.mark.parametrize("which", [[10**7], [-1], [0, 0], [1, 0], [3], [[0]], [0.5], [2**40], "0", list(range(9))])
def test_only_games_of_the_batch_can_be_stepped(which):
    batch = Batch(coven.game("alchemists"), 3, 3, seed=1)
    before = batch.states.tobytes()
    with pytest.raises(CovenError, match="which"):
        batch.step(batch.random_actions()[: len(which)] if len(which) < 3 else np.zeros(len(which), int), which)
    assert batch.states.tobytes() == before


def test_masks_cannot_be_written_to():
    batch = Batch(coven.game("alchemists"), 3, 3, seed=1)
    with pytest.raises(ValueError, match="read-only"):
        batch.masks[:] = 1


FRESH = """
import coven
from coven.games.core import drivers
from coven.games.core.batch import Batch
batch = Batch(coven.game("alchemists"), 2, seed=1)
batch.step(batch.random_actions())
stats = drivers.do_part.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_another_process_finds_the_kernel_that_takes_all_buffers():
    Batch(coven.game("alchemists"), 2, seed=1)  # compiled by now
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=False, cwd="/")
    assert done.stdout.split() == ["1", "0"], done.stderr
