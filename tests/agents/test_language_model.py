"""Language models as agents, against a small server that answers rightly, wrongly, slowly, cut off and with malice."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import coven
from coven.agents.chat import MOST_BYTES, server_of
from coven.agents.language_model import read_answer
from coven.agents.outside import Exhausted, Fault
from coven.agents.play import play
from coven.agents.random import RandomAgent
from coven.agents.registry import UnknownAgent, create
from coven.envs.agent import Seat
from coven.games.core.errors import BadOption
from coven.games.core.rng import generator

GAME = coven.game("alchemists")
KEY = "sk-very-secret"


def completion(text, tokens=50, finish="stop"):
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"message": message, "finish_reason": finish}], "usage": {"total_tokens": tokens}}
    return json.dumps(body).encode()


class Model(ThreadingHTTPServer):
    """A server whose answers are given by a list of functions, the last of which stays."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.questions, self.headers = [], [], []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request, address):
        pass  # clients that hang up are what some tests are about


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.questions.append(body)
        self.server.headers.append((self.path, dict(self.headers)))
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def log_message(self, *_):
        pass

    def send(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


def says(text, **more):
    return lambda handler: handler.send(completion(text, **more))


def raw(body, status=200, **headers):
    return lambda handler: handler.send(body, status, **headers)


@pytest.fixture
def model(monkeypatch):
    monkeypatch.setenv("COVEN_LLM_KEY", KEY)
    server = Model()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def agent(model, folder, settings=""):
    return create(f"llm:log={folder} {settings} {model.url}:tiny:8b", GAME, 2)


def ask(bot, seat=None, seed=1):
    """One question about a new game: the action."""
    s = GAME.new(2, seed=seed)
    mask = GAME.legal_mask(s)
    action = bot.act_seats(s.reshape(1), mask[None], [seat or Seat(0, [])], generator(3))[0]
    assert mask[action]
    return GAME.legal_actions(s).index(action) + 1


def test_a_model_is_shown_rules_table_events_and_numbered_actions(model, tmp_path):
    model.answers = [says("I like the third.\nACTION: 3")]
    seat = Seat(0, ["player 1: something happened"])
    bot = agent(model, tmp_path)
    assert ask(bot, seat) == 3
    seat.events.append("player 1: and again")
    assert ask(bot, seat) == 3
    (path, headers), body, s = model.headers[0], model.questions[0], GAME.new(2, seed=1)
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body["model"] == "tiny:8b"
    assert body["max_tokens"] == 1000
    system, user = (message["content"] for message in body["messages"])
    assert "Potions bring fame" in system
    assert GAME.text(s, 0) in user
    assert "something happened" in user
    assert f"\n3. {GAME.action_to_string(s, GAME.legal_actions(s)[2])}\n" in user
    later = model.questions[1]["messages"][1]["content"]
    assert "and again" in later
    assert "something happened" not in later


def test_what_the_seat_cannot_know_is_not_shown(model, tmp_path):
    model.answers = [says("ACTION: 1")]
    s = GAME.new(2, seed=1)
    for state in (s, GAME.determinize(s, 0, seed=9)):
        coven.bot(agent(model, tmp_path).spec, "alchemists").choose(state, seed=1)
    assert model.questions[0] == model.questions[1]


def test_whole_games_are_played_and_written_down_without_the_key(model, tmp_path):
    model.answers = [lambda handler: handler.send(completion(f"ACTION: 1 (my key is {KEY})"))]
    found = play(GAME, [agent(model, tmp_path), RandomAgent()], 1, seed=2)
    assert not found.faults.any()
    (transcript,) = tmp_path.iterdir()
    text = transcript.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) == len(model.questions) > 10
    assert lines[0]["answer"] == "ACTION: 1 (my key is [key])"
    assert lines[0]["number"] == 1
    assert KEY not in text
    assert transcript.stat().st_mode & 0o77 == 0


@pytest.mark.parametrize(
    "first",
    [
        says("I do not know."),
        says("ACTION: 9999"),
        says("I think and think and", finish="length"),
        raw(b"busy", 503),
        raw(b"slow down", 429, Retry_After="0"),
        raw(b"{"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": [{"message": {"content": null}}]}'),
        lambda handler: handler.connection.close(),
    ],
)
def test_another_try_helps(model, tmp_path, first):
    model.answers = [first, says("ACTION: 2")]
    assert ask(agent(model, tmp_path)) == 2
    assert len(model.questions) == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (says("no \x1b[2J idea"), "names no legal action; allowed: ACTION: and a number from 1 to 160"),
        (says("well...", finish="length"), "was cut off after 1000 tokens"),
        (raw(b"x" * (MOST_BYTES + 10)), f"longer than {MOST_BYTES} bytes; it begins with 'xxxx"),
        (raw(b"\xff\xfe{}"), "is no chat completion"),
        (raw(b"[" * 100_000), "is no chat completion"),
        (raw(b'{"choices": [{"message": {"content": 7}}]}'), "is no chat completion"),
        (raw(b"", 302, Location="http://127.0.0.1:1/"), r"redirects \(status 302\), which is not followed"),
        (raw(f"bad key {KEY}".encode(), 401), r"status 401: 'bad key \[key\]'"),
    ],
)
def test_what_a_server_does_wrong_is_told_without_its_escape_codes_and_the_key(model, tmp_path, answer, message):
    model.answers = [answer]
    with pytest.raises(Fault, match=message) as fault:
        ask(agent(model, tmp_path, "tries=2"))
    assert "\x1b" not in str(fault.value)
    assert KEY not in str(fault.value)
    assert KEY not in "".join(file.read_text(encoding="utf-8") for file in tmp_path.iterdir())


