"""Attacks on everything that is read and on every public call: nothing but our own errors may come out.

Each attack is a generator function over a seeded stream of tries that yields True for what was refused and False for
what was accepted; what was accepted has then been used, to its end. `run_fuzz.py` makes many tries, the tests few.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sqlite3
import struct
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import junk
import numpy as np
from kept_games import attack_data, attack_tables
from request_attacks import attack_requests
from result_attacks import attack_results
from run_folders import attack_run_folders, attack_search_run_folders
from safetensors.numpy import save as safetensors_bytes

import coven
from coven.agents import estimate, learned
from coven.agents.network_files import layout_digest
from coven.agents.registry import create
from coven.arena import replay as replays
from coven.arena.export import export
from coven.arena.ratings import Games, standings
from coven.arena.run import run
from coven.arena.schedule import plan
from coven.arena.store import Store
from coven.envs.gym import CovenGymEnv
from coven.games.core.batch import Batch
from coven.games.core.errors import BadState, CovenError
from coven.games.core.game import Game
from coven.games.core.rng import generator
from coven.playthrough import random_game

PLAYED = float(os.environ.get("COVEN_FUZZ_PLAYED", "1"))
"""The share of accepted states that are played on: without the compiler that takes long."""

Attack = Callable[[int, Path], Iterator[bool]]

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "alchemists": [{}, {"setup": "german"}],
    "wie_verhext": [{}, {"ask_gifts": True}, {"max_sets": 2}],
    "witchstone": [{}, {"handicap": [1, 0]}],
    "black_magic_friday": [{}],
}


# States.


def some_states(game: Game, seed: int, games: int = 3) -> np.ndarray:
    """States of random games at all player counts."""
    found, rng = [], np.random.default_rng(seed)
    for n, options in itertools.product(game.players, OPTIONS.get(game.name, [{}])):
        fitting = {name: (given * n)[:n] if isinstance(given, list) else given for name, given in options.items()}
        for number in range(games):
            s = game.new(n, seed + number, **fitting)
            for _ in random_game(game, s, seed + number):
                if rng.random() < 0.1:
                    found.append(game.clone(s))
            found.append(game.clone(s))
    return np.array(found)


def attack_states(name: str) -> Attack:
    """Records with correct checksums: what is accepted can be shown, drawn anew and played to its end."""

    def attack(seed: int, folder: Path) -> Iterator[bool]:
        game, rng = coven.game(name), np.random.default_rng(seed)
        states = some_states(game, seed)
        while True:
            try:
                s = game.from_bytes(junk.impossible_state(game, states, rng))
            except BadState:
                yield True
                continue
            if rng.random() < PLAYED:
                use_state(game, s, rng)
            yield False

    return attack


def use_state(game: Game, s: np.ndarray, rng: np.random.Generator) -> None:
    """Look at a state from every side, then play it to its end; every state on the way must be possible too."""
    n, (low, high) = int(s["num_players"]), game.layout.bounds()
    for viewer in (None, *range(n)):
        game.text(s, viewer)
    for decision in range(game.facts.longest[n] + 1):
        if game.is_over(s):
            break
        player, actions = game.current_player(s), game.legal_actions(s)
        assert actions, "nobody can act, but the game is not over"
        if decision % 8 == 0:
            check(game, s)
            seen = game.observe(s, int(rng.integers(n)))
            assert ((seen >= low) & (seen <= high)).all(), "an observation out of its bounds"
            other = game.determinize(s, int(rng.integers(n)), decision)
            check(game, other)
        assert player in range(n)
        game.apply(s, actions[rng.integers(len(actions))])
    assert game.is_over(s), "the game does not end"
    assert len(game.scores(s)) == n
    assert game.ranks(s) is not None


def check(game: Game, s: np.ndarray) -> None:
    """What `from_bytes` asks, without the bytes."""
    why = game._possible.impossible(s)
    assert why is None, f"a state that is refused comes of one that was accepted: {why}"


# Stored networks.


def attack_networks(seed: int, folder: Path) -> Iterator[bool]:
    """Agents and estimates: what is accepted has the right shapes and plays, and guides a search."""
    rng = np.random.default_rng(seed)
    path = folder / "network.safetensors"
    asked = [_asked(coven.game(name)) for name in NETWORKS_OF]
    while True:
        game, s, view, mask = asked[rng.integers(len(asked))]
        stored, form = _network(game, rng)
        path.write_bytes(stored)
        try:
            if form == learned.FORMAT:
                agent, about = learned.load(path, game, sampling=bool(rng.integers(2)))
                assert mask[agent.act(view, mask, generator(seed))], "an illegal choice"
                if agent.inputs == game.layout.raw_size and not agent.value_layers:
                    assert mask[agent.act(view[: agent.inputs], mask, generator(seed))], "an illegal choice"
                if agent.value_layers and about.get("rewards") != "score":
                    margin = "" if agent.tells_margin and rng.random() < 0.5 else ":margin=0"
                    found = create(f"guided:{path}:8{margin}", game, 3).search(s, generator(seed))
                    assert mask[found.best], "an illegal choice"
                assert (agent.links is None) == (about.get("links") is None), "other links than the file says"
            else:
                (first, _), (last, _) = estimate.load(path, game).layers
                assert first.shape == (last.shape[1], game.layout.raw_size)
                assert len(last) == 2
        except CovenError:
            yield True
            continue
        yield False


NETWORKS_OF = ("alchemists", "black_magic_friday")
"""A game in which no numbers are about actions, and one with such links."""


def _asked(game: Game) -> tuple[Game, np.ndarray, np.ndarray, np.ndarray]:
    """A position with what the seat on turn sees and may do."""
    s = game.new(3, seed=1)
    return game, s, game.observe(s, int(s["current"])), game.legal_mask(s)


def _network(game: Game, rng: np.random.Generator) -> tuple[bytes, str]:
    """A file of a network, or of two, rarely a good one."""
    policy = rng.random() < 0.7
    form, outputs = (learned.FORMAT, game.num_actions) if policy else (estimate.FORMAT, 2)
    about: dict[str, Any] = {"format": form, "game": game.name, "version": game.version}
    about |= {"layout": layout_digest(game), "horizon": 2}
    if policy and game.links.slots and rng.random() < 0.8:
        outputs += game.links.slots if rng.random() < 0.7 else int(rng.integers(-2, game.links.slots + 3))
        about |= {"links": game.links.digest}
    kind = int(rng.integers(8))
    tensors = _layers("", [_inputs(game, policy, rng), 8, outputs], kind == 0, rng)
    if policy and rng.random() < 0.5:
        tensors |= _layers("value.", [_inputs(game, policy, rng), 8, int(rng.integers(1, 3))], kind == 6, rng)
    if kind == 1:
        about = junk.changed(about, rng)
    name = list(tensors)[rng.integers(len(tensors))]
    if kind == 2:
        tensors[name] = tensors[name].reshape(-1)[: int(rng.integers(20))].astype(rng.choice(["f4", "f8", "i8"]))
    elif kind == 3:
        tensors[f"{rng.integers(4)}.{junk.TEXTS[1]}"] = tensors.pop(name)
    elif kind == 4:
        wrong = slice(None) if rng.random() < 0.5 else rng.integers(tensors[name].size)
        tensors[name].reshape(-1)[wrong] = rng.choice([np.nan, np.inf, 3e38, -3e38, 1.0])
        if rng.random() < 0.5:
            with np.errstate(over="ignore"):  # what half precision cannot hold is infinite
                tensors[name] = tensors[name].astype(np.float16)
    elif kind == 7:
        about["links"] = (game.links.digest, coven.game("witchstone").links.digest, junk.value(rng))[rng.integers(3)]
    data = safetensors_bytes(tensors, {"about": json.dumps(about)})
    return (_damaged_header(data, rng) if kind == 5 else data), form


def _inputs(game: Game, policy: bool, rng: np.random.Generator) -> int:
    """How many numbers a network sees: an estimate always the raw part, a policy and a value that or all."""
    return game.observation_size if policy and rng.random() < 0.7 else game.layout.raw_size


def _layers(prefix: str, sizes: list[int], wrong: bool, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two layers of these sizes, or of wrong ones."""
    if wrong:
        sizes[1 + rng.integers(2)] = int(rng.choice([0, 1, 2, 7, 9, 500, 5_000_000]))
    tensors: dict[str, np.ndarray] = {}
    for i in range(2):
        rows = min(sizes[i + 1], 200_000 // max(1, sizes[i]))  # a bias alone may be huge: that takes no time to make
        tensors[f"{prefix}{i}.weight"] = rng.standard_normal((rows, sizes[i])).astype(np.float32)
        tensors[f"{prefix}{i}.bias"] = np.zeros(sizes[i + 1], np.float32)
    return tensors


def _damaged_header(data: bytes, rng: np.random.Generator) -> bytes:
    """A file whose header says something else than the tensors behind it."""
    size = struct.unpack("<Q", data[:8])[0]
    if rng.random() < 0.3:
        return junk.damaged(data[: 8 + size], rng) + data[8 + size :]
    header = junk.text_of(junk.changed(json.loads(data[8 : 8 + size]), rng))
    said = len(header) if rng.random() < 0.8 else int(rng.choice([0, 1 << 20, 1 << 60]))
    return struct.pack("<Q", said) + header + data[8 + size :]


# Replays.


def attack_replays(seed: int, folder: Path) -> Iterator[bool]:
    """Files of replays: what is accepted can be told to its end."""
    rng, path = np.random.default_rng(seed), folder / "replays.jsonl"
    good = []
    for name in coven.games.built_in():
        game = coven.game(name)
        s = game.new(seed=3)
        actions = list(random_game(game, s, 3))
        agents = [f"agent {p}" for p in range(int(s["num_players"]))]
        good.append(json.loads(replays.record(game, s, 3, actions, agents).to_json()))
    while True:
        document = junk.changed(good[rng.integers(len(good))], rng)
        data = junk.text_of(document)
        if rng.random() < 0.4:
            data = junk.damaged(data, rng)
        if rng.random() < 0.02:
            data = b'{"format":' + b"[" * 100_000
        path.write_bytes(data)
        try:
            told = list(replays.lines(replays.read(path, int(rng.choice([0, 0, 0, 1, -1])))))
            assert all(line.replace("\n", "").isprintable() for line in told), "escape codes for the terminal"
        except CovenError:
            yield True
            continue
        yield False


# Tournaments.


def attack_tournaments(seed: int, folder: Path) -> Iterator[bool]:
    """Files of tournaments: what is accepted can be rated, exported and replayed."""
    rng, good, path = np.random.default_rng(seed), folder / "good.db", folder / "bad.db"
    good.unlink(missing_ok=True)
    run(good, plan("alchemists", ["random", "greedy", "mix:0.5"], 2, 3, seed=1, block=2))
    with sqlite3.connect(good) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    whole = good.read_bytes()
    for number in itertools.count():
        for old in folder.glob("bad*"):
            old.unlink()
        path.write_bytes(junk.damaged(whole, rng) if rng.random() < 0.4 else whole)
        try:
            if path.read_bytes() == whole:
                _change_cells(path, rng)
            use_tournament(path, folder, rng, everything=number % 100 == 0)
        except CovenError:
            yield True
            continue
        yield False


def _change_cells(path: Path, rng: np.random.Generator) -> None:
    """Put rubbish into a table, the description of the tournament, or the schema."""
    db = sqlite3.connect(path)
    kind = rng.random()
    if kind < 0.4:
        (text,) = db.execute("SELECT value FROM about WHERE key = 'tournament'").fetchone()
        changed = junk.text_of(junk.changed(json.loads(text), rng))
        if rng.random() < 0.2:
            changed = junk.damaged(changed, rng)
        db.execute("UPDATE about SET value = ? WHERE key = 'tournament'", (changed.decode("latin-1"),))
    elif kind < 0.9:
        columns = [row[1] for row in db.execute("PRAGMA table_info(games)")]
        column, number = columns[rng.integers(len(columns))], int(rng.integers(18))
        old = db.execute(f"SELECT {column} FROM games WHERE number = ?", (number,)).fetchone()
        new: Any = junk.value(rng)
        if isinstance(new, dict | list | bool) or (isinstance(new, int) and not -(2**63) <= new < 2**63):
            new = json.dumps(new)
        if old and isinstance(old[0], str) and rng.random() < 0.5:
            new = json.dumps(junk.changed(json.loads(old[0]), rng))
        if isinstance(new, str) and not new.isascii():
            new = new.encode("utf-8", "surrogatepass") if rng.random() < 0.5 else "?"
        with contextlib.suppress(sqlite3.IntegrityError):
            db.execute(f"UPDATE games SET {column} = ? WHERE number = ?", (new, number))
    else:
        statements = (
            "CREATE VIEW other AS SELECT * FROM games",
            "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",
            "DROP TABLE games",
            "ALTER TABLE games ADD COLUMN more GENERATED ALWAYS AS (number * 2)",
            "DELETE FROM about WHERE key = 'versions'",
            "DELETE FROM games",
        )
        db.execute(statements[rng.integers(len(statements))])
    db.commit()
    db.close()


def use_tournament(path: Path, folder: Path, rng: np.random.Generator, everything: bool) -> None:
    """Read all that a tournament says."""
    with Store(path) as store:
        games = Games.load(store)
        assert np.isfinite(games.rewards).all()
        assert np.isfinite(games.margins).all()
        store.digest()
        for row in store.games():
            replays.of_row(store.tournament, row)
        if everything:
            standings(games)
            export(store, folder / "bad.csv")
    replays.read(path, int(rng.integers(18))).check()


# Calls.


def attack_calls(seed: int, folder: Path) -> Iterator[bool]:
    """Every public call with rubbish: our own errors, and a refused call changes nothing."""
    rng = np.random.default_rng(seed)
    calls = list(_calls(seed))
    while True:
        call, watched = calls[rng.integers(len(calls))]
        before = [thing.tobytes() for thing in watched]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(rng)
        except CovenError:
            assert [thing.tobytes() for thing in watched] == before, "a refused call changed something"
            yield True
            continue
        yield False


def _calls(seed: int) -> Iterator[tuple[Callable[[np.random.Generator], Any], list[np.ndarray]]]:
    thing = junk.thing
    for name in coven.games.built_in():
        game = coven.game(name)
        s = game.new(seed=seed)
        for method in (game.legal_mask, game.scores, game.describe, game.to_bytes, game.clone, game.options_of):
            yield lambda rng, method=method: method(thing(rng)), []
        yield lambda rng, game=game: game.from_bytes(thing(rng)), []
        yield lambda rng, game=game: game.new(thing(rng), thing(rng)), []
        yield lambda rng, game=game: game.blank(None, **{next(iter(game.options), "none"): thing(rng)}), []
        yield lambda rng, game=game: game.known_options(thing(rng)), []
        for method in (game.apply, game.observe, game.action_to_string, game.string_to_action, game.event):
            yield lambda rng, method=method, s=s: method(s, thing(rng)), [s] if method != game.apply else []
        yield lambda rng, game=game, s=s: game.determinize(s, thing(rng), thing(rng)), [s]
        yield lambda rng, game=game, s=s: game.describe(s, thing(rng)), [s]
        yield lambda rng, game=game, s=s: game.returns(s, thing(rng)), [s]
        frozen = s.copy()
        frozen.flags.writeable = False
        yield lambda rng, game=game, s=frozen: game.apply(s, game.legal_actions(s)[0]), [frozen]
        batch = Batch(game, 4, seed=seed)
        yield lambda rng, batch=batch: batch.step(thing(rng)), [batch.states]
        yield lambda rng, batch=batch: batch.step(batch.random_actions()[:2], thing(rng)), []
        yield lambda rng, batch=batch: batch.deal(thing(rng)), []
        yield lambda rng, name=name: coven.make(name, thing(rng), rewards=thing(rng)), []
        yield lambda rng, name=name: coven.make_gym(name, opponents=thing(rng)), []
        for spec in ("random", "greedy"):
            agent = create(spec, game, game.players[0])
            rows = game.observe(s, 0)[None], game.legal_mask(s)[None], generator(1)
            yield lambda rng, agent=agent, rows=rows: agent.act_batch(*_spoilt(rows, rng)), []
    yield lambda rng: create(_spec(rng), coven.game("alchemists"), 3), []
    other = create("greedy", coven.game("witchstone"), 2)
    yield lambda rng: CovenGymEnv(coven.game("alchemists"), [other]), []


def _spoilt(rows: tuple[np.ndarray, ...], rng: np.random.Generator) -> list[Any]:
    """What an agent is asked with, one part of it wrong."""
    out: list[Any] = [row.copy() for row in rows]
    k = int(rng.integers(3))
    kind = int(rng.integers(4))
    if kind == 0:
        out[k] = junk.thing(rng)
    elif kind == 1 and k < 2:
        out[k][:] = rng.integers(0, 127, out[k].shape)
    elif kind == 2:
        out[k] = out[k][:0] if rng.random() < 0.5 else np.concatenate([out[k], out[k]])
    elif k < 2:
        out[k] = out[k][:, : int(rng.integers(out[k].shape[1]))]
    return out


def _spec(rng: np.random.Generator) -> Any:
    """A spec of an agent, damaged."""
    specs = ("random", "greedy", "mix:0.5", "ismcts:5", "ismcts:5:c=1:widen=2", "ppo", "ppo:nothing.safetensors")
    specs += ("guided:5", "guided:nothing.safetensors:5", "guided:5:c=1:threads=2", "guided::5", "guided:5:margin=nan")
    specs += ("py:os:system", "py:nothing:at_all", "py::", "ismcts:10000000000000", "ismcts:1:threads=1000000")
    spec = specs[rng.integers(len(specs))]
    return spec if rng.random() < 0.3 else junk.damaged(spec.encode(), rng).decode("latin-1").replace("ms", "")


ATTACKS: dict[str, Attack] = {
    **{f"from_bytes: {name}": attack_states(name) for name in coven.games.built_in()},
    "stored networks": attack_networks,
    "replays": attack_replays,
    "tournaments": attack_tournaments,
    "results of evaluations": attack_results,
    "run folders": attack_run_folders,
    "folders of runs with search": attack_search_run_folders,
    "folders of games in progress": attack_tables,
    "folders of decisions": attack_data,
    "requests to the server": attack_requests,
    "public calls": attack_calls,
}
