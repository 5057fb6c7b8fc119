"""README and docs are true: code runs, commands parse, links lead somewhere, and what is named exists."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import tyro

import coven
from coven import cli, cli_arena, cli_bots, cli_evaluate, cli_train, cli_web
from coven.agents import registry
from coven.agents.settings import Settings

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if "_generated" not in p.parts),
]
REFERENCE = [page for page in PAGES if page.parent.name == "api"]
TEXTS = [*PAGES, ROOT / "CHANGELOG.md", *sorted(ROOT.glob("games/*/RULES.md"))]
APART = {"integrations.md"}  # its Python needs packages of its own: make test-integrations runs it
LANGUAGES = {"python", "sh", "text", "toml", "bibtex", "json", "{eval-rst}"}
CHEAP = {"games", "show", "random", "picture"}  # commands that are run, not only parsed
PROGRAM = Path(sys.executable).with_name("coven")
FOREIGN = {"git", "cd", "ray"}  # other people's commands
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"build", "runs"}


def name(page):
    return page.relative_to(ROOT).as_posix()


def fences(page):
    """The fenced blocks of a page: language and content."""
    return re.findall(r"^```(.*?)\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def blocks(language, pages=PAGES):
    return [
        pytest.param(block, id=f"{name(page)}-{number}")
        for page in pages
        for number, block in enumerate(block for found, block in fences(page) if found == language)
    ]


def spans(page):
    """The inline code of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_has_a_language_that_is_tested(page):
    assert {language for language, _ in fences(page)} <= LANGUAGES


