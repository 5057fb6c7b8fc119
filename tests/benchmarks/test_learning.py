"""The benchmarks of learning at a tiny scale, and runs of both methods that become a baseline."""

from __future__ import annotations

import coven
from coven.agents import learned
from coven.agents.search_settings import search_preset
from coven.agents.search_training import SearchRun, train
from coven.agents.train import Run, preset
from coven.agents.train import train as train_with_ppo
from coven.benchmarks import baselines, learning

GAME = coven.game("alchemists")
SMALL = {"players": [2], "network": [16], "evaluation_deals": 2}


def test_rates_and_shares_of_both_methods_are_told(tmp_path, monkeypatch):
    for name in ("UPDATES", "GAMES", "BATCHES"):
        monkeypatch.setattr(learning, name, 1)
    small = {"players": [2], "tables": 8, "steps_per_update": 8, "batch_size": 32}
    monkeypatch.setattr(learning, "preset", lambda game, **changes: preset(game, **small | changes))
    out = tmp_path / "learning.md"
    learning.main(("alchemists",), ("1",), out)
    text = out.read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith(("| PPO", "| search"))]
    assert [row[1].split()[1] for row in rows] == ["decisions", "games", "positions"]
    assert all(float(row[1].split()[0].replace(",", "")) > 0 for row in rows)
    for part in (*learning.PPO_PARTS, *learning.SEARCH_PARTS):
        share = float(text.split(f"{part} ")[1].split("%")[0])
        assert 0 <= share < 100, part
    assert "searches 0%" not in text
    assert "updates 0%" not in text


def test_a_run_with_search_after_one_with_ppo_becomes_a_baseline(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("games/alchemists", "pictures"):
        (tmp_path / folder).mkdir(parents=True)
    settings = preset(GAME, **SMALL, tables=8, steps_per_update=8, batch_size=32, lessons=0, updates=2, seed=1)
    first = Run.begin(GAME, tmp_path / "first", settings)
    train_with_ppo(first, quiet=True)
    searching = {"full": 4, "quick": 2, "games": 1, "blocks": 1, "batch_size": 32, "proof_blocks": 2, "rounds": 1}
    begun = search_preset(GAME, players=[2], start=f"ppo:{first.agent_file}", seed=2, evaluation_deals=2, **searching)
    second = SearchRun.begin(GAME, tmp_path / "second", begun)
    train(second, quiet=True)
    folders = [first.folder, second.folder]
    baselines.main("alchemists", folders, 400, tmp_path / "games", tmp_path / "pictures")
    agent, about = learned.load(tmp_path / "games" / "alchemists" / learned.BASELINE, GAME)
    assert agent.tells_margin
    assert (
        about["command"] == "coven fit alchemists --agent ppo:runs/alchemists-2/agent.safetensors --rows 400 --seed 0"
    )
    with_ppo, with_search = about["before"]
    assert "--method ppo" in with_ppo
    assert "--method search" in with_search
    assert "--start ppo:runs/alchemists-1/agent.safetensors" in with_search
    assert str(tmp_path) not in with_ppo + with_search
    assert (tmp_path / "pictures" / "curve-alchemists.png").stat().st_size > 1000
