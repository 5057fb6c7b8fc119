"""How long a click takes to become a new picture, with one game and with many on one server; bytes; memory.

    python -m coven.benchmarks.table --out benchmarks/results/table.md

A real server (`coven play`), a real Chromium for one seat, and for the other tables clients without a browser that
make a move about once a second. Greedy agents answer at once (`--pace 0`).
"""

from __future__ import annotations

import http.client
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tyro

from coven.arena.machine import machine
from coven.games import game as find_game
from coven.games import names as game_names
from coven.games.core.errors import CovenError

CLICK = """() => new Promise((done, fail) => {
  const board = document.getElementById("board"), spots = [...document.querySelectorAll(".spot.can")];
  if (!spots.length) return done(null);
  let begun = performance.now();
  new MutationObserver((_, me) => {
    me.disconnect();
    requestAnimationFrame(() => done(performance.now() - begun));
  }).observe(board, { childList: true });
  spots[Math.floor(Math.random() * spots.length)].dispatchEvent(new MouseEvent("click"));
  const next = () => document.querySelector(".chosen") && document.querySelector(".menu button, .spot.can");
  for (let item; (item = next());) {
    begun = performance.now();
    item.dispatchEvent(new MouseEvent("click"));
    if (document.body.hasAttribute("aria-busy")) break;
  }
  setTimeout(() => done(null), 5000);
})"""


def serve(game: str, seats: list[str], tables: int, folder: Path) -> tuple[subprocess.Popen[str], list[str]]:
    """A server and the links of its tables."""
    words = ["play", game, "--seats", *seats, "--tables", str(tables), "--pace", "0", "--no-browser"]
    command = [sys.executable, "-c", "from coven.cli import main; main()", *words, "--out", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout or ():
        lines.append(line)
        if line.startswith("Kept in"):
            break
    return process, re.findall(r"http://\S+/s/\S+", "".join(lines))


def memory(process: subprocess.Popen[str]) -> float:
    """Resident memory in megabytes."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


class Client(threading.Thread):
    """A seat without a browser that makes a random move about once a second."""

    def __init__(self, link: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        parts = urlsplit(link)
        self.host, self.path, self.stop = parts.netloc, parts.path, stop
        self.milliseconds: list[float] = []
        self.sizes: list[int] = []

    def ask(self, what: str, body: Any = None) -> Any:
        """An answer of the server; those to moves are timed."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        headers = {"content-type": "application/json", "accept-encoding": "gzip"}
        begun = time.perf_counter()
        data = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", f"{self.path}/{what}", data, headers)
        answer = connection.getresponse()
        raw = answer.read()
        if what == "act":
            self.milliseconds.append(1000 * (time.perf_counter() - begun))
            self.sizes.append(len(raw))
        connection.close()
        if answer.getheader("content-encoding") == "gzip":
            import gzip

            raw = gzip.decompress(raw)
        return json.loads(raw)

    def run(self) -> None:
        """Play until told to stop."""
        while not self.stop.wait(random.uniform(0.5, 1.5)):
            shown = self.ask("position")
            if shown.get("over"):
                self.ask("again", {})
            elif shown.get("mine"):
                self.ask("act", {"action": random.choice(shown["actions"])["id"], "moment": shown["moment"]})


def clicks(link: str, count: int) -> list[float]:
    """Milliseconds from a click to the new picture on the screen of a Chromium."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise CovenError("this measurement needs a Chromium: apt-get install chromium")
    found: list[float] = []
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(link)
        ready = "() => document.querySelector('.spot.can') || !document.querySelector('#again').hidden"
        while len(found) < count:
            page.wait_for_function(ready, timeout=60_000)
            if page.is_visible("#again"):
                page.click("#again")
                page.wait_for_selector("#again", state="hidden")
                continue
            taken = page.evaluate(CLICK)
            if taken is not None:
                found.append(taken)
            page.wait_for_timeout(50)
        browser.close()
    return found


def percentile(values: list[float], share: float) -> float:
    """The value below which that share lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def row(game: str, tables: int, count: int) -> tuple[str, float]:
    """One line of the table, and the server's memory."""
    rules, stop = find_game(game), threading.Event()
    seats = ["human", *["greedy"] * (rules.players[0] - 1)]
    with tempfile.TemporaryDirectory() as folder:
        process, links = serve(game, seats, tables, Path(folder) / "games")
        try:
            others = [Client(link, stop) for link in links[1:]]
            for client in others:
                client.start()
            found = clicks(links[0], count)
            stop.set()
            for client in others:
                client.join(60)
            probe = Client(links[0], stop)
            shown = probe.ask("position")
            if shown["mine"]:
                probe.ask("act", {"action": shown["actions"][0]["id"], "moment": shown["moment"]})
            megabytes = memory(process)
        finally:
            process.kill()
            process.wait()
    sizes = [size for client in [*others, probe] for size in client.sizes]
    cells = (
        rules.title,
        f"{tables}",
        f"{statistics.median(found):.0f}",
        f"{percentile(found, 0.95):.0f}",
        f"{statistics.median(sizes) / 1000:.1f}" if sizes else "",
        f"{megabytes:.0f}",
    )
    return "| " + " | ".join(cells) + " |", megabytes


def main(out: Path | None = None, games: tuple[str, ...] = (), count: int = 60, many: int = 50) -> None:
    """Measure and print, or write to a file."""
    lines = [
        "# The table in the browser",
        "",
        f"`python -m coven.benchmarks.table`, {machine()}.",
        f"Milliseconds from a click in Chromium to the new picture on its screen ({count} clicks), beside games of",
        "others who move about once a second; kilobytes of the answer to a move, compressed; the server's memory.",
        "",
        "| game | games at once | median ms | 95 % ms | kB a move | server MB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    used: dict[int, list[float]] = {1: [], many: []}
    for game in games or game_names():
        for tables in (1, many):
            line, megabytes = row(game, tables, count)
            used[tables].append(megabytes)
            lines.append(line)
            print(line, flush=True)
    each = (min(used[many]) - min(used[1])) / (many - 1)  # a server that has compiled something keeps more
    lines += ["", f"Memory for a game more: {1000 * each:.0f} kB."]
    text = "\n".join(lines) + "\n"
    if out is None:
        print(text)
    else:
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    tyro.cli(main)