def drip(handler):
    """A byte now and then: every single one is in time."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [drip, lambda handler: time.sleep(10)])
def test_a_server_that_takes_its_time_is_left(model, tmp_path, answer):
    model.answers = [answer]
    with pytest.raises(Fault, match=r"no whole answer within|timed out"):
        ask(agent(model, tmp_path, "seconds=0.4"))


def test_faults_are_counted_and_a_random_action_stands_in(model, tmp_path):
    model.answers = [says("no idea"), says("ACTION: 2")]
    seats = [Seat(0, []), Seat(0, [])]
    bot = agent(model, tmp_path, "on_fault=forfeit tries=1")
    ask(bot, seats[0])
    assert ask(bot, seats[1]) == 2
    assert [(seat.faults, seat.forfeited) for seat in seats] == [(1, True), (0, False)]


def test_the_budget_of_tokens_ends_everything(model, tmp_path):
    model.answers = [says("ACTION: 1", tokens=600)]
    bot = agent(model, tmp_path, "budget=1000 on_fault=random")
    ask(bot)
    ask(bot)
    with pytest.raises(Exhausted, match="has used 1,200 tokens, which is its budget"):
        ask(bot)


def test_nobody_is_asked_who_has_no_choice(model, tmp_path):
    s = GAME.new(2, seed=1)
    mask = GAME.legal_mask(s) * 0
    mask[GAME.legal_actions(s)[5]] = 1
    bot = agent(model, tmp_path)
    assert bot.act_batch(s.reshape(1), mask[None], generator(1))[0] == GAME.legal_actions(s)[5]
    assert not model.questions


def test_a_server_that_is_not_there(tmp_path):
    bot = create(f"llm:log={tmp_path} tries=1 http://127.0.0.1:1:m", GAME, 2)
    with pytest.raises(Fault, match="the server cannot be asked: ConnectionRefusedError"):
        ask(bot)


TEXTS = ["create blue+grey: 1 yellow", "fetch", "copy tile 3"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ACTION: 2", 2),
        ("I could take action 1, but no.\nAction: 3", 3),
        ("**ACTION:** 2", 2),
        ("ACTION: **2**", 2),
        ('{"action": 3}', 3),
        ("```\nACTION: 1\n```", 1),
        ("<think>ACTION: 1 is bad</think>ACTION: 2", 2),
        ("<think>ACTION: 1 is bad, I must go on", None),
        ("2", 2),
        ("2.", 2),
        ("Fetch.", 2),
        ("2. fetch", 2),
        ("ACTION: fetch", 2),
        ("ACTION: 0", None),
        ("ACTION: 4", None),
        ("ACTION: 99999999999999999999", None),
        ("ACTION: -1", None),
        ("there are 3 players", None),
        ("", None),
        ("\x00\x1b[31m", None),
    ],
)
def test_an_answer_is_read_or_refused(text, number):
    assert read_answer(text, TEXTS) == number


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("http://localhost:8080/v1:llama3:8b", ("http", "localhost", 8080, "/v1/chat/completions", "llama3:8b")),
        ("https://example.org/v1/chat/completions:m", ("https", "example.org", None, "/v1/chat/completions", "m")),
        ("http://localhost:m", ("http", "localhost", None, "/chat/completions", "m")),
        ("http://[::1]:99/:org/m", ("http", "[::1]", 99, "/chat/completions", "org/m")),
    ],
)
def test_a_url_and_a_model(text, found):
    server = server_of(text)
    assert (server.scheme, server.host, server.port, server.path, server.model) == found


@pytest.mark.parametrize(
    "text", ["", "llama", "ftp://x:m", "http://user:pass@host/v1:m", "http://host:99999:m", "http://h"]
)
def test_what_is_no_url_and_model_is_refused(text):
    with pytest.raises(BadOption, match="is no URL:MODEL; allowed"):
        server_of(text)


def test_a_key_does_not_travel_unencrypted(monkeypatch):
    monkeypatch.setenv("COVEN_LLM_KEY", KEY)
    with pytest.raises(UnknownAgent, match="would travel unencrypted") as error:
        create("llm:http://example.org/v1:m", GAME, 2)
    assert KEY not in str(error.value)
    create("llm:https://example.org/v1:m", GAME, 2)
    monkeypatch.delenv("COVEN_LLM_KEY")
    create("llm:http://example.org/v1:m", GAME, 2)
