"""The house: dependencies point one way, nothing heavy comes in unasked, and lists agree with the tree."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import coven
import coven.games

ROOT = Path(__file__).parent.parent
LAYERS = ["games", "envs", "agents", "arena", "web", "benchmarks", "coven"]
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
    allowed = {"coven", "numpy", "numba", "llvmlite", *sys.stdlib_module_names}  # numba is made with llvmlite
    for path in (ROOT / "games").rglob("*.py"):
        foreign = {module.split(".")[0] for module in imports(path)} - allowed
        assert not foreign, f"{path} imports {foreign}"


def loaded(code: str) -> set[str]:
    """The modules that a fresh process has loaded after some code."""
    code = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_rules_load_numpy_and_numba_only():
    """And what these load themselves; nothing of Gymnasium, PettingZoo or the layers above."""
    allowed = {module.split(".")[0] for module in loaded("import numpy, numba")}
    for code in (
        "import coven.games.core.rng",
        "import coven.games.core.game as g; g.Game",
        "import coven; coven.game('alchemists')",
    ):
        modules = loaded(code)
        foreign = {name.split(".")[0] for name in modules} - allowed - set(sys.stdlib_module_names) - {"coven"}
        assert not {name for name in foreign if not name.startswith("_")}, code
        above = {name for name in modules if re.match(r"coven\.(envs|agents|arena|benchmarks|web)\b", name)}
        assert not above, code


@pytest.mark.parametrize(
    ("layer", "code"),
    [
        ("envs", "import coven; coven.make('alchemists').reset(seed=1)"),
        ("agents", "import coven; coven.make_gym('alchemists', opponents='greedy')"),
        ("arena", "import coven.arena.run, coven.arena.report, coven.arena.replay"),
    ],
)
def test_what_runs_loads_nothing_of_the_layers_above(layer, code):
    above = LAYERS[LAYERS.index(layer) + 1 : -1]
    assert not {name for name in loaded(code) if name.startswith("coven.") and name.split(".")[1] in above}


def test_the_package_of_the_games_can_be_imported_and_called():
    import coven.games.core.game as module

    assert coven.games() == coven.games.names()
    assert isinstance(coven.game("alchemists"), module.Game)
    assert set(coven.games.built_in()) <= set(coven.games())


@pytest.mark.parametrize("code", ["import coven, gymnasium, pettingzoo", "import pettingzoo, gymnasium, coven"])
def test_ids_are_registered_in_whatever_order_things_are_imported(code):
    code += "\nassert 'coven/Witchstone-v0' in gymnasium.registry"
    code += "\nif hasattr(pettingzoo, 'register'):  # from 1.27 on"
    code += "\n    assert 'coven/witchstone-v0' in pettingzoo.aec_registry"
    loaded(code)


def test_a_script_beside_a_clone_finds_the_package(tmp_path):
    """The folder of the clone looks like a package without code, which must not come first."""
    (tmp_path / "coven" / "coven").mkdir(parents=True)
    (tmp_path / "coven" / "games").mkdir()
    script = tmp_path / "script.py"
    script.write_text("import coven, coven.games\nprint(coven.make, coven.games())\n", encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, f"{done.stderr} (`make test` installs the package as links; see the Makefile)"


def test_importing_coven_brings_in_nothing_heavy():
    code = "import sys, coven; coven.make(coven.games()[0]); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"torch", "stable_baselines3", "sb3_contrib", "ray", "pyspiel", "rich", "tyro", "matplotlib"}
    heavy |= {"pygame", "PIL", "resvg_py", "choix", "openskill", "pyarrow", "starlette", "uvicorn"}
    assert not heavy & set(modules)


def test_every_package_is_installed():
    for layer in PRESENT:
        for init in (ROOT / layer).rglob("__init__.py"):
            name = ".".join(init.parent.relative_to(ROOT).parts)
            name = name if layer == "coven" else f"coven.{name}"
            spec = importlib.util.find_spec(name)
            assert spec is not None, name
            assert spec.origin is not None
            assert Path(spec.origin).resolve() == init


@pytest.mark.parametrize("folder", sorted(p.parent for p in (ROOT / "games").glob("*/components.toml")))
def test_a_game_has_its_five_files_and_ours_have_the_optional_ones(folder):
    assert all((folder / name).is_file() for name in ("components.toml", "state.py", "rules.py", "view.py", "RULES.md"))
    assert all((folder / name).is_file() for name in ("greedy.py", "picture.py", "preset.toml", "baseline.safetensors"))


def test_nothing_outside_a_games_folder_knows_it_by_name():
    """But for what compares with other programs, and the game that the demo shows."""
    known = {f"benchmarks/{name}.py" for name in ("ceiling", "observations", "ours", "targets")} | {"coven/demo.py"}
    words = re.compile(rf"[\"'./]({'|'.join(coven.games.built_in())})[\"'./]")
    for layer in PRESENT:
        for path in (ROOT / layer).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            if not re.match(r"games/(?!core/)\w+/", name) and name not in known:
                code = re.sub(r'"""[\s\S]*?"""', "", path.read_text(encoding="utf-8"))
                assert not words.search(code), f"{name} names {words.search(code)}"


def test_a_pettingzoo_without_a_registry_is_no_problem():
    """Before 1.27 it had none; AgileRL brings such a one."""
    without = "import types, sys; old = types.ModuleType('pettingzoo'); sys.modules['pettingzoo'] = old"
    loaded(f"{without}\nimport coven, gymnasium\nassert 'coven/Witchstone-v0' in gymnasium.registry")
