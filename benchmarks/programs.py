"""Bots in other languages: decisions a second of the three examples beside an agent in this process, and all faults.

    python -m coven.benchmarks.programs GAME --out benchmarks/results/programs.md

Run it in a clone: it plays with `examples/bots/`. *Single* is one game at a time, so that every decision waits for the
one before; *batched* is all games at once. Time is what the asking process waits for its agent, all messages included.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from coven.agents.outside import Fault
from coven.agents.play import Together
from coven.agents.program import ProgramAgent
from coven.agents.random import RandomAgent
from coven.agents.registry import create
from coven.arena.machine import machine
from coven.benchmarks import faulty_bot
from coven.envs.agent import Agent
from coven.games import game as find_game
from coven.games import names
from coven.games.core import files
from coven.games.core.game import Game

BOTS = Path("examples") / "bots"
PYTHON = shlex.quote(sys.executable)
SILENT = {"silence": "start_seconds=1", "hang": "seconds=1", "half a line": "seconds=1"}
WHOLE = ("silence", *faulty_bot.FAULTS, "other protocol")
ROUNDS = 3


def rate(game: Game, agent: Agent, players: int, games: int) -> float:
    """Decisions a second of an agent against random ones, that many games at once; the best of some rounds."""
    agents, found = [agent, *[RandomAgent()] * (players - 1)], []
    Together(game, agents, game.blank(players), 1, 0, 0, False).play()  # starts it
    for seed in range(ROUNDS):
        results = Together(game, agents, game.blank(players), games, seed, seed, False).play()
        assert results.seconds is not None
        found.append(float(results.moves[:, 0].sum() / results.seconds[:, 0].sum()))
    return max(found)


def speeds(game: Game, players: int, games: int, folder: Path) -> list[str]:
    """A row for every bot."""
    rows = [_row("random, in this process", game, RandomAgent(), players, games)]
    talkative = folder / "talkative.py"
    talkative.write_text((BOTS / "random_bot.py").read_text(encoding="utf-8").replace(', "wants": []', ""))
    programs = {
        "random in Python": f"{PYTHON} {BOTS / 'random_bot.py'}",
        "the same, told state, events and texts": f"{PYTHON} {talkative}",
    }
    if shutil.which("node"):
        programs["random in JavaScript"] = f"node {BOTS / 'random_bot.js'}"
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-O2", "-o", folder / "random_bot", BOTS / "random_bot.c"], check=True)
        programs["random in C"] = str(folder / "random_bot")
    for name, words in programs.items():
        agent = create(f"cmd:log={folder} {words}", game, players)
        assert isinstance(agent, ProgramAgent)
        rows.append(_row(name, game, agent, players, games))
        agent.close()
    return rows


def _row(name: str, game: Game, agent: Agent, players: int, games: int) -> str:
    return f"| {name} | {rate(game, agent, players, 1):,.0f} | {rate(game, agent, players, games):,.0f} |"


def faults(game: Game, players: int, folder: Path) -> list[str]:
    """A row for everything that `faulty_bot` can do wrong, with the message that it gives."""
    rows = []
    for fault in WHOLE:
        words = f"{PYTHON} -S {shlex.quote(faulty_bot.__file__)} {shlex.quote(fault)}"
        spec = f"cmd:log={folder} memory=256 {SILENT.get(fault, '')} {words}"
        agent = create(spec, game, players)
        try:
            Together(game, [agent, *[RandomAgent()] * (players - 1)], game.blank(players), 1, 0, 0, False).play()
            said = "nothing"
        except Fault as error:
            said = str(error).removeprefix(f"{spec}: ").replace(str(folder), "runs/bots").replace("|", "\\|")
        rows.append(f"| {fault} | {said} |")
    return rows


def report(game: Game, players: int, games: int) -> str:
    """The page of results."""
    with tempfile.TemporaryDirectory() as name:
        fast, wrong = speeds(game, players, games, Path(name)), faults(game, players, Path(name))
    load = os.getloadavg()[0]
    return "\n".join(
        [
            "# Programs as agents",
            "",
            f"    python -m coven.benchmarks.programs {game.name} --players {players} --games {games}",
            "",
            f"{machine()}; the machine has {os.cpu_count()} cores and a load of {load:.1f}"
            + (": it was shared with other work, and is faster without." if load > 1.5 else "."),
            "",
            f"## Decisions a second ({game.title}, {players} players)",
            "",
            f"| agent | single | batched, {games} games at once |",
            "|---|---:|---:|",
            *fast,
            "",
            "## What every fault says",
            "",
            "With `on_fault=stop`. Every message begins with the spec, which is left out here.",
            "",
            "| the program | the message |",
            "|---|---|",
            *wrong,
            "",
        ]
    )


def main() -> None:
    """Read the command line, measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("game", choices=names())
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = report(find_game(given.game), given.players, given.games)
    if given.out:
        files.write(given.out, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
