"""Every command with words that nobody should type: one clear error or a result, never a traceback, crash or hang."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from run_folders import TINY_SEARCH

from coven import cli, cli_train, demo
from coven.agents import curve, fit, search_training, train, value
from coven.arena import data as decisions
from coven.arena import league, protocol, replay, report
from coven.arena.run import run as play
from coven.arena.schedule import plan
from coven.arena.store import Store
from coven.benchmarks import throughput
from coven.games.core import processes
from coven.games.core.game import Game
from coven.web import run as web_run

TRIES = 6 * int(os.environ.get("COVEN_FUZZ", "1"))
SECONDS = 600
"""No command with the small work that it is given here takes so long, on a busy machine either."""

NUMBERS = ("-1", "0", "-0", "1.5", "nan", "inf", "-inf", "1e999", "2147483648", "4294967296", "9223372036854775808")
NUMBERS += ("1" + "0" * 26, "9" * 5000, "0x10", "1_0", "١", "true", "None")
WORDS = (
    "",
    " ",
    "x",
    "-",
    "--",
    "\x00",
    "\x1b[31mred",
    "a\nb",
    "é" * 300,
    "[" * 500,
    "(" * 3000,
    "{}",
    "'",
    "$$",
    "%s",
)
WORDS += (
    "\udc80",
    "../..",
    "~",
    "=",
    "setup=",
    "=1",
    "self=1",
    "seed=3",
    "num_players=3",
    "setup=[" + "[" * 300,
    "a" * 9000,
)
SPECS = ("ismcts", "ismcts:0", "ismcts:-5", "ismcts:nan", "ismcts:1:c=x", "mix:2", "mix:nan", "ppo:", "ppo:/etc/passwd")
SPECS += (
    "guided:4",
    "guided:/no/file:4",
    "guided:nan",
    "guided:4:threads=-1",
    "ppo:/no/file",
    "py:",
    "py:os",
    "py:nothing:here",
    "py:coven:make",
    "greedy:1",
    ":",
    "random:random",
    "ismcts:1ms:1",
    f"ismcts:1:horizon={'9' * 30}",
    "ismcts:4:widen=1e308:c=1e308",
)
PATHS = ("/dev/null", "/no/such/folder/x.svg", "/proc/x.png", "x" * 300 + ".svg", ".", "\x00.svg", "/dev/full")
PATHS += ("/dev/stdout",)


def small_numbers(*good):
    return (*good, *NUMBERS, *WORDS)


def grammar(folder):
    """For every command the words in front and its options, each with values good and bad."""
    games = ("alchemists", "chess", *WORDS)  # what differs from game to game is data
    paths = (str(folder / "a.svg"), str(folder / "a.png"), str(folder / "b"), *PATHS)
    stored = [str(folder / name) for name in ("games.db", "games.jsonl", "noise", "empty", "link", "deep.json")]
    stored += PATHS
    table = {
        "--players": small_numbers("2", "3"),
        "--seed": small_numbers("7"),
        "--options": ("setup=german", *WORDS),
        "--viewer": small_numbers("0", "1"),
    }
    agents = ("random", "greedy", "mix:0.5", *SPECS, *WORDS)
    return {
        ("games",): ([], {}),
        ("show",): ([games], {}),
        ("random",): ([games], {**table, "--checks": ()}),
        ("picture",): (
            [games],
            {**table, "--moves": small_numbers("3"), "--out": paths, "--scale": small_numbers("0.2")},
        ),
        ("bench",): (
            [games],
            {"--players": small_numbers("2"), "--seconds": ("0.001", *NUMBERS), "--repeats": ("1", *NUMBERS)},
        ),
        ("train",): (
            [games],
            {
                "--minutes": ("0.0001", *NUMBERS),
                "--players": small_numbers("2"),
                "--seed": small_numbers("1"),
                "--out": paths,
                "--resume": (),
                "--options": table["--options"],
                "--network": ("4", "0", *NUMBERS),
                "--tables": small_numbers("2"),
                "--learning-rate": ("0.001", *NUMBERS),
                "--updates": ("2", "1"),
                "--against": agents,
                "--start": ("", "ppo", "greedy", *WORDS),
                "--teacher": agents,
            },
        ),
        ("train", "--method", "search"): (
            [games],
            {
                "--minutes": ("0.0001", *NUMBERS),
                "--rounds": ("2", "1"),
                "--players": small_numbers("2"),
                "--seed": small_numbers("1"),
                "--out": paths,
                "--resume": (),
                "--options": table["--options"],
                "--network": ("4", "0", *NUMBERS),
                "--window": ("1000", *NUMBERS),
                "--full-share": ("0.5", *NUMBERS),
                "--passes": ("0.1", "-1", "nan", "x"),
                "--start": ("", "ppo", "greedy", *WORDS),
                "--teacher": ("ismcts:2", *SPECS, *WORDS),
                "--workers": ("1", "0", "-1", "99999999999", *WORDS),
            },
        ),
        ("exploit",): (
            [games, agents],
            {
                "--minutes": ("0.0001", *NUMBERS),
                "--updates": ("2", "1"),
                "--games": small_numbers("4"),
                "--out": paths,
                "--resume": (),
                "--json": (),
            },
        ),
        ("fit",): (
            [games],
            {
                "--rows": ("1000", "10", *NUMBERS),
                "--hidden": ("2", *NUMBERS),
                "--passes": ("1", *NUMBERS),
                "--horizon": ("1", *NUMBERS),
                "--seed": ("0", *NUMBERS),
                "--agent": ("ppo", *agents),
                "--out": paths,
            },
        ),
        ("arena", "run"): (
            [games],
            {
                "--agents": agents,
                "--players": small_numbers("2"),
                "--deals": ("1", "2", *NUMBERS),
                "--seed": small_numbers("1"),
                "--db": (str(folder / "new.db"), *stored),
                "--workers": ("1", "0", "-1", "99999999999"),
                "--error-rate": NUMBERS,
                "--schedule": ("all", "alone", "x"),
                "--block": small_numbers("1"),
                "--options": table["--options"],
            },
        ),
        ("arena", "table"): ([stored], {"--openskill": ()}),
        ("arena", "report"): ([stored], {"--out": paths}),
        ("arena", "export"): ([stored, [*paths, str(folder / "x.csv"), str(folder / "x.parquet")]], {}),
        ("replay",): (
            [stored],
            {
                "--game": small_numbers("0", "1"),
                "--viewer": small_numbers("0"),
                "--tables": (),
                "--step": (),
                "--check": (),
                "--export": paths,
            },
        ),
        ("play",): (
            [games],
            {
                "--seats": ("human", "greedy", *SPECS, *WORDS),
                "--practice": (),
                "--one-screen": (),
                "--terminal": (),
                "--seed": small_numbers("7"),
                "--tables": ("2", *NUMBERS),
                "--pace": ("0", *NUMBERS),
                "--host": ("127.0.0.1", "256.1.1.1", *WORDS),
                "--port": ("0", "99999", *NUMBERS),
                "--names": ("table.example", *WORDS),
                "--out": (str(folder / "kept"), *stored),
                "--options": table["--options"],
            },
        ),
        ("watch",): (
            [stored],
            {
                "--game": small_numbers("0", "1"),
                "--html": (str(folder / "a.html"), *paths),
                "--viewer": small_numbers("0"),
                "--host": ("127.0.0.1", "256.1.1.1", *WORDS),
                "--port": ("0", "99999", *NUMBERS),
                "--names": ("table.example", *WORDS),
            },
        ),
        ("evaluate",): (
            [games, ("greedy", *agents)],
            {
                "--quick": (),
                "--name": ("me", *WORDS),
                "--out": (str(folder / "r.jsonl.xz"), *paths),
                "--workers": ("1", "0", "-1", *WORDS),
                "--on-fault": ("random", "forfeit", *WORDS),
                "--anyway": (),
                "--verify": stored,
            },
        ),
        ("data",): (
            [games],
            {
                "--agents": agents,
                "--decisions": ("50", *NUMBERS),
                "--out": (str(folder / "data"), *stored),
                "--players": small_numbers("2"),
                "--seed": small_numbers("1"),
                "--options": table["--options"],
            },
        ),
        ("check-bot",): (
            [
                games,
                ("cmd:/bin/cat", "cmd:/bin/false", "cmd:seconds=0.1 /bin/sleep 9", "cmd:", "cmd:'", *SPECS, *WORDS),
            ],
            {"--players": small_numbers("2"), "--deals": ("1", *NUMBERS), "--show": ()},
        ),
        ("prepare",): ([], {"--agents": (), "--players": small_numbers("2")}),
        ("demo",): ([], {"--out": (str(folder / "demo"), *stored), "--seconds": small_numbers("1")}),
        ("dance",): ([WORDS], {}),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A place with a tournament, replays and rubbish."""
    path = tmp_path_factory.mktemp("commands")
    play(path / "games.db", plan("alchemists", ["random", "greedy"], 2, 2, seed=1))
    with Store(path / "games.db") as store:
        replay.write((replay.of_row(store.tournament, row) for row in store.games()), path / "games.jsonl")
    (path / "noise").write_bytes(random.Random(0).randbytes(5000))
    (path / "empty").touch()
    (path / "deep.json").write_text("[" * 100_000)
    (path / "link").symlink_to(path / "nowhere")
    (path / "b").mkdir()
    torch.set_num_threads(1)
    return path


