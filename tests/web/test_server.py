"""The server by its answers: moves, wrong and hostile requests, agents that fail, clients that vanish."""

from __future__ import annotations

import http.client
import json
import os
import socket
import time
from urllib.parse import urlsplit

import pytest
from web_help import ask, humans, kept_table, served

import coven
from coven.games.core.errors import MissingExtra
from coven.web import guard, run
from coven.web.server import build_app
from coven.web.table import Setup

ME = "/s/secret-of-0"


@pytest.fixture
def kept(tmp_path):
    return kept_table(tmp_path, humans("alchemists", 2))


@pytest.fixture
def app(kept):
    return build_app([kept])


def test_a_move_is_answered_with_the_new_position(kept, app):
    shown = ask(app, f"{ME}/position").json
    assert shown["mine"] is (kept.table.current == 0)
    me = kept.table.current
    shown = ask(app, f"/s/secret-of-{me}/position").json
    move = shown["actions"][3]
    answer = ask(app, f"/s/secret-of-{me}/act", {"action": move["id"], "moment": shown["moment"]})
    assert answer.status == 200
    assert answer.json["log"] == [f"player {me}: {move['words']}"]
    assert kept.table.actions == [move["id"]]
    assert json.loads(kept.file.read_bytes())["actions"] == [move["id"]], "stored before it is answered"


def test_moves_of_others_old_pages_and_illegal_ones_change_nothing(kept, app):
    me = kept.table.current
    legal = kept.table.game.legal_actions(kept.table.state)[0]
    for path, body, status, words in [
        (f"/s/secret-of-{1 - me}/act", {"action": legal, "moment": 0}, 409, "not yours"),
        (f"/s/secret-of-{me}/act", {"action": legal, "moment": 5}, 409, "has gone on"),
        (f"/s/secret-of-{me}/act", {"action": 10**9, "moment": 0}, 409, "has no action"),
        (f"/s/secret-of-{me}/act", {"action": "1", "moment": 0}, 400, "not understood"),
        (f"/s/secret-of-{me}/act", {"action": 1.5, "moment": 0}, 400, "not understood"),
        (f"/s/secret-of-{me}/act", {"action": 1 << 80, "moment": 0}, 409, "has no action"),
        (f"/s/secret-of-{me}/act", {"action": legal, "moment": 0, "seat": 1}, 400, "not understood"),
        (f"/s/secret-of-{me}/act", [], 400, "not understood"),
        (f"/s/secret-of-{me}/undo", {}, 409, "practice"),
        (f"/s/secret-of-{me}/again", {}, 409, "when this one is over"),
        (f"/s/secret-of-{me}/analyse", {"agent": "greedy"}, 409, "practice"),
        ("/s/mistyped/act", {"action": legal, "moment": 0}, 404, "nothing here"),
    ]:
        answer = ask(app, path, body)
        assert answer.status == status, path
        assert words in answer.json["error"]
    assert kept.table.actions == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"\xff\xfe",
        b'{"\x86": 1}',
        b"[" * 3000,
        b'{"action": 1e999, "moment": 0}',
        b'{"action": NaN}',
    ],
)
def test_broken_json_is_refused(app, body):
    assert ask(app, f"{ME}/act", body).status == 400


def test_large_bodies_other_types_and_long_addresses_are_refused(app):
    assert ask(app, f"{ME}/act", b" " * (guard.LARGEST_BODY + 1)).status == 413
    assert ask(app, f"{ME}/act", b"{}", headers={"content-type": "text/plain"}).status == 413
    assert ask(app, f"{ME}/{'x' * 600}").status == 414
    assert ask(app, f"{ME}/position?since={'9' * 600}").status == 414


@pytest.mark.parametrize(
    "query",
    [
        "since=-5",
        "since=--5",
        "since=%C2%B2",
        "epoch=0&since=%2D%D9%A3",
        "since=9999999999999",
        "since=x&epoch=y",
        "epoch=0&since=77",
        "%00=%ff",
    ],
)
def test_odd_queries_get_the_whole_log(app, query):
    assert ask(app, f"{ME}/position?{query}").json["log_from"] == 0


@pytest.mark.parametrize(
    "path", ["/s/../secret", "/static/../server.py", "/static/%2e%2e%2fserver.py", "/w/x", "/s/", "/x"]
)
def test_paths_that_lead_nowhere(app, path):
    assert ask(app, path).status in (404, 405)


def test_only_hosts_of_this_machine_are_answered(kept, app):
    strange = ("", "127.0.0.1:[", "[::1", "127.0.0.1:x", "a b", "127.0.0.1/", "[]", ":", "1" * 999)
    for host in ("evil.example", "evil.example:8710", "127.0.0.1.evil.example", "localhost.evil.example", *strange):
        assert ask(app, f"{ME}/position", headers={"host": host}).status == 421
    for host in ("127.0.0.1:8710", "localhost:1", "[::1]:8710", "192.168.1.5", "LOCALHOST"):
        assert ask(app, f"{ME}/position", headers={"host": host}).status == 200
    named = build_app([kept], names=["table.example"])
    assert ask(named, f"{ME}/position", headers={"host": "table.example:80"}).status == 200


def test_requests_from_other_pages_are_refused(kept, app):
    me, legal = kept.table.current, kept.table.game.legal_actions(kept.table.state)[0]
    move = {"action": legal, "moment": 0}
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8710"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert ask(app, f"/s/secret-of-{me}/act", move, headers=headers).status == 403
    assert kept.table.actions == []
    fine = {"origin": "http://127.0.0.1:8710", "sec-fetch-site": "same-origin"}
    assert ask(app, f"/s/secret-of-{me}/act", move, headers=fine).status == 200


