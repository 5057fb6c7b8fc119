from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from agents_help import GAMES, WITH_GREEDY, decisions, padded_mask
from alchemists_positions import GAME as ALCHEMISTS
from alchemists_positions import position

from coven.agents.kernels.estimate import margins_of
from coven.agents.kernels.search import NODE, NONE, ROOT, SETTINGS, decided, heed_margins
from coven.agents.play import play
from coven.agents.registry import create, create_all
from coven.agents.search import SearchAgent, SearchConfig
from coven.games.core.errors import BadOption
from coven.games.core.rng import generator
from coven.playthrough import random_game


def end_it_now():
    """Player 1 leads and moves last in the round; taking the last green cube ends the game, and it is won.

    A blue cube for a copy brings more fame than any take, but then the rival copies the potion worth 10 once more.
    """
    s = position(
        "6 orange",
        "2 blue",
        reserve="1 green 5 orange 5 yellow",
        potions={"blue+grey: 1 orange": (1, 10), "orange+yellow: 1 blue": (0, 2)},
        schools=("orange", "green", "blue", "grey", "yellow"),
        turn=11,
        current=1,
    )
    s[()].fame[:2] = 22, 34
    s[()].seals[1] = 0
    return s


@pytest.mark.parametrize("options", ["", ":rollout=random:order=random", ":threads=2"])
def test_search_ends_the_game_while_it_leads(options):
    s = end_it_now()
    agent = create(f"ismcts:2000:margin=0{options}", ALCHEMISTS, 2)
    for seed in range(3):
        action = agent.act(s, padded_mask(ALCHEMISTS, s), generator(seed))
        assert ALCHEMISTS.action_to_string(s, action) == "take green"
    finding = agent.search(s, generator(0))
    assert finding.values[action] == 1


def test_half_of_a_return_is_the_margin_in_points():
    settings, returns, margins = np.zeros(1, SETTINGS), np.array([1.0, 0.0, -1.0]), np.zeros(3)
    settings["margin"] = 0.5
    margins_of(np.array([[9, 0], [3, 5], [0, 0]]), 3, margins)
    assert margins.tolist() == [7.5, -1.5, -6.0]
    heed_margins(margins, 3, settings[0], returns)
    usual = (margins**2).mean() ** 0.5
    assert np.allclose(returns, 0.5 * np.array([1, 0, -1]) + 0.5 * margins / (usual + abs(margins)))
    returns[:] = 1, 0, -1
    heed_margins(np.zeros(3), 3, settings[0], returns)
    assert np.allclose(returns, [0.5, 0, -0.5])  # level in points
    settings["margin"] = 0
    heed_margins(np.array([6.0, -3.0, -3.0]), 3, settings[0], returns)
    assert np.allclose(returns, [0.5, 0, -0.5])


def test_an_only_action_is_taken_without_search():
    s, dice = end_it_now(), generator(1)
    mask = padded_mask(ALCHEMISTS, s)
    mask[:], mask[7] = 0, 1
    before = dice.copy()
    assert create("ismcts:50", ALCHEMISTS, 2).act(s, mask, dice) == 7
    assert (dice == before).all()


@pytest.mark.parametrize("game", WITH_GREEDY, ids=lambda game: game.name)
def test_a_decision_that_is_made_is_not_thought_about_further(game):
    """The choice is that of the whole search, most of the time after fewer iterations."""
    n, saved = game.players[0], 0
    agent = create("ismcts:200", game, n)
    for number, s in enumerate(decisions(game, n, games=1, every=11)):
        whole, short = agent.search(s, generator(number)), agent.search(s, generator(number), until_decided=True)
        assert agent.act(s, padded_mask(game, s), generator(number)) == short.best == whole.best
        saved += whole.visits.sum() - short.visits.sum()
    assert saved > 0


def test_what_is_not_decided_is_searched_to_the_last_iteration():
    nodes = np.zeros(4, NODE)
    nodes["child"], nodes["sibling"] = [3, NONE, NONE, NONE], [NONE, NONE, 1, 2]
    nodes["visits"] = [200, 60, 100, 40]
    assert decided(nodes, 39)
    assert not decided(nodes, 40), "level: the better value decides"


@pytest.mark.parametrize("options", ["", ":threads=2", ":threads=3:rollout=random"])
@pytest.mark.parametrize("game", WITH_GREEDY, ids=lambda game: game.name)
def test_the_same_dice_and_iterations_give_the_same_search(game, options):
    n = game.players[0]
    agent, twin = (create(f"ismcts:60{options}", game, n) for _ in range(2))
    for number, s in enumerate(decisions(game, n, games=1, every=9)):
        before = s.tobytes()
        first, again = agent.search(s, generator(number)), twin.search(s, generator(number))
        assert (first.visits == again.visits).all()
        assert (first.values == again.values).all()
        assert s.tobytes() == before, "search changed the state"
        other = agent.search(s, generator(number + 1000))
        assert other.visits.sum() == first.visits.sum() == 60


PLAIN = """
import sys, coven
from coven.agents.registry import create
from coven.games.core.rng import generator
game = coven.game("alchemists")
s = game.from_bytes(bytes.fromhex(sys.argv[1]))
print(create("ismcts:8:rollout=random:order=random", game, 2).search(s, generator(2)).visits.tolist())
"""


