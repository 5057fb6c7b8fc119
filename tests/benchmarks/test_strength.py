"""The benchmark of strength at a tiny scale: matches are played, resumed and reported."""

from __future__ import annotations

from coven.benchmarks import strength


def test_a_match_is_played_resumed_and_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(strength, "EVERYWHERE", (("random", "greedy"),))
    monkeypatch.setattr(strength, "MATCHES", (("greedy", "random"),))
    monkeypatch.setattr(strength, "MORE", ())
    monkeypatch.setattr(strength, "QUICK_GAMES", 40)
    for _ in range(2):
        strength.play(("alchemists",), minutes=1, workers=1, folder=tmp_path)
    out = tmp_path / "strength.md"
    strength.report(("alchemists",), folder=tmp_path, out=out)
    rows = [line.split(" | ") for line in out.read_text(encoding="utf-8").splitlines() if line.startswith("| g")]
    assert [row[2] for row in rows] == ["40", "40"]
    assert all(row[3].startswith("**") for row in rows)  # greedy is above its fair share with 2 and with 5 players
    assert out.read_text(encoding="utf-8").count("| random | greedy | 4") == 4  # at every player count
    strength.report(("alchemists",), ("random",), tmp_path, out)
    assert "| greedy |" in out.read_text(encoding="utf-8")
    assert "| greedy | random |" not in out.read_text(encoding="utf-8")
