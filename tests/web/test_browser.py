"""The pages in a real Chromium: whole games by clicks, replays, analysis, several people, lost servers, a phone.

They run wherever a Chromium is found; nothing is downloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from web_help import humans, kept_table, served

import coven
from coven.arena import replay as replays
from coven.playthrough import random_game
from coven.web import export
from coven.web.library import Film, Library
from coven.web.table import Setup

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT = 240_000  # milliseconds; the machine may be busy

# Clicks through a game: any marked spot or item of the menu, each one hit where a person would hit it.
CLICK_ON = """async ([most, seed]) => {
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const until = async (found) => {
    for (const end = Date.now() + 240000; Date.now() < end;) {
      const result = found();
      if (result) return result;
      await new Promise((go) => setTimeout(go, 5));
    }
    throw new Error("nothing can be clicked: " + document.getElementById("status").textContent);
  };
  const hit = (target) => {
    const box = target.getBoundingClientRect();
    for (const [fx, fy] of [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .1], [.9, .9], [.1, .9]]) {
      const x = box.left + fx * box.width, y = box.top + fy * box.height;
      const found = document.elementFromPoint(x, y);
      if (found && (found === target || target.contains(found))) {
        found.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, clientX: x, clientY: y }));
        return true;
      }
    }
    return false;
  };
  let clicks = 0;
  while (clicks < most) {
    const what = await until(() => {
      if (document.body.hasAttribute("aria-busy")) return null;
      if (document.getElementById("status").textContent.includes("Over")) return "over";
      const items = [...document.querySelectorAll(".menu button")];
      const spots = [...document.querySelectorAll(".spot.can")];
      return items.length ? items : spots.length ? spots : null;
    });
    if (what === "over") break;
    const target = what[Math.floor(random() * what.length)];
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!hit(target)) throw new Error("cannot be hit: " + (target.dataset.spot || target.textContent));
    clicks++;
    await new Promise((go) => setTimeout(go, 0));
  }
  return clicks;
}"""


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Opens pages; at the end nothing went wrong in them, and nobody else was asked for anything."""
    contexts, errors = [], []

    def open_one(address, width=1400, height=900, **more):
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        context.set_default_timeout(WAIT)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        home = address.split("/s/")[0].split("/w/")[0]

        def asked(request):
            if not request.url.startswith((home, "data:", "file:", "blob:")):
                errors.append(f"outside request: {request.url}")

        page.on("request", asked)
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []


def status(page, words):
    page.wait_for_function("words => document.getElementById('status').textContent.includes(words)", arg=words)


def spot(page):
    return page.locator(".spot.can").first


GAMES = {
    "alchemists": ("human", "greedy"),
    "black_magic_friday": ("human", "greedy"),
    "wie_verhext": ("human", "greedy", "random"),
    "witchstone": ("human", "greedy"),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_clicks_against_bots(name, open_page, tmp_path):
    options = {"max_sets": 2} if name == "wie_verhext" else {}
    kept = kept_table(tmp_path, Setup(coven.game(name), GAMES[name], options), seed=2)
    with served([kept], rate=1e6) as address:
        page = open_page(f"{address}/s/secret-of-0")
        status(page, "your decision")
        spot(page).click()  # the first one with the mouse itself
        clicks = page.evaluate(CLICK_ON, [2000, 7])
        status(page, "Over")
        assert clicks > 10
        assert kept.table.over
        assert page.locator("#result table tr").count() == len(GAMES[name]) + 1
        assert page.locator("#log li").count() > 20
        page.click("#watch")  # the game is recorded, and can be watched at once
        page.wait_for_selector("#game:not([hidden]) #board svg")
        assert page.locator("#log li").count() == len(kept.table.actions)
        page.go_back()
        page.click("#again")
        page.wait_for_function("() => document.querySelectorAll('#log li').length < 12")
        assert not kept.table.over


def test_by_keyboard_alone(open_page, tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2), seed=2)
    me = kept.table.current
    with served([kept]) as address:
        page = open_page(f"{address}/s/secret-of-{me}")
        page.wait_for_selector(".spot.can")
        page.focus('[data-spot="cauldron blue+grey"]')
        page.keyboard.press("Enter")
        page.wait_for_selector(".menu")
        page.keyboard.press("Escape")
        page.wait_for_selector(".menu", state="detached")
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelectorAll('#log li').length === 1")
        words = page.locator("#log li").all_inner_texts()
        assert "create blue+grey" in words[0]
        assert page.locator(".spot.can[role=button][aria-label]").count() == page.locator(".spot.can").count() > 0
        page.keyboard.press("Tab")
        page.focus("#actions button")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelectorAll('#log li').length === 2")
        assert len(kept.table.actions) == 2