def test_without_the_compiler_search_grows_the_same_tree():
    s = ALCHEMISTS.new(2, seed=1)
    s = [ALCHEMISTS.clone(s) for _ in random_game(ALCHEMISTS, s, 1)][-9]  # near the end, so that rollouts are short
    command = [sys.executable, "-W", "ignore", "-c", PLAIN, ALCHEMISTS.to_bytes(s).hex()]
    env = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    said = json.loads(subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300).stdout)
    found = create("ismcts:8:rollout=random:order=random", ALCHEMISTS, 2).search(s, generator(2))
    assert said == found.visits.tolist()
    assert sum(said) == 8


def test_threads_share_the_iterations_and_throw_different_dice():
    s = ALCHEMISTS.new(2, seed=1)
    agent = create("ismcts:101:threads=2", ALCHEMISTS, 2)
    assert agent.search(s, generator(0)).visits.sum() == 101
    one, two = (tree.buffers for tree in agent._trees)
    assert [one.nodes["visits"][ROOT], two.nodes["visits"][ROOT]] == [51, 50]
    assert (one.totals[:50] != two.totals[:50]).any()


def children(tree, node):
    """The children of a node."""
    child = tree.nodes["child"][node]
    while child != NONE:
        yield int(child)
        child = tree.nodes["sibling"][child]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_tree_is_sound(game):
    """Visits add up, returns of all seats sum to zero, no action twice, none more often visited than available."""
    n = game.players[-1]
    agent = create("ismcts:300:margin=0:horizon=end", game, n)
    for s in decisions(game, n, games=1, every=20):
        agent.search(s, generator(2))
        tree = agent._trees[0].buffers
        size = int(tree.settings["used"][0])
        assert size <= 301
        assert tree.nodes["visits"][ROOT] == 300
        assert np.allclose(tree.totals[:size].sum(axis=1), 0, atol=1e-6)
        seen = {ROOT}
        for node in range(size):
            below = list(children(tree, node))
            seen.update(below)
            visits, actions = tree.nodes["visits"][below], tree.nodes["action"][below]
            assert len(set(actions)) == len(actions)
            assert visits.sum() <= tree.nodes["visits"][node]
            assert (visits <= tree.nodes["available"][below]).all()
            assert (np.abs(tree.totals[below]) <= visits[:, None] + 1e-6).all()
        assert seen == set(range(size))
        legal = game.legal_mask(s).astype(bool)
        assert legal[tree.nodes["action"][list(children(tree, ROOT))]].all()


def test_widening_bounds_the_children():
    s = ALCHEMISTS.new(2, seed=1)
    for widen in (0.0, 0.5, 2.0):
        agent = SearchAgent(ALCHEMISTS, 2, SearchConfig(iterations=400, widen=widen))
        finding = agent.search(s, generator(0))
        assert 1 <= (finding.visits > 0).sum() <= 1 + widen * 400**0.5 + 1
    assert (finding.visits > 0).sum() > 30


def test_a_full_tree_goes_on_without_new_nodes():
    s = ALCHEMISTS.new(2, seed=1)
    agent = create("ismcts:50", ALCHEMISTS, 2)
    tree = agent._trees[0]
    tree.plant(1)
    tree.grow(s, 500)
    assert int(tree.buffers.settings["used"][0]) == 51
    assert tree.buffers.nodes["visits"][ROOT] == 500


def test_a_budget_of_time_is_kept_roughly():
    s = ALCHEMISTS.new(2, seed=1)
    agent = create("ismcts:30ms:threads=2", ALCHEMISTS, 2)
    begun = time.perf_counter()
    finding = agent.search(s, generator(0))
    assert time.perf_counter() - begun >= 0.03
    assert finding.visits.sum() >= 64


def test_search_for_another_number_of_players_is_refused():
    agent = create("ismcts:10", ALCHEMISTS, 2)
    with pytest.raises(BadOption, match="2 players"):
        agent.search(ALCHEMISTS.new(3, seed=1), generator(0))
    with pytest.raises(BadOption, match="2 players"):
        next(agent.search_in_steps(ALCHEMISTS.new(3, seed=1), generator(0)))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_little_search_beats_random(game):
    n = game.players[0]
    wins = play(game, create_all(["ismcts:50", *["random"] * (n - 1)], game), deals=10, seed=1).wins
    assert wins[:, 0].mean() > 1.4 / n


def test_search_beats_greedy_and_more_of_it_beats_less():
    wins = play(ALCHEMISTS, create_all(["ismcts:100", "greedy"], ALCHEMISTS), deals=20, seed=1).wins
    assert wins[:, 0].mean() > 0.7
    wins = play(ALCHEMISTS, create_all(["ismcts:400", "ismcts:20"], ALCHEMISTS), deals=15, seed=1).wins
    assert wins[:, 0].mean() > 0.6


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_a_copy_searches_alike_with_threads_of_its_own(copied):
    game = ALCHEMISTS
    agent = create("ismcts:20:threads=2", game, 3)
    twin = copied(agent)
    assert twin.name == agent.name
    state = game.new(3, seed=1)
    assert (twin.search(state, generator(5)).visits == agent.search(state, generator(5)).visits).all()
