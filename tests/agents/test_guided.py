"""Networks in machine code, and the search that they guide."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from agents_help import GAMES, decisions, padded_mask, some_network
from alchemists_positions import GAME

from coven.agents import learned
from coven.agents.guided import GuidedAgent, GuidedConfig
from coven.agents.kernels.network import LANES, add_rows, dot, remember, squash
from coven.agents.kernels.policy import outputs_for, value
from coven.agents.kernels.search import NONE, ROOT
from coven.agents.learned import LearnedAgent
from coven.agents.network import forward, pack
from coven.agents.play import play
from coven.agents.registry import UnknownAgent, create
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption
from coven.games.core.rng import generator


def some_views(game=GAME, players=2):
    batch = Batch(game, 16, players, seed=1)
    for _ in range(12):
        batch.step(batch.random_actions())
    return batch.observations.copy(), batch.padded_masks.copy()


def guided(game=GAME, players=2, network=None, **config):
    return GuidedAgent(game, players, network or some_network(game), GuidedConfig(**config), "guided")


@pytest.mark.parametrize("hidden", [(), (16,), (7, 33), (40, 24, 130)])
def test_kernels_answer_as_matrix_products_do(hidden):
    """For layers of any width, padded or not, and without hidden ones."""
    agent, (views, masks) = some_network(GAME, hidden=hidden), some_views()
    scaled, logits = GAME.layout.scale(views), np.full(GAME.num_actions, 99, np.float32)
    for row, expected in enumerate(forward(agent.layers, scaled)):
        logits[:] = 99
        outputs_for(views[row], masks[row], agent.policy, 0, logits)
        legal = masks[row, : GAME.num_actions].astype(bool)
        assert np.allclose(logits[legal], expected[legal], atol=1e-5)
        assert (logits[~legal] == 99).all(), "only legal actions are computed"
    ranks, margins = forward(agent.value_layers, scaled).T
    found = agent.values(views)
    assert np.allclose(found[:, 0], np.clip(ranks, -1, 1), atol=1e-5)
    assert np.allclose(found[:, 1], margins, atol=1e-5)


def test_the_parts_of_a_network_in_machine_code():
    rng = np.random.default_rng(1)
    row, values = rng.normal(size=(2, 5 * LANES)).astype(np.float32)
    padded = np.concatenate([np.full(3, 1e9, np.float32), row])
    assert np.isclose(dot(padded, 3, values, values.size), row @ values, atol=1e-5)
    x = np.linspace(-20, 20, 4001).astype(np.float32)
    squashed = x.copy()
    squash(squashed, x.size, False)
    assert np.abs(squashed - np.tanh(x.astype(float))).max() < 5e-7
    assert np.abs(squashed).max() <= 1
    rectified = x.copy()
    squash(rectified, x.size, True)
    assert (rectified == np.maximum(x, 0)).all()


@pytest.mark.parametrize("vectors", [1, 3, 4, 9])
def test_rows_are_added_one_after_the_other(vectors):
    rng, size = np.random.default_rng(2), vectors * LANES
    weights = rng.normal(size=3 + 7 * size).astype(np.float32)
    values, places = rng.normal(size=5).astype(np.float32), np.array([6, 0, 2, 2, 5, 4])
    outputs = rng.normal(size=size + 1).astype(np.float32)
    expected = outputs.copy()
    for x, place in zip(values, places, strict=False):
        expected[:size] += x * weights[3 + place * size :][:size]
    add_rows(values, places, len(values), weights, 3, size, outputs)
    assert (outputs == expected).all(), "to the last bit, and nothing behind the units"


@pytest.mark.parametrize("hidden", [(), (16,), (40, 24)])
def test_a_network_answers_alike_whatever_it_remembers(hidden):
    """A search lets it remember what every seat saw at the root; that is no part of the answer."""
    agent, (views, _) = some_network(GAME, hidden=hidden), some_views()
    fresh, asked = (pack(agent.value_layers, GAME.layout, rows=2) for _ in range(2))
    remember(views[0], asked, 0)
    remember(views[1], asked, 1)
    remember(views[2], asked, 1)  # in place of what was there
    assert len({bytes(view) for view in views}) > 8
    for row in (0, 1):
        answers = np.array([value(view, asked, row) for view in views])
        assert np.allclose(answers, [value(view, fresh, 0) for view in views], atol=1e-5)
    assert fresh.seen.max() == 0


def test_an_agent_without_a_value_tells_none():
    agent = some_network(GAME, values=0)
    with pytest.raises(BadOption, match="has no value"):
        agent.values(some_views()[0])
    with pytest.raises(BadOption, match="has no value, only a policy"):
        guided(network=agent, iterations=10)


def test_a_value_without_a_margin_counts_ranks_alone():
    agent = some_network(GAME, values=1)
    assert (agent.values(some_views()[0])[:, 1] == 0).all()
    assert guided(network=agent, iterations=10)._trees[0].buffers.settings["margin"] == 0
    with pytest.raises(BadOption, match="predicts no margin"):
        guided(network=agent, iterations=10, margin=0.5)


def favourite(action):
    """A network that likes one action far better than all others, and thinks every position level."""
    size, bias = GAME.observation_size, np.zeros(GAME.num_actions, np.float32)
    bias[action] = 5
    policy = [(np.zeros((GAME.num_actions, size), np.float32), bias)]
    return LearnedAgent(GAME, policy, value_layers=[(np.zeros((2, size), np.float32), np.zeros(2, np.float32))])


def test_the_policy_says_what_is_tried_first_and_most():
    s = GAME.new(2, seed=1)
    actions = GAME.legal_actions(s)
    for action in actions[:: len(actions) // 4]:
        agent = guided(network=favourite(action), iterations=30)
        assert agent.search(s, generator(0)).best == action
        one = guided(network=favourite(action), iterations=1).search(s, generator(0))
        assert np.flatnonzero(one.visits).tolist() == [action]


def test_the_next_action_is_tried_when_its_bound_is_the_highest():
    """With all positions level, visits follow the priors."""
    s = GAME.new(2, seed=1)
    first, second, *_ = GAME.legal_actions(s)
    network = favourite(first)
    network.layers[0][1][second] = 5
    finding = guided(network=network, iterations=200).search(s, generator(0))
    assert abs(finding.visits[first] - finding.visits[second]) <= 1
    assert finding.visits[[first, second]].sum() > 150
    assert (finding.visits > 0).sum() < 30


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("horizon", [0, 1, 3])
def test_before_a_position_is_judged_the_policy_plays_on_for_some_turns(game, horizon):
    """A search of one iteration is its first action, then the policy's, then what the value network says."""
    n = game.players[-1]
    agent = guided(game, n, iterations=1, horizon=horizon, margin=0)
    for number, s in enumerate(decisions(game, n, games=1, every=23)):
        found = agent.search(s, generator(number))
        world = agent._trees[0].buffers.states[:1].reshape(())
        assert game.is_over(world) or world["turn"] >= s["turn"] + horizon
        if not game.is_over(world):
            views = np.stack([game.observe(world, seat) for seat in range(n)])
            ranks = agent.network.values(views)[:, 0]
            assert np.allclose(found.returns[:n], ranks - ranks.mean(), atol=1e-5)