def test_every_answer_has_the_headers_that_keep_it_in(app):
    for path in ("/", ME, f"{ME}/position", "/static/play.js", "/s/nobody", "/static/none"):
        headers = ask(app, path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_pages_ask_nothing_of_other_machines():
    from coven.web.server import FILES, PAGE

    for name in (*FILES, "play.html", "watch.html"):
        text = (PAGE / name).read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "//cdn" not in text


def test_too_many_requests_are_slowed_down(kept):
    app = build_app([kept], rate=2)
    statuses = [ask(app, "/s/mistyped").status for _ in range(12)]
    assert statuses[0] == 404
    assert statuses[-1] == 429
    assert ask(app, ME).status == 200, "others are served"


def test_news_tell_the_moment_and_only_so_many_listen(kept):
    app = build_app([kept])
    assert ask(app, f"{ME}/news", most=5).body == b"data: 0-0\n\n"
    kept.table.act(kept.table.game.legal_actions(kept.table.state)[0])
    assert ask(app, f"{ME}/news", most=5).body == b"data: 0-1\n\n"


def test_an_agent_that_fails_is_said_and_the_game_is_kept(tmp_path):
    setup = Setup(coven.game("alchemists"), ("human", "random"))
    kept = kept_table(tmp_path, setup)
    agent = kept.table.bots[1].agent

    def fail(*_):
        raise RuntimeError("out of ideas")

    agent.act_batch = fail
    if kept.table.current == 0:
        kept.table.act(kept.table.game.legal_actions(kept.table.state)[0])
        while kept.table.current == 0:
            kept.table.act(kept.table.game.legal_actions(kept.table.state)[0])
    moves = len(kept.table.actions)
    with served([kept]) as address:
        shown = wait_for(address, lambda shown: shown["trouble"])
        assert "player 1 (random) cannot go on: out of ideas" in shown["trouble"]
    assert len(kept.table.actions) == moves


def get(address, path=f"{ME}/position"):
    host = urlsplit(address).netloc
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return json.loads(body)


def wait_for(address, wanted):
    for _ in range(4000):
        shown = get(address)
        if wanted(shown):
            return shown
        time.sleep(0.05)
    raise AssertionError(shown)


def test_a_disk_that_is_full_is_said_and_the_game_goes_on(kept, app, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    me, legal = kept.table.current, kept.table.game.legal_actions(kept.table.state)[0]
    answer = ask(app, f"/s/secret-of-{me}/act", {"action": legal, "moment": 0})
    assert answer.status == 200
    assert answer.json["trouble"] == "the game cannot be written: No space left on device"


def test_the_end_of_a_game_is_shown_even_if_it_cannot_be_kept(tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2))
    while not kept.table.over:
        kept.table.act(kept.table.game.legal_actions(kept.table.state)[0])
    (tmp_path / "games.jsonl").symlink_to("/etc/hostname")
    shown = ask(build_app([kept]), f"{ME}/position").json
    assert "is a link" in shown["trouble"]
    assert str(tmp_path) not in shown["trouble"]
    assert shown["svg"]
    (tmp_path / "games.jsonl").unlink()
    (tmp_path / "games.jsonl").write_bytes(b"\xff\xfe no replay\r\n\n")
    shown = ask(build_app([kept]), f"{ME}/position").json
    assert shown["watch"].endswith("?game=1")
    assert (tmp_path / "games.jsonl").read_bytes().splitlines()[0] == b"\xff\xfe no replay", "what was there is kept"


def test_noise_half_requests_and_vanished_clients_do_no_harm(tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2))
    with served([kept]) as address:
        host, port = urlsplit(address).netloc.split(":")
        for noise in (
            b"\x00" * 2000,
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST ",
            b"\x16\x03\x01\x02",
            b"GET " + b"a" * 70_000,
        ):
            with socket.create_connection((host, int(port))) as sock:
                sock.sendall(noise)
        for _ in range(20):  # listeners that go away without a word
            sock = socket.create_connection((host, int(port)))
            sock.sendall(f"GET {ME}/news HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            sock.close()
        sock = socket.create_connection((host, int(port)))
        head = f"POST {ME}/act HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        sock.sendall(f"{head}Content-Length: 99\r\n\r\n".encode())
        sock.close()
        assert get(address)["moment"] == 0


def test_a_connection_that_says_nothing_is_closed():
    class Protocol:
        cycle = None

        def __init__(self):
            self.loop = self

        def connection_made(self, transport):
            self.transport = transport

        def call_later(self, seconds, call):
            self.seconds, self.call = seconds, call

    class Transport:
        closed = False

        def is_closing(self):
            return self.closed

        def close(self):
            self.closed = True

    protocol, transport = guard.with_first_request_timeout(Protocol, 3)(), Transport()
    protocol.connection_made(transport)
    assert protocol.seconds == 3
    protocol.call()
    assert transport.closed


def test_a_port_that_is_taken_is_one_clear_line():
    with run._listen("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        with pytest.raises(run.PortTaken, match=f"127.0.0.1:{port} cannot be listened to"):
            run.bind("127.0.0.1", port)
    with pytest.raises(run.PortTaken, match="--port"):
        run.bind("127.0.0.1", 99999)
    for name in ("é" * 300, "\udc80", "a\0b", "." * 99):
        with pytest.raises(run.PortTaken, match="cannot be listened to"):
            run.bind(name, 0)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    with pytest.raises(MissingExtra, match=r"coven-rl\[web\]"):
        run.check()
