"""Nothing that a seat cannot know reaches its page: every byte is the same in a world that differs only there."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from web_help import DRAWN, TABLES, ask, humans, kept_table, positions

import coven
from coven.web.server import build_app


def everything_sent(folder, setup, start, seat, action=None):
    """All bytes that a seat gets: its page, the position, news, and answers to all that it may try."""
    kept = kept_table(folder, setup, start=start)
    app, link = build_app([kept]), f"/s/secret-of-{seat}"
    sent = []

    def take(path, body=None, **more):
        answer = ask(app, path, body, **more)
        sent.append((path, answer.status, sorted(answer.headers.items()), answer.body))

    for _ in range(2 if action is not None else 1):
        take(link)
        take(f"{link}/position")
        take(f"{link}/news", most=8)
        for tried in (0, 10**6, -1):
            if kept.table.current != seat:
                take(f"{link}/act", {"action": tried, "moment": kept.table.moment})
        take(f"{link}/act", {"action": 0, "moment": 999})
        for what in ("undo", "again", "analyse", "graph"):
            take(f"{link}/{what}", {"agent": "greedy"})
        take(f"{link}/worlds")
        take("/w/secret-of-library/games")
        if action is not None and len(sent) < 20:
            kept.table.act(action)
            kept.save()
    return sent


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_all_bytes_are_the_same_when_only_hidden_things_differ(name, players, tmp_path):
    game, setup, differed = coven.game(name), humans(name, players), 0
    for number, (s, action) in enumerate(islice(positions(name, players, 11, every=13), 9)):
        seat = number % players
        other = game.determinize(s, seat, number)
        differed += game.to_bytes(s) != game.to_bytes(other)
        move = action if same_for(game, s, other, seat, action) else None
        first = everything_sent(tmp_path / f"{number}a", setup, s, seat, move)
        second = everything_sent(tmp_path / f"{number}b", setup, other, seat, move)
        assert first == second
    assert differed > 2


def same_for(game, s, other, seat, action):
    """May this action be made in both worlds, and does the seat then still see the same?"""
    if action not in game.legal_actions(other):
        return False
    events = [game.event(state, action, seat) for state in (s, other)]
    after = [game.clone(state) for state in (s, other)]
    for state in after:
        game.apply(state, action)
    if any(game.is_over(state) for state in after):
        return False
    return events[0] == events[1] and game.describe(after[0], seat) == game.describe(after[1], seat)


@pytest.mark.parametrize("name", DRAWN)
def test_a_seat_never_reads_the_seed_other_links_or_secret_choices(name, tmp_path):
    """A whole game: what one seat was sent before the end."""
    setup = humans(name)
    kept = kept_table(tmp_path, setup, seed=1234567890123456789)
    app, sent = build_app([kept], rate=1e9), b""
    for s, action in positions(name, len(setup.seats), 5, every=1):
        if kept.table.over or len(sent) > 20_000_000:
            break
        del s
        legal = kept.table.game.legal_actions(kept.table.state)
        kept.table.act(legal[action % len(legal)])
        if len(kept.table.actions) % 10 == 0 and not kept.table.over:
            sent += ask(app, "/s/secret-of-0/position").body
    assert len(sent) > 10_000
    for secret in (b"1234567890123456789", b"secret-of-1", b"secret-of-library"):
        assert secret not in sent


def test_the_log_shows_what_the_seat_saw_and_all_at_the_end(tmp_path):
    setup = humans("wie_verhext", 3, max_sets=1)
    kept = kept_table(tmp_path, setup)
    app = build_app([kept], rate=1e9)
    table = kept.table
    while not table.over:
        legal = table.game.legal_actions(table.state)
        before = table.current
        table.act(legal[0])
        if table.over:
            break
        logs = [ask(app, f"/s/secret-of-{p}/position").json["log"] for p in range(3)]
        assert len({len(log) for log in logs}) == 1
        choosing = table.game.action_to_string(table._start, table.actions[-1]).startswith("choose")
        if choosing and len(table.actions) < 5:
            role = logs[before][-1].partition("choose ")[2]
            assert role
            assert all(role not in (logs[p][-1] or "") for p in range(3) if p != before)
    final = ask(app, "/s/secret-of-1/position").json
    assert final["over"]
    assert final["viewer"] is None
    assert all("choose" in line for line in final["log"][:5])
    assert len(final["log"]) == len(table.actions)
    assert json.dumps(final["ranks"]) == json.dumps(table.game.ranks(table.state))
