"""Recorded games: the list of a file with filters, positions of all viewers, and games saved as files."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest
from web_help import ask

import coven
from coven.arena import replay as replays
from coven.playthrough import random_game
from coven.web import export
from coven.web.library import Film, Library
from coven.web.server import build_app


def recorded(name, seed, agents=(), **options):
    game = coven.game(name)
    s = game.new(seed=seed, **options)
    actions = list(random_game(game, s, seed))
    return replays.record(game, s, seed, actions, agents)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    who = [("greedy", "random"), ("random", "greedy"), ("random", "ppo")]
    replays.write([recorded("alchemists", seed, agents) for seed, agents in enumerate(who)], path)
    return path


@pytest.fixture
def app(file):
    return build_app(library=Library(file, "open"), rate=1e6)


def test_the_list_has_filters(app):
    whole = ask(app, "/w/open/games").json
    assert whole["agents"] == ["greedy", "ppo", "random"]
    assert [game["number"] for game in whole["games"]] == [0, 1, 2]
    with_greedy = ask(app, "/w/open/games?agent=greedy").json
    assert with_greedy["found"] == 2
    both = ask(app, "/w/open/games?agent=ppo&agent=random").json["games"]
    assert [game["number"] for game in both] == [2]
    winner = ask(app, "/w/open/games?winner=random").json["games"]
    won = [game["number"] for game in whole["games"] if game["agents"][game["ranks"].index(1)] == "random"]
    assert [game["number"] for game in winner] == won
    assert ask(app, "/w/open/games?first=2").json["games"] == whole["games"][2:]
    assert ask(app, "/w/open/games?first=99999").status == 200
    assert ask(app, "/w/open/games?first=-1").status == 400
    assert ask(app, "/w/other/games").status == 404


def test_positions_are_those_of_the_replay_for_every_viewer(app, file):
    film = Film(replays.read(file, 0))
    game, last = film.game, len(film.states) - 1
    assert game.ranks(film.states[-1]) == film.replay.ranks
    about = ask(app, "/w/open/game/0?viewer=1").json
    assert about["positions"] == last + 1
    assert about["log"] == film.events[1]
    for k in (0, 5, last):
        for viewer in (None, 0, 1):
            shown = ask(app, f"/w/open/game/0/position/{k}?viewer={'all' if viewer is None else viewer}").json
            assert shown["svg"] == game.svg(film.states[k], viewer)
            mine = viewer in (None, game.current_player(film.states[k]))
            assert bool(shown["actions"]) == (mine and k < last)
            assert shown["done"] == (film.replay.actions[k] if mine and k < last else None)


@pytest.mark.parametrize(
    "path",
    [
        "game/99",
        f"game/{'9' * 30}",
        "game/0/position/9999",
        f"game/0/position/{'0' * 20}9999",
        "game/0/position/-1",
        "game/0/position/x",
        "game/0?viewer=9",
        f"game/0/position/1?viewer={'0' * 20}9",
    ],
)
def test_what_is_not_there_is_one_clear_line(app, path):
    answer = ask(app, f"/w/open/{path}")
    assert answer.status == 400
    assert len(answer.json["error"].splitlines()) == 1


def test_what_a_file_names_is_not_asked(tmp_path):
    """Whoever sends a file shall not choose what its page may run."""
    path = tmp_path / "games.jsonl"
    named = ["py:os:system", "ismcts:10000000:threads=256"]
    replays.write([recorded("alchemists", 1, named)], path)
    app = build_app(library=Library(path, "open"))
    for spec in named:
        for what in ("position/0/analyse", "graph"):
            answer = ask(app, f"/w/open/game/0/{what}", {"agent": spec})
            assert answer.status == 400
            assert "cannot be asked" in answer.json["error"]
    assert ask(app, "/w/open/game/0/position/0/analyse", {"agent": "greedy"}).status == 200


@pytest.mark.parametrize("content", [b"", b"not json\n", b'{"format": "coven-replay-1"}\n', b"SQLite format 3\x00junk"])
def test_foreign_and_damaged_files_are_refused_without_their_path(tmp_path, content):
    path = tmp_path / "some.file"
    path.write_bytes(content)
    app = build_app(library=Library(path, "open"))
    answer = ask(app, "/w/open/game/0")
    assert answer.status == 400
    assert str(tmp_path) not in answer.body.decode()
    if content:
        assert ask(app, "/w/open/games").status == 400


def test_a_game_as_one_file_holds_every_picture(file):
    film = Film(replays.read(file, 1))
    page = export.html(film, export.draw(film, export.everybody(film)))
    assert "/static/" not in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    packed = re.search(r'id="recorded">([^<]*)<', page)[1]
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    for viewer in export.everybody(film):
        before = []
        frames = data["pictures"]["all" if viewer is None else str(viewer)]
        assert len(frames) == len(film.states)
        for s, (head, tail, middle) in zip(film.states, frames, strict=True):
            before = [*before[:head], *middle, *before[len(before) - tail :]]
            assert "\n".join(data["elements"][i] for i in before) == film.game.svg(s, viewer)
    assert len(page) < 400_000


def test_a_game_as_a_film(file):
    from PIL import Image

    film = Film(replays.read(file, 0))
    svgs = [svg for _, svg in export.draw(film, [0])][::12]
    data = export.gif(svgs, scale=0.1)
    with Image.open(__import__("io").BytesIO(data)) as image:
        assert image.n_frames == len(svgs)
        assert image.size == (144, 90)


def test_a_notebook_shows_states_envs_and_recorded_games(file):
    from coven.notebook import picture_of

    game = coven.game("alchemists")
    s = game.new(2, seed=1)
    assert picture_of(s) == game.svg(s)
    assert picture_of(game.observe(s, 0)) is None
    env = coven.make("alchemists", 2, viewer=1)
    assert env._repr_svg_() is None
    env.reset(seed=1)
    assert env._repr_svg_() == game.svg(s, 1)
    gym = coven.make_gym("alchemists", 2)
    gym.reset(seed=1)
    assert gym._repr_svg_().startswith("<svg")
    html = coven.animate(replays.read(file, 0))._repr_html_()
    assert html.startswith("<iframe srcdoc=")
    assert html.count('"') < 20, "the page inside is escaped"
