"""The server: pages, positions, moves and news of tables, and recorded games to watch. Nothing hidden leaves it.

Every address that shows something begins with a secret: `/s/SECRET` is a seat (or several, on one screen), `/w/SECRET`
the recorded games. A seat's answers come from `Table.shown_to` alone.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from coven.games.core.errors import CannotWrite, CovenError, IllegalAction
from coven.web import analysis, guard
from coven.web.ask import Analyses
from coven.web.bots import PACE, play_agents
from coven.web.library import Library
from coven.web.store import FINISHED, Kept
from coven.web.table import NotNow
from coven.web.watch import watch_routes

PAGE = Path(__file__).parent / "page"
FILES = {
    "style.css": "text/css",
    "board.js": "text/javascript",
    "analysis.js": "text/javascript",
    "play.js": "text/javascript",
    "watch.js": "text/javascript",
}
FONTS = {"caladea.ttf": "Caladea-Regular", "caladea-bold.ttf": "Caladea-Bold", "caladea-italic.ttf": "Caladea-Italic"}
MOST_LISTENERS = 8
"""Pages that listen to one seat at once; of more the oldest has to ask again."""
SILENCE = 15.0
"""Seconds after which a listener is told that the server is still there."""


class Act(msgspec.Struct, forbid_unknown_fields=True):
    """A move: which, and at which moment of the game it was chosen."""

    action: int
    moment: int


class Room:
    """A table on the server: who listens to it, and the task that plays its agents."""

    def __init__(self, kept: Kept, pool: ThreadPoolExecutor, pace: float) -> None:
        self.kept, self.table, self.pool, self.pace = kept, kept.table, pool, pace
        self._listeners: dict[str, list[asyncio.Event]] = {link: [] for link in kept.links}
        self._task: asyncio.Task[None] | None = None

    def changed(self) -> None:
        """Tell all who listen."""
        for events in self._listeners.values():
            for event in events:
                event.set()

    def save(self) -> None:
        """Store the table, tell all who listen, and let agents go on; a full disk is said, and the game goes on."""
        try:
            self.kept.save()
        except CannotWrite as error:
            self.table.trouble = str(error).replace(str(self.kept.file), "the game")
        self.changed()
        self.go_on()

    def go_on(self) -> None:
        """Let agents move, if it is their turn."""
        if self._task is None or self._task.done():
            work = play_agents(self.kept, self.pool, self.pace, self.changed)
            self._task = asyncio.get_running_loop().create_task(work)

    def stop(self) -> None:
        """No more moves of agents."""
        if self._task is not None:
            self._task.cancel()

    async def listen(self, link: str) -> AsyncIterator[str]:
        """The moments of the table as they come, as server-sent events."""
        event, seen = asyncio.Event(), ""
        events = self._listeners[link]
        events.append(event)
        try:
            while event in events[-MOST_LISTENERS:]:
                now = f"{self.table.epoch}-{self.table.moment}"
                if now != seen:
                    seen = now
                    yield f"data: {now}\n\n"
                try:
                    await asyncio.wait_for(event.wait(), SILENCE)
                except TimeoutError:
                    yield ": still here\n\n"
                event.clear()
        finally:
            events.remove(event)


class PlayRoutes:
    """What a seat's page asks for."""

    def __init__(self, rooms: Sequence[Room], library: Library | None, analyses: Analyses) -> None:
        self._rooms = {link: room for room in rooms for link in room.kept.links}
        self._library, self._analyses = library, analyses

    def routes(self) -> list[Route]:
        """All addresses of seats."""
        return [
            Route("/s/{link}", self.page),
            Route("/s/{link}/position", self.position),
            Route("/s/{link}/news", self.news),
            Route("/s/{link}/act", self.act, methods=["POST"]),
            Route("/s/{link}/undo", self.undo, methods=["POST"]),
            Route("/s/{link}/again", self.again, methods=["POST"]),
            Route("/s/{link}/analyse", self.analyse, methods=["POST"]),
            Route("/s/{link}/graph", self.graph, methods=["POST"]),
            Route("/s/{link}/worlds", self.worlds),
        ]

    def _find(self, request: Request) -> tuple[Room, tuple[int, ...]]:
        link = request.path_params["link"]
        room = self._rooms.get(link)
        if room is None:
            raise LookupError
        return room, room.kept.links[link]

    async def page(self, request: Request) -> Response:
        """The page itself; it knows nothing but its address."""
        self._find(request)
        return FileResponse(PAGE / "play.html")

    async def position(self, request: Request) -> Response:
        """What the seat sees now."""
        room, seats = self._find(request)
        return self._shown(request, room, seats)

    def _shown(self, request: Request, room: Room, seats: tuple[int, ...]) -> Response:
        epoch, since = (_number(request, name) for name in ("epoch", "since"))
        shown = room.table.shown_to(seats, epoch, since)
        if room.table.over and self._library is not None:
            try:
                shown["watch"] = f"/w/{self._library.secret}?game={room.kept.finish()}"
            except CovenError as error:  # how the game ended is shown all the same
                shown["trouble"] = str(error).replace(str(room.kept.file.parent), "the folder")
        return JSONResponse(shown)

    async def news(self, request: Request) -> Response:
        """A stream that says whenever something has changed."""
        room, _ = self._find(request)
        return StreamingResponse(room.listen(request.path_params["link"]), media_type="text/event-stream")

    async def act(self, request: Request) -> Response:
        """The seat makes a move; the answer is the new position."""
        room, seats = self._find(request)
        move = msgspec.json.decode(await guard.body(request), type=Act)
        table = room.table
        if table.current not in seats:  # first of all: whose turn it is decides what an error may say
            raise NotNow("the game is over" if table.over else f"it is player {table.current}'s decision, not yours")
        if move.moment != table.moment:
            raise NotNow("the game has gone on since this page was loaded; look at the new position and choose again")
        table.act(move.action)
        room.save()
        return self._shown(request, room, seats)

    async def undo(self, request: Request) -> Response:
        """Take back the last own decision, in practice."""
        return await self._change(request, "undo")

    async def again(self, request: Request) -> Response:
        """A new game for the same seats."""
        return await self._change(request, "again")

    async def _change(self, request: Request, what: str) -> Response:
        room, seats = self._find(request)
        await guard.body(request)
        getattr(room.table, what)()
        room.save()
        return self._shown(request, room, seats)

    # Analysis, in practice and for one's own seat alone.

    def _practising(self, request: Request) -> tuple[Room, int]:
        room, seats = self._find(request)
        if not room.table.setup.practice:
            raise NotNow("analysis is for practice games (coven play --practice) and for games that are over")
        return room, seats[0]

    async def analyse(self, request: Request) -> Response:
        """What an agent thinks of the decision that the seat has to make."""
        room, seat = self._practising(request)
        spec = analysis.allowed(await self._analyses.agent(request), room.table.setup.seats)
        if room.table.current != seat:
            raise NotNow("agents are asked about decisions of your own")
        asked = analysis.question(room.table.game, room.table.state)
        return self._analyses.stream(request.path_params["link"], lambda: analysis.answers(asked, spec))

    async def graph(self, request: Request) -> Response:
        """The values of all seats so far, as far as this seat can know."""
        room, seat = self._practising(request)
        spec, table = await self._analyses.agent(request), room.table
        if spec != analysis.ESTIMATE:
            analysis.allowed(spec, table.setup.seats)
        states, final = table.states(), table.game.returns(table.state) if table.over else None
        known = None if table.over else seat
        return self._analyses.stream(
            request.path_params["link"], lambda: analysis.graph(table.game, states, final, spec, known)
        )

    async def worlds(self, request: Request) -> Response:
        """Some worlds that fit all that the seat knows."""
        room, seat = self._practising(request)
        return JSONResponse({"worlds": analysis.worlds(room.table.game, room.table.state, seat)})


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1