def test_the_list_finds_actions_by_their_words(open_page, tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2), seed=2)
    with served([kept]) as address:
        page = open_page(f"{address}/s/secret-of-{kept.table.current}")
        page.wait_for_selector("#actions button")
        page.keyboard.press("/")
        page.keyboard.type("green+yellow 2 blue")
        shown = page.locator("#actions button").all_inner_texts()
        assert shown
        assert all("green+yellow" in words and "blue" in words for words in shown)


def test_undo_and_analysis_in_practice(open_page, tmp_path):
    setup = Setup(coven.game("black_magic_friday"), ("human", "greedy"), practice=True)
    kept = kept_table(tmp_path, setup, seed=3)
    with served([kept]) as address:
        page = open_page(f"{address}/s/secret-of-0")
        status(page, "your decision")
        before = page.locator("#log li").count()
        page.evaluate(CLICK_ON, [1, 3])
        page.wait_for_function("n => document.querySelectorAll('#log li').length > n", arg=before)
        status(page, "your decision")
        page.click("#undo")
        page.wait_for_function("n => document.querySelectorAll('#log li').length === n", arg=before)
        page.fill(".ask input", "ismcts:300 ppo greedy")
        page.click(".ask button[type=submit]")
        page.wait_for_function("() => document.querySelectorAll('.finding[data-done]').length === 3")
        assert page.locator(".share").count() > 0
        visits = page.locator(".finding").first.locator("td.number").all_inner_texts()
        assert sum(int(text) for text in visits[::2]) > 100
        page.click("text=Values")
        page.wait_for_selector(".graph polyline")
        assert page.locator(".graph polyline").count() == 2
        page.click("text=Worlds")
        page.wait_for_selector(".worlds svg")
        assert page.locator(".worlds svg").count() == 4


def test_two_people_in_two_browsers(open_page, tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2), seed=5)
    first, second = kept.table.current, 1 - kept.table.current
    with served([kept]) as address:
        one = open_page(f"{address}/s/secret-of-{first}")
        two = open_page(f"{address}/s/secret-of-{second}")
        status(one, "your decision")
        status(two, f"player {first} (human) decides")
        assert two.locator(".spot.can").count() == 0
        one.evaluate(CLICK_ON, [3, 5])
        status(two, "your decision")
        assert one.locator("#log li").count() == two.locator("#log li").count() == 2
        two.evaluate(CLICK_ON, [2, 9])
        one.wait_for_function("() => document.querySelectorAll('#log li').length > 2")


def test_two_people_at_one_screen_hand_it_over(open_page, tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2), seed=5, links={"both": (0, 1)})
    first = kept.table.current
    with served([kept]) as address:
        page = open_page(f"{address}/s/both")
        page.wait_for_selector("#curtain:not([hidden])")
        assert f"Player {first} decides" in page.inner_text("#curtain p")
        page.click("#curtain button")
        page.evaluate(CLICK_ON, [3, 5])
        page.wait_for_selector("#curtain:not([hidden])")
        assert f"Player {1 - first} decides" in page.inner_text("#curtain p")


def test_a_recorded_game_both_ways_and_as_a_file(open_page, tmp_path):
    game = coven.game("alchemists")
    s = game.new(3, seed=8)
    actions = list(random_game(game, s, 8))
    replay = replays.record(game, s, 8, actions, ["random", "greedy", "random"])
    file = tmp_path / "games.jsonl"
    replays.write([replay, replay], file)
    with served(library=Library(file, "open")) as address:
        page = open_page(f"{address}/w/open")
        page.wait_for_selector("#games tr.pick")
        page.select_option("#filters select[name=agent]", "greedy")
        page.locator("#games tr.pick button").nth(1).click()
        step_through(page, len(actions))
        page.select_option("#viewer", "1")
        page.wait_for_function("() => document.querySelector('#board').textContent.includes('cubes')")
        page.select_option("#viewer", "all")
        page.wait_for_function("() => !document.querySelector('#board').textContent.includes('cubes')")
        page.fill(".ask input", "greedy")
        page.click(".ask button[type=submit]")
        page.wait_for_selector(".finding[data-done]")
        with page.expect_download() as download:
            page.click("#save-html")
        download.value.save_as(tmp_path / "saved.html")
    film = Film(replay)
    assert (tmp_path / "saved.html").read_text() == export.html(film, export.draw(film, export.everybody(film)))
    alone = open_page((tmp_path / "saved.html").as_uri())
    step_through(alone, len(actions))
    alone.select_option("#viewer", "2")
    alone.wait_for_function("() => document.querySelector('#board').textContent.includes('cubes')")


