"""The house: dependencies point one way, nothing heavy comes in unasked, and lists agree with the tree."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = ["games", "envs", "agents", "arena", "benchmarks", "coven"]
PRESENT = [layer for layer in LAYERS if (ROOT / layer).is_dir()]


def imports(path: Path) -> set[str]:
    """The modules that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("layer", PRESENT[:-1])
def test_dependencies_point_one_way(layer):
    above = LAYERS[LAYERS.index(layer) + 1 :]
    for path in (ROOT / layer).rglob("*.py"):
        for module in imports(path):
            parts = module.split(".")
            if parts[0] == "coven":
                assert len(parts) > 1, f"{path} imports the front door"
                assert parts[1] not in above, f"{path} imports {module}"


def test_games_need_only_numpy_and_numba():
    allowed = {"coven", "numpy", "numba", *sys.stdlib_module_names}
    for path in (ROOT / "games").rglob("*.py"):
        foreign = {module.split(".")[0] for module in imports(path)} - allowed
        assert not foreign, f"{path} imports {foreign}"


def test_importing_coven_brings_in_nothing_heavy():
    code = "import sys, coven; coven.make(coven.games()[0]); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"torch", "stable_baselines3", "sb3_contrib", "ray", "pyspiel", "rich", "tyro", "matplotlib"}
    heavy |= {"pygame", "PIL", "resvg_py", "choix", "openskill", "pyarrow"}
    assert not heavy & set(modules)


def test_every_package_is_installed():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    expected = {"coven"}
    for layer in PRESENT:
        for init in (ROOT / layer).rglob("__init__.py"):
            name = ".".join(init.parent.relative_to(ROOT).parts)
            expected.add(name if layer == "coven" else f"coven.{name}")
    assert set(config["packages"]) == expected
    for layer in PRESENT[:-1]:
        assert config["package-dir"][f"coven.{layer}"] == layer


@pytest.mark.parametrize("folder", sorted(p.parent for p in (ROOT / "games").glob("*/components.toml")))
def test_a_game_has_its_five_files_and_ours_have_the_optional_ones(folder):
    assert all((folder / name).is_file() for name in ("components.toml", "state.py", "rules.py", "view.py", "RULES.md"))
    assert all((folder / name).is_file() for name in ("greedy.py", "picture.py", "preset.toml", "baseline.safetensors"))
    assert (ROOT / "envs" / f"{folder.name}_v0.py").is_file()