async def static(request: Request) -> Response:
    """Our own files: scripts, style and, where it is installed, the font of the pictures."""
    name = request.path_params["name"]
    if name in FILES:
        return FileResponse(PAGE / name, media_type=FILES[name])
    if name in FONTS:
        try:
            import font_caladea
        except ImportError:
            return PlainTextResponse("no font", 404)
        fonts = {Path(file).stem: file for file in font_caladea.font_files.values()}
        if FONTS[name] in fonts:
            return FileResponse(fonts[FONTS[name]], media_type="font/ttf")
    return PlainTextResponse("there is no such file", 404)


NOT_UNDERSTOOD = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What reading a request's JSON can raise."""


async def _refused(request: Request, error: Exception) -> Response:
    """One clear line for what a client did wrong; the table is as it was."""
    if isinstance(error, LookupError):
        return JSONResponse({"error": "there is nothing here: the link is mistyped, or its server has ended"}, 404)
    if isinstance(error, NOT_UNDERSTOOD):
        return JSONResponse({"error": f"not understood: {error}"}, 400)
    if isinstance(error, guard.TooMuch):
        return JSONResponse({"error": str(error)}, 413)
    return JSONResponse({"error": str(error)}, 409 if isinstance(error, NotNow | IllegalAction) else 400)


def build_app(
    tables: Sequence[Kept] = (),
    library: Library | None = None,
    pace: float = PACE,
    names: Sequence[str] = (),
    rate: float = guard.RATE,
) -> Starlette:
    """The server's app for these tables and recorded games, answering for this machine and these further names."""
    pool = ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="coven")
    if library is None and tables:
        library = Library(tables[0].file.parent / FINISHED, tables[0].library)
    rooms, analyses = [Room(kept, pool, pace) for kept in tables], Analyses()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        for room in rooms:
            room.table.epoch = int(time.time())  # moments begin anew: pages of a former server must see that
            room.go_on()
        yield
        for room in rooms:
            room.stop()
        for threads in (pool, analyses.pool):
            threads.shutdown(wait=False, cancel_futures=True)

    async def nothing(_: Request) -> Response:
        return PlainTextResponse("Coven. Open the link that `coven play` or `coven watch` printed.")

    handlers: dict[Any, Any] = dict.fromkeys((LookupError, *NOT_UNDERSTOOD, guard.TooMuch, CovenError), _refused)
    app = Starlette(
        routes=[
            Route("/", nothing),
            Route("/static/{name}", static),
            *PlayRoutes(rooms, library, analyses).routes(),
            *(watch_routes(library, pool, analyses) if library else []),
        ],
        middleware=[
            Middleware(guard.Guard, names=names, rate=rate, burst=4 * rate),
            Middleware(GZipMiddleware, minimum_size=1024, compresslevel=5),
        ],
        exception_handlers=handlers,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app
