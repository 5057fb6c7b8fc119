"""Checks that any game and any env must pass, as public functions: call them on your own game, in any package.

Each plays random games and raises AssertionError at the first state that fails the check.
"""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from coven.envs.aec import CovenEnv
from coven.games.core import drivers
from coven.games.core.batch import Batch
from coven.games.core.errors import BadState, IllegalAction
from coven.games.core.game import Game, State
from coven.playthrough import random_game

COMMON_KEYS = [
    "game",
    "num_players",
    "options",
    "turn",
    "current_player",
    "phase",
    "over",
    "truncated",
    "scores",
    "ranks",
]


def random_states(
    game: Game, num_players: int, games: int = 10, every: int = 1, seed: int = 0, **options: Any
) -> Iterator[State]:
    """States of random games: every `every`-th state and every final state; do not change them."""
    for number in range(games):
        s = game.new(num_players, seed + number, **options)
        for count, _ in enumerate(random_game(game, s, seed + number)):
            if (count + number) % every == 0:
                yield s
        yield s


class RandomBatch(Batch):
    """Many games at once, with a random decision in each at every step; `states` has all their states.

    A finished game is followed by a new one. `finished` counts finished games, `length` the decisions in each running
    game.
    """

    def __init__(self, game: Game, num_players: int, size: int = 1024, seed: int = 0, **options: Any) -> None:
        super().__init__(game, size, num_players, seed, **options)
        self.finished, self.length = np.zeros(size, np.int64), np.zeros(size, np.int64)

    def play(self, active: bool = True) -> None:
        """Make one random decision in every game; if `active`, idle actions only where nothing else is legal."""
        self.step(self.random_actions(active))
        self.finished += self.ends != 0
        self.length = np.where(self.ends, 0, self.length + 1)


