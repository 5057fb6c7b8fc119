"""Decisions of agents as Parquet files, for imitation and offline learning: `coven data`.

Games are played as in a tournament, then replayed by one kernel call, which writes the observation of the player to
move and the legal actions. A folder has `data/`, with shards of whole games, and `README.md`, which describes them. A
run that was stopped goes on after its last shard.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from coven.agents.play import Results, play
from coven.agents.registry import create
from coven.arena.decisions import retell
from coven.arena.protocol import RESERVED
from coven.arena.reading import BadFile, decode
from coven.arena.schedule import deal_seed
from coven.arena.sources import differing, of_agents
from coven.envs.agent import Agent
from coven.games import game as find_game
from coven.games.core import drivers, files
from coven.games.core.bits import mask_bytes
from coven.games.core.errors import BadOption, CovenError, extra
from coven.games.core.game import Game, compile_once
from coven.games.core.kernels import marker
from coven.games.core.layout import DTYPE
from coven.games.core.numbers import whole
from coven.games.core.rng import as_seed, next_seed

if TYPE_CHECKING:
    import pyarrow

FORMAT: Literal["coven-data-1"] = "coven-data-1"
SHARD_BYTES = 1 << 26
"""Bytes of observations and masks in a shard, before compression."""
CHUNK, SEARCH_CHUNK = 64, 4
"""Deals that are played together; a shard has whole chunks. Fewer if an agent searches."""
MOST_DECISIONS = 1 << 40


class BadData(CovenError):
    """A folder of data that cannot be continued."""


@dataclass(frozen=True)
class Plan:
    """Everything that determines the contents of a folder of decisions."""

    game: str
    version: int
    agents: tuple[str, ...]
    """One spec for each seat; all rotations are played."""
    seed: int
    options: dict[str, Any]
    sources: dict[str, str]

    @property
    def rules(self) -> Game:
        """The game."""
        return find_game(self.game)


Count = Annotated[int, Meta(ge=1, le=MOST_DECISIONS)]


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Metadata of a shard: about it, and about all shards up to it."""

    format: Literal["coven-data-1"]
    plan: Plan
    chunks: Count
    games: Count
    decisions: Count


def plan(
    game: str, agents: Sequence[str], players: int | None = None, seed: int = 0, options: dict[str, Any] | None = None
) -> Plan:
    """A checked plan; the agents fill the seats in order, repeated if they are fewer than the seats."""
    rules = find_game(game)
    seats = rules.players[0] if players is None else players
    in_force = rules.options_of(rules.blank(seats, **rules.known_options(options or {})))
    if not 1 <= len(agents) <= seats:
        raise BadOption(f"{len(agents)} agents cannot fill {seats} seats; allowed: 1 to {seats}")
    as_seed(seed)
    first = deal_seed(seed, 0)
    if first < RESERVED.stop and RESERVED.start < first + MOST_DECISIONS:
        raise BadOption(f"seed={seed} would use the deals of evaluations; allowed: any other seed")
    seated = tuple(agents[seat % len(agents)] for seat in range(seats))
    given = {name: in_force[name] for name in options or {}}
    return Plan(
        rules.name, rules.version, seated, int(seed), given, of_agents(rules, list(dict.fromkeys(agents)), seats)
    )


def write(
    wanted: Plan, decisions: int, folder: Path, command: str = "", show: Callable[[int], None] = lambda done: None
) -> int:
    """Write shards until a folder has that many decisions, in whole games; returns how many it then has.

    `show` is called with the number of decisions after every chunk.
    """
    if not 1 <= (whole(decisions) or 0) <= MOST_DECISIONS:
        raise BadOption(f"decisions={decisions} is not allowed; allowed: 1 to {MOST_DECISIONS:,}")
    shards = folder / "data"
    files.folder(shards)
    with files.lock(folder / ".lock", str(folder)):
        files.sweep(shards)
        agents = [create(spec, wanted.rules, len(wanted.agents)) for spec in wanted.agents]
        deals = SEARCH_CHUNK if any(agent.wants_state for agent in agents) else CHUNK
        number, chunk, games, done = _found(wanted, shards, deals)
        show(done)
        while done < decisions:
            tables, rows = [], 0
            while rows < min(decisions - done, _shard_rows(wanted.rules)):
                table, played = _chunk(wanted, agents, deals, chunk, games)
                tables.append(table)
                rows, games, chunk = rows + len(table), games + played, chunk + 1
            done += rows
            _store(tables, About(FORMAT, wanted, chunk, games, done), shards / _name(number))
            number += 1
            show(done)
        files.write(folder / "README.md", card(wanted, done, games, command))
    return done


def _shard_rows(game: Game) -> int:
    return SHARD_BYTES // (game.observation_size + game.num_actions)


