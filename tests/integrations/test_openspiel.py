"""OpenSpiel: its own simulation test, the same games as ours, and its algorithms on them."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, ismcts, mcts
from open_spiel.python.observation import make_observation
from open_spiel.python.policy import UniformRandomPolicy
from open_spiel.python.rl_environment import Environment
from page import run, snippets

import coven
import coven.envs.openspiel
from coven.games.core.errors import BadOption, BadState
from coven.testing import check_same_view

NAMES = coven.games.built_in()
TABLES = [(name, players) for name in NAMES for players in coven.game(name).players]


def load(name, **parameters):
    return pyspiel.load_game(f"coven_{name}", parameters)


def random_action(state, rng):
    return rng.choice(state.chance_outcomes())[0] if state.is_chance_node() else rng.choice(state.legal_actions())


def play(state, rng, decisions=10**6):
    """Every state of a random game that is not the end, from this one on, played in place."""
    while not state.is_terminal() and decisions:
        yield state
        state.apply_action(random_action(state, rng))
        decisions -= 1


def size(state, limit):
    """The number of nodes of the tree below a state; `limit` if there are more."""
    nodes, todo = 0, [state]
    while todo and nodes < limit:
        node = todo.pop()
        nodes += 1
        if node.is_chance_node():
            todo += [node.child(outcome) for outcome, _ in node.chance_outcomes()]
        elif not node.is_terminal():
            todo += [node.child(action) for action in node.legal_actions()]
    return nodes


def endgames(name, deals=4, limit=250):
    """The last positions of random games, as early as their trees stay small, hidden parts drawn anew."""
    rules = coven.game(name)
    for seed in range(100):
        s, rng, trail, found = rules.new(seed=seed), random.Random(seed), [], None
        while not rules.is_over(s):
            trail.append((rules.to_bytes(s).hex(), rules.current_player(s)))
            rules.apply(s, rng.choice(rules.legal_actions(s)))
        for position, player in reversed(trail):
            game = load(name, position=position, viewer=player, deals=deals)
            if size(game.new_initial_state(), limit) == limit:
                break
            found = game
        if found:
            yield found


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_openspiels_own_simulations_pass(name, players):
    pyspiel.random_sim_test(load(name, players=players, deals=10), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", NAMES)
def test_the_type_says_what_the_game_is(name):
    game, rules = load(name, deals=7), coven.game(name)
    assert game.num_players() == rules.players[0]
    assert game.num_distinct_actions() == rules.num_actions
    assert game.max_chance_outcomes() == 7
    assert game.observation_tensor_shape() == [rules.observation_size]
    kind = game.get_type()
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert kind.provides_information_state_string
    assert kind.provides_observation_tensor
    assert str(pyspiel.load_game(str(game))) == str(game)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_game_is_ours_deal_by_deal_and_action_by_action(name, players):
    rules, rng = coven.game(name), random.Random(1)
    root = load(name, players=players, deals=5, seed=30).new_initial_state()
    assert root.is_chance_node()
    assert root.chance_outcomes() == [(i, 0.2) for i in range(5)]
    low, high = (bound.astype(int) for bound in rules.layout.bounds())
    for outcome in (0, 4):
        state, s = root.child(outcome), rules.new(players, seed=30 + outcome)
        while not state.is_terminal():
            player = rules.current_player(s)
            assert state.current_player() == player
            assert state.legal_actions() == rules.legal_actions(s)
            seen = np.array(state.observation_tensor(player)) * np.maximum(high - low, 1) + low
            assert np.rint(seen).astype(int).tolist() == rules.observe(s, player).tolist()
            action = random_action(state, rng)
            assert state.action_to_string(player, action) == rules.action_to_string(s, action)
            state.apply_action(action)
            rules.apply(s, action)
        assert rules.is_over(s)
        assert state.returns() == pytest.approx(rules.returns(s), abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_returns_are_zero_sum_by_rank(name):
    state, rng = load(name).new_initial_state(), random.Random(2)
    for node in play(state, rng):
        assert not any(node.returns())
    assert sum(state.returns()) == pytest.approx(0)
    assert state.returns() == pytest.approx(coven.game(name).returns(state.s), abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_resampled_states_look_the_same_to_the_player_and_tell_nothing_else(name):
    rules, rng = coven.game(name), random.Random(3)
    state = load(name).new_initial_state()
    for number, node in enumerate(play(state, rng, 120)):
        if number % 7 or node.is_chance_node():
            continue
        player = node.current_player()
        other = node.resample_from_infostate(player, rng.random)
        assert other.information_state_string(player) == node.information_state_string(player)
        assert other.legal_actions() == node.legal_actions()
        assert other.history() == []
        check_same_view(rules, node.s, other.s, player)
        assert not any(other.did[p] or other.saw[p] for p in range(node.num_players()) if p != player)
        assert other.s.tobytes() != node.s.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_information_states_have_perfect_recall(name):
    """In all of a small tree nobody forgets what it did or saw, and knows what it may do."""
    past = {}

    def walk(state, memories):
        if state.is_terminal():
            return
        if state.is_chance_node():
            for outcome, _ in state.chance_outcomes():
                walk(state.child(outcome), memories)
            return
        player = state.current_player()
        here = state.information_state_string()
        known = (memories[player], tuple(state.legal_actions()), state.observation_string())
        assert past.setdefault(here, known) == known
        for action in state.legal_actions():
            memory = (*memories[player], here, action)
            walk(state.child(action), {**memories, player: memory})

    for _, game in zip(range(3), endgames(name), strict=False):
        past.clear()
        walk(game.new_initial_state(), dict.fromkeys(range(game.num_players()), ()))
        assert past


@pytest.mark.parametrize("name", NAMES)
def test_information_sets_hold_states_that_differ_in_what_is_hidden(name):
    """Deals that a player cannot tell apart share its information state, also after the same public play."""
    game = next(g for g in endgames(name) if len({g.deal(i).tobytes() for i in range(4)}) > 1)
    root = game.new_initial_state()
    strings = {root.child(outcome).information_state_string(game.viewer) for outcome in range(4)}
    assert len(strings) == 1


@pytest.mark.parametrize("name", NAMES)
def test_an_ismcts_bot_plays_a_whole_game(name):
    game = load(name, **({"max_sets": 3} if name == "wie_verhext" else {}))
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=1.4, max_simulations=8, random_state=np.random.RandomState(2))
    state, rng = game.new_initial_state(), random.Random(3)
    state.apply_action(random_action(state, rng))
    while not state.is_terminal():
        state.apply_action(bot.step(state) if state.current_player() == 0 else random_action(state, rng))
    assert sum(state.returns()) == pytest.approx(0)


def test_ismcts_beats_random_play():
    game = load("alchemists", deals=30)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=1.0, max_simulations=40, random_state=np.random.RandomState(2))
    rng, total = random.Random(4), 0
    for deal in range(6):
        state = game.new_initial_state().child(deal)
        while not state.is_terminal():
            mine = state.current_player() == deal % 2
            state.apply_action(bot.step(state) if mine else random_action(state, rng))
        total += state.returns()[deal % 2]
    assert total >= 2


@pytest.mark.parametrize("name", NAMES)
def test_mcts_runs_in_python_and_in_c(name):
    game, rng = load(name, deals=3), random.Random(5)
    state = game.new_initial_state()
    state.apply_action(1)
    bot = mcts.MCTSBot(game, 1.4, 30, mcts.RandomRolloutEvaluator(1), random_state=np.random.RandomState(1))
    in_c = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 3), 1.4, 30, 100, False, 42, False)
    for _ in range(3):
        assert bot.step(state) in state.legal_actions()
        assert in_c.mcts_search(state).best_child().action in state.legal_actions()
        state.apply_action(random_action(state, rng))


@pytest.mark.parametrize("name", NAMES)
def test_cfr_solves_an_endgame_with_hidden_parts(name):
    trials = ((game, exploitability.nash_conv(game, UniformRandomPolicy(game))) for game in endgames(name))
    game, before = next((game, before) for game, before in trials if before > 0.1)
    solver = cfr.CFRSolver(game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < before / 4


def test_its_rl_environment_runs():
    env = Environment(load("alchemists", players=3))
    step, rng = env.reset(), random.Random(6)
    while not step.last():
        player = step.observations["current_player"]
        step = env.step([rng.choice(step.observations["legal_actions"][player])])
    assert sum(step.rewards) == pytest.approx(0)


def test_a_position_goes_on_as_it_is_or_with_hidden_parts_drawn_anew():
    rules = coven.game("alchemists")
    s = rules.new(3, seed=8)
    rules.apply(s, rules.legal_actions(s)[0])
    position, player = rules.to_bytes(s).hex(), rules.current_player(s)
    state = load("alchemists", position=position).new_initial_state()
    assert state.num_players() == 3
    assert state.current_player() == player
    assert state.s.tobytes() == s.tobytes()
    game = load("alchemists", position=position, viewer=2, deals=6)
    root = game.new_initial_state()
    assert root.is_chance_node()
    assert len({root.child(i).s.tobytes() for i in range(6)}) == 6
    for i in range(6):
        check_same_view(rules, s, root.child(i).s, 2)


def test_options_are_parameters():
    game = pyspiel.load_game("coven_wie_verhext(players=4,banned_roles=True,max_sets=2)")
    state = game.new_initial_state().child(0)
    assert coven.game("wie_verhext").options_of(state.s) == {
        "banned_roles": True,
        "max_sets": 2,
        "ask_gifts": False,
    }


def test_wrong_parameters_are_refused():
    with pytest.raises(BadOption, match="not played by 9"):
        load("alchemists", players=9)
    with pytest.raises(BadOption, match="deals=0"):
        load("alchemists", deals=0)
    with pytest.raises(BadOption, match="viewer=1 is not allowed"):
        load("alchemists", viewer=1)
    with pytest.raises(BadOption, match="not hexadecimal"):
        load("alchemists", position="xyz")
    with pytest.raises(BadState):
        load("alchemists", position="00ff")
    with pytest.raises(BadOption, match="max_sets"):
        load("wie_verhext", max_sets=-1)


def test_python_ends_in_peace():
    """OpenSpiel lets go of registered games after Python has ended."""
    code = "import coven.envs.openspiel, pyspiel; s = pyspiel.load_game('coven_alchemists').new_initial_state()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_page_on_integrations_is_right():
    search, endgame = snippets("OpenSpiel")
    run(search)
    uniform, solved = map(float, run(endgame).split())
    assert round(uniform, 2) == 1.82
    assert round(solved, 2) == 0.31


@pytest.mark.parametrize(("public", "private"), [(True, "NONE"), (False, "SINGLE_PLAYER"), (True, "ALL_PLAYERS")])
def test_what_is_only_public_or_only_private_has_no_observer(public, private):
    kind = pyspiel.IIGObservationType(public, False, getattr(pyspiel.PrivateInfoType, private))
    assert make_observation(load("alchemists"), kind) is None


def test_its_playthrough_tells_a_whole_game():
    text = generate_playthrough.playthrough("coven_alchemists(players=2,deals=3)", None, seed=1)
    assert 'GameType.long_name = "Alchemists"' in text
    assert text.rstrip().splitlines()[-1].startswith("Returns() = [")


def test_an_option_for_each_seat_is_text():
    game = pyspiel.load_game("coven_witchstone", {"players": 3, "handicap": "0 3 1"})
    assert game.start["options"][:3].tolist() == [0, 3, 1]
    assert pyspiel.load_game(str(game)).get_parameters()["handicap"] == "0 3 1"
    with pytest.raises(BadOption, match="a list with one of"):
        pyspiel.load_game("coven_witchstone", {"players": 3, "handicap": "many"})