def step_through(page, last):
    """First, back, forward, last, slider, keys, the log and autoplay."""

    def at(k):
        page.wait_for_function("k => document.getElementById('where').textContent === k", arg=f"{k} / {last}")

    at(0)
    page.click("#forward")
    at(1)
    page.keyboard.press("ArrowRight")
    at(2)
    page.keyboard.press("ArrowLeft")
    at(1)
    page.click("#back")
    at(0)
    page.click("#last")
    at(last)
    assert page.is_disabled("#forward")
    page.keyboard.press("Home")
    at(0)
    page.locator("#log button").nth(6).click()
    at(7)
    assert "here" in page.locator("#log li").nth(6).get_attribute("class")
    page.evaluate("() => { slider.value = 11; slider.dispatchEvent(new Event('input')) }")
    at(11)
    page.select_option("#speed", "100")
    page.click("#run")
    page.wait_for_function("() => Number(document.getElementById('where').textContent.split(' ')[0]) > 13")
    page.click("#run")
    page.click("#first")
    at(0)


def test_a_phone(open_page, tmp_path):
    kept = kept_table(tmp_path, humans("witchstone", 2), seed=5)
    with served([kept]) as address:
        page = open_page(f"{address}/s/secret-of-{kept.table.current}", 390, 800, has_touch=True, color_scheme="dark")
        page.wait_for_selector(".spot.can")
        wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], "nothing sticks out sideways"
        page.tap("#larger")
        spot(page).tap()
        page.wait_for_function("() => document.querySelectorAll('#log li').length === 1")


def start(*words):
    """`coven play` as a process: it and the address of its first seat."""
    command = [sys.executable, "-c", "from coven.cli import main; main()", "play", *words]
    process = subprocess.Popen([*command, "--no-browser", "--pace", "0"], stdout=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Stored in"):
            break
    return process, re.search(r"http://\S+", "".join(lines))[0]


def test_a_killed_server_goes_on_where_the_game_stood_and_pages_come_back(open_page, tmp_path):
    folder = str(tmp_path / "games")
    process, link = start("alchemists", "--seats", "human", "greedy", "--out", folder, "--seed", "4")
    try:
        page = open_page(link)
        status(page, "your decision")
        page.evaluate(CLICK_ON, [6, 3])
        status(page, "your decision")
        log = page.locator("#log li").all_inner_texts()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        page.wait_for_selector("#trouble:not([hidden])")
        again, same = start(folder)
        process = again
        assert same == link, "the same links at the same port"
        page.wait_for_selector("#trouble", state="hidden")
        status(page, "your decision")
        kept = page.locator("#log li").all_inner_texts()
        assert kept[: len(log)] == log, "nothing is lost; a move that was under way may have been made before the kill"
        page.evaluate(CLICK_ON, [4, 3])
        page.wait_for_function("n => document.querySelectorAll('#log li').length > n", arg=len(kept))
    finally:
        process.kill()
        process.wait()


def test_a_page_that_was_offline_comes_back(open_page, tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2), seed=5)
    first, second = kept.table.current, 1 - kept.table.current
    with served([kept]) as address:
        one, two = (open_page(f"{address}/s/secret-of-{p}") for p in (first, second))
        status(two, "decides")
        two.context.set_offline(True)
        status(one, "your decision")
        one.evaluate(CLICK_ON, [3, 5])
        time.sleep(0.2)
        two.context.set_offline(False)
        two.reload()
        status(two, "your decision")
        assert two.locator("#log li").count() == len(kept.table.actions)
