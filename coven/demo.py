"""`coven demo`: the three uses of the suite at a small scale, in about two minutes on two cores."""

from __future__ import annotations

import shutil
from pathlib import Path

from rich.console import Console

import coven
from coven.arena.league import league
from coven.arena.report import report
from coven.arena.store import Store
from coven.cli import games, print_curve, print_throughput

GAME, PLAYERS = "alchemists", 2
OTHERS = ("random", "mix:0.5", "greedy", "ismcts:50")
DEALS = 100


def run(console: Console, out: Path, seconds: int) -> None:
    """Show the games, how fast they run, how an agent learns, and a league of agents with the new one among them."""
    from coven.agents import train

    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    game = coven.game(GAME)

    console.rule("The games")
    games()

    console.rule("How fast they run (coven bench GAME)")
    everything = [coven.game(name) for name in coven.games()]
    print_throughput([(g, g.players[-1]) for g in everything], 0.1, 3)

    console.rule(f"An agent learns {game.title} (coven train {GAME})")
    console.print(f"{seconds} seconds: lessons from the greedy bot, then self-play with MaskablePPO.")
    settings = train.preset(game, players=[PLAYERS], lessons=train.preset(game).lessons // 2)
    training = train.Run.begin(game, out / "training", settings)
    print_curve(game, train.train(training, seconds / 60))

    console.rule("Who is better, and how sure are we (coven arena run)")
    db = out / "league.db"
    league(GAME, [*OTHERS, f"ppo:{training.agent_file}"], PLAYERS, DEALS, db=db, workers=2, console=console)
    with Store(db) as store:
        page = report(store, out / "league")
    console.print(f"\nThe league as a page with pictures: {page}", markup=False)
    console.print(f"A game of it, move by move: coven replay {db} --game 0", markup=False)
    console.print("More: coven --help, coven show GAME, coven picture GAME, coven train GAME.")
