"""What agents think: shares that add up, values where they are to be had, fair worlds, and nobody else's secrets."""

from __future__ import annotations

import json

import numpy as np
import pytest
from web_help import ask, kept_table

import coven
from coven.agents.registry import create
from coven.games.core.errors import BadOption
from coven.games.core.rng import generator
from coven.web import analysis
from coven.web.server import build_app
from coven.web.table import Setup


def position(name="alchemists", players=2, moves=6):
    game = coven.game(name)
    s = game.new(players, seed=4)
    for _ in range(moves):
        game.apply(s, game.legal_actions(s)[0])
    return game, s


@pytest.mark.parametrize("spec", ["greedy", "random", "mix:0.5", "ppo", "ismcts:40"])
def test_shares_of_all_legal_actions_add_up(spec):
    game, s = position()
    found = list(analysis.answers(analysis.question(game, s), spec))
    assert found[-1]["done"]
    assert not any(answer["done"] for answer in found[:-1])
    for answer in found:
        assert sorted(row["action"] for row in answer["rows"]) == game.legal_actions(s)
        assert sum(row["share"] for row in answer["rows"]) == pytest.approx(1, abs=0.02)
    shares = [row["share"] for row in found[-1]["rows"]]
    assert shares == sorted(shares, reverse=True)


def test_a_search_grows_and_gives_values_for_every_seat():
    game, s = position(players=3)
    found = list(analysis.answers(analysis.question(game, s), "ismcts:100"))
    visits = [sum(row["visits"] for row in answer["rows"]) for answer in found]
    assert len(visits) > 10
    assert visits == sorted(visits)
    assert visits[-1] == 100
    assert len(found[-1]["values"]) == 3
    assert all(-1 <= value <= 1 for value in found[-1]["values"])
    best = found[-1]["rows"][0]
    assert -1 <= best["value"] <= 1


def test_a_search_in_steps_ends_as_one_in_one_go():
    game, s = position()
    agent = create("ismcts:60", game, 2)
    whole = agent.search(s, generator(5))
    *_, last = agent.search_in_steps(s, generator(5), 7)
    assert (last.visits == whole.visits).all()
    assert np.allclose(last.returns, whole.returns)


def test_the_networks_probabilities_lead_to_its_choice():
    game, s = position()
    agent = create("ppo", game, 2)
    asked = analysis.question(game, s)
    shares = agent.probabilities(asked.observation, asked.mask)
    assert shares.sum() == pytest.approx(1)
    assert not shares[asked.mask[: len(shares)] == 0].any()
    assert shares.argmax() == agent.act(asked.observation, asked.mask, generator(0))


@pytest.mark.parametrize("name", ["wie_verhext", "black_magic_friday"])
def test_the_estimate_judges_as_the_kernel_does(name):
    from coven.agents.estimate import estimate_of
    from coven.agents.kernels.estimate import estimate

    game, s = position(name, None)
    known = estimate_of(game)
    for p in range(int(s["num_players"])):
        seen = game.observe(s, p)
        raw = seen[: game.layout.raw_size].copy()
        assert known.judge(seen) == pytest.approx(estimate(raw, known.network(), 0), abs=1e-4)
    found = list(analysis.graph(game, [s], None, analysis.ESTIMATE, None))
    assert found[0]["values"] == [round(known.judge(game.observe(s, p))[0], 3) for p in range(int(s["num_players"]))]


def test_a_game_without_an_estimate_says_so():
    game, s = position()
    assert not analysis.has_estimate(game)
    with pytest.raises(BadOption, match="has no value estimate"):
        list(analysis.graph(game, [s], None, analysis.ESTIMATE, None))
    found = list(analysis.graph(game, [s], None, "ismcts:20", None))
    assert len(found[0]["values"]) == 2
    with pytest.raises(BadOption, match="gives no values"):
        list(analysis.graph(game, [s], None, "greedy", None))


@pytest.mark.parametrize(
    "spec",
    ["py:os:system", "ppo:/etc/passwd", "ismcts:99999999", "ismcts:10:threads=64", "ismcts:999999ms", "", "x" * 500],
)
def test_a_page_cannot_ask_for_files_programs_or_ages(spec):
    with pytest.raises(BadOption, match="cannot be asked"):
        analysis.allowed(spec)


def test_specs_of_the_table_are_allowed():
    assert analysis.allowed("py:mine:agent", ["py:mine:agent"]) == "py:mine:agent"
    assert analysis.allowed("ismcts:500:rollout=random:c=0.7") == "ismcts:500:rollout=random:c=0.7"


def test_in_a_live_game_only_in_practice_and_for_the_own_decision(tmp_path):
    setup = Setup(coven.game("alchemists"), ("human", "random"), practice=True)
    kept = kept_table(tmp_path, setup)
    app, link = build_app([kept]), "/s/secret-of-0"
    while kept.table.current != 0:
        kept.table.act(kept.table.game.legal_actions(kept.table.state)[0])
    answer = ask(app, f"{link}/analyse", {"agent": "greedy"})
    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert lines[-1]["done"]
    assert ask(app, f"{link}/analyse", {"agent": "py:os:system"}).status == 400
    worlds = ask(app, f"{link}/worlds").json["worlds"]
    assert len(worlds) == analysis.PICTURED
    graph = [json.loads(line) for line in ask(app, f"{link}/graph", {"agent": "ismcts:10"}).body.splitlines()]
    own = [k for k, s in enumerate(kept.table.states()) if kept.table.game.current_player(s) == 0]
    assert [line["at"] for line in graph[:-1]] == own, "a search is asked only where this seat decides"
    while kept.table.current == 0:
        kept.table.act(kept.table.game.legal_actions(kept.table.state)[0])
    assert ask(app, f"{link}/analyse", {"agent": "greedy"}).status == 409
