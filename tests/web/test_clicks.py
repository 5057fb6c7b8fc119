"""Every legal action can be clicked together on the picture, in exactly one way."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from web_help import DRAWN, TABLES, positions

import coven
from coven.games.core.drawing.canvas import HEIGHT, WIDTH, Canvas
from coven.web import position

SPOT = re.compile(r'<rect class="spot" data-spot="([^"]*)" x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"')


def spots_of(svg):
    """The spots of a picture by name: where each is."""
    found = SPOT.findall(svg)
    assert len(found) == svg.count("data-spot")
    assert len({name for name, *_ in found}) == len(found), "two spots have one name"
    return {name: tuple(map(float, box)) for name, *box in found}


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_legal_action_has_exactly_one_path_of_clicks(name, players):
    game, kinds, seen = coven.game(name), Counter(), 0
    for s, _ in positions(name, players, players, every=1):
        me = game.current_player(s)
        shown = position.shown(game, s, me, True)
        spots, paths = spots_of(shown["svg"]), defaultdict(list)
        for action in shown["actions"]:
            paths[tuple(action["clicks"])].append(action["words"])
            kinds[action["kind"]] += 1
        assert sorted(action["id"] for action in shown["actions"]) == game.legal_actions(s)
        for path, words in paths.items():
            assert path, words
            assert len(set(path)) == len(path), words
            assert set(path) <= set(spots), words
            assert len(set(words)) == len(words), "the menu cannot tell them apart"
            for other in paths:  # else a click could both end an action and begin another
                assert other == path or other[: len(path)] != path, (words, paths[other])
        seen += 1
    assert seen > 25
    assert len(kinds) > 3


@pytest.mark.parametrize("name", DRAWN)
def test_spots_are_on_the_sheet_large_enough_and_do_not_cover_each_other(name):
    game = coven.game(name)
    for s, _ in positions(name, game.players[-1], 3, every=7):
        shown = position.shown(game, s, game.current_player(s), True)
        boxes = spots_of(shown["svg"])
        now = {action["clicks"][0] for action in shown["actions"]}
        centres = {n: (x + w / 2, y + h / 2) for n, (x, y, w, h) in boxes.items() if n in now}
        for n, (x, y, w, h) in boxes.items():
            assert min(x, y, WIDTH - x - w, HEIGHT - y - h) >= 0, n
            assert w * h > 300, n
            inside = [m for m, (a, b) in centres.items() if m != n and x < a < x + w and y < b < y + h]
            assert n not in now or not [m for m in inside if not m.startswith(("connection", "at"))], (n, inside)


def test_a_game_without_spots_is_played_by_the_list():
    game = coven.game("alchemists")
    clicks, game._clicks = game._clicks, None
    try:
        s = game.new(2, seed=1)
        actions = position.shown(game, s, game.current_player(s), True)["actions"]
        assert all(action["clicks"] == [] for action in actions)
        assert [action["id"] for action in actions] == game.legal_actions(s)
    finally:
        game._clicks = clicks


def test_a_spot_is_escaped_and_kept_once():
    sheet = Canvas("#ffffff")
    sheet.spot('a "<b>"', 1, 2, 3, 4)
    sheet.spot('a "<b>"', 5, 6, 7, 8)
    assert sheet.svg().count("data-spot") == 1
    assert 'data-spot="a &quot;&lt;b&gt;&quot;"' in sheet.svg()


def test_the_picture_of_a_position_is_the_games_own():
    game = coven.game("witchstone")
    s = game.new(2, seed=1)
    assert position.shown(game, s, 0, False)["svg"] == game.svg(s, 0)