def check_game(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Run all checks of a game at one player count."""
    for check in (
        check_play,
        check_masks,
        check_strings,
        check_copies,
        check_description,
        check_observations,
        check_hidden,
        check_event,
        check_determinism,
    ):
        check(game, num_players, games=games, **options)


def check_play(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that games end within the declared length, some action is always legal, and all numbers are in bounds."""
    low, high = game.layout.bounds()
    least, most = game.facts.scores
    for number in range(games):
        s, decisions = game.new(num_players, number, **options), 0
        for _ in random_game(game, s, number):
            decisions += 1
            player = game.current_player(s)
            assert player is not None
            assert player in range(num_players)
            assert game.legal_mask(s).any(), "no action is legal, but the game is not over"
            _assert_within(game, game.observe(s, player), low, high)
        assert decisions <= game.facts.longest[num_players], f"{decisions} decisions: longer than declared"
        assert all(least <= score <= most for score in game.scores(s)), f"scores {game.scores(s)} out of bounds"
        for p in range(num_players):
            _assert_within(game, game.observe(s, p), low, high)
        _check_end(game, s)


def _assert_within(game: Game, observation: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    wrong = np.flatnonzero((observation < low) | (observation > high))
    parts = {part.name for part in game.layout for i in wrong if part.start <= i < part.stop}
    assert not parts, f"observation out of the declared bounds in {', '.join(sorted(parts))}"


def _check_end(game: Game, s: State) -> None:
    """Ranks fit the scores and rewards fit the ranks."""
    scores, ranks = game.scores(s), game.ranks(s)
    assert ranks is not None
    assert game.current_player(s) is None
    assert not game.legal_actions(s)
    for p, score in enumerate(scores):
        assert ranks[p] == 1 or any(ranks[q] < ranks[p] for q in range(len(ranks)))
        assert all(ranks[p] < ranks[q] for q in range(len(scores)) if score > scores[q])
    for rewards in ("rank", "win", "score"):
        returns = game.returns(s, rewards)
        assert abs(sum(returns)) < 1e-3, f"{rewards} rewards {returns} do not add up to zero"
        assert rewards == "score" or all(-1 <= r <= 1 for r in returns)
    returns = game.returns(s)
    assert all((returns[p] > returns[q]) == (ranks[p] < ranks[q]) for p in range(len(ranks)) for q in range(len(ranks)))


def check_observations(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that observing writes every number into any buffer, and that the raw part is the same alone."""
    clean, dirty, raw = game.new_observation(), game.new_observation(), game.new_observation(derived=False)
    for number, s in enumerate(random_states(game, num_players, games, 7, **options)):
        for p in range(num_players):
            clean[:], dirty[:], raw[:] = 0, 1 + number % 255, 255
            for buffer in (clean, dirty, raw):
                drivers.view(s, p, buffer)
            wrong = np.flatnonzero(clean != dirty)
            parts = {part.name for part in game.layout for i in wrong if part.start <= i < part.stop}
            assert not parts, f"numbers of an observation that observe() does not write: {', '.join(sorted(parts))}"
            assert (raw == clean[: len(raw)]).all(), "without the derived part the raw part is different"


def check_masks(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that every action that the mask allows can be applied; all others are refused and change nothing."""
    every = max(1, game.num_actions // 10)  # trying all actions everywhere would take long
    for s in random_states(game, num_players, games, every, **options):
        _check_mask_buffer(game, s)
        legal, before = set(game.legal_actions(s)), s.tobytes()
        for action in range(-1, game.num_actions + 1):
            trial = game.clone(s)
            try:
                game.apply(trial, action)
            except IllegalAction as error:
                assert action not in legal, f"legal, but refused: {error}"
                assert trial.tobytes() == before, "a refused action changed the state"
            else:
                assert action in legal, f"not in the mask, but accepted: {game.action_to_string(s, action)}"
                assert trial.tobytes() != before, "an action changed nothing"


def _check_mask_buffer(game: Game, s: State) -> None:
    """The kernel writes the mask of every action, whatever the buffer held, and nothing behind the last one."""
    mask, actions = game.new_mask(), slice(0, game.num_actions)
    mask[actions] = 1
    drivers.look(s, mask, game.new_observation(derived=False))
    assert not mask[game.num_actions :].any(), "the mask has ones after the last action, where agents would read them"
    assert (mask[actions] == game.legal_mask(s)).all(), "illegal actions keep what the mask buffer had before"


def check_strings(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that every legal action has its own string, from which `string_to_action` finds the action again."""
    for s in random_states(game, num_players, games, 7, **options):
        actions = game.legal_actions(s)
        strings = [game.action_to_string(s, a) for a in actions]
        assert len(set(strings)) == len(strings), "two legal actions share a string"
        assert [game.string_to_action(s, text) for text in strings] == actions


def check_copies(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that all kinds of copies are equal, go on alike and share no memory; damaged bytes are refused."""
    for s in random_states(game, num_players, min(games, 5), 17, **options):
        data = game.to_bytes(s)
        copies = [game.clone(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s)), game.from_bytes(data)]
        before = s.tobytes()
        ends = set()
        for other in copies:
            assert other.tobytes() == before
            for _ in random_game(game, other, 1):
                pass
            ends.add(other.tobytes())
        assert len(ends) == 1, "copies go on differently"
        assert s.tobytes() == before, "a copy shares memory with its original"
        for bad in (b"", data[:-1], data + b"x", b"x" + data, data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]):
            try:
                game.from_bytes(bad)
            except BadState:
                continue
            raise AssertionError("damaged bytes were accepted")


def check_description(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that `describe` is plain JSON, common keys first, with and without a viewer, and that `text` works."""
    for s in random_states(game, num_players, games, 7, **options):
        for viewer in (None, *range(num_players)):
            d = game.describe(s, viewer)
            assert list(d)[: len(COMMON_KEYS)] == COMMON_KEYS
            assert json.loads(json.dumps(d)) == d, "not plain JSON"
            assert d["phase"] in game.phases
            assert d["over"] == (d["current_player"] is None) == (d["phase"] == "over")
            assert (d["ranks"] is not None) == d["over"]
            assert game.text(s, viewer).isprintable() or "\n" in game.text(s, viewer)


def check_hidden(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that a determinized state looks the same to its player, and can be played to an end."""
    for number, s in enumerate(random_states(game, num_players, games, 5, **options)):
        for p in range(num_players):
            other = game.determinize(s, p, number)
            check_same_view(game, s, other, p)
            if game.is_over(s):
                assert game.describe(s, p) == game.describe(other, p), "a game that is over has changed"
            if number % 10 == 0:
                for _ in random_game(game, other, number):
                    pass
                _check_end(game, other)


def check_same_view(game: Game, s: State, other: State, player: int) -> None:
    """Check that two states that differ only in what a player cannot know look the same to it."""
    differing = np.flatnonzero(game.observe(s, player) != game.observe(other, player))
    parts = {part.name for part in game.layout for i in differing if part.start <= i < part.stop}
    assert not parts, f"hidden information shows in the observation: {', '.join(sorted(parts))}"
    if game.current_player(s) == player:
        assert (game.legal_mask(s) == game.legal_mask(other)).all(), "hidden information shows in the mask"
    if not game.is_over(s):
        seen, seen_other = game.describe(s, player), game.describe(other, player)
        keys = [key for key in seen if seen[key] != seen_other[key]]
        assert not keys, f"hidden information shows in describe: {', '.join(keys)}"
        assert game.text(s, player) == game.text(other, player), "hidden information shows in the text"


def check_event(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check events: the player who acts sees all of its action, the others only what they may know of it."""
    rng = np.random.default_rng(0)
    for number, s in enumerate(random_states(game, num_players, games, 7, **options)):
        player = game.current_player(s)
        if player is None:
            continue
        actions = rng.permutation(game.legal_actions(s))[:8].tolist()
        for action in actions:
            told = game.event(s, action)
            assert told is not None
            assert game.action_to_string(s, action) in told, "an event without a viewer does not say everything"
            assert game.event(s, action, player) == told, "the player who acts does not see all of its action"
        for viewer in range(num_players):
            if viewer != player:
                _check_told(game, s, actions, viewer, game.determinize(s, viewer, number))


def _check_told(game: Game, s: State, actions: list[int], viewer: int, other: State) -> None:
    """What a viewer is told is the same where only the hidden part differs: of the state, or of the action.

    Of two actions it cannot tell apart if the table looks the same to it after both, but not to who acts.
    """
    player = game.current_player(s)
    assert player is not None
    by_look: dict[Any, tuple[str | None, Any]] = {}
    for action in actions:
        told = game.event(s, action, viewer)
        assert told is None or (told and told.isprintable()), f"an event is a line of text or None, not {told!r}"
        assert game.event(other, action, viewer) == told, "hidden information shows in an event"
        after = game.clone(s)
        game.apply(after, action)
        look, full_look = _look(game, after, viewer), _look(game, after, player)
        told_before, look_before = by_look.setdefault(look, (told, full_look))
        assert told == told_before or full_look == look_before, f"an event reveals a hidden choice: {told!r}"


def _look(game: Game, s: State, player: int) -> tuple[bytes, str]:
    return game.observe(s, player).tobytes(), json.dumps(game.describe(s, player))


_REPLAY = """
import json, pickle, sys
from coven.testing import fingerprint
sys.path[:] = json.loads(sys.argv[4])
print(fingerprint(pickle.loads(bytes.fromhex(sys.argv[1])), int(sys.argv[2]), **json.loads(sys.argv[3])))
"""


def fingerprint(game: Game, num_players: int, seed: int = 11, **options: Any) -> str:
    """A digest of all bytes of a random game, from its first state to its last."""
    digest = hashlib.sha256()
    for s in random_states(game, num_players, 1, seed=seed, **options):
        digest.update(s.tobytes())
    return digest.hexdigest()


def check_determinism(game: Game, num_players: int, games: int = 10, **options: Any) -> None:
    """Check that the same seed gives the same bytes, here and in another process, and another seed another game."""
    here = fingerprint(game, num_players, **options)
    assert here == fingerprint(game, num_players, **options)
    assert here != fingerprint(game, num_players, seed=12, **options)
    words = pickle.dumps(game).hex(), str(num_players), json.dumps(options), json.dumps(sys.path)
    command = [sys.executable, "-c", _REPLAY, *words]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert here == there, "another process plays another game"


def check_env(env: CovenEnv, games: int = 3) -> None:
    """Check that copies of an env go on alike, and that rewards add up to zero and go to the right seats."""
    rng = np.random.default_rng(0)
    for number in range(games):
        env.reset(seed=number)
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            observation, reward, *_ = env.last()
            assert observation is not None
            assert reward == 0
            action = rng.choice(np.flatnonzero(observation["action_mask"]))
            twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))] if rng.random() < 0.05 else []
            env.step(action)
            for twin in twins:
                twin.step(action)
                assert twin.agent_selection == env.agent_selection
                assert (twin.state() == env.state()).all()
        expected = dict(env.rewards)
        assert abs(sum(expected.values())) < 1e-3
        for agent in env.possible_agents:
            assert env.agent_selection == agent
            assert env.last()[1] == expected[agent]
            env.step(None)
        assert not env.agents
