"""The settings of training with search, with their bounds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta

from coven.agents.settings import (
    MOST_COUNTS,
    check_memory,
    check_names,
    check_start,
    check_teacher,
    is_network,
    preset,
    preset_file,
)
from coven.agents.start import hidden_layers
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

GUIDED = "guided"
"""The teacher of runs in which the network learns from search with itself."""

Some = Annotated[int, Meta(ge=1, le=1 << 16)]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]


@dataclass(frozen=True)
class SearchSettings:
    """Settings of training with search; players, network and batch size are by default those of the game's preset."""

    players: Annotated[list[int], Meta(min_length=1, max_length=MOST_COUNTS)]
    """How many players; several numbers are used in turn, block by block."""
    network: Annotated[list[Some], Meta(min_length=1, max_length=8)]
    """Units of each hidden layer, of the policy and of the value network."""
    full: Annotated[int, Meta(ge=2, le=60_000)] = 64
    """Iterations of a search that is used for learning."""
    quick: Annotated[int, Meta(ge=1, le=60_000)] = 16
    """Iterations of all other searches, and of games that compare networks."""
    full_share: Annotated[float, Meta(gt=0, le=1)] = 0.25
    """The share of decisions that are searched in full."""
    drawn_share: Share = 0.25
    """How often the action is drawn in proportion to the visits; otherwise the most visited one is played."""
    games: Some = 8
    """Games of a block, which one core plays."""
    blocks: Some = 24
    """Blocks of a round; after each round the network learns and has to pass its proof."""
    lessons: Count = 24
    """Blocks of greedy games that the network learns from first; 0: begin with an untrained network."""
    lesson_games: Some = 64
    """Games of a block of lessons."""
    window: Annotated[int, Meta(ge=1000, le=1 << 28)] = 300_000
    """The size of the buffer: so many of the newest positions are learned from."""
    passes: Annotated[float, Meta(gt=0, le=1000)] = 6.0
    """How often each position is learned from, roughly."""
    batch_size: Annotated[int, Meta(ge=2, le=1 << 24)] = 512
    """Positions of one step of the optimiser."""
    learning_rate: Annotated[float, Meta(gt=0, le=1)] = 7e-4
    """At the beginning. It falls linearly with the time (or rounds) left, to a tenth."""
    proof_blocks: Some = 8
    """Blocks of deals, `games` each, that a new network plays against the old one in its proof."""
    evaluation_deals: Annotated[int, Meta(ge=2, le=100_000)] = 100
    """Deals of an evaluation, each with all rotations of the seats."""
    start: Annotated[str, Meta(max_length=1000)] = ""
    """A trained agent (ppo or ppo:FILE) to begin with; then there are no lessons."""
    teacher: Annotated[str, Meta(max_length=200)] = GUIDED
    """guided: the network learns from search with itself. Or a search with rollouts (such as ismcts:100), which teaches
    in its place: it searches every decision, and all are learned from. It plays half of the games, the network the
    others. There is no proof then."""
    value_rows: Annotated[int, Meta(ge=0, le=1 << 24)] = 400_000
    """At the end the agent gets a new value network, trained on at most so many observations from games with itself,
    and on no more than the buffer holds. 0: the agent keeps the value network of the run."""
    rounds: Count = 0
    """End after so many rounds; 0: when the time is up."""
    seed: Annotated[int, Meta(ge=0, le=(1 << 32) - 1)] = 0
    """Runs with the same seed begin with the same network and deals."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game."""

    @property
    def taught(self) -> bool:
        """Whether a search with rollouts teaches; runs of older versions say nothing where nobody does."""
        return self.teacher not in ("", GUIDED)

    @property
    def learns_values(self) -> bool:
        """Whether the value network learns during the run: not if the teacher does without and a new one comes last."""
        return not self.taught or self.value_rows == 0

    def check(self, game: Game) -> None:
        """Raise BadOption unless a run of this game on this machine can have these settings."""
        for name, value in asdict(self).items():
            try:
                msgspec.convert(value, TYPES[name])
            except msgspec.ValidationError as error:
                raise BadOption(f"{name}={value!r} is not allowed: {error}") from error
        for name in ("full_share", "drawn_share", "passes", "learning_rate"):
            if not getattr(self, name) >= 0:  # no number (NaN)
                raise BadOption(f"{name}={getattr(self, name)} is not allowed; allowed: numbers")
        if self.options.keys() - game.options.keys():
            allowed = ", ".join(game.options) or "none"
            raise BadOption(f"options={self.options!r} is not allowed; {game.name} has: {allowed}")
        for number in self.players:
            game.blank(number, **self.options)
        check_start(self.start)
        if self.taught:
            check_teacher(self.teacher, ("ismcts", GUIDED), game)
        check_memory(self.memory(game), "a smaller window or network")

    def parameters(self, game: Game) -> int:
        """How many numbers both networks have."""
        sizes = [game.observation_size, *self.network]
        hidden = sum((before + 1) * after for before, after in pairwise(sizes))
        return 2 * hidden + (self.network[-1] + 1) * (game.num_actions + game.links.slots + 2)

    def memory(self, game: Game) -> int:
        """Bytes that a run takes, roughly: the networks with their optimiser, and the positions."""
        return 16 * self.parameters(game) + self.window * (game.observation_size + 2 * game.num_actions + 16)


TYPES = get_type_hints(SearchSettings, include_extras=True)


def search_preset(game: Game, **changes: Any) -> SearchSettings:
    """The default settings for a game, with some of them changed."""
    usual, own = preset(game), preset_file(game).get("search", {})
    check_names([*own, *changes], TYPES)
    given: dict[str, Any] = {"players": list(usual.players), "network": list(usual.network)} | own | changes
    if given.get("start") and is_network(given["start"]):
        given["lessons"] = changes.get("lessons", 0)
        if "network" not in changes:
            given["network"] = hidden_layers(given["start"], game)
    if game.greedy is None:
        given["lessons"] = changes.get("lessons", 0)
    given["teacher"] = given.get("teacher") or GUIDED  # never nothing: what a command does not say, the preset says
    return SearchSettings(**given)
