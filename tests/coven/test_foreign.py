"""Games from anywhere: a package of somebody else's, found by its entry point, is a game like ours."""

from __future__ import annotations

import re

import pettingzoo
from foreign_help import edit, everywhere, run, ship

import coven


def test_a_game_of_another_package_works_everywhere_even_without_anything_optional(tmp_path):
    ship(tmp_path, "potions")
    lines, move, search, greedy, ppo = run(tmp_path, everywhere("potions")).splitlines()
    assert int(lines) == 4  # the picture is the text: title, table and two players
    assert move in ("call", "raise")
    assert search == "ismcts:4:rollout=random:order=random"
    assert greedy.endswith("nobody has written a greedy strategy for potions")
    assert "potions has no baseline" in ppo


def test_what_a_game_brings_is_found_in_its_folder(tmp_path):
    ship(tmp_path, "potions", coven.game("alchemists"))
    code = """
import coven
from coven.agents.registry import create
game = coven.game("potions")
print(create("greedy", game, 2).strategy.split(":")[0], game.file("preset.toml").name, game.picture.__module__)
"""
    assert run(tmp_path, code).split("\n")[0] == "Greedy Alchemists preset.toml potions_package.picture"


START = """
import numpy as np, coven
from coven.games.core import drivers
for name in NAMES:
    game = coven.game(name)
    s = game.blank(3)
    drivers.start(s, 3, np.uint64(1), s["options"])
    print(s["paid"][0], s["left"], sum(drivers.start.stats.cache_hits.values()))
"""


def test_an_edited_rule_of_another_package_is_never_served_stale(tmp_path):
    """Neither by a driver of ours nor by a kernel of its own."""
    home, code = ship(tmp_path, "potions"), START.replace("NAMES", "['potions']")
    cache = {"jit": True, "COVEN_CACHE_DIR": str(tmp_path / "cache")}
    assert run(tmp_path, code, **cache).split() == ["1", "3", "0"]
    assert run(tmp_path, code, **cache).split() == ["1", "3", "1"]
    raise_the_ante(home)
    assert run(tmp_path, code, **cache).split() == ["5", "3", "0"]


def test_two_games_with_the_same_fields_keep_their_own_rules(tmp_path):
    ship(tmp_path, "potions")
    raise_the_ante(ship(tmp_path, "elixirs"))
    code = START.replace("NAMES", "['potions', 'elixirs']")
    cache = {"jit": True, "COVEN_CACHE_DIR": str(tmp_path / "cache")}
    assert run(tmp_path, code, **cache).splitlines() == ["1 3 0", "5 3 0"]
    assert run(tmp_path, code, **cache).splitlines() == ["1 3 1", "5 3 2"]


def raise_the_ante(home):
    """By four chips, in a copy of Leduc."""
    edit(home / "rules.py", r"s\.paid\[p\] = ANTE", "s.paid[p] = ANTE + 4")


def test_a_name_taken_twice_is_an_error_that_names_both(tmp_path):
    ship(tmp_path, "potions", package="one")
    ship(tmp_path, "potions", package="two")
    ship(tmp_path, "witchstone", package="three")
    code = """
import coven
for name in ("potions", "witchstone"):
    try:
        coven.game(name)
    except coven.CovenError as error:
        print(error)
print(coven.game("alchemists"))
"""
    twice, ours, fine = run(tmp_path, code).splitlines()
    assert {"one", "two"} <= set(twice.split())
    assert "both bring a game 'potions'" in twice
    assert ours.startswith("coven-rl and three both bring a game 'witchstone'")
    assert fine == "<coven game alchemists_v0>"


def test_a_broken_game_is_named_and_does_not_take_the_others_down(tmp_path):
    home = ship(tmp_path, "potions")
    (home / "rules.py").write_text("import nothing_of_the_kind\n", encoding="utf-8")
    ship(tmp_path, "other", entry="another_name = other_package:GAME")
    code = """
import sys, coven, gymnasium
from coven.cli import main
env = gymnasium.make("coven/Alchemists-v0")
for words in (["games"], ["random", "potions"]):
    sys.argv = ["coven", *words]
    main()
"""
    said = run(tmp_path, code, check=False)
    assert "the game 'potions' of the package potions_package cannot be loaded: ModuleNotFoundError" in said
    assert "the game 'another_name' of the package other_package is <coven game other_v0>" in said
    for name in coven.games.built_in():
        assert name in said
    assert "Traceback" not in said


def test_a_raised_version_is_noticed_everywhere(tmp_path):
    home = ship(tmp_path, "potions")
    make = """
import pickle, sys
from pathlib import Path
import numpy as np
import coven
from coven.agents import learned
from coven.arena import replay
from coven.arena.run import run
from coven.arena.schedule import plan
game = coven.game("potions")
s = game.new(2, 1)
actions = []
while not game.is_over(s):
    actions.append(game.legal_actions(s)[0])
    game.apply(s, actions[-1])
Path("state").write_bytes(game.to_bytes(s))
Path("pickle").write_bytes(pickle.dumps(game))
replay.write([replay.record(game, s, 1, actions)], Path("replay.jsonl"))
layers = [(np.zeros((game.num_actions, game.observation_size), np.float32), np.zeros(game.num_actions, np.float32))]
learned.save(learned.LearnedAgent(game, layers), Path("agent.safetensors"), {})
run(Path("tournament.db"), plan("potions", ["random", "ismcts:1"], 2, 1))
"""
    look = """
import importlib, pickle
from pathlib import Path
import gymnasium, pettingzoo
import coven
from coven.agents import learned
from coven.arena import replay
from coven.arena.run import run
from coven.arena.schedule import plan
game = coven.game("potions")
def refused(what, call):
    try:
        call()
    except Exception as error:
        print(what, "|", type(error).__name__, error)
    else:
        print(what, "| fine")
refused("id", lambda: gymnasium.make("coven/Potions-v0"))
if hasattr(pettingzoo, "make"):  # from 1.27 on
    refused("aec id", lambda: pettingzoo.make("aec", "coven/potions-v0"))
refused("module", lambda: importlib.import_module("coven.envs.potions_v0"))
refused("state", lambda: game.from_bytes(Path("state").read_bytes()))
refused("pickle", lambda: pickle.loads(Path("pickle").read_bytes()))
refused("replay", lambda: replay.read(Path("replay.jsonl"), 0).check())
refused("stored game", lambda: replay.read(Path("tournament.db"), 0).check())
refused("agent", lambda: learned.load(Path("agent.safetensors"), game))
refused("tournament", lambda: run(Path("tournament.db"), plan("potions", ["random", "ismcts:1"], 2, 1), anyway=True))
print(game.id, coven.make("potions").metadata["name"], importlib.import_module(f"coven.envs.{game.id}").env())
"""
    run(tmp_path, make)
    *said, last = run(tmp_path, look).splitlines()
    assert all(line.endswith("| fine") for line in said if "|" in line), said
    edit(home / "__init__.py", "version=0,", "version=1,")
    *said, last = run(tmp_path, look).splitlines()
    lines = [line for line in said if "|" in line]
    assert len(lines) == 8 + hasattr(pettingzoo, "make")
    for line in lines:
        assert "fine" not in line, line
        assert re.search(r"v?1\b|version", line), line
    assert last == "potions_v1 potions_v1 potions_v1"
