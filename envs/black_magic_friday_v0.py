"""PettingZoo's way to Black Magic Friday: `black_magic_friday_v0.env(num_players=4)`; `raw_env` is the same env."""

from functools import partial

from coven.envs.aec import make

env = raw_env = partial(make, "black_magic_friday")
