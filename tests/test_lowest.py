"""The lowest versions that are declared are those that `make test-lowest` installs."""

from __future__ import annotations

import os
from importlib.metadata import version

import pytest
from lowest import lowest


def numbers(text):
    return [int(number) for number in text.split(".")]


def test_every_requirement_has_a_lowest_version():
    found = lowest(["arena", "web", "window", "train", "ray", "openspiel"])
    assert {"numpy", "numba", "gymnasium", "pettingzoo", "scipy", "pygame-ce", "torch"} <= set(found)


@pytest.mark.skipif("COVEN_LOWEST" not in os.environ, reason="make test-lowest")
@pytest.mark.parametrize(("package", "least"), lowest(["arena", "web", "window"]).items())
def test_it_is_installed(package, least):
    found, wanted = numbers(version(package)), numbers(least)
    assert found[: len(wanted)] == wanted
    assert not any(found[len(wanted) :])