def test_with_a_horizon_to_the_end_positions_are_worth_what_games_pay():
    agent = guided(iterations=1, horizon=1 << 30, margin=0)
    for number, s in enumerate(decisions(GAME, 2, games=1, every=9)):
        found = agent.search(s, generator(number))
        assert sorted(found.returns[:2]) in ([-1, 1], [0, 0])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_same_dice_and_iterations_give_the_same_guided_search(game):
    n = game.players[-1]
    agent, twin, two = (guided(game, n, iterations=40, threads=threads, margin=0) for threads in (1, 1, 2))
    for number, s in enumerate(decisions(game, n, games=2, every=15)):
        before = s.tobytes()
        first, again = agent.search(s, generator(number)), twin.search(s, generator(number))
        assert (first.visits == again.visits).all()
        assert (first.values == again.values).all()
        assert s.tobytes() == before
        assert first.visits.sum() == 40
        assert abs(first.returns.sum()) < 1e-6, "together they win nothing"
        short = agent.search(s, generator(number), until_decided=True)
        assert agent.act(s, padded_mask(game, s), generator(number)) == short.best == first.best
        both = [two.search(s, generator(number)).visits for _ in range(2)]
        assert (both[0] == both[1]).all()
        assert both[0].sum() == 40


def test_a_guided_search_stops_when_its_choice_is_made():
    s = GAME.new(2, seed=1)
    agent = guided(network=favourite(GAME.legal_actions(s)[3]), iterations=200)
    short = agent.search(s, generator(1), until_decided=True)
    assert short.visits.sum() < 150
    assert short.best == agent.search(s, generator(1)).best


