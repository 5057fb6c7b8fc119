"""The API reference is complete: whatever is public has an entry, with a sentence and types."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

import coven

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "api").glob("*.md"))
LAYERS = ("games", "envs", "agents", "arena", "web", "benchmarks")
ENTRY = re.compile(r"^\.\. (?:auto|py:)(\w+):: ([\w.]+)(.*?)(?=^\.\. |^```)", re.DOTALL | re.MULTILINE)


def file_of(module: str) -> Path | None:
    """The source of a module of ours."""
    parts = module.split(".")[1:]
    base = ROOT.joinpath(*(parts if parts and parts[0] in LAYERS else ("coven", *parts)))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


@cache
def definitions(module: str) -> dict[str, ast.ClassDef | ast.FunctionDef]:
    """The public classes and functions that a module defines."""
    path = file_of(module)
    assert path is not None, f"there is no module {module}"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    return {node.name: node for node in found if not node.name.startswith("_")}


@cache
def entries() -> set[str]:
    """Every dotted name that a page of the reference has an entry for."""
    found = set()
    for page in PAGES:
        for kind, name, options in ENTRY.findall(page.read_text(encoding="utf-8")):
            found.add(name)
            if kind == "module":
                listed = re.search(r":members: (.+)", options)
                left_out = re.search(r":exclude-members: (.+)", options)
                names = set(re.split(r",\s*", listed[1])) if listed else set(definitions(name))
                names -= set(re.split(r",\s*", left_out[1])) if left_out else set()
                found |= {f"{name}.{each}" for each in names}
    return found


def documented() -> dict[str, list[str]]:
    """The names of every module of ours that have an entry."""
    found: dict[str, list[str]] = {}
    for module, _, name in (entry.rpartition(".") for entry in sorted(entries())):
        if file_of(module) and name in definitions(module):
            found.setdefault(module, []).append(name)
    return found


def public_parts(module: str, name: str) -> list[ast.ClassDef | ast.FunctionDef]:
    """A function, or a class with its public methods; not those that a class of the module describes already."""
    node = definitions(module)[name]
    if isinstance(node, ast.FunctionDef):
        return [node]
    bases = [definitions(module).get(ast.unparse(base)) for base in node.bases]
    told = {each.name for base in bases if base for each in base.body if isinstance(each, ast.FunctionDef)}
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    methods = [each for each in methods if not any("overload" in ast.unparse(d) for d in each.decorator_list)]
    return [node, *(each for each in methods if not each.name.startswith("_") and each.name not in told)]


def imported(code: str) -> set[str]:
    """The names of ours that some Python imports."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "coven":
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def used() -> set[str]:
    """What our pages, notebooks and examples import."""
    codes = []
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *PAGES]:
        codes += re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        codes += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    codes += [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")]
    return set().union(*(imported(re.sub(r"^[%!].*", "", code, flags=re.MULTILINE)) for code in codes))


def test_the_front_door_has_an_entry_for_every_name():
    where = {f"coven.{name}" for name in coven.__all__}
    errors = {f"coven.{name}" for name in definitions("coven.games.core.errors")}
    assert where - errors <= entries()
    assert {name.replace("coven.", "coven.games.core.errors.", 1) for name in where & errors} <= entries()


def test_what_pages_notebooks_and_examples_import_has_an_entry():
    missing = {
        name
        for name in used() - entries()
        if not re.search(r"_v\d+$", name)  # made by a finder
        and not file_of(name)  # a module: its names are what counts
        and name.rpartition(".")[2] in definitions(name.rpartition(".")[0])
    }
    assert not missing


def test_every_env_has_an_entry():
    for path in (ROOT / "envs").glob("*.py"):
        for name, node in definitions(f"coven.envs.{path.stem}").items():
            if isinstance(node, ast.ClassDef) and re.search(r"\b\w*Env\b", " ".join(map(ast.unparse, node.bases))):
                assert f"coven.envs.{path.stem}.{name}" in entries()


@pytest.mark.parametrize("module", documented())
def test_an_entry_has_a_sentence_and_types(module):
    for each in (part for name in documented()[module] for part in public_parts(module, name)):
        text = ast.get_docstring(each)
        assert text, f"{each.name} has no docstring"
        assert re.search(r"[.?:]$", text.split("\n\n")[0]), f"{each.name} has no whole sentence"
        if isinstance(each, ast.FunctionDef) and not any("kernel" in ast.unparse(d) for d in each.decorator_list):
            arguments = [*each.args.posonlyargs, *each.args.args, *each.args.kwonlyargs]
            bare = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
            assert not bare, f"{each.name} has arguments without types: {bare}"
            assert each.returns is not None, f"{each.name} does not say what it returns"
