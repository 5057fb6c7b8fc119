"""Agents cannot use what their seat does not know: the same view and the same dice give the same choice."""

from __future__ import annotations

import numpy as np
import pytest
from agents_help import GAMES, decisions, padded_mask, some_network
from alchemists_positions import GAME as ALCHEMISTS
from alchemists_positions import shuffled_hidden

from coven.agents.guided import GuidedAgent, GuidedConfig
from coven.agents.play import play
from coven.agents.random import RandomAgent
from coven.agents.registry import create
from coven.envs.agent import Agent, fair_views
from coven.games.core.rng import generator

SPECS = ["random", "greedy", "ismcts:40", "ismcts:40:horizon=end", "ismcts:40:rollout=random:order=random:threads=2"]
SPECS += ["guided", "guided, two threads"]


def make(spec, game, players):
    """An agent by its spec; a guided search has a network that nobody has trained."""
    if not spec.startswith("guided"):
        return create(spec, game, players)
    config = GuidedConfig(iterations=40, threads=1 + spec.endswith("threads"), margin=0.5)
    return GuidedAgent(game, players, some_network(game), config, spec)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_determinize_depends_on_nothing_hidden(game):
    """Whatever is hidden, the same seed deals the same state: what search agents build on."""
    for players in game.players:
        for number, s in enumerate(decisions(game, players, games=4, every=5)):
            for p in range(players):
                other = game.determinize(s, p, 1000 + number)
                assert game.determinize(s, p, 5).tobytes() == game.determinize(other, p, 5).tobytes()


def choice(game, agent, s):
    """What an agent chooses, always with the same dice.

    A search agent is handed the very state, not one that `fair_views` has made harmless: it must not look by itself.
    """
    view = s.copy() if agent.wants_state else game.observe(s, int(s["current"]))
    return agent.act(view, padded_mask(game, s), generator(3))


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_a_seat_cannot_know_changes_no_choice(game, spec):
    players = game.players[-1]
    agent, changed = make(spec, game, players), 0
    for number, s in enumerate(decisions(game, players, games=3, every=7)):
        other = game.determinize(s, int(s["current"]), number)
        changed += other.tobytes() != s.tobytes()
        assert choice(game, agent, s) == choice(game, agent, other)
    assert changed > 5


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("players", ALCHEMISTS.players)
def test_dealing_the_hidden_cubes_and_schools_otherwise_changes_no_choice(players, spec):
    """The same with a permutation that does not come from the code under test."""
    agent, rng = make(spec, ALCHEMISTS, players), np.random.default_rng(players)
    for s in decisions(ALCHEMISTS, players, games=3, every=5):
        other = shuffled_hidden(s, int(s["current"]), rng)
        assert choice(ALCHEMISTS, agent, s) == choice(ALCHEMISTS, agent, other)


class Spy(Agent):
    """Plays at random and keeps what it was shown."""

    def __init__(self, wants_state):
        self.wants_state, self.views = wants_state, []

    def act_batch(self, views, masks, dice):
        self.views.append(views.copy())
        return RandomAgent().act_batch(views, masks, dice)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_agents_by_observation_get_observations_and_no_states(game):
    spy = Spy(wants_state=False)
    play(game, [spy] * game.players[0], deals=2)
    assert {view.dtype for view in spy.views} == {np.dtype(np.uint8)}
    assert {view.shape[1] for view in spy.views} == {game.observation_size}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_search_agents_are_shown_the_same_state_whatever_is_hidden(game):
    for number, s in enumerate(decisions(game, game.players[-1], games=2, every=9)):
        player, spy, shown = int(s["current"]), Spy(wants_state=True), []
        for true in (s, game.determinize(s, player, number)):
            states, observations = true[None].copy(), game.observe(true, player)[None]
            shown.append(fair_views(spy, states, np.array([player]), observations, np.array([0]), generator(3)))
        assert shown[0].tobytes() == shown[1].tobytes()


def test_the_state_that_a_search_agent_gets_is_not_the_true_one():
    """At the first decision of a deal, the rival's cubes and the generator are others every time."""
    spy = Spy(wants_state=True)
    play(ALCHEMISTS, [spy, RandomAgent()], deals=50)
    shown = spy.views[0]
    truth = [ALCHEMISTS.new(2, seed=number // 2) for number in range(100)]
    firsts = [s for number, s in enumerate(truth) if int(s["current"]) == number % 2]
    assert len(firsts) == len(shown)
    same_hand = 0
    for s, view in zip(firsts, shown, strict=True):
        me = int(s["current"])
        assert (view["hand"][me] == s["hand"][me]).all()
        assert view["rng"] != s["rng"]
        same_hand += (view["hand"][1 - me] == s["hand"][1 - me]).all()
    assert same_hand < len(firsts) / 2
