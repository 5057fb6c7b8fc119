"""OpenSpiel: our games as `pyspiel` games, registered by `import coven.envs.openspiel` as `coven_alchemists`, ... ::

    game = pyspiel.load_game("coven_alchemists(players=3,deals=100)")

The only chance node is the root. It has `deals` outcomes of equal probability: outcome i starts the game with seed
`seed` + i or, with a list of `seeds` ("3 14 15"), with the i-th of these. All later randomness (draws, shuffles)
follows from that seed, so there are no chance nodes below. With more deals the game tree is closer to the real game.
Returns are those of `rewards`: rank, win or score. Every option of a game is a parameter too; an option with a number
for each seat is a string (`"1 2 2"`, or `"default"`).

With `position` (`game.to_bytes(s).hex()`) the tree starts at that position, with its players and options; this makes
small subgames. There is then no chance node, unless `viewer` names a seat: outcome i is then the position with
everything that this seat cannot know sampled again.

An information state consists of the observations at the player's decisions, its actions, and its present observation.
OpenSpiel's Python IS-MCTS works through `resample_from_infostate`; its C++ version cannot call that method of a Python
game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel

from coven.games import all_games
from coven.games.core.errors import BadOption
from coven.games.core.game import Game, State
from coven.games.core.options import Option, PerSeat
from coven.games.core.record import NOBODY

DEALS = 1000
"""The default number of deals."""
_DEFAULT = "default"  # for lists: text that OpenSpiel cannot take for a number

_CHANCE, _TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


class CovenGame(pyspiel.Game):
    """A game with its parameters; each of our games is a subclass with its own `rules`."""

    rules: Game

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        rules = self.rules
        given = _parameters(rules) | (params or {})
        self.deals, self.first_seed = int(given["deals"]), int(given["seed"])
        self.seeds = _seeds(str(given["seeds"]))
        if self.seeds:
            self.deals = len(self.seeds)
        self.viewer, self.derived = int(given["viewer"]), bool(given["derived"])
        self.rewards = str(given["rewards"])
        rules.reward_kind(self.rewards)
        if given["position"]:
            self.start = rules.from_bytes(_bytes(given["position"]))
        else:
            options = {name: _value(option, given[name]) for name, option in rules.options.items()}
            self.start = rules.blank(given["players"], **options)
        self.dealt = bool(given["position"])
        players = int(self.start["num_players"])
        if self.deals < 1:
            raise BadOption(f"deals={self.deals} is not allowed; allowed: 1 and more")
        if self.viewer != NOBODY and not (self.dealt and 0 <= self.viewer < players):
            raise BadOption(
                f"viewer={self.viewer} is not allowed; allowed: -1, or with a position a seat from 0 to {players - 1}"
            )
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.num_actions,
            max_chance_outcomes=self.deals if self.has_chance else 0,
            num_players=players,
            min_utility=-self.most,
            max_utility=self.most,
            utility_sum=0.0,
            max_game_length=rules.facts.longest[players],
        )
        super().__init__(_game_type(rules), info, params or {})
        rules.prepare()

    @property
    def most(self) -> float:
        """The most that a player can win or lose."""
        low, high = self.rules.facts.scores
        return float(high - low) if self.rewards == "score" else 1.0

    @property
    def has_chance(self) -> bool:
        """Is there a chance node at the root?"""
        return not self.dealt or self.viewer != NOBODY

    def deal(self, outcome: int) -> State:
        """The state of an outcome of the chance node."""
        if self.dealt:
            return self.rules.determinize(self.start, self.viewer, self.seed_of(outcome))
        s = self.start.copy()
        self.rules.deal(s, self.seed_of(outcome))
        return s

    def seed_of(self, outcome: int) -> int:
        """The seed of an outcome of the chance node."""
        return self.seeds[outcome] if self.seeds else self.first_seed + outcome

    def new_initial_state(self) -> CovenState:
        """The root of the tree."""
        return CovenState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> CovenObserver | None:
        """What turns states into strings and tensors for a player; None for only public or only private parts."""
        if iig_obs_type and not (
            iig_obs_type.public_info and iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        ):
            return None
        return CovenObserver(self.rules, iig_obs_type, params, self.derived)

    def max_chance_nodes_in_history(self) -> int:
        """One deal, or none."""
        return int(self.has_chance)


class CovenState(pyspiel.State):
    """A node of the tree: a state of the game and what each player remembers."""

    def __init__(self, game: CovenGame) -> None:
        super().__init__(game)
        self.s: State | None = None
        self._player = _CHANCE
        players = game.num_players()
        self.did: tuple[str, ...] = ("",) * players
        """The actions that each player has made."""
        self.saw: tuple[bytes, ...] = (b"",) * players
        """A digest of the observations at each player's decisions, in order."""
        if not game.has_chance:
            self._show(game.start.copy())

    def current_player(self) -> int:
        """Who decides."""
        return self._player

    def is_terminal(self) -> bool:
        """Is the game over?"""
        return self._player == _TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals."""
        deals = self.get_game().deals
        return [(outcome, 1 / deals) for outcome in range(deals)]

    def returns(self) -> list[float]:
        """As `rewards` says, by default by final rank from +1 to -1; zero-sum."""
        if self.s is None:
            return [0.0] * self.num_players()
        game = self.get_game()
        # Shares of a few players, rounded to float32; OpenSpiel adds them up more closely than that.
        returns = (Fraction(each).limit_denominator(100) for each in game.rules.returns(self.s, game.rewards))
        return [float(each) for each in returns]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> CovenState:
        """Another state that this player cannot tell from the present one.

        It reveals nothing about the true state: the other players remember nothing in it, and its history is empty.
        """
        game = self.get_game()
        other: CovenState = game.new_initial_state()
        if self.s is not None:
            seed = int(sampler() * (1 << 53))
            other._show(game.rules.determinize(self.s, player, seed))
            other.did = tuple(did if p == player else "" for p, did in enumerate(self.did))
            other.saw = tuple(saw if p == player else b"" for p, saw in enumerate(self.saw))
        return other

    def __str__(self) -> str:
        return "not dealt yet" if self.s is None else self.get_game().rules.text(self.s)

    def _legal_actions(self, player: int) -> list[int]:
        actions: list[int] = self.get_game().rules.legal_actions(self.s)
        return actions

    def _apply_action(self, action: int) -> None:
        game, player = self.get_game(), self._player
        if self.s is None:
            self._show(game.deal(action))
            return
        seen = game.rules.observe(self.s, player, derived=False)
        game.rules.apply(self.s, action)
        digest = hashlib.blake2b(self.saw[player] + seen.tobytes(), digest_size=16).digest()
        self.did = (*self.did[:player], f"{self.did[player]} {action}", *self.did[player + 1 :])
        self.saw = (*self.saw[:player], digest, *self.saw[player + 1 :])
        self._show(self.s)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == _CHANCE:
            return f"deal {action}"
        text: str = self.get_game().rules.action_to_string(self.s, action)
        return text

    def _show(self, s: State) -> None:
        """Go on from this state of the game."""
        self.s = s
        current = int(s["current"])
        self._player = _TERMINAL if current == NOBODY else current


class CovenObserver:
    """Strings and tensors of states. A tensor is the observation scaled to 0..1; there is none with perfect recall."""

    def __init__(self, rules: Game, kind: Any = None, params: Any = None, derived: bool = True) -> None:
        if params:
            raise BadOption(f"observers of {rules.name} have no parameters, not {params}; allowed: none")
        self.rules, self.derived, self.remembers = rules, derived, bool(kind and kind.perfect_recall)
        self.tensor = None if self.remembers else np.zeros(rules.layout.length(derived), np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: CovenState, player: int) -> None:
        """Write what this player sees to the tensor."""
        if self.tensor is None:
            raise BadOption("there is no tensor with perfect recall; allowed: strings, or without perfect recall")
        self.tensor.fill(0)
        if state.s is not None:
            self.tensor[:] = self.rules.layout.scale(self.rules.observe(state.s, player, self.derived))

    def string_from(self, state: CovenState, player: int) -> str:
        """The raw part of the player's observation, slice by slice; with perfect recall also its past."""
        if state.s is None:
            return f"player {player}: not dealt yet"
        seen = self.rules.observe(state.s, player, derived=False).tolist()
        parts = [
            f"{part.name} {' '.join(map(str, seen[part.start : part.stop]))}"
            for part in self.rules.layout
            if not part.derived
        ]
        past = f" did{state.did[player]}; saw {state.saw[player].hex()};" if self.remembers else ""
        return f"player {player}:{past} sees {'; '.join(parts)}"


