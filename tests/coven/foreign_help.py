"""Packages of somebody else's, as pip would install them, and processes that have them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from leduc import GAME as LEDUC

from coven.games.core.game import Game


def ship(
    folder: Path, name: str, game: Game = LEDUC, version: int = 0, entry: str | None = None, package: str | None = None
) -> Path:
    """A distribution with a renamed copy of a game, as a wheel would install it; where the copy is."""
    package = package or f"{name}_package"
    home = folder / package
    shutil.copytree(game.folder, home, ignore=shutil.ignore_patterns("__pycache__"))
    for path in home.glob("*.py"):
        edit(path, rf"\bfrom {re.escape(game.package)}\b", f"from {package}")
    edit(home / "__init__.py", f'name="{game.name}",', f'name="{name}",\n    version={version},')
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    entries = f"[coven.games]\n{entry or f'{name} = {package}:GAME'}\n"
    (about / "entry_points.txt").write_text(entries, encoding="utf-8")
    return home


def edit(path: Path, pattern: str, new: str) -> None:
    """Replace what a pattern finds in a file."""
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(pattern, new, text), encoding="utf-8")


def install(project: Path, folder: Path) -> None:
    """Let pip install a project into a folder, from a copy and without the network."""
    copy = folder.with_name(f"{folder.name}-source")
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    alone = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *alone, "--target", str(folder), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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
ours, others = coven.games.built_in(), coven.games()[4:]
assert coven.games()[:4] == ours and "NAME" in others, coven.games()
game = coven.game("NAME")
assert pickle.loads(pickle.dumps(game)) is game is copy.deepcopy(game)
for check in (check_copies, check_strings, check_determinism):
    check(game, 2, games=1)
check_env(coven.make("NAME"), games=1)
from coven.envs import NAME_v0
assert importlib.import_module("coven.envs.NAME_v0") is NAME_v0
env = NAME_v0.env(num_players=3)
env.reset(seed=1)
assert "NAME_v0" == str(env) == env.metadata["name"]
if hasattr(pettingzoo, "make"):  # from 1.27 on
    assert pettingzoo.make("aec", "coven/NAME-v0").game is game
gym = gymnasium.make("coven/TITLE-v0", opponents="random")
gym.reset(seed=1)
over = False
while not over:
    _, _, over, _, _ = gym.step(gym.action_space.sample())
many = gymnasium.make_vec("coven/TITLE-v0", num_envs=4)
many.reset(seed=1)
many.step(many.action_space.sample())
print(game.svg(game.new(seed=1)).count("<text"))

from coven.agents.registry import create
s = game.new(2, seed=1)
print(game.action_to_string(s, coven.bot("ismcts:20", "NAME", num_players=2).choose(s, seed=1)))
search = create("ismcts:4", game, 2)
print(search.name)
for spec in ("greedy", "ppo"):
    try:
        create(spec, game, 2)
    except coven.CovenError as error:
        print(error)
"""


def everywhere(name: str) -> str:
    """Code that uses a game of another package in every way that Python knows, and prints a few things."""
    return EVERYWHERE.replace("NAME", name).replace("TITLE", name.capitalize())
