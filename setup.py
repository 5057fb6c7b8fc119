"""Which packages there are: the folders at the top are the sub-packages of `coven`. All else is in pyproject.toml."""

from setuptools import find_packages, setup

FOLDERS = ("games", "envs", "agents", "arena", "benchmarks")

setup(
    package_dir={"coven": "coven", **{f"coven.{folder}": folder for folder in FOLDERS}},
    packages=[
        "coven",
        *(f"coven.{folder}" for folder in FOLDERS),
        *(f"coven.{folder}.{package}" for folder in FOLDERS for package in find_packages(folder)),
    ],
)
