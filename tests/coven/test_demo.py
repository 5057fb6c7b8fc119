"""`coven demo` at a tiny scale: the three uses of the suite, and files to look at."""

from __future__ import annotations

import io

from rich.console import Console

from coven import cli, cli_train, demo


def test_the_demo_shows_speed_training_and_a_league(tmp_path, monkeypatch):
    shown = io.StringIO()
    console = Console(file=shown, width=140)
    monkeypatch.setattr(cli, "console", console)
    monkeypatch.setattr(cli_train, "console", console)
    monkeypatch.setattr(demo, "DEALS", 4)
    monkeypatch.setattr(demo, "OTHERS", ("random", "greedy"))
    demo.run(console, tmp_path / "demo", seconds=1)
    text = shown.getvalue()
    for word in ("in-kernel", "won against greedy", "win share", "ppo:"):
        assert word in text
    made = {path.name for path in (tmp_path / "demo").rglob("*") if path.is_file()}
    assert {"agent.safetensors", "curve.png", "league.db", "ratings.png"} <= made
    assert any(name.endswith(".html") for name in made)
