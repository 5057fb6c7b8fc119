"""Digests of the sources that play a tournament: its games can be compared only if these stay the same."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path

import coven.agents as agents
from coven.arena.match import agent
from coven.arena.schedule import Tournament
from coven.envs.agent import Agent
from coven.games.core.game import Game
from coven.games.core.kernels import CORE, sources_digest

AGENTS = Path(agents.__file__).resolve().parent


def sources(tournament: Tournament) -> dict[str, str]:
    """The sources on which games depend, by name, each as a digest: rules, agents, and the files that agents read."""
    return of_agents(tournament.rules, tournament.agents, tournament.players)


def of_agents(game: Game, specs: Sequence[str], players: int) -> dict[str, str]:
    """The same for any games of these agents."""
    found = of_game(game)
    for spec in specs:
        files = list(_files(agent(game.name, spec, players)))
        if files:
            found[f"the agent {spec}"] = hashlib.sha256(b"".join(map(_digest, files))).hexdigest()[:16]
    return found


def of_game(game: Game) -> dict[str, str]:
    """The sources on which all games of a kind depend: its rules, and our agents."""
    return {
        "the core": sources_digest(CORE),
        f"the rules of {game.name}": game.sources,
        "the agents of Coven": sources_digest(AGENTS),
    }


def _files(agent: Agent) -> Iterator[Path]:
    """The files that an agent reads, and its own source if it is not one of ours."""
    yield from agent.files
    try:
        source = inspect.getsourcefile(type(agent))
    except (OSError, TypeError):  # written in a notebook or at a prompt: there is no file to remember
        return
    if source and not Path(source).resolve().is_relative_to(AGENTS):
        yield Path(source)


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def differing(then: dict[str, str], now: dict[str, str]) -> list[str]:
    """The names of sources that have changed."""
    return [name for name in {**then, **now} if then.get(name) != now.get(name)]