def _name(number: int) -> str:
    return f"part-{number:05}.parquet"


def _found(wanted: Plan, shards: Path, deals: int) -> tuple[int, int, int, int]:
    """What a folder already has: shards, chunks, games, decisions. BadData if it is damaged or of another plan."""
    there = sorted(shards.glob("part-*.parquet"))
    if [path.name for path in there] != [_name(number) for number in range(len(there))]:
        raise BadData(f"{shards} lacks a shard in between; choose another folder")
    if not there:
        return 0, 0, 0, 0
    seats = len(wanted.agents)
    chunk_rows = deals * seats * wanted.rules.facts.longest[seats]
    about, rows, last = _read(there, _schema(wanted.rules), _shard_rows(wanted.rules) + chunk_rows)
    other = [name for name, value in asdict(wanted).items() if asdict(about.plan)[name] != value]
    if other:
        changed = differing(about.plan.sources, wanted.sources) if other == ["sources"] else other
        raise BadOption(f"{shards} holds other decisions ({', '.join(changed)} differ); choose another folder")
    held = (about.chunks * deals * seats, last + 1, rows)
    if held != (about.games, about.games, about.decisions):
        raise BadData(
            f"{there[-1]} is damaged: its {about.games} games, {about.decisions} decisions are not in {shards}"
        )
    return len(there), about.chunks, about.games, about.decisions


def _read(there: list[Path], schema: pyarrow.Schema, most: int) -> tuple[About, int, int]:
    """What the last shard says of itself, how many rows all of them have, and the number of the last game.

    None has more than `most` rows: a few bytes can say that they are billions.
    """
    with extra("arena", "Parquet files"):
        from pyarrow import ArrowException, parquet
    rows = 0
    for path in there:
        if path.is_symlink() or not path.is_file():
            raise BadData(f"{path} is a link or no file, which no run makes; take it away to go on")
        try:
            with parquet.ParquetFile(path) as shard:
                if not shard.schema_arrow.equals(schema):
                    raise BadFile("its columns are others")
                if shard.metadata.num_rows > most:
                    raise BadFile(f"it says that it has {shard.metadata.num_rows:,} rows; allowed: {most:,}")
                rows += shard.metadata.num_rows
                if path == there[-1]:
                    metadata = shard.schema_arrow.metadata or {}
                    about: About = decode(metadata.get(b"coven", b""), About, "what it says about itself")
                    games = shard.read_row_group(shard.num_row_groups - 1, ["game"])["game"]
                    last = int(games[-1].as_py())
        except (OSError, ArrowException, BadFile, LookupError, TypeError, ValueError) as error:
            raise BadData(f"{path} is no shard of ours: {error}") from error
    return about, rows, last


