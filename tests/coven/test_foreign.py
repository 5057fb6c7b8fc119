"""Games from anywhere: a package of somebody else's, found by its entry point, is a game like ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import coven

ALCHEMISTS = coven.game("alchemists").folder
OPTIONAL = ("greedy.py", "picture.py", "preset.toml", "baseline.safetensors", "estimate.safetensors")


def ship(folder: Path, name: str, optional: bool = False, entry: str | None = None, package: str | None = None) -> Path:
    """A distribution with a renamed copy of a game, as a wheel would install it; where the game is."""
    package = package or f"{name}_package"
    home = folder / package
    unwanted = ["__pycache__", *(() if optional else OPTIONAL)]
    shutil.copytree(ALCHEMISTS, home, ignore=shutil.ignore_patterns(*unwanted))
    for path in home.glob("*.py"):
        text = path.read_text(encoding="utf-8").replace("coven.games.alchemists", package)
        if path.name == "__init__.py":
            text = text.replace('name="alchemists"', f'name="{name}"')
            if not optional:
                text = text.replace(" greedy,", "").replace(" picture,", "")
                text = re.sub(r" *(greedy|picture|clicks)=.*\n", "", text)
        path.write_text(text, encoding="utf-8")
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    entries = f"[coven.games]\n{entry or f'{name} = {package}:GAME'}\n"
    (about / "entry_points.txt").write_text(entries, encoding="utf-8")
    return home


def run(folder: Path, code: str, jit: bool = False, check: bool = True, **variables: str) -> str:
    """What a fresh process prints that has the packages in a folder."""
    env = os.environ | {"PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "" if jit else "1", **variables}
    env = {name: value for name, value in env.items() if value}
    command = [sys.executable, "-W", "ignore::RuntimeWarning", "-c", code]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout if check else done.stdout + done.stderr


EVERYWHERE = """
import copy, importlib, pickle
import coven, gymnasium, pettingzoo
from coven.testing import check_copies, check_determinism, check_env, check_strings
assert coven.games() == [*coven.games.built_in(), "potions"], coven.games()
game = coven.game("potions")
assert pickle.loads(pickle.dumps(game)) is game is copy.deepcopy(game)
for check in (check_copies, check_strings, check_determinism):
    check(game, 2, games=1)
check_env(coven.make("potions"), games=1)
from coven.envs import potions_v0
assert importlib.import_module("coven.envs.potions_v0") is potions_v0
env = potions_v0.env(num_players=3)
env.reset(seed=1)
assert "potions_v0" == str(env) == env.metadata["name"]
assert pettingzoo.make("aec", "coven/potions-v0").game is game
gym = gymnasium.make("coven/Potions-v0", opponents="random")
gym.reset(seed=1)
print(game.svg(game.new(seed=1)).count("<text"))

from coven.agents.registry import create
search = create("ismcts:4", game, 2)
print(search.name)
for spec in ("greedy", "ppo"):
    try:
        create(spec, game, 2)
    except coven.CovenError as error:
        print(error)
"""


def test_a_game_of_another_package_works_everywhere_even_without_anything_optional(tmp_path):
    ship(tmp_path, "potions")
    lines, search, greedy, ppo = run(tmp_path, EVERYWHERE).splitlines()
    assert int(lines) > 5  # the picture is the text
    assert search == "ismcts:4:rollout=random:order=random"
    assert "nobody has written a greedy strategy for potions" in greedy
    assert "nobody has trained a baseline for potions" in ppo


def test_what_a_game_brings_is_found_in_its_folder(tmp_path):
    ship(tmp_path, "potions", optional=True)
    code = """
import coven
from coven.agents.registry import create
game = coven.game("potions")
print(create("greedy", game, 2).strategy.split(":")[0], game.file("preset.toml").name, game.picture.__module__)
"""
    assert run(tmp_path, code).split("\n")[0] == "Greedy Alchemists preset.toml potions_package.picture"


def test_the_command_line_and_the_arena_take_it(tmp_path):
    ship(tmp_path, "potions")
    code = """
