from __future__ import annotations

from collections import Counter

import pytest
from arena_help import FIELD, small

from coven.agents.registry import UnknownAgent
from coven.arena.match import play_unit
from coven.arena.schedule import Unit, check_same, plan
from coven.games.core.errors import BadOption


def test_every_combination_meets_on_the_same_deals_with_all_rotations():
    t = small(players=3, deals=3)
    assert len(t.lineups) == 4
    rows = [row for unit in t.units() for row in play_unit(t, unit)]
    assert sorted(row.number for row in rows) == list(range(t.games)) == list(range(3 * 4 * 3))
    assert Counter(row.seed for row in rows) == dict.fromkeys([t.deal_seed(d) for d in range(3)], 12)
    seated = Counter((row.deal, row.agents) for row in rows)
    assert set(seated.values()) == {1}
    for row in rows:
        assert t.number(row.deal, row.lineup, row.rotation) == row.number


def test_a_unit_gives_the_same_games_again_but_for_the_seconds():
    t = small(players=2, agents=("random", "greedy", "ismcts:3"))
    for unit in (Unit(0, 0), Unit(2, 1)):
        first, again = ([row._replace(seconds="") for row in play_unit(t, unit)] for _ in range(2))
        assert first == again


def test_dice_differ_between_tables_blocks_and_seeds():
    t = small(deals=100)
    seeds = {t.dice_seed(unit) for unit in t.units()} | {small(deals=100, seed=6).dice_seed(u) for u in t.units()}
    assert len(seeds) == 2 * 50 * 6


def test_each_agent_alone_against_copies_of_the_first():
    t = small(players=4, agents=("greedy", "random", "mix:0.5"), schedule="alone")
    assert t.lineups == ((1, 0, 0, 0), (2, 0, 0, 0))
    row = play_unit(t, Unit(0, 0))[0]
    assert row.agents == '["random", "greedy", "greedy", "greedy"]'


def test_large_fields_have_drawn_tables_in_which_everybody_sits_about_equally_often():
    agents = [f"mix:{i / 100}" for i in range(14)]
    t = plan("alchemists", agents, 4, 1, seed=3)
    assert t.schedule == "drawn"
    assert all(len(set(lineup)) == 4 for lineup in t.lineups)
    times = Counter(agent for lineup in t.lineups for agent in lineup)
    assert len(times) == 14
    assert max(times.values()) <= 2 * min(times.values())
    assert plan("alchemists", agents, 4, 1, seed=3).lineups == t.lineups
    assert plan("alchemists", agents, 4, 1, seed=4).lineups != t.lineups


def test_blocks_are_small_where_somebody_searches():
    assert plan("alchemists", ["random", "ismcts:2"], 2, 9).block < plan("alchemists", FIELD, 2, 9).block


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"agents": ("random",)}, "1 agents cannot fill 2 seats"),
        ({"agents": ("random", "random")}, "named twice"),
        ({"deals": 0}, "deals=0"),
        ({"players": 9}, "allowed: 2, 3, 4, 5"),
        ({"schedule": "swiss"}, "all, drawn, alone"),
        ({"seed": -1}, "seed=-1"),
        ({"options": {"setup": "french"}}, "german"),
        ({"block": 0}, "block=0"),
    ],
)
def test_bad_tournaments_are_refused(changed, message):
    with pytest.raises(BadOption, match=message):
        small(**changed)


def test_an_unknown_agent_is_refused():
    with pytest.raises(UnknownAgent, match="chess"):
        small(agents=("random", "chess"))


def test_only_the_same_tournament_goes_on_and_only_with_more_deals():
    check_same(small(deals=4), small(deals=8))
    with pytest.raises(BadOption, match="seed was 5, not 6"):
        check_same(small(), small(seed=6))
    with pytest.raises(BadOption, match="never to fewer"):
        check_same(small(deals=4), small(deals=2))
    with pytest.raises(BadOption, match="whole blocks"):
        check_same(small(deals=3), small(deals=8))
