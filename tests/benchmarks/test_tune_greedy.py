"""Tuning a greedy policy: its constants are found and changed, and the change plays."""

from __future__ import annotations

import numpy as np
import pytest

import coven
from coven.agents.greedy import GreedyAgent
from coven.arena.intervals import Estimate
from coven.benchmarks.tune_greedy import Variant, constants, main, source_of, verdict, win_share
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption
from coven.games.core.rng import generator

GAME = coven.game("alchemists")
SOURCE = """
_ONE = 0.5  # half
_MANY = np.array([1.75, 2.3])
_COUNT = 3
_OTHER, _MORE = 1, 2
_MADE = _ONE * 2
"""


def test_constants_are_the_numbers_with_a_name():
    found = constants(SOURCE)
    assert {name: one.value for name, one in found.items()} == {
        "_ONE": 0.5,
        "_MANY[0]": 1.75,
        "_MANY[1]": 2.3,
        "_COUNT": 3,
    }
    assert "[1.75, 9.0])" in found["_MANY[1]"].changed(SOURCE, 9)
    assert "_COUNT = 4\n" in found["_COUNT"].changed(SOURCE, 4)
    assert "_ONE = 0.25  # half" in found["_ONE"].changed(SOURCE, 0.25)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_greedy_policy_can_be_tuned(name):
    source = source_of(coven.game(name))
    for one in constants(source).values():
        assert constants(one.changed(source, one.value + 1))[one.name].value == one.value + 1


def test_a_variant_plays_its_own_way():
    source = source_of(GAME)
    batch, present = Batch(GAME, 64, 2, seed=1), GreedyAgent(GAME)
    for _ in range(6):
        batch.step(present.act_batch(batch.observations, batch.padded_masks, generator(1)))
    chosen = present.act_batch(batch.observations, batch.masks, generator(2))
    with Variant(constants(source)["_COPY_EFFORT"].changed(source, 50.0), "lazy") as variant:
        other = variant.act_batch(batch.observations, batch.masks, generator(2))
        assert batch.masks[np.arange(64), other].all()
        assert (chosen != other).any()
        assert win_share(GAME, variant, 2, 20, 1).high < 0.5  # never to copy a potion is a bad idea
        folder = variant._folder
    assert not folder.exists()


def test_a_verdict_needs_an_interval_that_leaves_out_chance():
    assert verdict(Estimate(0.6, 0.51, 0.7), 2) == "better"
    assert verdict(Estimate(0.6, 0.49, 0.7), 2) == "level"
    assert verdict(Estimate(0.2, 0.1, 0.24), 4) == "worse"


def test_bad_input_is_refused(capsys):
    with pytest.raises(BadOption, match="no constant '_LUCK'; allowed: _CUBE_AT_END"):
        main("alchemists", "_LUCK")
    main("alchemists")
    assert "_LACKING = 0.2" in capsys.readouterr().out
