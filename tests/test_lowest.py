"""The lowest versions that are declared are those that `make test-lowest` installs."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from lowest import lowest

EXTRAS = os.environ.get("COVEN_LOWEST", "arena train web window").split()


def numbers(text):
    """Of a version, without the name of a build, as torch's has it."""
    return [int(number) for number in text.partition("+")[0].split(".")]


def test_every_requirement_has_a_lowest_version():
    found = lowest(["arena", "web", "window", "train", "ray", "openspiel"])
    assert {"numpy", "numba", "gymnasium", "pettingzoo", "scipy", "pygame-ce", "torch"} <= set(found)


@pytest.mark.skipif("COVEN_LOWEST" not in os.environ, reason="make test-lowest, make test-lowest-train")
@pytest.mark.parametrize(("package", "least"), lowest(EXTRAS).items())
def test_it_is_installed(package, least):
    found, wanted = numbers(version(package)), numbers(least)
    assert found[: len(wanted)] == wanted
    assert not any(found[len(wanted) :])


WITHOUT = """
import sys
from functools import partial
from importlib.machinery import PathFinder

import pytest

def find(finder, name, *more):
    return None if name in ("torch", "stable_baselines3", "sb3_contrib", "nbclient", "sphinx") else finder(name, *more)

PathFinder.find_spec = partial(find, PathFinder.find_spec)
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_all_tests_can_be_read_where_torch_and_the_tools_of_the_site_are_missing():
    """Files that need them at once are left out (`conftest.py`)."""
    command = [sys.executable, "-c", WITHOUT, "--collect-only", "-q", "-p", "no:cacheprovider", "-W", "ignore"]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