def _schema(game: Game) -> pyarrow.Schema:
    """The columns of a shard."""
    with extra("arena", "Parquet files"):
        import pyarrow
    return pyarrow.schema(
        {
            "observation": pyarrow.binary(game.observation_size),
            "mask": pyarrow.binary(-(-game.num_actions // 8)),
            "action": pyarrow.uint16(),
            "reward_to_go": pyarrow.float32(),
            "seat": pyarrow.int8(),
            "game": pyarrow.int64(),
            "seed": pyarrow.uint64(),
            "agent": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
        }
    )


def _chunk(wanted: Plan, agents: list[Agent], deals: int, chunk: int, games: int) -> tuple[pyarrow.Table, int]:
    """The decisions of a chunk of deals, and how many games they make; `games` have been before."""
    seed = deal_seed(wanted.seed, chunk * deals)
    results = play(wanted.rules, agents, deals, seed=seed, dice_seed=next_seed(np.uint64(seed)), **wanted.options)
    return _table(wanted, results, games), len(results.actions)


def _table(wanted: Plan, results: Results, games: int) -> pyarrow.Table:
    """Played games as rows of a table."""
    with extra("arena", "Parquet files"):
        import pyarrow
    game, seats, masks, observations = wanted.rules, *_tell(wanted, results)
    lengths = results.decisions
    number = np.repeat(np.arange(len(lengths)), lengths)
    returns = np.take_along_axis(results.returns, results.agent_at, axis=1).astype(np.float32)
    specs = list(dict.fromkeys(wanted.agents))
    played_by = np.array([specs.index(spec) for spec in wanted.agents], np.int8)[results.agent_at]
    columns = {
        "observation": _binary(observations),
        "mask": _binary(np.packbits(masks[:, : game.num_actions].view(np.uint8), axis=1, bitorder="little")),
        "action": pyarrow.array(np.concatenate(results.actions).astype(np.uint16)),
        "reward_to_go": pyarrow.array(returns[number, seats]),
        "seat": pyarrow.array(seats),
        "game": pyarrow.array(games + number),
        "seed": pyarrow.array(results.seeds[number]),
        "agent": pyarrow.DictionaryArray.from_arrays(pyarrow.array(played_by[number, seats]), specs),
    }
    return pyarrow.table(columns)


def _tell(wanted: Plan, results: Results) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seat, mask and observation of every decision."""
    game, rows = wanted.rules, int(results.decisions.sum())
    states = np.zeros(len(results.actions), game.record)
    drivers.deal_batch(states, results.seeds.copy(), game.blank(len(wanted.agents), **wanted.options))
    seats, masks = np.zeros(rows, np.int8), np.zeros((rows, mask_bytes(game.num_actions)), np.int8)
    observations = np.zeros((rows, game.observation_size), DTYPE)
    ready = marker(retell, f"data_{game.name}", game.sources)
    ends = results.decisions.cumsum()
    actions = np.concatenate(results.actions)
    rest = (actions, ends, seats, masks, observations)
    compile_once(f"{game.title} (decisions)", ready, [("retell", lambda: retell(states[:0], *rest))])
    retell(states, *rest)
    return seats, masks, observations


def _binary(rows: np.ndarray) -> pyarrow.Array:
    """Rows of bytes as a column of byte strings of one length, without a copy."""
    import pyarrow

    data = pyarrow.py_buffer(np.ascontiguousarray(rows))
    return pyarrow.FixedSizeBinaryArray.from_buffers(pyarrow.binary(rows.shape[1]), len(rows), [None, data])


def _store(tables: list[pyarrow.Table], about: About, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    whole_table = pyarrow.concat_tables(tables).replace_schema_metadata({"coven": msgspec.json.encode(about)})
    with files.writing(path) as partial:
        few = ["action", "agent", "game", "seed"]  # columns whose values come up again and again
        parquet.write_table(whole_table, partial, compression="zstd", compression_level=1, use_dictionary=few)


def arrays(table: pyarrow.Table, game: Game) -> dict[str, np.ndarray]:
    """The columns of a table of decisions as arrays: observations a row each, masks with an entry for every action."""
    plain = set(table.column_names) - {"observation", "mask", "agent"}
    found = {name: table[name].to_numpy() for name in table.column_names if name in plain}
    if "agent" in table.column_names:
        found["agent"] = np.array(table["agent"].to_pylist())
    if "observation" in table.column_names:
        found["observation"] = _bytes(table["observation"])
    if "mask" in table.column_names:
        bits = _bytes(table["mask"])
        found["mask"] = np.unpackbits(bits, axis=1, count=game.num_actions, bitorder="little").view(np.int8)
    return found


def _bytes(column: pyarrow.ChunkedArray) -> np.ndarray:
    """Byte strings of one length as rows."""
    width = column.type.byte_width
    parts = []
    for chunk in column.chunks:
        data = np.frombuffer(chunk.buffers()[1], np.uint8)
        parts.append(data[chunk.offset * width : (chunk.offset + len(chunk)) * width].reshape(-1, width))
    return np.concatenate(parts) if parts else np.zeros((0, width), np.uint8)


def card(wanted: Plan, decisions: int, games: int, command: str) -> str:
    """The README of a folder of decisions."""
    game, n = wanted.rules, len(wanted.agents)
    options = ", ".join(f"{name}={value!r}" for name, value in wanted.options.items()) or "none"
    sources = "\n".join(f"- {name}: `{digest}`" for name, digest in wanted.sources.items())
    made = f"\n    {command}\n" if command else ""
    return f"""# Decisions of {game.title}

{decisions:,} decisions of {games:,} whole games of {game.id} by {n} players: {", ".join(wanted.agents)} by seat, every
deal with all rotations of the seats. Seed {wanted.seed}, options: {options}; coven-rl {version("coven-rl")}.
{made}
    table = pyarrow.parquet.read_table("data")
    columns = coven.arena.data.arrays(table, coven.game("{game.name}"))  # as numpy arrays

| column | type | meaning |
|---|---|---|
| observation | {game.observation_size} bytes | the view of the seat that decides: `coven show {game.name}` |
| mask | {-(-game.num_actions // 8)} bytes | the {game.num_actions} actions as bits, the first lowest; 1 is legal |
| action | uint16 | the action that was chosen |
| reward_to_go | float32 | the final rank reward of the seat, from -1 to 1; there are no other rewards |
| seat | int8 | the seat that decided |
| game | int64 | number of the game, from 0; rows of a game are in order |
| seed | uint64 | seed of the deal: with the actions it gives the whole game |
| agent | string | the agent that played this seat |

Deals of evaluations (`coven evaluate`) are not among them. The same command writes the same decisions, and goes on
where it was stopped. Digests of the sources:

{sources}
"""
