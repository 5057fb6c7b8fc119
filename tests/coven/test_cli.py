"""The `coven` command as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from itertools import islice

import pytest
from cli_help import run, run_alone

import coven
from coven import cli, cli_evaluate, endings
from coven.games.core.errors import BadOption, CannotWrite, MissingExtra
from coven.games.core.game import Game
from coven.playthrough import random_game


def test_games_lists_every_game():
    for text in (run("games"), run_alone("games")):
        assert all(name in text for name in coven.games.built_in())


@pytest.mark.parametrize("name", coven.games.built_in())
def test_show_prints_rules_actions_layout_and_provenance(name):
    text, game = run("show", name), coven.game(name)
    assert all(kind in text for kind in game.actions.kinds)
    assert all(part.name in text for part in game.layout)
    assert all(entry.name in text for entry in game.components.entries)
    assert "Sources: book" in text


def test_random_plays_the_same_game_aloud_for_the_same_seed():
    text = run("random", "alchemists", "--seed", "7")
    assert text == run("random", "alchemists", "--seed", "7")
    assert "player 1: create" in text
    assert "rank 1" in text
    assert run("random", "alchemists", "--seed", "8") != text


def test_random_takes_players_options_and_a_viewer():
    text = run("random", "alchemists", "--players", "3", "--viewer", "0", "--options", "setup=german")
    assert "3 players" in text
    assert "setup='german'" in text
    assert "school hidden" in text


def test_random_tells_a_viewer_only_what_its_seat_sees():
    text = run("random", "wie_verhext", "--players", "4", "--viewer", "1", "--options", "max_sets=1")
    chosen = [line.split("  ")[-1] for line in text.splitlines() if "choose" in line and line.startswith("  ")]
    own = [line for line in chosen if line.startswith("player 1: choose ")]
    assert len(own) == 5
    assert sorted(set(chosen) - set(own)) == [f"player {p} chooses a role" for p in (0, 2, 3)]
    assert "player 0: lead" in text
    message = run("random", "wie_verhext", "--viewer", "1", "--checks", code=2)
    assert "checks or a viewer, not both" in message


def test_picture_draws_a_table_to_a_file(tmp_path):
    svg, png = tmp_path / "table.svg", tmp_path / "table.png"
    words = ("picture", "alchemists", "--players", "3", "--seed", "4", "--moves", "9", "--viewer", "2")
    assert run(*words, "--out", str(svg)).strip() == str(svg)
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    run(*words, "--out", str(png), "--scale", "0.5")
    assert png.read_bytes().startswith(b"\x89PNG")
    game = coven.game("alchemists")
    s = game.new(3, seed=4)
    for _ in islice(random_game(game, s, 4), 10):
        pass
    assert svg.read_text(encoding="utf-8") == game.svg(s, 2)


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("resvg_py", lambda path: cli.picture("alchemists", out=path / "x.png")),
        ("pyarrow.parquet", lambda path: cli_evaluate.data("alchemists", ("greedy",), out=path)),
    ],
)
def test_an_extra_is_looked_for_before_a_game_is_compiled(module, command, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(Game, "prepare", lambda game: pytest.fail("compiled first"))
    with pytest.raises(MissingExtra):
        command(tmp_path)


@pytest.mark.parametrize(("error", "words"), [(BadOption("no"), "no"), (CannotWrite("x", "full"), "again")])
def test_only_what_may_work_again_is_said_to(error, words):
    with pytest.raises(type(error)) as raised, endings.going_on("again"):
        raise error
    assert endings.last_words(raised.value).endswith(words)


def test_bench_prints_the_three_rates():
    text = run("bench", "alchemists", "--players", "2", "--seconds", "0.01", "--repeats", "1")
    assert all(word in text for word in ("in-kernel", "batch 1024", "AEC", "games/s", "mask"))


@pytest.mark.parametrize(
    "words", [(), ("games",), ("show",), ("random",), ("picture",), ("bench",), ("demo",), ("prepare",)]
)
def test_help_everywhere(words):
    assert "usage: coven" in run(*words, "--help")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "chess"), "there is no game 'chess'; there are alchemists"),
        (("show", "witch"), "did you mean 'witchstone'?"),
        (("bench", "alchemists", "--repeats", "0"), "1 to 1000 repeats"),
        (("random", "alchemist"), "did you mean 'alchemists'?"),
        (("random", "alchemists", "--players", "9"), "allowed: 2, 3, 4, 5"),
        (("random", "alchemists", "--seed", "-1"), "seed=-1 is not allowed"),
        (("random", "alchemists", "--options", "setup"), "written NAME=VALUE"),
        (("random", "alchemists", "--options", "setup=french"), "'book' or 'german'"),
        (("random", "alchemists", "--viewer", "5"), "viewer=5 is not a seat"),
        (("bench", "alchemists", "--players", "1"), "allowed: 2, 3, 4, 5"),
        (("picture", "alchemists", "--out", "table.gif"), "ends in .svg or .png"),
        (("picture", "alchemists", "--out", "/dev/null/table.svg"), "cannot be written"),
        (("picture", "alchemists", "--moves", "-1"), "moves=-1"),
        (("dance",), "dance"),
        (("arena", "report", "."), "there is no file ."),
        (("\x1b[31mred", "games"), r"coven: '\x1b[31mred' holds control characters"),
        (("games", "a\x9b2J"), r"coven: 'a\x9b2J' holds control characters"),
    ],
)
def test_a_users_mistake_is_one_clear_message(words, message):
    assert message in run(*words, code=2)


@pytest.mark.skipif(find_spec("torch") is None, reason="without torch there are no fits")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rows", "9223372036854775808"), "GiB of memory"),
        (("--hidden", "2147483648"), "allowed: up to 16384"),
        (("--agent", "ppo", "--rows", "9223372036854775808"), "GiB of memory"),
        (("--agent", "greedy"), "allowed: ppo or ppo:FILE"),
    ],
)
def test_a_fit_that_cannot_be_is_one_clear_message(words, message):
    assert message in run("fit", "alchemists", *words, code=2)


def test_a_users_mistake_ends_the_process_with_one_line():
    assert run_alone("show", "chess", code=2).startswith("coven: there is no game 'chess'; there are alchemists")


def test_fit_makes_an_estimate_and_says_how_good_it_is(tmp_path):
    pytest.importorskip("torch")
    path = tmp_path / "estimate.safetensors"
    few = ("--rows", "1000", "--hidden", "4", "--passes", "1")
    text = run("fit", "alchemists", *few, "--out", str(path))
    assert "Alchemists, 5 players: explains" in text
    assert path.exists()
    assert "rows=5 is not allowed; allowed: 1000 and more" in run("fit", "alchemists", "--rows", "5", code=2)


def test_the_version_is_told_by_the_command_and_by_the_module():
    assert run_alone("--version").strip() == f"coven-rl {coven.__version__}"
    done = subprocess.run([sys.executable, "-m", "coven", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"coven-rl {coven.__version__}"


def test_games_and_bench_print_json_for_other_programs():
    assert [row["game"] for row in json.loads(run("games", "--json"))][:4] == coven.games.built_in()
    words = ("bench", "alchemists", "--players", "2", "--seconds", "0.01", "--repeats", "1", "--json")
    (row,) = json.loads(run(*words))["rates"]
    assert (row["game"], row["players"]) == ("alchemists", 2)
    assert row["kernel"] > 0


def test_shell_completion_is_printed():
    assert "_tyro_coven" in run("--tyro-print-completion", "bash")
