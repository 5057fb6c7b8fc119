"""Pictures: whole games are drawn, hide what a seat cannot know, and come as SVG, pixels and in a window."""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
import xml.etree.ElementTree as ET
from itertools import islice, pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from players import Random

import coven
from coven.envs import pictures
from coven.envs.gym import CovenGymEnv
from coven.envs.registration import gym_id
from coven.envs.render import RENDER_MODES
from coven.games.core.drawing.canvas import HEIGHT, WIDTH, Canvas, text_width
from coven.games.core.drawing.pieces import ICONS
from coven.games.core.errors import BadOption, CovenError, MissingExtra, OutOfOrder
from coven.playthrough import random_game

TABLES = [(name, players) for name in coven.games.built_in() for players in coven.game(name).players]


def states(name, players, seed, every=1):
    """Every so many states of a random game, and all that are the first of their phase; the same array each time."""
    game = coven.game(name)
    s, phases = game.new(players, seed=seed), set()
    for number, _ in enumerate(random_game(game, s, seed)):
        phase = int(s["phase"])
        if number % every == 0 or phase not in phases:
            phases.add(phase)
            yield s
    yield s


def drawn(name, s, viewer=None):
    return coven.game(name).svg(s, viewer)


def corners(root):
    """The ends of all shapes that stand where they are written, without a transform."""
    for element in root.iter():
        tag, number = element.tag.split("}")[1], lambda key, e=element: float(e.get(key))
        if tag == "rect":
            yield number("x"), number("y")
            yield number("x") + number("width"), number("y") + number("height")
        elif tag in ("circle", "ellipse"):
            yield number("cx"), number("cy")
        elif tag == "text":
            yield number("x"), number("y")
        elif tag == "polygon":
            yield from (tuple(map(float, point.split(","))) for point in element.get("points").split())


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_whole_games_are_drawn_for_everyone_and_for_each_seat(name, players):
    phases = set()
    for seed in range(2):
        for number, s in enumerate(states(name, players, seed, every=5)):
            phases.add(coven.game(name).describe(s)["phase"])
            for viewer in (None, number % players):
                root = ET.fromstring(drawn(name, s, viewer))
                assert root.tag.endswith("svg")
                assert ("the game is over" in "".join(root.itertext())) <= coven.game(name).is_over(s)
                assert root.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
                for x, y in corners(root):  # nothing is off the sheet
                    assert -1 <= x <= WIDTH + 1
                    assert -1 <= y <= HEIGHT + 1
    assert "over" in phases
    assert len(phases) > 2


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_move_changes_the_picture(name):
    game = coven.game(name)
    s = game.new(seed=5)
    pictures_seen = [drawn(name, s) for _ in islice(random_game(game, s, 5), 80)]
    assert len(pictures_seen) > 30
    assert all(before != after for before, after in pairwise(pictures_seen))


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_seats_picture_shows_nothing_that_it_cannot_know(name, players):
    game, differs = coven.game(name), 0
    for number, s in enumerate(states(name, players, 7, every=5)):
        if game.is_over(s):
            break  # now all is open
        viewer = number % players
        picture, everything = drawn(name, s, viewer), drawn(name, s)
        other = game.determinize(s, viewer, number)
        assert drawn(name, other, viewer) == picture
        differs += drawn(name, other) != everything
    assert differs > 4  # the hidden parts were really dealt anew


@pytest.mark.parametrize("name", coven.games.built_in())
def test_pictures_come_as_pixels_of_one_size(name):
    shapes = set()
    for players in coven.game(name).players:
        env = coven.make(name, players, render_mode="rgb_array", viewer=1)
        env.reset(seed=players)
        picture = env.render()
        assert picture.dtype == np.uint8
        assert len(np.unique(picture[::9, ::9].reshape(-1, 3), axis=0)) > 50
        shapes.add(picture.shape)
    assert shapes == {(HEIGHT, WIDTH, 3)}


def test_pixels_need_no_font_of_the_machine():
    """Text leaves marks although resvg is told to forget the machine's fonts."""
    sheet = Canvas("#ffffff", 200, 60)
    sheet.text(100, 30, "Witchstone", 30, "#000000", "middle", bold=True)
    pixels = pictures.rgb(sheet.svg())
    assert pixels.shape == (60, 200, 3)
    assert 0.03 < (pixels < 128).mean() < 0.5
    assert pictures.rgb(sheet.svg(), scale=2).shape == (120, 400, 3)
    assert pictures.png(sheet.svg()).startswith(b"\x89PNG")


def test_text_shrinks_into_its_frame():
    """What the sheet believes of the width of a text is near the truth, and never far below it."""
    for text in ("Black Magic Friday", "pentagram/crystal", "1234567890", "mmmmm", "illicit til"):
        for bold in (False, True):
            sheet = Canvas("#ffffff", 900, 60)
            sheet.text(5, 30, text, 40, "#000000", bold=bold)
            dark = np.flatnonzero((pictures.rgb(sheet.svg()) < 128).any(axis=(0, 2)))
            true = dark[-1] - 5
            assert 0.97 * true < text_width(text, 40, bold) < 1.5 * true
    sheet = Canvas("#ffffff", 900, 60)
    sheet.text(5, 30, "far too long for its frame", 40, "#000000", width=100)
    assert np.flatnonzero((pictures.rgb(sheet.svg()) < 128).any(axis=(0, 2)))[-1] < 108