@pytest.fixture
def quick(monkeypatch, folder):
    """Training and measuring that take no time, signals as they were, and an end to what hangs."""
    tiny = {"players": [2], "network": [4], "tables": 2, "steps_per_update": 4, "batch_size": 8, "epochs": 1}
    tiny |= {"lessons": 1, "lesson_length": 2, "evaluation_deals": 2}
    usual, usual_training = train.preset, train.train
    monkeypatch.setattr(train, "preset", lambda game, **given: usual(game, **tiny | given))
    monkeypatch.setattr(
        train, "train", lambda run, minutes, quiet=False: usual_training(run, min(minutes, 0.0001), quiet)
    )
    usual_fit, usual_measure = fit.fit, throughput.measure

    def quick_fit(game, path, settings):
        fit.check_memory(settings.memory(game), "fewer")
        rows, hidden = min(settings.rows, 1000), min(settings.hidden, 8)
        return usual_fit(game, path, replace(settings, rows=rows, hidden=hidden, passes=1))

    def quick_value(agent, players, rows, seed):
        return usual_value(agent, players, min(rows, value.least_rows(players)), seed)

    usual_value = value.fit_value
    monkeypatch.setattr(fit, "fit", quick_fit)
    monkeypatch.setattr(value, "fit_value", quick_value)
    monkeypatch.setattr(throughput, "BATCH", 16)
    monkeypatch.setattr(
        throughput, "measure", lambda game, n, seconds, *more: usual_measure(game, n, min(seconds, 0.001), 1, *more[1:])
    )
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # a worker is a process, unless it is the only one
    monkeypatch.setattr(protocol, "GAMES", {"random": 2, "greedy": 2})
    monkeypatch.setattr(decisions, "MOST_DECISIONS", 1000)
    monkeypatch.setattr(web_run, "serve", lambda app, sock, ready: sock.close())
    usual_search, usual_league = cli_train.search_preset, league.league
    monkeypatch.setattr(cli_train, "search_preset", lambda game, **given: usual_search(game, **TINY_SEARCH | given))
    monkeypatch.setattr(search_training, "SAMPLE_GAMES", 2)
    monkeypatch.setattr(league, "league", lambda *told, workers, **more: usual_league(*told, workers=1, **more))
    monkeypatch.setattr(demo, "OTHERS", ("random",))
    monkeypatch.setattr(demo, "DEALS", 1)
    monkeypatch.setattr(processes, "start", lambda *told: subprocess.Popen(["true"]))
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def hangs(*_):
        raise AssertionError(f"{sys.argv} hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def command_line(words, positional, options, dice):
    """A random command line: mostly sensible, so that what is not is reached."""

    def value(values):
        return values[0] if dice.random() < 0.4 else dice.choice(values)

    line = [*words, *(value(values) for values in positional)]
    for name, values in options.items():
        if name in ("--agents", "--seats") and values:
            line += [name, "random", value(values)]
        elif dice.random() < 0.35:
            line += [name, *([value(values)] if values else [])]
    if dice.random() < 0.03:
        line.insert(dice.randrange(len(line)), dice.choice(WORDS))
    return line


NAMES = [" ".join(words) for words in grammar(Path("/"))]


@pytest.mark.parametrize("name", NAMES)
def test_no_words_make_a_traceback(name, folder, quick, monkeypatch, capfd):
    dice, words = random.Random(name), tuple(name.split())
    if name == "demo":  # what it does one after the other is tried command by command
        monkeypatch.setattr(demo, "measure", lambda *_: [])
        monkeypatch.setattr(report, "report", lambda store, out: out)
        monkeypatch.setattr(curve, "draw", lambda *_: None)
    if name in ("arena report", "watch"):  # they draw every position of a game
        monkeypatch.setattr(Game, "svg", lambda game, s, viewer=None: "<svg xmlns='http://www.w3.org/2000/svg'/>")
    for _ in range(TRIES):
        line = command_line(words, *grammar(folder)[words], dice)
        monkeypatch.setattr(sys, "argv", ["coven", *line])
        signal.alarm(SECONDS)
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        except Exception as error:
            raise AssertionError(f"{line}: {error!r}") from error
        finally:
            signal.alarm(0)
        said = capfd.readouterr()
        assert code in (0, 2), line
        assert code == 0 or said.err or said.out, line
        assert "Traceback" not in said.err, line
        assert "\x1b[31mred" not in said.err + said.out, line


def test_devices_are_still_devices():
    assert Path("/dev/null").is_char_device()
    assert Path("/dev/full").is_char_device()