def _parameters(rules: Game) -> dict[str, Any]:
    """The parameters that a game takes, with their defaults."""
    options = {
        name: _DEFAULT if isinstance(option, PerSeat) else option.default for name, option in rules.options.items()
    }
    chance = {"deals": DEALS, "seed": 0, "seeds": "", "position": "", "viewer": NOBODY}
    return {"players": rules.players[0], "rewards": "rank", "derived": True, **chance, **options}


def _seeds(words: str) -> list[int]:
    """A list of seeds, from a parameter."""
    if not all(word.isdigit() and int(word) < 1 << 64 for word in words.split()):
        raise BadOption(
            f"seeds={words!r} is not allowed; allowed: whole numbers from 0 to 2**64 - 1 with spaces between"
        )
    return [int(word) for word in words.split()]


def _value(option: Option, parameter: Any) -> Any:
    """The value of an option from a parameter; OpenSpiel's parameters can be texts, but not lists."""
    if not isinstance(option, PerSeat):
        return parameter
    if parameter == _DEFAULT:
        return option.default
    words = str(parameter).split()
    return [int(word) for word in words] if all(word.isdigit() for word in words) else parameter


def _bytes(position: str) -> bytes:
    try:
        return bytes.fromhex(position)
    except ValueError as error:
        raise BadOption(f"position is not hexadecimal ({error}); allowed: game.to_bytes(s).hex()") from None


def _game_type(rules: Game) -> Any:
    return pyspiel.GameType(
        short_name=f"coven_{rules.name}",
        long_name=rules.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=rules.players[-1],
        min_num_players=rules.players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification=_parameters(rules),
    )


def register() -> None:
    """Register every game that can be loaded with OpenSpiel.

    What is registered must be a class: OpenSpiel releases it only after Python has ended. Releasing a function then
    would crash the process; a class stays alive, since it refers to itself.
    """
    for rules in all_games():
        pyspiel.register_game(_game_type(rules), type(f"CovenGame_{rules.name}", (CovenGame,), {"rules": rules}))


register()