def test_text_is_escaped():
    sheet = Canvas("#ffffff")
    sheet.text(0, 0, "<b> & co", 10, "#000000")
    assert ET.fromstring(sheet.svg())[1].text == "<b> & co"


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_fills_its_box_and_no_more(name):
    sheet = Canvas("#ffffff", 120, 120)
    sheet.path(ICONS[name], "#000000", (60, 60), 4)
    ys, xs = np.nonzero(pictures.rgb(sheet.svg()).min(axis=2) < 128)
    for low, high in ((xs.min(), xs.max()), (ys.min(), ys.max())):
        assert low >= 18
        assert high <= 102
    assert max(xs.max() - xs.min(), ys.max() - ys.min()) > 70


# Render modes.


def gym_table(**options):
    return CovenGymEnv(coven.game("alchemists"), [Random()] * 2, 3, seat=1, **options)


@pytest.mark.parametrize("mode", RENDER_MODES)
def test_gymnasium_renders_the_learners_view(mode):
    env = gym_table(render_mode=mode)
    assert mode in env.metadata["render_modes"]
    env.reset(seed=3)
    env.step(int(env.action_masks().argmax()))
    shown = env.render()
    if mode == "human":
        assert shown is None
    else:
        game, s = coven.game("alchemists"), env.running.s
        expected = game.text(s, 1) if mode == "ansi" else pictures.rgb(drawn("alchemists", s, 1))
        assert np.array_equal(shown, expected)
    env.close()


@pytest.mark.parametrize("name", coven.games.built_in())
def test_gymnasiums_checker_finds_all_render_modes_in_order(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(gym_id(coven.game(name)), opponents="random", render_mode="rgb_array").unwrapped)


def test_the_window_follows_the_game():
    import pygame

    env = coven.make("alchemists", 3, render_mode="human", viewer=0)
    env.reset(seed=1)
    first = pygame.surfarray.array3d(pygame.display.get_surface())
    assert len(np.unique(first[::9, ::9].reshape(-1, 3), axis=0)) > 50
    assert pygame.display.get_caption()[0] == "Alchemists"
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert not np.array_equal(first, pygame.surfarray.array3d(pygame.display.get_surface()))
    env.close()
    assert pygame.display.get_surface() is None
    env.close()


def test_a_window_that_was_closed_by_hand_stays_closed():
    import pygame

    env = coven.make("alchemists", render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert env.render() is None
    assert pygame.display.get_surface() is None
    assert env.render() is None
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert pygame.display.get_surface() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_an_env_with_a_window_can_be_copied(copied):
    env = coven.make("alchemists", render_mode="human")
    env.reset(seed=1)
    twin = copied(env)
    twin.step(int(twin.observe(twin.agent_selection)["action_mask"].argmax()))
    env.close()
    twin.close()


def test_no_screen_is_a_clear_error(monkeypatch):
    import pygame

    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "nothing of the kind")
    env = coven.make("alchemists", render_mode="human")
    with pytest.raises(CovenError, match="no window can be opened here"):
        env.reset(seed=1)


@pytest.mark.parametrize(
    ("package", "mode", "extra"),
    [("resvg_py", "rgb_array", "pictures"), ("PIL", "rgb_array", "pictures"), ("pygame", "human", "window")],
)
def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch, package, mode, extra):
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'coven-rl\[{extra}\]'"):
        coven.make("alchemists", render_mode=mode)
    assert coven.make("alchemists", render_mode="ansi").render_mode == "ansi"


def test_rendering_needs_a_game_and_a_known_mode():
    with pytest.raises(OutOfOrder, match="call reset"):
        coven.make("alchemists", render_mode="rgb_array").render()
    for make in (coven.make, coven.make_gym):
        with pytest.raises(BadOption, match="'human', 'ansi', 'rgb_array'"):
            make("alchemists", render_mode="paper")


def test_a_game_that_nobody_has_drawn_shows_its_text(monkeypatch):
    game = coven.game("witchstone")
    monkeypatch.setattr(game, "picture", None)
    s = game.new(4, seed=1)
    root = ET.fromstring(game.svg(s, 2))
    shown = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert shown == [game.title, *(line.strip() for line in game.text(s, 2).expandtabs(4).splitlines())]
    for x, y in corners(root):
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
    env = coven.make("witchstone", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (HEIGHT, WIDTH, 3)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_the_seat_of_the_viewer_is_marked(name):
    game = coven.game(name)
    s = game.new(seed=1)
    assert "as player 1 sees it" in game.svg(s, 1)
    assert "sees it" not in game.svg(s)
