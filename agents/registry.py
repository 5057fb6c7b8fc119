"""Agents by specs: `create("ismcts:800", game, 3)`.

A spec is the name of a kind of agent and, after a colon, its settings. `KINDS` names the module of each kind. The
module is imported when it is first needed and has `from_spec(rest, game, num_players) -> Agent`, where `rest` is the
text after the first colon. Add your own kinds with `register`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coven.envs.agent import Agent
from coven.games.core.errors import BadOption, CovenError
from coven.games.core.game import Game

FromSpec = Callable[[str, Game, int], Agent]


class UnknownAgent(CovenError):
    """A spec that names no kind of agent, or has settings that its kind does not know."""


@dataclass(frozen=True)
class Kind:
    """A kind of agent: the form of its specs, what it is, and its maker (a module with `from_spec`, or a function)."""

    usage: str
    meaning: str
    maker: str | FromSpec
    outside: bool = False
    """Whether its spec names code to run or a machine to talk to. Such a spec in a file is not used without asking."""
    can_fail: bool = False
    """Whether it is outside of this process, so that its faults are counted."""

    def from_spec(self) -> FromSpec:
        """The function that makes such an agent."""
        if not isinstance(self.maker, str):
            return self.maker
        made: FromSpec = importlib.import_module(self.maker).from_spec
        return made


KINDS: dict[str, Kind] = {
    "random": Kind("random", "any legal action", "coven.agents.random"),
    "greedy": Kind("greedy", "takes what looks best at once, by rules of thumb for each game", "coven.agents.greedy"),
    "mix": Kind("mix:CHANCE", "greedy with that probability at each decision, else random", "coven.agents.mixture"),
    "ismcts": Kind(
        "ismcts:ITERATIONS or ismcts:MILLISECONDSms, then any of :rollout=random|greedy :order=random|greedy "
        ":c=NUMBER :widen=NUMBER :margin=NUMBER :horizon=TURNS|end :threads=NUMBER",
        "tree search that samples what its player cannot know (information-set MCTS)",
        "coven.agents.search",
    ),
    "guided": Kind(
        "guided:ITERATIONS or guided:FILE:ITERATIONS (or MILLISECONDSms), then any of :c=NUMBER :margin=NUMBER "
        ":horizon=TURNS :threads=NUMBER",
        "tree search guided by a trained network's policy and value; without a file the baseline's",
        "coven.agents.guided",
    ),
    "ppo": Kind(
        "ppo, ppo:FILE or ppo:FILE:sample", "a trained network; without a file the baseline", "coven.agents.learned"
    ),
    "py": Kind(
        "py:MODULE:FUNCTION or py:MODULE:FUNCTION:REST",
        "your own agent: what FUNCTION(REST, game, num_players) returns",
        "coven.agents.imported",
        outside=True,
    ),
    "cmd": Kind(
        "cmd:PROGRAM ARGS, before it any of on_fault=stop|random|forfeit seconds= game_seconds= start_seconds= memory= "
        "log=",
        "a program in any language, see docs/bots.md",
        "coven.agents.program",
        outside=True,
        can_fail=True,
    ),
    "llm": Kind(
        "llm:URL:MODEL, before it any of on_fault=stop|random|forfeit seconds= game_seconds= tokens= budget= tries= "
        "parallel= key= log=",
        "a language model behind a chat-completions interface",
        "coven.agents.language_model",
        outside=True,
        can_fail=True,
    ),
}


def register(name: str, kind: Kind) -> None:
    """Add a kind of agent; its name must be new and without a colon."""
    if not name or ":" in name or name in KINDS:
        raise BadOption(f"a kind of agent cannot be called {name!r}; taken: {', '.join(KINDS)}, and no colons")
    KINDS[name] = kind


def usages() -> list[str]:
    """The forms of the specs of all kinds."""
    return [kind.usage for kind in KINDS.values()]


def is_outside(spec: str) -> bool:
    """Whether a spec names a program to run, a server to ask, or a kind that is not registered here."""
    kind = KINDS.get(str(spec).partition(":")[0])
    return kind is None or kind.outside


def create(spec: str, game: Game, num_players: int) -> Agent:
    """The agent that a spec describes, for one game with that many players; UnknownAgent says what is allowed."""
    name, _, rest = str(spec).partition(":")
    if name not in KINDS:
        raise UnknownAgent(f"there is no agent {spec!r}; there are: {'; '.join(usages())}")
    if num_players not in game.players:
        allowed = ", ".join(map(str, game.players))
        raise BadOption(f"{game.name} is not played by {num_players!r} players; allowed: {allowed}")
    try:
        return KINDS[name].from_spec()(rest, game, num_players)
    except ValueError as error:  # CovenErrors and what int() and float() say
        advice = "" if spec == KINDS[name].usage else f"; write {KINDS[name].usage}"  # it was written so
        raise UnknownAgent(f"agent {spec!r}: {error}{advice}") from error


def create_all(specs: Sequence[str], game: Game) -> list[Agent]:
    """The agents that several specs describe, one for each seat."""
    return [create(spec, game, len(specs)) for spec in specs]


def no_options(rest: str) -> None:
    """Raise ValueError if there are settings: for kinds of agents that have none."""
    if rest:
        raise ValueError(f"it takes nothing after its name, not {rest!r}")


def split_options(rest: str) -> tuple[list[str], dict[str, str]]:
    """Split `800:c=1.0:threads=2` into its plain words and its NAME=VALUE settings."""
    words, settings = [], {}
    for part in rest.split(":") if rest else []:
        key, equals, value = part.partition("=")
        if not equals:
            words.append(part)
        elif key in settings:
            raise ValueError(f"{key} is set twice")
        else:
            settings[key] = value
    return words, settings