def test_a_guided_tree_is_sound():
    agent = guided(players=3, iterations=300, margin=0)
    for s in decisions(GAME, 3, games=1, every=20):
        agent.search(s, generator(2))
        tree = agent._trees[0].buffers
        size = int(tree.settings["used"][0])
        nodes = tree.nodes[:size]
        assert nodes["visits"][ROOT] == 300
        assert ((nodes["prior"] > 0) & (nodes["prior"] <= 1)).all()
        assert ((nodes["left"] >= 0) & (nodes["left"] <= 1)).all()
        assert np.allclose(tree.totals[:size].sum(axis=1), 0, atol=1e-6)
        below, child = [], nodes["child"][ROOT]
        while child != NONE:
            below.append(int(child))
            child = nodes["sibling"][child]
        assert nodes["prior"][below].sum() <= 1 + 1e-5
        assert nodes["visits"][below].sum() == 300


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_a_copy_of_a_guided_search_searches_alike(copied):
    agent, state = guided(iterations=20, threads=2), GAME.new(2, seed=1)
    twin = copied(agent)
    assert twin.name == agent.name
    assert (twin.search(state, generator(5)).visits == agent.search(state, generator(5)).visits).all()


def test_a_guided_search_by_its_spec(tmp_path):
    path = tmp_path / "some.safetensors"
    learned.save(some_network(GAME), path, {"rewards": "rank"})
    agent = create(f"guided:{path}:30:c=0.3:margin=0.25:horizon=2:threads=2", GAME, 2)
    assert agent.name == "guided:30:c=0.3:margin=0.25:horizon=2:threads=2 (some)"
    assert agent.files == (path,)
    settings = agent._trees[0].buffers.settings
    assert (settings["exploration"], settings["margin"], settings["horizon"]) == (0.3, 0.25, 2)
    assert create(f"guided:{path}:5ms", GAME, 2).timed
    results = play(GAME, [create(f"guided:{path}:5", GAME, 2), create("random", GAME, 2)], deals=1, seed=1)
    assert len(results.seeds) == 2
    learned.save(some_network(GAME), path, {"rewards": "score"})
    with pytest.raises(UnknownAgent, match="trained by points"):
        create(f"guided:{path}:30", GAME, 2)
    learned.save(some_network(GAME, values=0), path, {})
    with pytest.raises(UnknownAgent, match="has no value, only a policy"):
        create(f"guided:{path}:30", GAME, 2)
    for rest, message in (
        (f"{path}", "invalid literal"),
        (f"{path}:30:widen=2", "it has no option widen"),
        (f"{path}:0", "iterations=0 is not allowed"),
        (f"{path}:9:margin=2", "margin=2.0 is not allowed"),
        (f"{path}:9:horizon=-1", "horizon=-1 is not allowed; allowed: 0 to"),
        (f"{path}:9:horizon=2000000000", "horizon=2000000000 is not allowed"),
        (f"{path}:9:horizon=end", "invalid literal"),
        (f"{path}:9:9", "it needs one budget"),
    ):
        with pytest.raises(UnknownAgent, match=message):
            create(f"guided:{rest}", GAME, 2)


def test_without_a_file_the_baseline_guides_or_says_why_not(monkeypatch, tmp_path):
    path = tmp_path / "baseline.safetensors"
    monkeypatch.setattr(GAME, "file", lambda name: path)
    learned.save(some_network(GAME), path, {})
    assert create("guided:9", GAME, 2).name == "guided:9"
    learned.save(some_network(GAME, values=0), path, {})
    with pytest.raises(UnknownAgent, match="the baseline of alchemists has no value, only a policy"):
        create("guided:9", GAME, 2)
    monkeypatch.setattr(GAME, "file", lambda name: None)
    with pytest.raises(UnknownAgent, match="has no baseline"):
        create("guided:9", GAME, 2)