@pytest.mark.parametrize("block", blocks("python", REFERENCE))
def test_examples_of_the_reference_run(block, tmp_path, monkeypatch):
    """In this process, since they are small and many."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "KINDS", dict(registry.KINDS))  # one of them registers an agent
    exec(compile(block, "example", "exec"), {"__name__": "example"})


@pytest.mark.parametrize(
    "block", blocks("python", [page for page in PAGES if page.name not in APART and page not in REFERENCE])
)
def test_python_runs_as_it_stands(block, tmp_path):
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_python_of_the_readme_passes_mypy_strict(tmp_path):
    """As a user's own script would: our types are exact enough for it."""
    files = []
    for number, param in enumerate(blocks("python", [ROOT / "README.md"])):
        files.append(tmp_path / f"block_{number}.py")
        files[-1].write_text(param.values[0], encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache" / "readme", *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("block", blocks("sh"))
def test_commands_exist_and_parse(block, tmp_path):
    for line in block.splitlines():
        words = shlex.split(line, comments=True)
        if not words or words[0] in FOREIGN:
            continue
        check_command(words)
        if words[0] == "coven" and words[1] in CHEAP:
            run_command(words, tmp_path)


@pytest.mark.parametrize("block", blocks("json"))
def test_json_is_as_the_schema_says(block):
    schema = json.loads((ROOT / "docs" / "bots.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(block))


def check_command(words):
    if words[0] == "make":
        assert {word for word in words[1:] if "=" not in word} <= TARGETS, words
    elif words[:2] == ["pip", "install"]:
        check_extra(words[-1])
    elif words[1:2] not in (["--version"], ["--tyro-print-completion"]):  # test_cli.py tries these
        assert words[0] == "coven", f"nobody tests {words}"
        parse(*command(words[1:]))


def run_command(words, folder):
    if "--out" in words:
        words[words.index("--out") + 1] = str(folder / Path(words[words.index("--out") + 1]).name)
    done = subprocess.run([PROGRAM, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check_extra(requirement):
    if requirement.startswith("./"):  # a package of this repository
        assert (ROOT / requirement / "pyproject.toml").is_file(), requirement
        return
    if requirement == f"dist/coven_rl-{coven.__version__}-py3-none-any.whl":
        return
    found = re.fullmatch(r"(coven-rl|\.)(\[(.*)\])?( @ git\+.*)?", requirement)
    assert found, requirement
    assert set((found[3] or "").split(",")) <= {"", *EXTRAS}, requirement


@functools.cache
def commands(*group):
    """The names of the commands, as the command itself lists them."""
    done = subprocess.run([PROGRAM, *group, "--help"], capture_output=True, text=True, check=True)
    return set(re.findall(r"• ([\w-]+)", done.stdout))


def command(words):
    """The function behind a command, and the words for it."""
    group, home = (words[:1], cli_arena) if words[0] == "arena" else ([], cli)
    called, rest = words[len(group)], words[len(group) + 1 :]
    assert called in commands(*group), f"there is no command coven {' '.join(words)}"
    homes = {"replay": cli_arena, "play": cli_web, "watch": cli_web, "evaluate": cli_evaluate, "data": cli_evaluate}
    homes |= {"train": cli_train, "exploit": cli_train}
    home = (homes | {"check-bot": cli_bots}).get(called, home)
    return getattr(home, {"random": "random_play"}.get(called, called).replace("-", "_")), rest


def parse(function, words):
    """Read the words as the command would, and do nothing."""
    tyro.cli(functools.wraps(function)(lambda *_, **__: None), args=words)


@pytest.mark.parametrize("page", TEXTS, ids=name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), f"{name(page)} links to {target}"
        if anchor:
            assert anchor in headings(file), f"{name(page)} links to {target}"


def headings(page):
    """The anchors of a page's headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*TEXTS, *sorted(ROOT.glob("examples/*.py"))], ids=name)
def test_what_is_named_exists(page):
    for span in spans(page):
        check_path(span)
        if re.fullmatch(r"coven(\.\w+)+(\(.*\))?", span):
            resolve(span.partition("(")[0])
        elif re.match(r"coven [a-z]", span):
            check_mention(span)
        elif span.startswith("make "):
            assert span.split()[1] in TARGETS, span
        elif span.startswith("pip install"):
            check_extra(shlex.split(span)[-1])


def check_path(span):
    """Files and folders of ours; `<name>` and `GAME` stand for any, and ids of envs are no paths."""
    if not re.search(r"-v\d+$", span) and " " not in span and span.split("/")[0] in FOLDERS and "/" in span:
        assert list(ROOT.glob(re.sub(r"<\w+>|GAME", "*", span).rstrip("/"))), f"there is no {span}"


def resolve(dotted):
    """A module, or what hangs on one."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError as error:
            if error.name in ("ray", "pyspiel"):
                return  # needs an environment of its own: make test-integrations
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return


def check_mention(span):
    """A command in passing, perhaps without all it needs: its name and its flags."""
    function, words = command(span.split()[1:]) if span.split()[1:] != ["arena"] else (None, [])
    known = {"help", *(function.__annotations__ if function else ())}
    if "settings" in known:
        known |= {field.name for field in dataclasses.fields(Settings)}
    for flag in (word for word in words if word.startswith("--")):
        assert flag.removeprefix("--").replace("-", "_") in known, span


def test_the_readme_counts_as_the_games_do():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for game in map(coven.game, coven.games.built_in()):
        row = f"(docs/games/{game.name}.md) | {game.players[0]} to {game.players[-1]} | {game.num_actions} |"
        assert row in text


def test_the_citation_names_this_version():
    for page, line in (("README.md", "version = {%s}"), ("CITATION.cff", "version: %s")):
        assert line % coven.__version__ in (ROOT / page).read_text(encoding="utf-8")


def test_the_site_builds_without_a_warning(tmp_path):
    """Which also checks the links between its pages, and that every page is in the contents."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "-q",
        "-d",
        tmp_path / "doctrees",
        ROOT / "docs",
        tmp_path / "site",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for game in map(coven.game, coven.games.built_in()):
        page = (tmp_path / "site" / "games" / f"{game.name}.html").read_text(encoding="utf-8")
        text = re.sub(r"<[^>]+>", "", page)
        named = [*game.actions.kinds, *game.layout.slices, *game.options, *(e.name for e in game.components.entries)]
        assert all(part in text for part in named)
