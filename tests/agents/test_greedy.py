from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from agents_help import TABLES, WITH_GREEDY, decisions, padded_mask
from numba.core.errors import TypingError

from coven.agents.kernels.greedy import choose_batch
from coven.agents.play import play
from coven.agents.random import RandomAgent
from coven.agents.registry import create, create_all
from coven.games.core.generic import choose as greedy_choice
from coven.games.core.layout import DTYPE
from coven.games.core.rng import generator

NAMES = [f"{game.name}-{n}" for game, n in TABLES]


@pytest.mark.parametrize(("game", "players"), TABLES, ids=NAMES)
def test_greedy_beats_random(game, players):
    """90 % of two-player games; at larger tables three times its fair share, or 90 % if that is less."""
    greedy, *others = create_all(["greedy", *["random"] * (players - 1)], game)
    wins = play(game, [greedy, *others], deals=400 // players, seed=11).wins[:, 0]
    assert wins.mean() >= (0.9 if players == 2 else min(0.9, 3 / players))


@pytest.mark.parametrize(("game", "players"), TABLES, ids=NAMES)
def test_greedy_always_chooses_something_legal_even_from_a_narrower_mask(game, players):
    agent, dice, rng = create("greedy", game, players), generator(1), np.random.default_rng(0)
    for s in decisions(game, players, games=5, every=3):
        observation, mask = game.observe(s, int(s["current"])), padded_mask(game, s)
        while mask.any():
            action = agent.act(observation, mask, dice)
            assert mask[action]
            mask[action] = 0
            mask &= rng.random(mask.size) < 0.7


@pytest.mark.parametrize("game", WITH_GREEDY, ids=lambda game: game.name)
def test_greedy_is_a_function_of_observation_mask_and_dice(game):
    agent = create("greedy", game, game.players[0])
    for s in decisions(game, game.players[0], games=3, every=5):
        observation, mask = game.observe(s, int(s["current"])), padded_mask(game, s)
        first, second = (agent.act(observation.copy(), mask.copy(), generator(9)) for _ in range(2))
        assert first == second
        assert first == greedy_choice(s[()], observation, mask, generator(9)[0])


@pytest.mark.parametrize("game", WITH_GREEDY, ids=lambda game: game.name)
def test_greedy_explains_its_strategy(game):
    assert len(create("greedy", game, game.players[0]).strategy) > 300


def test_random_takes_every_legal_action_equally_often():
    game = WITH_GREEDY[0]
    s = next(decisions(game, game.players[0], games=1, every=1))
    mask = padded_mask(game, s)
    count = int(mask.sum())
    masks = np.repeat(mask[None], 1000 * count, axis=0)
    observations = np.zeros((len(masks), game.observation_size), np.uint8)
    actions = RandomAgent().act_batch(observations, masks, generator(4))
    seen = np.bincount(actions, minlength=mask.size)
    assert (seen[mask == 0] == 0).all()
    assert abs(seen[mask == 1] - 1000).max() < 6 * 1000**0.5


def test_a_record_type_that_no_game_declared_does_not_compile():
    """Else a random policy would be compiled for it, and found in the cache ever after."""
    unknown = np.zeros((), np.dtype((np.record, [("current", np.int8), ("turn", np.int32)])))
    game = WITH_GREEDY[0]
    rows = np.zeros((1, game.observation_size), DTYPE), game.new_mask()[None]
    with pytest.raises(TypingError, match="no game provides 'choose'"):
        choose_batch(unknown, *rows, generator(0), np.zeros(1, np.int64))


def test_the_greedy_policy_is_known_as_soon_as_the_game_is(tmp_path):
    """Greedy in a fresh process and a fresh cache, without anybody having asked for the greedy agent before."""
    code = """
import sys, numpy as np, coven
from coven.agents.kernels.greedy import choose_batch
from coven.games.core.rng import generator
game = coven.game("alchemists")
views, masks = (np.frombuffer(bytes.fromhex(row), kind)[None].copy() for row, kind in zip(sys.argv[1:], ("u1", "i1")))
actions = np.zeros(1, np.int64)
for seed in range(20):
    choose_batch(game.blank(), views, masks, generator(seed), actions)
    print(actions[0])
"""
    game = WITH_GREEDY[0]
    s = game.new(2, seed=3)
    agent, view, mask = create("greedy", game, 2), game.observe(s, 0), padded_mask(game, s)
    env, rows = os.environ | {"COVEN_CACHE_DIR": str(tmp_path)}, (view.tobytes().hex(), mask.tobytes().hex())
    done = subprocess.run([sys.executable, "-c", code, *rows], env=env, capture_output=True, text=True, check=True)
    expected = [agent.act(view, mask, generator(seed)) for seed in range(20)]
    assert game.name == "alchemists"
    assert [int(word) for word in done.stdout.split()] == expected
    assert len(set(expected)) < len(game.legal_actions(s)) / 2
