"""PettingZoo's way to Witchstone: `witchstone_v0.env(num_players=4)`; both constructors give the same checked env."""

from functools import partial

from coven.envs.aec import make

env = raw_env = partial(make, "witchstone")
