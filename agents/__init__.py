"""Agents: random, greedy, search and trained networks, named by specs (see `registry`)."""
