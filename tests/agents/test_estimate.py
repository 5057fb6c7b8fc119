"""What positions are worth: the lessons, the fit, and the estimates that come with the package."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import coven
from coven.agents import estimate as estimate_file
from coven.agents import fit
from coven.agents.estimate import FILE, FORMAT, estimate_of
from coven.agents.kernels.estimate import err, estimate
from coven.agents.network_files import Shape, load_layers
from coven.agents.play import play
from coven.agents.registry import create, create_all
from coven.games.core.errors import BadOption, BadState
from coven.games.core.rng import generator

GAME = coven.game("black_magic_friday")
KNOWN = [game for game in map(coven.game, coven.games.built_in()) if estimate_of(game)]
SHAPE = Shape((GAME.layout.raw_size,), (2,))
SMALL = {"hidden": 8, "passes": 1, "horizon": 2, "seed": 3}


def test_all_seats_of_a_lesson_share_its_outcome():
    found = fit.lessons(GAME, 3, 600, seed=1)
    assert found.views.shape == (600, GAME.layout.raw_size)
    margins = found.targets[:, 1].reshape(-1, 3)
    returns = found.targets[:, 0].reshape(-1, 3)
    assert np.allclose(margins.sum(axis=1), 0, atol=1e-4), "what one is ahead the others are behind"
    assert np.allclose(returns.sum(axis=1), 0, atol=1e-6)
    assert (np.sign(returns.max(axis=1)) == 1).any()
    assert ((margins[:, 0] > margins[:, 1]) <= (returns[:, 0] >= returns[:, 1])).all()


def test_the_same_seed_gives_the_same_lessons():
    first, again, other = (fit.lessons(GAME, 2, 200, seed) for seed in (1, 1, 2))
    assert (first.views == again.views).all()
    assert (first.targets == again.targets).all()
    assert (first.views != other.views).any()


def test_an_error_is_legal_and_not_always_the_best():
    s, dice = GAME.new(2, seed=1), generator(1)
    seen, errors = GAME.observe(s, int(s["current"])), set()
    legal = set(map(int, GAME.legal_actions(s)))
    for _ in range(200):
        mask = GAME.new_mask()
        mask[: GAME.num_actions] = GAME.legal_mask(s)
        errors.add(int(err(s[()], seen, mask, min(legal), dice[0])))
    assert errors <= legal
    assert len(errors) > 1


def test_what_is_stored_answers_as_what_was_fitted(tmp_path):
    path = tmp_path / "estimate.safetensors"
    torch.manual_seed(1)
    found = fit.lessons(GAME, 2, 1000, seed=1)
    network = fit.Network(GAME, 8, found.views, 5.0, seed=0)
    network.learn(found.views, found.targets, passes=1)
    fit.save_layers(path, network.layers(), GAME, FORMAT, {"horizon": 1})
    stored = estimate_file.load(path, GAME).network()
    with torch.no_grad():
        ranks, margins = network.answers(found.views[:50])
    answers = np.array([estimate(view, stored, 0) for view in found.views[:50]])
    assert np.allclose(answers[:, 0], ranks.numpy(), atol=1e-4)
    assert np.allclose(answers[:, 1], 5.0 * margins.numpy(), atol=1e-3)


def test_a_fit_says_how_it_was_made(tmp_path):
    path = tmp_path / "estimate.safetensors"
    explained = fit.fit(GAME, path, fit.FitSettings(rows=1000, **SMALL))
    _, about = load_layers(path, GAME, FORMAT, SHAPE)
    assert set(explained) == {"2", "3", "4"}
    assert about["explained"] == explained
    assert about["horizon"] == 2
    assert about["command"] == ("coven fit black_magic_friday --rows 1000 --hidden 8 --passes 1 --horizon 2 --seed 3")
    with pytest.raises(BadState, match="is for 'black_magic_friday', not alchemists"):
        load_layers(path, coven.game("alchemists"), FORMAT, SHAPE)
    with pytest.raises(BadState, match="not a stored network of format other for"):
        load_layers(path, GAME, "other", SHAPE)


def test_a_fit_to_nothing_is_refused():
    with pytest.raises(BadOption, match="rows=10 is not allowed"):
        fit.FitSettings(rows=10, **SMALL)
    for name, most in (("hidden", 1 << 14), ("seed", (1 << 22) - 1)):
        with pytest.raises(BadOption, match=f"{name}={most + 1} is not allowed; allowed: up to {most}"):
            fit.FitSettings(rows=1000, **SMALL | {name: most + 1})


@pytest.mark.parametrize("game", KNOWN, ids=lambda game: game.name)
def test_estimates_are_small_and_tell_who_will_win(game):
    path = game.folder / FILE
    assert path.stat().st_size < 400_000
    known = estimate_of(game)
    assert known.about["command"].startswith(f"coven fit {game.name} ")
    for players in game.players:
        found = fit.lessons(game, players, 3000, seed=7)
        network = known.network()
        margins = np.array([estimate(view, network, 0)[1] for view in found.views])
        assert np.corrcoef(margins, found.targets[:, 1])[0, 1] > 0.5


@pytest.mark.parametrize("game", KNOWN, ids=lambda game: game.name)
def test_a_short_search_with_an_estimate_beats_greedy(game):
    n = game.players[0]
    wins = play(game, create_all(["ismcts:60", *["greedy"] * (n - 1)], game), deals=24, seed=1).wins
    assert wins[:, 0].mean() > 1.1 / n


def test_without_an_estimate_nothing_is_asked():
    game = coven.game("alchemists")
    assert estimate_of(game) is None
    buffers = create("ismcts:5", game, 2)._trees[0].buffers
    assert buffers.value.sizes.size == 0
    assert buffers.settings["horizon"] > game.facts.longest[2]