import sys
from coven.cli import main
for words in (["games"], ["show", "potions"], ["random", "potions"], ["picture", "potions"],
              ["arena", "run", "potions", "--agents", "random", "ismcts:2", "--deals", "1", "--workers", "1"],
              ["replay", "runs/arena/potions-2-0.db", "--check"]):
    sys.argv = ["coven", *words]
    main()
"""
    shown = run(tmp_path, code)
    assert "moves fit" in shown
    assert (tmp_path / "potions.svg").read_text(encoding="utf-8").startswith("<svg")


def test_an_edited_rule_of_another_package_is_never_served_stale(tmp_path):
    """Neither by a driver of ours nor by a kernel of its own."""
    home = ship(tmp_path, "potions")
    code = """
import numpy as np, coven
from coven.games.core import drivers
game = coven.game("potions")
s = game.blank(3)
drivers.start(s, 3, np.uint64(1), s["options"])
print(s["seals"][0], s["hand_size"][0], sum(drivers.start.stats.cache_hits.values()))
"""
    cache = {"jit": True, "COVEN_CACHE_DIR": str(tmp_path / "cache")}
    assert run(tmp_path, code, **cache).split() == ["5", "12", "0"]
    assert run(tmp_path, code, **cache).split() == ["5", "12", "1"]
    rules = home / "rules.py"
    text = rules.read_text(encoding="utf-8")
    assert "s.seals[p] = SEALS" in text
    rules.write_text(text.replace("s.seals[p] = SEALS", "s.seals[p] = SEALS - 1"), encoding="utf-8")
    assert run(tmp_path, code, **cache).split() == ["4", "12", "0"]


def test_two_games_with_the_same_fields_keep_their_own_rules(tmp_path):
    home = ship(tmp_path, "potions")
    text = (home / "rules.py").read_text(encoding="utf-8")
    (home / "rules.py").write_text(text.replace("s.seals[p] = SEALS", "s.seals[p] = SEALS - 1"), encoding="utf-8")
    code = "import coven; print(*(coven.game(name).new(3, 1)['seals'][0] for name in ('alchemists', 'potions')))"
    assert run(tmp_path, code).split() == ["5", "4"]


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
    home = ship(tmp_path, "potions", optional=True)
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
run(Path("tournament.db"), plan("potions", ["random", "mix:0"], 2, 1))
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
refused("aec id", lambda: pettingzoo.make("aec", "coven/potions-v0"))
refused("module", lambda: importlib.import_module("coven.envs.potions_v0"))
refused("state", lambda: game.from_bytes(Path("state").read_bytes()))
refused("pickle", lambda: pickle.loads(Path("pickle").read_bytes()))
refused("replay", lambda: replay.read(Path("replay.jsonl"), 0).check())
refused("stored game", lambda: replay.read(Path("tournament.db"), 0).check())
refused("agent", lambda: learned.load(Path("agent.safetensors"), game))
refused("tournament", lambda: run(Path("tournament.db"), plan("potions", ["random", "mix:0"], 2, 1), anyway=True))
print(game.id, coven.make("potions").metadata["name"], importlib.import_module(f"coven.envs.{game.id}").env())
"""
    run(tmp_path, make)
    *said, last = run(tmp_path, look).splitlines()
    assert all(line.endswith("| fine") for line in said if "|" in line), said
    init = home / "__init__.py"
    text = init.read_text(encoding="utf-8")
    init.write_text(text.replace('name="potions",', 'name="potions",\n    version=1,'), encoding="utf-8")
    *said, last = run(tmp_path, look).splitlines()
    lines = [line for line in said if "|" in line]
    assert len(lines) == 9
    for line in lines:
        assert "fine" not in line, line
        assert re.search(r"v?1\b|version", line), line
    assert last == "potions_v1 potions_v1 potions_v1"
