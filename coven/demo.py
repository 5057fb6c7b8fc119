"""`coven demo`: the three main uses of Coven at a small scale, in about two minutes on two cores."""

from __future__ import annotations

import shutil
from pathlib import Path

from rich.console import Console

import coven
from coven.arena.store import Store
from coven.cli import games, measure, print_throughput
from coven.cli_train import print_curve
from coven.endings import going_on
from coven.games.core import files
from coven.games.core.errors import BadOption, CannotWrite, extra

GAME, PLAYERS = "alchemists", 2
OTHERS = ("random", "mix:0.5", "greedy", "ismcts:50")
DEALS = 100
MADE = ("training", "league", "league.db", "league.db-wal", "league.db-shm", ".league.db.lock")
MOST_SECONDS = 3600


def run(console: Console, out: Path, seconds: int) -> None:
    """Show the games, how fast they run, how an agent learns, and a league of agents with the new one among them."""
    with extra("train,arena", "the training and the league of the demo"):
        from coven.agents import train
        from coven.arena.league import league
        from coven.arena.report import report
    if not 1 <= seconds <= MOST_SECONDS:
        raise BadOption(f"seconds={seconds} is not allowed; allowed: 1 to {MOST_SECONDS}")
    _clear(out)
    game = coven.game(GAME)

    console.rule("The games")
    games()

    console.rule("How fast they run (coven bench GAME)")
    everything = [coven.game(name) for name in coven.games()]
    print_throughput(measure([(g, g.players[-1]) for g in everything], 0.1, 3))

    console.rule(f"An agent learns {game.title} (coven train {GAME})")
    console.print(f"{seconds} seconds: lessons from the greedy bot, then self-play with MaskablePPO.")
    settings = train.preset(game, players=[PLAYERS], lessons=train.preset(game).lessons // 2)
    training = train.Run.begin(game, out / "training", settings)
    with going_on("coven demo begins anew"):
        print_curve(game, train.train(training, seconds / 60))

    console.rule("Which agent is better, and how sure are we (coven arena run)")
    db = out / "league.db"
    league(GAME, [*OTHERS, f"ppo:{training.agent_file}"], PLAYERS, DEALS, db=db, workers=2, console=console)
    with Store(db) as store:
        page = report(store, out / "league")
    console.print(f"\nThe league as a page with pictures: {page}", markup=False)
    console.print(f"A game of it, move by move: coven replay {db} --game 0", markup=False)
    console.print("More: coven --help, coven show GAME, coven picture GAME, coven train GAME.")


def _clear(out: Path) -> None:
    """Remove the files of an earlier demo; BadOption if anything else is in the folder."""
    files.folder(out)
    others = sorted(path.name for path in out.iterdir() if path.name not in MADE)
    if others:
        raise BadOption(f"{out} has {others[0]}, which no demo made; allowed: a new folder or an earlier demo's")
    try:
        for path in out.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        raise CannotWrite(out, error) from error
