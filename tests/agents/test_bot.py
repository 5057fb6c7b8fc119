"""Bots as users have them: for states, and for what an env shows."""

from __future__ import annotations

import numpy as np
import pytest

import coven
from coven.agents.bot import Bot
from coven.agents.random import RandomAgent
from coven.envs.agent import Agent
from coven.games.core.errors import BadOption, BadState, IllegalAction, OutOfOrder

GAME = coven.game("alchemists")


@pytest.mark.parametrize("spec", ["random", "greedy", "mix:0.5", "ppo", "ismcts:20"])
def test_a_bot_chooses_a_legal_action_by_its_seed_and_leaves_the_state_alone(spec):
    s, bot = GAME.new(3, seed=7), coven.bot(spec, "alchemists", num_players=3)
    before = s.tobytes()
    action = bot.choose(s, seed=1)
    assert action in GAME.legal_actions(s)
    assert bot.choose(s, seed=1) == action
    assert s.tobytes() == before


def test_a_search_chooses_by_what_its_seat_may_know():
    s, bot = GAME.new(3, seed=7), coven.bot("ismcts:50", "alchemists", num_players=3)
    twin = GAME.determinize(s, GAME.current_player(s), seed=99)
    assert s.tobytes() != twin.tobytes()
    assert [bot.choose(s, seed) for seed in range(5)] == [bot.choose(twin, seed) for seed in range(5)]


@pytest.mark.parametrize("spec", ["random", "greedy", "mix:0.5", "ppo"])
def test_a_bot_acts_on_what_an_aec_env_shows(spec):
    env, bot = coven.make("alchemists", num_players=2), coven.bot(spec, "alchemists")
    assert GAME.num_actions % 8  # the mask of users is not that of kernels
    env.reset(seed=3)
    for number in range(20):
        seen = env.last()[0]
        action = bot.act(seen, seed=number)
        assert action == bot.act(seen["observation"], seen["action_mask"].astype(bool), seed=number)
        assert action == bot.choose(env.running.s, seed=number)
        padded = np.zeros(len(GAME.new_mask()), np.float32)  # as batches have them
        padded[: GAME.num_actions] = seen["action_mask"]
        assert action == bot.act(seen["observation"].astype(np.float64), padded, seed=number)
        assert action == bot.act(seen["observation"].tolist(), seen["action_mask"].tolist(), seed=number)
        env.step(action)


def test_bad_input_is_refused():
    bot, s = coven.bot("random", "alchemists", num_players=2), GAME.new(2, seed=1)
    mask = GAME.legal_mask(s)
    with pytest.raises(BadOption, match="does not play with 3; allowed: 2"):
        bot.choose(GAME.new(3, seed=1))
    with pytest.raises(BadState, match="not a state of alchemists"):
        bot.choose(coven.game("wie_verhext").blank())
    with pytest.raises(BadOption, match="is no observation of alchemists; allowed"):
        bot.act(np.zeros(3, np.uint8), mask)
    with pytest.raises(BadOption, match="is no mask of alchemists; allowed"):
        bot.act(GAME.observe(s, 0), mask[:-1])
    for wrong in (mask * 2, mask * 0.5, mask * np.nan, -mask):
        with pytest.raises(BadOption, match="no mask of alchemists; allowed: whole numbers from 0 to 1"):
            bot.act(GAME.observe(s, 0), wrong)
    with pytest.raises(BadOption, match="no mask of alchemists; allowed"):
        bot.act(GAME.observe(s, 0), ["yes"] * GAME.num_actions)
    with pytest.raises(OutOfOrder, match="the mask allows nothing"):
        bot.act(GAME.observe(s, 0), np.zeros_like(mask))
    with pytest.raises(BadOption, match=r"needs more.*choose\(s\)"):
        coven.bot("ismcts:5", "alchemists").act(GAME.observe(s, 0), mask)
    over = GAME.new(2, seed=1)
    while not GAME.is_over(over):
        GAME.apply(over, bot.choose(over))
    with pytest.raises(OutOfOrder, match="is over"):
        bot.choose(over)


def test_an_agent_that_cheats_is_found_out():
    class Cheat(Agent):
        def act_batch(self, views, masks, dice):
            return np.flatnonzero(masks[0] == 0)[:1]

    with pytest.raises(IllegalAction, match="agent chose action"):
        Bot(Cheat(), GAME, 2).choose(GAME.new(2, seed=1))


def test_only_those_who_say_so_play_whole_games_in_a_kernel():
    class Own(RandomAgent):
        def act_batch(self, views, masks, dice):
            return super().act_batch(views, masks, dice)

    class Renamed(RandomAgent):
        name = "other"

    assert [RandomAgent().greedy_chance, Renamed().greedy_chance, Own().greedy_chance] == [0.0, 0.0, None]
    mixture = coven.bot("mix:0.25", "alchemists").agent
    assert mixture.greedy_chance == 0.25

    class OwnMixture(type(mixture)):
        def act_batch(self, views, masks, dice):
            return super().act_batch(views, masks, dice)

    assert OwnMixture(GAME, 0.25).greedy_chance is None
    assert [coven.bot(spec, "alchemists").agent.timed for spec in ("greedy", "ismcts:5", "ismcts:5ms")] == [0, 0, 1]
