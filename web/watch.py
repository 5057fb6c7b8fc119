"""What the page that shows recorded games asks for."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from coven.games.core.errors import BadOption
from coven.games.core.game import State
from coven.web import analysis, export
from coven.web.ask import Analyses
from coven.web.library import Film, Library, Line

PAGE = Path(__file__).parent / "page"
LISTED = 100
"""Games on one page of the list."""


class WatchRoutes:
    """Lists, games and positions of a library."""

    def __init__(self, library: Library, pool: ThreadPoolExecutor, analyses: Analyses) -> None:
        self.library, self.pool, self.analyses = library, pool, analyses

    def check(self, request: Request) -> None:
        """Only for those who have the secret."""
        if request.path_params["secret"] != self.library.secret:
            raise LookupError

    def film(self, request: Request) -> Film:
        """The game of a request."""
        self.check(request)
        return self.library.film(int(request.path_params["number"]))

    async def page(self, request: Request) -> Response:
        """The page itself."""
        self.check(request)
        return FileResponse(PAGE / "watch.html")

    async def games(self, request: Request) -> Response:
        """A part of the list: games in which these agents sat, won by that one."""
        self.check(request)
        lines, asked = self.library.lines(), request.query_params
        agents = sorted({agent for line in lines for agent in line.agents})
        found = [line for line in lines if _wanted(line, asked.getlist("agent"), asked.get("winner", ""))]
        first = min(whole(asked.get("first", "0"), 0, 10**9), max(0, len(found) - 1))
        shown = [line.shown() for line in found[first : first + LISTED]]
        about = {"file": self.library.path.name, "agents": agents, "total": len(lines), "found": len(found)}
        return JSONResponse(about | {"first": first, "listed": LISTED, "games": shown})

    async def about(self, request: Request) -> Response:
        """A game in short, with what a viewer sees of its moves."""
        film = self.film(request)
        return JSONResponse(film.about() | {"log": film.events[viewer_of(request, film)]})

    async def position(self, request: Request) -> Response:
        """One position."""
        film = self.film(request)
        number = whole(request.path_params["position"], 0, len(film.states) - 1)
        return JSONResponse(film.shown(number, viewer_of(request, film)))

    def _position(self, request: Request) -> tuple[Film, State]:
        film = self.film(request)
        return film, film.states[whole(request.path_params["position"], 0, len(film.states) - 1)]

    async def html(self, request: Request) -> Response:
        """The game as one HTML file that needs no server."""
        film = self.film(request)
        pictures = await _drawn(film, export.everybody(film))
        page = await asyncio.get_running_loop().run_in_executor(self.pool, export.html, film, pictures)
        return _file(page.encode(), "text/html", request, film, "html")

    async def gif(self, request: Request) -> Response:
        """The game as a film."""
        film = self.film(request)
        pictures = [svg for _, svg in await _drawn(film, [viewer_of(request, film)])]
        data = await asyncio.get_running_loop().run_in_executor(self.pool, export.gif, pictures)
        return _file(data, "image/gif", request, film, "gif")

    async def analyse(self, request: Request) -> Response:
        """What an agent thinks of the decision in a position."""
        film, s = self._position(request)
        spec = analysis.allowed(await self.analyses.agent(request))  # what the file names may be anything
        asked = analysis.question(film.game, s)
        return self.analyses.stream("watch", lambda: analysis.answers(asked, spec))

    async def graph(self, request: Request) -> Response:
        """The values of all seats over the game."""
        film, spec = self.film(request), await self.analyses.agent(request)
        if spec != analysis.ESTIMATE:
            analysis.allowed(spec)
        return self.analyses.stream("watch", lambda: analysis.graph(film.game, film.states, film.returns, spec, None))

    async def worlds(self, request: Request) -> Response:
        """Some worlds that fit all that the viewer, or who decides, knows in a position."""
        film, s = self._position(request)
        viewer = viewer_of(request, film)
        player = film.game.current_player(s) if viewer is None else viewer
        pictures = [] if player is None else analysis.worlds(film.game, s, player)
        return JSONResponse({"worlds": pictures})


async def _drawn(film: Film, viewers: export.Viewers) -> list[tuple[int | None, str]]:
    """All pictures of a game; others are served in between."""
    pictures = []
    for picture in export.draw(film, viewers):
        pictures.append(picture)
        await asyncio.sleep(0)
    return pictures


def _file(data: bytes, media_type: str, request: Request, film: Film, ending: str) -> Response:
    """A file to keep."""
    name = f"{film.game.name}-{request.path_params['number']}.{ending}"
    return Response(data, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'})


def _wanted(line: Line, agents: list[str], winner: str) -> bool:
    return all(agent in line.agents for agent in agents if agent) and (not winner or winner in line.winners)


def whole(text: Any, low: int, high: int) -> int:
    """A whole number in these bounds, from anybody."""
    known = isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= 12
    if not known or not low <= int(text) <= high:
        raise BadOption(f"{str(text)[:40]!r} is not allowed; allowed: {low} to {high}")
    return int(text)


def viewer_of(request: Request, film: Film) -> int | None:
    """Through whose eyes: a seat, or all open."""
    text = request.query_params.get("viewer", "all")
    return None if text == "all" else whole(text, 0, film.replay.num_players - 1)


def watch_routes(library: Library, pool: ThreadPoolExecutor, analyses: Analyses) -> list[Route]:
    """All addresses of recorded games."""
    watch, one = WatchRoutes(library, pool, analyses), "/w/{secret}/game/{number:int}"
    return [
        Route("/w/{secret}", watch.page),
        Route("/w/{secret}/games", watch.games),
        Route(one, watch.about),
        Route(one + "/position/{position}", watch.position),
        Route(one + "/position/{position}/analyse", watch.analyse, methods=["POST"]),
        Route(one + "/position/{position}/worlds", watch.worlds),
        Route(one + "/graph", watch.graph, methods=["POST"]),
        Route(one + "/export.html", watch.html),
        Route(one + "/export.gif", watch.gif),
    ]
