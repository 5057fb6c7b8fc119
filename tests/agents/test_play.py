from __future__ import annotations

import numpy as np
import pytest
from agents_help import GAMES, padded_mask

from coven.agents.play import InKernel, play, think_seconds
from coven.agents.random import RandomAgent
from coven.agents.registry import create_all
from coven.envs.agent import Agent
from coven.games.core.errors import BadOption, IllegalAction


class First(Agent):
    """Always takes the first or the last legal action, and so plays the same game whenever the cards are the same."""

    def __init__(self, last=False):
        self.name, self.last = "last" if last else "first", last

    def act_batch(self, views, masks, dice):
        if self.last:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_deal_is_played_once_for_every_rotation_of_the_seats(game):
    n = game.players[-1]
    results = play(game, [RandomAgent()] * n, deals=3, seed=5)
    assert results.seeds.tolist() == [5] * n + [6] * n + [7] * n
    for deal in np.split(results.seats, 3):
        assert (np.sort(deal, axis=0) == np.arange(n)[:, None]).all()  # every agent on every seat
        assert (np.sort(deal, axis=1) == np.arange(n)).all()  # nobody on two
    assert (play(game, [RandomAgent()] * n, deals=2, rotate=False).seats == np.arange(n)).all()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_results_are_those_of_the_same_games_played_one_by_one(game):
    n = game.players[0]
    agents = [First(), *(First(last=True) for _ in range(n - 1))]
    results = play(game, agents, deals=4, seed=3)
    for row in range(len(results.seeds)):
        s, decisions = game.new(n, int(results.seeds[row])), 0
        at = {int(seat): agents[i] for i, seat in enumerate(results.seats[row])}
        while not game.is_over(s):
            legal = game.legal_actions(s)
            game.apply(s, legal[-1] if at[int(s["current"])].last else legal[0])
            decisions += 1
        assert [game.scores(s)[seat] for seat in results.seats[row]] == results.scores[row].tolist()
        assert [game.ranks(s)[seat] for seat in results.seats[row]] == results.ranks[row].tolist()
        assert [game.returns(s)[seat] for seat in results.seats[row]] == results.returns[row].tolist()
        assert decisions == results.decisions[row]
        assert bool(s["truncated"]) == results.truncated[row]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_same_seed_gives_the_same_games_and_another_seed_others(game):
    def scores(seed):
        specs = ["ismcts:3", *["random"] * (game.players[0] - 1)]
        return play(game, create_all(specs, game), deals=3, seed=seed).scores.tolist()

    assert scores(1) == scores(1)
    assert scores(1) != scores(2)


def test_wins_are_shared_by_those_who_are_level():
    game = GAMES[0]
    results = play(game, [RandomAgent()] * game.players[-1], deals=50)
    assert np.allclose(results.wins.sum(axis=1), 1)
    assert ((results.wins > 0) == (results.ranks == 1)).all()


def test_options_reach_the_games():
    game = GAMES[[game.name for game in GAMES].index("alchemists")]
    book, german = (play(game, [First()] * 3, deals=5, setup=setup).scores.tolist() for setup in ("book", "german"))
    assert book != german
    with pytest.raises(BadOption):
        play(game, [RandomAgent()] * 3, deals=1, setup="other")


def test_an_illegal_action_is_told_with_the_name_of_the_agent():
    class Cheat(Agent):
        name = "cheat"

        def act_batch(self, views, masks, dice):
            return masks.argmin(axis=1)

    game = GAMES[0]
    with pytest.raises(IllegalAction, match="agent cheat"):
        play(game, [Cheat()] * game.players[0], deals=1)


def test_bad_numbers_are_refused():
    game = GAMES[0]
    with pytest.raises(BadOption, match="deals=0"):
        play(game, [RandomAgent()] * game.players[0], deals=0)
    with pytest.raises(BadOption, match="17 players"):
        play(game, [RandomAgent()] * 17, deals=1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_games_inside_the_kernel_are_those_of_agents_asked_one_by_one(game):
    n = game.players[-1]
    agents = create_all(["greedy", "random", "mix:0.4", "mix:0.9", "greedy"][:n], game)
    table = InKernel(game, agents, game.blank(n), 2, 11, 5, True)
    dice, results = table.dice(), play(game, agents, 2, seed=11, dice_seed=5)
    assert results.seconds is None
    for row, actions in enumerate(results.actions):
        s = game.new(n, int(results.seeds[row]))
        for action in actions:
            p = int(s["current"])
            agent = agents[results.agent_at[row, p]]
            assert agent.act(game.observe(s, p), padded_mask(game, s), dice[row, p : p + 1]) == action
            game.apply(s, action)
        assert [game.scores(s)[seat] for seat in results.seats[row]] == results.scores[row].tolist()
        assert [game.ranks(s)[seat] for seat in results.seats[row]] == results.ranks[row].tolist()
        assert game.is_over(s)


def test_actions_and_moves_are_those_of_each_game():
    game = GAMES[0]
    results = play(game, [First(), RandomAgent()], deals=3, seed=2)
    for row, actions in enumerate(results.actions):
        s, moves = game.new(2, int(results.seeds[row])), [0, 0]
        for action in actions:
            moves[results.agent_at[row, int(s["current"])]] += 1
            game.apply(s, int(action))
        assert game.is_over(s)
        assert moves == results.moves[row].tolist()
        assert (results.seconds[row] > 0).all()


def test_other_dice_play_the_same_deals_differently():
    game = GAMES[0]
    for agents in ([RandomAgent()] * 2, [First(), RandomAgent()]):
        first, second = (play(game, agents, deals=4, seed=3, dice_seed=d) for d in (1, 2))
        assert first.seeds.tolist() == second.seeds.tolist()
        assert first.scores.tolist() != second.scores.tolist()


def test_an_agent_made_from_another_is_asked_itself():
    class Last(RandomAgent):
        def act_batch(self, views, masks, dice):
            return First(last=True).act_batch(views, masks, dice)

    game = GAMES[0]
    mine, plain = (play(game, [agent] * 2, deals=2) for agent in (Last(), First(last=True)))
    assert mine.scores.tolist() == plain.scores.tolist()


def test_an_agent_is_timed_on_its_own():
    assert think_seconds(GAMES[0], RandomAgent(), 2, deals=1) > 0
