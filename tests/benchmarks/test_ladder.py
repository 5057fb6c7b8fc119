"""The leaderboard: its page agrees with its files, and games of the files fit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import coven
from coven.arena import anchors, match, protocol, results
from coven.arena.figure import figure
from coven.arena.protocol import ANCHORS, tournaments
from coven.arena.verify import misfit
from coven.benchmarks import ladder, leaderboard_page

ROOT = Path(__file__).parent.parent.parent
BOARD = ROOT / "benchmarks" / "leaderboard"
FILES = sorted(BOARD.glob(f"*{results.ENDING}"))
read = cache(results.read)


def test_the_page_agrees_with_the_files():
    """If this fails: `make leaderboard`."""
    page = (ROOT / "docs" / "leaderboard.md").read_text(encoding="utf-8")
    assert page == leaderboard_page.page(BOARD, check=False)


def test_every_game_has_anchors_and_all_our_agents():
    ours = {(name, agent) for name in coven.games.built_in() for agent in ladder.AGENTS}
    assert ours <= {(found.head.game, found.head.agent) for found in map(read, FILES)}
    assert all(anchors.read(coven.game(name)) for name in coven.games.built_in())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_some_games_of_every_file_fit(path):
    """`make leaderboard` plays all of them."""
    found = read(path)
    assert not found.head.quick
    assert found.head.anchors == anchors.read(found.head.rules)
    for game in found.games[:: len(found.games) // 5]:
        assert misfit(found.head.rules, game) is None


@pytest.mark.parametrize("name", [name for name in coven.games.built_in() if coven.game(name).file(anchors.FILE)])
def test_the_anchors_are_in_order_and_greedy_stands_at_1000(name):
    game = coven.game(name)
    ratings = anchors.read(game)
    assert set(ratings) == set(game.players)
    for row in ratings.values():
        assert row["greedy"] == anchors.AT
        assert [row[anchor] for anchor in ANCHORS] == sorted(row.values())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_anchors_are_measured_near_their_published_ratings(path):
    """They made the scale, so their own evaluations agree with it; who never finished ahead is known to be worse."""
    found = read(path)
    scale = anchors.read(found.head.rules)
    if found.head.agent in ANCHORS:
        published = sum(row[found.head.agent] for row in scale.values()) / len(scale)
        measured = figure(found.points, scale).overall
        never = not any(points.ahead.any() for points in found.points)
        assert never or measured.low - 100 < published
        assert published < measured.high + 100


def test_the_ladder_from_its_games_to_its_page(tmp_path, monkeypatch):
    """Random and greedy alone: their games, the scale that these make, result files, the page, opponents left out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(protocol, "GAMES", {"random": 12, "greedy": 12})
    for name in ("AGENTS", "ANCHORS"):
        monkeypatch.setattr(ladder, name, ("random", "greedy"))
    monkeypatch.setattr(ladder, "STEP_DEALS", 20)
    monkeypatch.setattr(match, "cost", lambda *_: 0.001)  # measuring it takes longer than all games
    monkeypatch.setattr(ladder, "built_in", lambda: ["alchemists"])
    ladder.write()
    assert not Path("benchmarks").exists()  # nothing is played yet
    ladder.play(agents=("random", "greedy"))
    ladder.anchors()
    written = Path("games/alchemists/anchors.json")
    monkeypatch.setattr(coven.game("alchemists"), "file", lambda name: written)
    for row in anchors.read(coven.game("alchemists")).values():
        assert row["greedy"] == 1000
        assert row["random"] < 600
    ladder.write()
    ladder.page(out=Path("page.md"))
    assert "| 1 | `greedy` |" in Path("page.md").read_text(encoding="utf-8")
    ladder.anchoring()
    assert "0 of 0 figures" in Path("benchmarks/results/anchoring.md").read_text(encoding="utf-8")  # one opponent each


def test_cheap_tournaments_come_first():
    costs = {t.agents: ladder._cost(t) for t in tournaments(coven.game("alchemists"), "greedy") if t.players == 2}
    assert costs["greedy", "random"] < costs["greedy", "ismcts:100"] < costs["greedy", "ismcts:1000"]
