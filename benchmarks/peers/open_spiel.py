"""OpenSpiel: from Python, through its C++ bots, through the rollouts of its C++ search, and that search itself."""

from __future__ import annotations

import random
from functools import partial
from importlib.metadata import version
from typing import Any

import pyspiel

from .worker import KERNEL, PYTHON, SEARCH, Run, Subject, serve

GAMES = ("hearts", "oh_hell", "hanabi", "gin_rummy", "backgammon")
ROLLED_OUT = ("hearts", "oh_hell", "gin_rummy", "backgammon")  # its search wants rewards at the end only
SEARCHED = {"oh_hell": "ISMCTS", "gin_rummy": "ISMCTS", "backgammon": "MCTS"}  # ISMCTS breaks on hearts
ROLLOUTS, DEALS = 50, 20


def play_chance(state: Any) -> None:
    """Let chance act until a player decides."""
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choices(outcomes, chances)[0])


def from_python(name: str) -> Run:
    """Uniform play, every action chosen in Python."""
    game = pyspiel.load_game(name)

    def run(decisions: int) -> int:
        state, uniform = game.new_initial_state(), random.random
        for _ in range(decisions):
            play_chance(state)
            legal = state.legal_actions()
            state.apply_action(legal[int(uniform() * len(legal))])
            if state.is_terminal():
                state = game.new_initial_state()
        return decisions

    return run


def through_bots(name: str) -> Run:
    """Whole games by its uniform C++ bots, the deal included; decisions counted by the mean of many games."""
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(p, p + 1) for p in range(game.num_players())]
    seeds = iter(range(1 << 60))

    def play() -> Any:
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, next(seeds))
        return state

    length = sum(sum(move.player >= 0 for move in play().full_history()) for _ in range(500)) / 500

    def run(decisions: int) -> int:
        games = int(decisions / length) + 1
        for _ in range(games):
            play()
        return int(games * length)

    return run


def after_the_deal(game: Any) -> Any:
    """The first decision of a game."""
    state = game.new_initial_state()
    play_chance(state)
    return state


def decisions_from(state: Any) -> int:
    """How many decisions random play makes from here."""
    state, made = state.clone(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            play_chance(state)
        else:
            state.apply_action(random.choice(state.legal_actions()))
            made += 1
    return made


def through_rollouts(name: str) -> Run:
    """The random rollouts of its C++ search, from after the deal: all in C++, and no deal to pay for."""
    game = pyspiel.load_game(name)
    deals = [after_the_deal(game) for _ in range(DEALS)]
    lengths = [sum(decisions_from(deal) for _ in range(50)) / 50 for deal in deals]
    per_round = 2 * ROLLOUTS * sum(lengths)
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=ROLLOUTS, seed=1)

    def run(decisions: int) -> int:
        rounds = int(decisions / per_round) + 1
        for _ in range(rounds):
            for deal in deals:  # two simulations a search: the first rolls out from the root, the second from a child
                pyspiel.MCTSBot(game, evaluator, 2.0, 2, 10, False, 1, False).mcts_search(deal)
        return int(rounds * per_round)

    return run


def search(name: str) -> Run:
    """Iterations of its C++ search with one random rollout each, from after the deal."""
    game = pyspiel.load_game(name)
    state = after_the_deal(game)
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)

    def run(iterations: int) -> int:
        if SEARCHED[name] == "ISMCTS":
            pyspiel.ISMCTSBot(1, evaluator, 2.0, max(2, iterations)).step(state)
        else:
            pyspiel.MCTSBot(game, evaluator, 2.0, max(2, iterations), 1000, False, 1, False).mcts_search(state)
        return max(2, iterations)

    return run


SUBJECTS = [
    *(Subject(PYTHON, name, partial(from_python, name)) for name in GAMES),
    *(Subject(KERNEL, name, partial(through_bots, name), "C++ bots") for name in GAMES),
    *(Subject(KERNEL, name, partial(through_rollouts, name), "C++ rollouts, no deal") for name in ROLLED_OUT),
    *(Subject(SEARCH, name, partial(search, name), f"C++ {kind}") for name, kind in SEARCHED.items()),
]

if __name__ == "__main__":
    random.seed(1)
    serve([f"open_spiel {version('open_spiel')}"], SUBJECTS)
