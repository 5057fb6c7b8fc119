"""`Game`: the rules of one game as users call them from Python."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np

from coven.games.core import drivers, generic, thread_pool
from coven.games.core.actions import Actions, in_full
from coven.games.core.bits import mask_bytes
from coven.games.core.cache import usable
from coven.games.core.components import Components
from coven.games.core.errors import BadOption, BadState, IllegalAction
from coven.games.core.explain import Explanation
from coven.games.core.kernels import claim, marker
from coven.games.core.layout import DTYPE, Layout, Slice
from coven.games.core.links import Links
from coven.games.core.numbers import whole
from coven.games.core.options import Option
from coven.games.core.possible import Bounds, Check, Possible
from coven.games.core.ranking import REWARDS, rank, reward
from coven.games.core.record import NOBODY, own
from coven.games.core.rng import GENERATOR, as_seed

State: TypeAlias = np.ndarray
"""One game in progress: an array of no dimensions of the game's record type; `s[()]` is the record itself."""

Description: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Facts:
    """What a game declares about itself; `coven.testing` checks it."""

    longest: Mapping[int, int]
    """The most decisions a game can have, by number of players."""
    scores: tuple[int, int]
    """The least and the greatest possible score."""


class Game:
    """The rules of one game; `coven.game(name)` gives it. Only authors of games call the constructor.

    `version` is raised when the same seed and actions no longer give the same game, or when an observation or action
    changes its meaning; ids, replays, stored agents and tournaments contain it. `greedy` is the kernel of the greedy
    policy (see `generic.choose`), `picture` draws a description as SVG; both are optional.
    """

    def __init__(
        self,
        *,
        name: str,
        version: int = 0,
        title: str,
        summary: str,
        players: Sequence[int],
        record: np.dtype[Any],
        kernels: Mapping[str, Callable[..., Any]],
        actions: Actions,
        layout: Layout,
        phases: Sequence[str],
        score_keys: int,
        options: Sequence[Option],
        facts: Facts,
        components: Components,
        folder: Path,
        describe: Callable[[Any, int | None], Description],
        text: Callable[[Description], str],
        idle: Sequence[str] = (),
        greedy: Callable[..., Any] | None = None,
        picture: Callable[[Description], str] | None = None,
        clicks: Callable[[Description, str], tuple[str, ...]] | None = None,
        event: Callable[[Any, int, int | None], str | None] | None = None,
        action_to_string: Callable[[Any, int], str] | None = None,
        string_to_action: Callable[[Any, str], int | None] | None = None,
        bounds: Mapping[str, Bounds] | None = None,
        impossible: Check | None = None,
    ) -> None:
        if not re.fullmatch("[a-z][a-z0-9_]*", name) or whole(version) is None or version < 0:
            raise ValueError(f"a game has a name in lower-case letters and a version from 0, not {name!r}, {version!r}")
        self.name, self.version, self.title, self.summary = name, int(version), title, summary
        self.folder = (folder / "components.toml").resolve().parent  # behind links, as an editable install makes them
        self.package = kernels["deal"].__module__.rpartition(".")[0]
        record = own(record, name)
        self.sources = claim(record, self.folder)
        self.players = tuple(players)
        self.record, self._bytes = record, np.dtype((np.void, record.itemsize))
        self.actions, self.layout, self.phases = actions, layout, tuple(phases)
        self.links = Links(layout, actions)
        self.options = {option.name: option for option in options}
        self.facts, self.components = facts, components
        self.num_actions = len(actions)
        self.observation_size = layout.size
        self.observation_layout: list[Slice] = list(layout)
        self.score_keys = score_keys
        self.idle = self.new_mask()
        for kind in idle:
            self.idle[actions.start(kind) : actions.stop(kind)] = 1
        self._describe, self._text = describe, text
        self.greedy, self.picture, self._clicks = greedy, picture, clicks
        self._event = event or self._cautious_event
        self._to_string = action_to_string or (lambda _, action: actions.strings[action])
        self._to_action = string_to_action or (lambda _, text: actions.ids.get(text))
        self._mask, self._observation = self.new_mask(), self.new_observation(derived=False)
        self._keys = self.new_keys()
        self._prepared = False
        self._possible = Possible(record, self.players, self.phases, options, bounds or {}, impossible)
        generic.provide(record, layout, choose=greedy or drivers.pick_blindly, **kernels)

    def __repr__(self) -> str:
        return f"<coven game {self.id}>"

    @property
    def id(self) -> str:
        """Name and version, such as `witchstone_v0`."""
        return f"{self.name}_v{self.version}"

    def __reduce__(self) -> tuple[Any, ...]:
        from coven.games import unpickle

        return unpickle, (self.name, self.version, self.package)

    def __copy__(self) -> Game:
        return self  # there is one of each

    def __deepcopy__(self, memo: Any) -> Game:
        return self

    # A game from start to end.

    def new(self, num_players: int | None = None, seed: int | None = None, **options: Any) -> State:
        """Deal a new game; by default with the fewest players and a random seed."""
        s = self.blank(num_players, **options)
        self.deal(s, seed)
        return s

    def blank(self, num_players: int | None = None, **options: Any) -> State:
        """A state before the deal, with only its number of players and its options set."""
        if num_players is None:
            num_players = self.players[0]
        if whole(num_players) not in self.players:
            allowed = ", ".join(map(str, self.players))
            raise BadOption(f"{self.name} is not played by {num_players!r} players; allowed: {allowed}")
        s = np.zeros((), self.record)
        s["num_players"] = num_players
        numbers = self._encode_options(int(num_players), options)
        s["options"][: len(numbers)] = numbers
        return s

    def deal(self, s: State, seed: int | None = None) -> None:
        """Deal a blank state, in place; everything random in the game follows from the seed."""
        self.prepare()
        if int(self._check_writable(s)["num_players"]) not in self.players:
            raise BadState(f"not a blank state of {self.name}; make one with game.blank()")
        drivers.start(s, int(s["num_players"]), as_seed(seed), s["options"])

    def current_player(self, s: State) -> int | None:
        """The player to move, None when the game is over."""
        current = int(self._check(s)["current"])
        return None if current == NOBODY else current

    def legal_mask(self, s: State) -> np.ndarray:
        """An int8 array with 1 for every legal action; all 0 when the game is over."""
        mask = self.new_mask()
        drivers.look(self._check(s), mask, self._observation)
        return mask[: self.num_actions]

    def legal_actions(self, s: State) -> list[int]:
        """The ids of the legal actions, in ascending order."""
        actions: list[int] = self.legal_mask(s).nonzero()[0].tolist()
        return actions

    def apply(self, s: State, action: int) -> None:
        """Apply an action, in place; if it is not legal, IllegalAction is raised and the state is unchanged."""
        index = self.action_id(self._check_writable(s), action)
        if drivers.step(s, index, self._mask, self._observation, False) == drivers.ILLEGAL:
            raise self.illegal_action(s, action)

    def is_over(self, s: State) -> bool:
        """Whether the game has ended, or reached its limit."""
        return self._check(s)["current"].item() == NOBODY  # a plain number is compared seven times faster

    def scores(self, s: State) -> list[int]:
        """The points of every player; before the end only those that everybody can see."""
        scores: list[int] = self._tally(s)[:, 0].tolist()
        return scores

    def ranks(self, s: State) -> list[int] | None:
        """The final rank of every player, 1 for the best; ties share a rank (1 1 3); None until the game is over."""
        if not self.is_over(s):
            return None
        keys = self._tally(s)
        out = np.zeros(len(keys), np.int64)
        rank(keys, len(keys), out)
        ranks: list[int] = out.tolist()
        return ranks

    def returns(self, s: State, rewards: str = "rank") -> list[float]:
        """The final reward of every player by `rank`, `win` or `score`, zero-sum; all 0 until the game is over."""
        out = np.zeros(int(self._check(s)["num_players"]), np.float32)
        kind = self.reward_kind(rewards)
        if self.is_over(s):
            keys = self._tally(s)
            reward(keys, len(keys), kind, out)
        returns: list[float] = out.tolist()
        return returns

    def action_id(self, s: State, action: Any) -> int:
        """An action as a plain int; IllegalAction unless it is one of the game's actions, legal now or not."""
        index = action if type(action) is int else whole(action)
        if index is None or not 0 <= index < self.num_actions:
            raise self.illegal_action(s, action)
        return index

    # What a player sees.

    def observe(self, s: State, player: int, derived: bool = True) -> np.ndarray:
        """The observation of a player, as `observation_layout` describes it, with or without the derived part."""
        self._check_seat(s, player, "player")
        out = self.new_observation(derived)
        drivers.view(self._check(s), int(player), out)
        return out

    def explain(self, observation: Any) -> Explanation:
        """The name and meaning of every number of an observation: print the result, or read its `rows`."""
        return Explanation(self.name, self.layout, observation)

    def determinize(self, s: State, player: int, seed: int | None = None) -> State:
        """A copy in which everything that a player cannot know is sampled again, consistently with all it has seen."""
        self._check_seat(s, player, "player")
        copy = self.clone(s)
        drivers.resample(copy, int(player), as_seed(seed))
        return copy

    def describe(self, s: State, viewer: int | None = None) -> Description:
        """The state as a dict of plain JSON values; with a viewer, None for what this player cannot know."""
        if viewer is not None:
            self._check_seat(s, viewer, "viewer")
        r: Any = self._check(s)[()]
        common = {
            "game": self.name,
            "num_players": int(r.num_players),
            "options": self.options_of(s),
            "turn": int(r.turn),
            "current_player": self.current_player(s),
            "phase": self.phases[r.phase],
            "over": self.is_over(s),
            "truncated": bool(r.truncated),
            "scores": self.scores(s),
            "ranks": self.ranks(s),
        }
        return common | self._describe(r, viewer)

    def text(self, s: State, viewer: int | None = None) -> str:
        """The state as text, made from what `describe` gives."""
        return self._text(self.describe(s, viewer))

    def svg(self, s: State, viewer: int | None = None) -> str:
        """The state as an SVG picture, made from what `describe` gives; for a game without pictures, its text."""
        if self.picture is not None:
            return self.picture(self.describe(s, viewer) | {"viewer": viewer})
        from coven.games.core.drawing.sheet import svg_of_text

        return svg_of_text(self.title, self.text(s, viewer))

    def clicks(self, description: Description, words: str) -> tuple[str, ...]:
        """The places of the picture to click, one after the other, for the action with this text; for user interfaces.

        Several actions may have the same places, but no action's places are the beginning of another's. Empty if the
        picture has no such places.
        """
        return self._clicks(description, words) if self._clicks else ()

    def event(self, s: State, action: int, viewer: int | None = None) -> str | None:
        """What a seat sees of an action, as one line of text; None if it sees nothing. Without a viewer: everything.

        Call it before the action is applied. What the action uncovers is part of the state afterwards.
        """
        if viewer is not None:
            self._check_seat(s, viewer, "viewer")
        if self.is_over(s):
            raise self.illegal_action(s, action)
        return self._event(s[()], self.action_id(s, action), viewer)

    def _cautious_event(self, r: Any, action: int, viewer: int | None) -> str:
        """The event of a game that does not say what others see of an action: only who acts."""
        if viewer is None or viewer == r.current:
            return in_full(r, self._to_string(r, action))
        return f"player {r.current} decides"

    def options_of(self, s: State) -> dict[str, Any]:
        """The options of a game in progress, with their values."""
        numbers, values = self._check(s)["options"].tolist(), {}
        for option in self.options.values():
            values[option.name] = option.decode(numbers[: option.width], int(s["num_players"]))
            numbers = numbers[option.width :]
        return values

    # Strings.

    def action_to_string(self, s: State, action: int) -> str:
        """An action as text, such as `draw`."""
        return self._to_string(self._check(s)[()], self.action_id(s, action))

    def string_to_action(self, s: State, text: str) -> int:
        """The action that a text means in this state, legal or not; IllegalAction if it is no action's text."""
        known = isinstance(text, str)
        action = self._to_action(self._check(s)[()], " ".join(text.split())) if known else None
        if action is None:
            raise IllegalAction(f"{self.name} has no action {text!r}; {self._legal_now(s)}")
        return action

    # Copies.

    def clone(self, s: State) -> State:
        """A copy that shares no memory with the original."""
        return self._check(s).view(self._bytes).copy().view(self.record)  # numpy copies records field by field

    def to_bytes(self, s: State) -> bytes:
        """The state as bytes, with a header that names the game and a checksum."""
        body: bytes = self._header() + self._check(s).tobytes()
        return body + zlib.crc32(body).to_bytes(4, "little")

    def from_bytes(self, data: bytes) -> State:
        """The state that `to_bytes` wrote; BadState for anything else."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise BadState(f"a state of {self.name} is read from bytes, not from {type(data).__name__}")
        self.prepare()
        data, header = bytes(data), self._header()
        if not data.startswith(header):
            found = data[:40].split(b"\n")[0]
            raise BadState(f"these bytes are not a state of {self.id}: they begin with {found!r}")
        expected = len(header) + self.record.itemsize + 4
        if len(data) != expected:
            raise BadState(f"a state of {self.name} has {expected} bytes, not {len(data)}")
        if zlib.crc32(data[:-4]).to_bytes(4, "little") != data[-4:]:
            raise BadState(f"these bytes of a state of {self.name} are damaged: their checksum is wrong")
        s: State = np.frombuffer(data[len(header) : -4], self.record)[0:1].reshape(()).copy()
        why = self._possible.impossible(s)
        if why is not None:
            raise BadState(f"these bytes are no possible state of {self.name}: {why}")
        return s

    def _header(self) -> bytes:
        """A header with the game and the layout of its record, so that bytes of another version are refused."""
        layout = hashlib.sha256(repr(self.record.descr).encode()).hexdigest()[:8]
        return f"coven {self.id} {layout}\n".encode()

    def file(self, name: str) -> Path | None:
        """The path of a file in the game's folder, such as `preset.toml`; None if the game has no such file."""
        path = self.folder / name
        return path if path.is_file() else None

    # Buffers that drivers write to.

    def new_mask(self) -> np.ndarray:
        """A new mask buffer for kernels, a little longer than the number of actions."""
        return np.zeros(mask_bytes(self.num_actions), np.int8)

    def new_observation(self, derived: bool = True) -> np.ndarray:
        """A new observation buffer, with or without room for the derived part."""
        return np.zeros(self.layout.length(derived), DTYPE)

    def new_keys(self) -> np.ndarray:
        """A new buffer for points and tie-breakers."""
        return np.zeros((self.players[-1], self.score_keys), np.int32)

    def new_buffers(
        self,
        size: int,
        blank: State,
        rewards: str = "rank",
        final_observations: bool = False,
        derived: bool = True,
    ) -> drivers.Buffers:
        """New buffers for a batch of games with the players and options of `blank`."""
        kind, n, shape = self.reward_kind(rewards), int(blank["num_players"]), (size, self.layout.length(derived))
        return drivers.Buffers(
            states=np.zeros(size, self.record),
            blank=blank,
            seeds=np.zeros(size, np.uint64),
            which=np.zeros(size, np.int64),
            actions=np.zeros(size, np.int64),
            dice=np.zeros(size, GENERATOR),
            reward_kind=kind,
            keys=self.new_keys(),
            players=np.zeros(size, np.int8),
            masks=np.zeros((size, mask_bytes(self.num_actions)), np.int8),
            observations=np.zeros(shape, DTYPE),
            rewards=np.zeros((size, n), np.float32),
            ends=np.zeros(size, np.int8),
            final_seats=np.full(size, NOBODY, np.int8),
            final_observations=np.zeros(shape if final_observations else (0, shape[1]), DTYPE),
        )

    # Compilation.

    def prepare(self) -> None:
        """Compile the game's kernels if they are not in the cache yet, and print progress."""
        if self._prepared or numba.config.DISABLE_JIT:
            return
        self._prepared = True
        compile_once(self.title, marker(drivers.step, self.name, self.sources), self._first_calls())

    def _first_calls(self) -> list[tuple[str, Callable[[], Any]]]:
        """A first call of every driver that the game's own use needs."""
        z, n = self.blank(), self.players[0]
        mask, observation, keys = self._mask, self._observation, self._keys
        b = self.new_buffers(1, z.copy(), "rank", True)

        def step_batch() -> None:
            drivers.look_batch(b.states, b.players, b.masks, b.observations)
            drivers.pick_batch(b.dice, b.masks, b.actions)
            drivers.pick_each(b.dice, b.masks, b.actions)
            drivers.first_illegal(b.masks, b.which, b.actions)
            drivers.do_part(b, drivers.CHECK_AND_STEP, 0, 1)

        def play_random() -> None:
            drivers.play_random(b.states, b.seeds, b.blank, b.dice, mask, observation, self.idle, True, 1)

        return [
            ("deal", lambda: drivers.start(z, n, np.uint64(0), z["options"])),
            ("look", lambda: drivers.look(z, mask, observation)),
            ("step", lambda: drivers.step(z, int(mask.argmax()), mask, observation, False)),
            ("view", lambda: drivers.view(z, 0, observation)),
            ("score", lambda: drivers.tally(z, keys)),
            ("rank", lambda: (rank(keys[:n], n, np.zeros(n, np.int64)), reward(keys[:n], n, 0, b.rewards[0]))),
            ("determinize", lambda: drivers.resample(z, 0, np.uint64(0))),
            ("deal a batch", lambda: drivers.deal_batch(b.states, b.seeds, b.blank)),
            ("step a batch", step_batch),
            ("share a batch", lambda: thread_pool.serve(thread_pool.new_words(), 0, b)),
            ("play at random", play_random),
        ]

    # Checks.

    def reward_kind(self, rewards: str) -> int:
        """The number of a kind of reward (`rank`, `win`, `score`); BadOption for any other."""
        if not isinstance(rewards, str) or rewards not in REWARDS:
            raise BadOption(f"rewards={rewards!r} is not allowed; allowed: {', '.join(map(repr, REWARDS))}")
        return REWARDS.index(rewards)

    def illegal_action(self, s: State, action: Any) -> IllegalAction:
        """The error for an action that is not legal now."""
        index, what = whole(action), f"action {action!r}"
        if index is None or not 0 <= index < self.num_actions:
            return IllegalAction(
                f"{self.name} has no {what}; allowed: 0 to {self.num_actions - 1}; {self._legal_now(s)}"
            )
        what += f" ({self.action_to_string(s, index)})"
        return IllegalAction(f"{what} is not legal in {self.name} now; {self._legal_now(s)}")

    def _legal_now(self, s: State) -> str:
        """What is legal now, in words, cut to a readable length."""
        player = self.current_player(s)
        if player is None:
            return "the game is over: no action is legal"
        actions = self.legal_actions(s)
        shown = ", ".join(self.action_to_string(s, a) for a in actions[:8])
        more = f" and {len(actions) - 8} more" if len(actions) > 8 else ""
        return f"it is player {player}'s decision ({self.phases[s['phase']]}), and the legal actions are: {shown}{more}"

    def _check(self, s: State) -> State:
        """A state of this game as kernels take it: in memory of its own kind, or else a copy, only for reading."""
        if not isinstance(s, np.ndarray) or s.ndim or (s.dtype is not self.record and s.dtype != self.record):
            raise BadState(f"not a state of {self.name}, but {type(s).__name__}; make one with game.new()")
        return s if s.flags.carray and type(s) is np.ndarray else np.array(s, self.record)

    def _check_writable(self, s: State) -> State:
        """A state that may be changed."""
        if self._check(s) is not s:
            raise BadState(f"this state of {self.name} is read-only and cannot be changed; work on game.clone(s)")
        return s

    def _check_seat(self, s: State, player: Any, what: str) -> None:
        n = int(self._check(s)["num_players"])
        if whole(player) not in range(n):
            raise BadOption(f"{what}={player!r} is not a seat; allowed: 0 to {n - 1}")

    def _tally(self, s: State) -> np.ndarray:
        drivers.tally(self._check(s), self._keys)
        return self._keys[: int(s["num_players"])]

    def known_options(self, given: Any) -> dict[str, Any]:
        """Options as keywords; BadOption unless they are a dict with names of this game's options."""
        if not isinstance(given, dict):
            raise BadOption(f"options are given by name, not as a {type(given).__name__}; {self._allowed_options()}")
        unknown = [name for name in given if name not in self.options]
        if unknown:
            named = ", ".join(map(repr, unknown[:5]))
            raise BadOption(f"{self.name} has no option {named}; {self._allowed_options()}")
        return dict(given)

    def _allowed_options(self) -> str:
        return f"allowed: {', '.join(self.options) or 'none'}"

    def _encode_options(self, num_players: int, given: Mapping[str, Any]) -> list[int]:
        known = self.known_options(given)
        numbers: list[int] = []
        for option in self.options.values():
            numbers.extend(option.encode(known.get(option.name, option.default), num_players))
        return numbers


def compile_once(what: str, marker: Path, calls: Sequence[tuple[str, Callable[[], Any]]]) -> None:
    """Make these first calls, with progress on the terminal, unless the marker says that all is compiled and cached."""
    if numba.config.DISABLE_JIT or marker.exists():
        return
    begun = time.perf_counter()
    for done, (name, call) in enumerate(calls):
        _say(f"coven: compiling {what}, only this once: {done + 1}/{len(calls)} {name}")
        call()
    _say(f"coven: compiled {what} in {time.perf_counter() - begun:.0f} s", end=True)
    if usable(marker.parent):
        with contextlib.suppress(OSError):
            marker.touch()


def _say(message: str, end: bool = False) -> None:
    """Progress on the terminal: one line that is rewritten, cut to its width; elsewhere only the last word."""
    if sys.stderr.isatty():
        message = message[: shutil.get_terminal_size().columns - 1]  # a line that wraps could not be rewritten
        print(f"\r\x1b[K{message}", end="\n" if end else "", file=sys.stderr, flush=True)
    elif end:
        print(message, file=sys.stderr, flush=True)
