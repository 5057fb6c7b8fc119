"""Which packages there are: the folders at the top are the sub-packages of `coven`. All else is in pyproject.toml."""

from pathlib import Path

from setuptools import find_packages, setup

FOLDERS = sorted(path.parent.name for path in Path().glob("*/__init__.py") if path.parent.name != "coven")

setup(
    package_dir={"coven": "coven", **{f"coven.{folder}": folder for folder in FOLDERS}},
    packages=[
        "coven",
        *(f"coven.{folder}" for folder in FOLDERS),
        *(f"coven.{folder}.{package}" for folder in FOLDERS for package in find_packages(folder)),
    ],
)
