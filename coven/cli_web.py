"""`coven play` and `coven watch`: games in a browser, or in the terminal."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

import coven
from coven.games.core import files
from coven.games.core.errors import BadOption, CovenError

if TYPE_CHECKING:
    from socket import socket

    from coven.web.library import Library
    from coven.web.store import Kept

Seats = Annotated[tuple[str, ...], arg(metavar="SEAT", help="For each seat `human` or the spec of an agent.")]


def play(
    game: Annotated[Positional[str], arg(metavar="GAME|FOLDER", help="A game, or the folder of games to go on with.")],
    seats: Seats = (),
    practice: bool = False,
    one_screen: bool = False,
    terminal: bool = False,
    seed: int | None = None,
    tables: int = 1,
    pace: float = 0.5,
    host: str = "127.0.0.1",
    port: int | None = None,
    names: tuple[str, ...] = (),
    out: Path | None = None,
    browser: bool = True,
    trust: bool = False,
    options: Annotated[tuple[str, ...], arg(metavar="NAME=VALUE")] = (),
) -> None:
    """Play a game against agents and other people, in the browser (needs the extra `web`) or in the terminal.

    Every human seat has a secret link. The game is stored after every move: `coven play FOLDER` goes on with it.

    Args:
        game: One of the names that `coven games` lists, or the folder of stored games.
        seats: Who plays each seat, such as `human ismcts:1000 greedy`; a human against greedy agents if not given.
        practice: One human against agents may take back moves and ask for analysis.
        one_screen: All humans share one page and take turns at it.
        terminal: Play here, without a browser.
        seed: The seed of the deal; a random one if not given.
        tables: How many games to serve, each with its own links.
        pace: Seconds between two moves of agents.
        host: The address to listen at; any other than 127.0.0.1 lets other machines connect.
        port: The port; 8710 or, if that is taken, a free one if not given.
        names: Further host names by which browsers may reach this machine.
        out: The folder in which the games are stored; runs/play/GAME-DATE if not given.
        browser: Open the page in a browser.
        trust: Go on with games whose folder names agents that run programs or talk to other machines (py:, cmd:, llm:).
        options: Options of the game.
    """
    from coven.cli import parse_options
    from coven.web import run, store
    from coven.web.table import HUMAN, Setup

    folder = Path(game)
    if game not in coven.games() and folder.is_dir():
        if seats or options or out:
            raise BadOption(f"the games in {folder} go on as they were begun; allowed: no --seats, --options, --out")
        with store.alone(folder):
            if terminal:
                _play_here(store.load(folder, trust))
            else:
                _go_on(folder, pace, host, port, names, browser, trust)
        return
    g = coven.game(game)
    sitting = seats or (HUMAN, *["greedy"] * (g.players[0] - 1))
    setup = Setup(g, sitting, parse_options(g, options), practice)
    if terminal and tables != 1:
        raise BadOption(f"a terminal plays one table, not {tables}")
    if not 1 <= tables <= 1000:
        raise BadOption(f"tables={tables} is not allowed; allowed: 1 to 1000")
    folder = out or Path("runs") / "play" / f"{game}-{time.strftime('%Y%m%d-%H%M%S')}"
    sock = None
    if not terminal:
        run.check()
        sock = run.bind(host, port)
    kept = store.begin(setup, folder, tables, one_screen, seed)
    with store.alone(folder):
        if sock is None:
            _play_here(kept)
        else:
            _serve(kept, sock, pace, host, names, browser)


def _play_here(kept: list[Kept]) -> None:
    """Play one table in the terminal."""
    from coven.web.terminal import Player

    if len(kept) != 1:
        raise BadOption(f"a terminal plays one table, not {len(kept)}: use the browser")
    Player(kept[0]).run()


def _go_on(
    folder: Path, pace: float, host: str, port: int | None, names: tuple[str, ...], browser: bool, trust: bool
) -> None:
    from coven.web import run, store

    run.check()
    kept = store.load(folder, trust)
    sock = run.bind(host, port if port is not None else kept[0].port or None)
    _serve(kept, sock, pace, host, names, browser)


def _serve(kept: list[Kept], sock: socket, pace: float, host: str, names: tuple[str, ...], browser: bool) -> None:
    """Print the links of the tables, and serve them."""
    from coven.agents.registry import is_outside
    from coven.web import run
    from coven.web.server import build_app

    base, first = run.address(sock, host), None
    for number, table in enumerate(kept):
        table.port = sock.getsockname()[1]
        table.save()
        setup = table.table.setup
        print(f"{setup.game.title}, table {number}: {', '.join(setup.seats)}")
        for link, seats in table.links.items():
            first = first or f"{base}/s/{link}"
            print(f"  player {' and '.join(map(str, seats))}: {base}/s/{link}")
    folder = kept[0].file.parent
    again = f"coven play {folder}" + (" --trust" if any(map(is_outside, kept[0].table.setup.agents)) else "")
    print(f"Stored in {folder} after every move; to go on later: {again}. Ctrl-C ends.", flush=True)

    def ready() -> None:
        if browser and first and not run.open_browser(first):
            print("There is no browser here: open a link above in one.", flush=True)

    run.serve(build_app(kept, pace=pace, names=names), sock, ready)


def watch(
    file: Annotated[Positional[Path], arg(metavar="FILE|DB", help="A file of replays or a tournament.")],
    game: int | None = None,
    html: Path | None = None,
    gif: Path | None = None,
    viewer: int | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    names: tuple[str, ...] = (),
    browser: bool = True,
) -> None:
    """Watch recorded games in the browser (needs the extra `web`), or save one as a file.

    Args:
        file: A file of replays (JSON Lines) or a tournament.
        game: The number of the game, from 0; a list of all games if not given.
        html: Write the game to this HTML file, which needs no server.
        gif: Write the game to this GIF file.
        viewer: For the GIF: show only what this seat may know.
        host: The address to listen at.
        port: The port; 8710 or, if that is taken, a free one if not given.
        names: Further host names by which browsers may reach this machine.
        browser: Open the page in a browser.
    """
    from coven.web.library import Library

    library = Library(file)
    if html is not None or gif is not None:
        _save(library, game or 0, html, gif, viewer)
        return
    from coven.web import run

    run.check()
    lines = library.lines()
    if not lines:
        raise CovenError(f"{file} has no games")
    if game is not None:
        library.film(game)
    from coven.web.server import build_app

    sock = run.bind(host, port)
    link = f"{run.address(sock, host)}/w/{library.secret}" + ("" if game is None else f"?game={game}")
    print(f"{len(lines):,} games: {link}\nCtrl-C ends.", flush=True)

    def ready() -> None:
        if browser and not run.open_browser(link):
            print("There is no browser here: open the link above in one.", flush=True)

    run.serve(build_app(library=library, names=names), sock, ready)


def _save(library: Library, game: int, html: Path | None, gif: Path | None, viewer: int | None) -> None:
    from coven.web import export

    film = library.film(game)
    if viewer is not None and viewer not in range(film.replay.num_players):
        raise BadOption(f"viewer={viewer} is not a seat; allowed: 0 to {film.replay.num_players - 1}")
    if html is not None:
        files.write(html, export.html(film, export.draw(film, export.everybody(film))))
        print(html)
    if gif is not None:
        files.write(gif, export.gif([svg for _, svg in export.draw(film, [viewer])]))
        print(gif)
