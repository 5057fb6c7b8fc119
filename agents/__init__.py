"""Those who play: random, greedy, search and learned agents, by readable specs (see `registry`)."""
