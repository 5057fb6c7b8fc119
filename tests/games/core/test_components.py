"""Component files and options: what they hold, and how they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import coven
from coven.games.core.actions import Actions, Kind
from coven.games.core.components import SOURCES, Components
from coven.games.core.errors import BadOption
from coven.games.core.layout import Layout, Slice
from coven.games.core.options import Choice, Flag, Number, PerSeat


@pytest.fixture
def load(tmp_path):
    def write(text):
        path = tmp_path / "components.toml"
        path.write_text(text, encoding="utf-8")
        return Components(path)

    return write


def test_values_come_by_name_and_groups_nest(load):
    box = load('[a]\nvalue = 3\nfrom = "book"\n[b.c]\nvalue = [1]\nfrom = "rec"\nnote = "lost picture"\n')
    assert box["a"] == 3
    assert box["b"]["c"] == [1]
    assert [(e.name, e.source, e.note) for e in box.entries] == [("a", "book", ""), ("b.c", "rec", "lost picture")]


@pytest.mark.parametrize(
    "text",
    [
        "a = 3\n",
        "[a]\nvalue = 3\n",
        '[a]\nvalue = 3\nfrom = "hearsay"\n',
        '[a]\nvalue = 3\nfrom = "book"\nwho = "me"\n',
    ],
)
def test_an_entry_without_known_provenance_is_refused(load, text):
    with pytest.raises(ValueError, match="a "):
        load(text)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_component_of_every_game_says_where_it_is_from(name):
    entries = coven.game(name).components.entries
    assert entries
    assert all(entry.source in SOURCES for entry in entries)


def test_options_are_encoded_and_decoded():
    assert Choice("setup", "a", "", values=("a", "b")).encode("b", 3) == (1,)
    assert Choice("setup", "a", "", values=("a", "b")).decode([1], 3) == "b"
    assert Flag("f", False, "", players=(3, 4)).encode(True, 3) == (1,)
    assert Flag("f", False, "", players=(3, 4)).decode([1], 3) is True
    assert Number("n", 60, "", low=1, high=99).encode(7, 3) == (7,)
    seats = PerSeat("h", 0, "", values=(0, 1, 2), width=4)
    assert seats.encode([1, 0, 2], 3) == (1, 0, 2, 0)
    assert seats.encode(0, 2) == (0, 0, 0, 0)
    assert seats.decode([1, 0, 2, 0], 3) == [1, 0, 2]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (Choice("o", "a", "", values=("a", "b")), "c"),
        (Choice("o", "a", "", values=("a", "b")), ["a"]),
        (Flag("o", False, "", players=(4,)), True),
        (Flag("o", False, "", players=(3,)), 1),
        (Number("o", 1, "", low=1, high=9), 0),
        (Number("o", 1, "", low=1, high=9), True),
        (Number("o", 1, "", low=1, high=9), "5"),
        (PerSeat("o", 0, "", values=(0, 1), width=4), [0, 1]),
        (PerSeat("o", 0, "", values=(0, 1), width=4), [0, 1, 2]),
        (PerSeat("o", 0, "", values=(0, 1), width=4), 1),
        (PerSeat("o", 0, "", values=(0, 1), width=4), False),
        (PerSeat("o", 0, "", values=(0, 1), width=4), np.array([0, 1, 2])),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_by_name(option, value):
    with pytest.raises(BadOption, match=r"option o=.* is not allowed; allowed: "):
        option.encode(value, 3)


def test_two_actions_cannot_share_a_string():
    with pytest.raises(ValueError, match="same string"):
        Actions(Kind("a", "", ("x",)), Kind("b", "", ("x",)))


def test_slices_have_names_of_their_own_and_scale_to_one():
    layout = Layout(Slice("a", 2, 0, 4, ""), Slice("b", 1, 0, 2, ""))
    assert layout.size == 3
    assert layout.start("b") == 2
    assert layout.scale(np.array([4, 0, 1], np.uint8)).tolist() == [1, 0, 0.5]
    with pytest.raises(ValueError, match="bad observation slice 'a'"):
        Layout(Slice("a", 1, 0, 1, ""), Slice("a", 1, 0, 1, ""))
