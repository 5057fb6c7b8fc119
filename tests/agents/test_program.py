"""Programs as agents: the three examples, the schema, everything that a program can do wrong, and its end."""

from __future__ import annotations

import copy
import json
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

import coven
from coven.agents.outside import IN_A_ROW, Fault, with_rule
from coven.agents.play import play
from coven.agents.program_protocol import USUAL_WANTS
from coven.agents.random import RandomAgent
from coven.agents.registry import UnknownAgent, create
from coven.envs.agent import Seat
from coven.games.core.rng import generator

ROOT = Path(__file__).resolve().parents[2]
GAME = coven.game("alchemists")
BOTS = ROOT / "examples" / "bots"
FAULTY = ROOT / "benchmarks" / "faulty_bot.py"
PYTHON = shlex.quote(sys.executable)
SCHEMA = json.loads((ROOT / "docs" / "bots.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def c_bot(tmp_path_factory):
    """The example in C, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler here (cc)")
    program = tmp_path_factory.mktemp("c") / "random_bot"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2"]
    subprocess.run([compiler, *flags, "-o", program, BOTS / "random_bot.c"], check=True)
    return program


@pytest.fixture(params=["Python", "JavaScript", "C"])
def example(request):
    """The words that run an example."""
    if request.param == "Python":
        return f"{PYTHON} -S {BOTS / 'random_bot.py'}"
    if request.param == "C":
        return str(request.getfixturevalue("c_bot"))
    if shutil.which("node") is None:
        pytest.skip("there is no Node.js here (node)")
    return f"node {BOTS / 'random_bot.js'}"


def agent(words, folder, players=2, **settings):
    given = " ".join(f"{name}={value}" for name, value in settings.items())
    return create(f"cmd:log={folder} {given} {words}", GAME, players)


def faulty(fault, folder, decision=0, players=2, **settings):
    return agent(f"{PYTHON} -S {FAULTY} '{fault}' {decision}", folder, players, **settings)


def validator(kind):
    return jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{kind}"})


def test_examples_play_by_the_rules_and_the_schema_and_are_reproducible(example, tmp_path):
    bot, lines = agent(example, tmp_path), []
    bot.tap = lambda way, line: lines.append((way, json.loads(line)))
    first, second = (play(GAME, [bot, RandomAgent()], 2, seed=5) for _ in range(2))
    bot.close()
    assert not first.faults.any()
    assert [a.tolist() for a in first.actions] == [a.tolist() for a in second.actions]
    kinds = {"to": {"hello", "decide", "goodbye"}, "from": {"ready", "action"}}
    for way, message in lines:
        assert message["type"] in kinds[way]
        validator(message["type"]).validate(message)
    hellos = [message for _, message in lines if message["type"] == "hello"]
    goodbyes = [message for _, message in lines if message["type"] == "goodbye"]
    assert len(hellos) == len(goodbyes) == 8
    assert sum(message["result"]["ranks"] == [1, 2] for message in goodbyes) + sum(
        message["result"]["ranks"] == [2, 1] for message in goodbyes
    ) == 8 - 2 * int((first.ranks == 1).all(axis=1).sum())
    assert list(tmp_path.iterdir()) == []  # nothing was said on the standard error


def test_all_that_a_program_may_ask_for_is_told_and_nothing_else(tmp_path):
    """The state as its seat sees it, the events since its last decision, texts, observation and table."""
    script = tmp_path / "curious.py"
    wants = [*USUAL_WANTS, "observation", "table_text"]
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if m['type'] == 'hello':\n"
        f"        a = {{'type': 'ready', 'table': m['table'], 'protocol': 1, 'wants': {wants}}}\n"
        "    elif m['type'] == 'decide':\n"
        "        a = {'type': 'action', 'table': m['table'], 'action': m['texts'][-1]}\n"
        "    else:\n"
        "        continue\n"
        "    print(json.dumps(a), flush=True)\n"
    )
    bot, asked = agent(f"{PYTHON} -S {script}", tmp_path), []
    bot.tap = lambda way, line: asked.append(json.loads(line)) if way == "to" and b'"decide"' in line else None
    found = play(GAME, [bot, RandomAgent()], 1, seed=3, rotate=False)
    bot.close()
    s, seen, questions = GAME.new(2, seed=3), [], iter(asked)
    for action in found.actions[0].tolist():
        if GAME.current_player(s) == 0:
            message = next(questions)
            validator("decide").validate(message)
            assert message["legal"] == GAME.legal_actions(s)
            assert message["texts"] == [GAME.action_to_string(s, a) for a in message["legal"]]
            assert message["state"] == json.loads(json.dumps(GAME.describe(s, 0)))
            assert message["observation"] == GAME.observe(s, 0).tolist()
            assert message["table_text"] == GAME.text(s, 0)
            assert message["events"] == seen
            assert action == message["legal"][-1]
            seen = []
        event = GAME.event(s, action, 0)
        seen += [] if event is None else [event]
        GAME.apply(s, action)
    assert next(questions, None) is None


def test_what_the_seat_cannot_know_changes_nothing_that_its_program_is_told(tmp_path):
    """Two states that differ only in what is hidden: the same bytes go to the program."""
    s = GAME.new(3, seed=8)
    twin = GAME.determinize(s, GAME.current_player(s), seed=99)
    assert s.tobytes() != twin.tobytes()
    told = []
    for state in (s, twin):
        bot, lines = coven.bot(f"cmd:log={tmp_path} {PYTHON} -S {FAULTY} none", "alchemists", 3), []
        bot.agent.tap = lambda way, line, lines=lines: lines.append(line)
        bot.choose(state, seed=4, events=["somebody did something"])
        bot.agent.close()
        told.append(lines)
    assert told[0] == told[1]
    assert b"somebody did something" in b"".join(told[0])


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("crash", r"ended with exit code 1 .*last words: 'ZeroDivisionError: .*\.log\)"),
        ("killed", "was ended by SIGSEGV; its last words: 'now comes: killed'"),
        ("exit", "ended with exit code 0 in the middle of a game"),
        ("hang", "did not answer within 1 s"),
        ("half a line", "did not answer within 2 s; it began a line with .*and did not end it"),
        ("silence", "did not answer within 0.5 s"),
        ("closed pipe", "closed its standard output and went on running"),
        ("100 MB line", "sent a line of more than 65536 bytes, which begins with 'xxxx"),
        ("flood", "is no 'action' message"),
        ("invalid UTF-8", r"is not UTF-8 \(byte 37\); allowed: JSON in UTF-8"),
        ("no JSON", "'I take the first one' is no 'action' message: JSON is malformed"),
        ("NaN", "is no 'action' message: JSON is malformed"),
        ("deep JSON", "is no 'action' message"),
        ("wrong type", "Invalid value 'move'"),
        ("unknown field", "unknown field `move`.*allowed: such as"),
        ("wrong id", "it chose action '5', which is not legal; allowed: 0, 1, 2, 3, 4, 8, .* and 148 more"),
        ("huge id", "which is not legal|is no 'action' message"),
        ("negative id", "it chose action '-1', which is not legal"),
        ("wrong text", "it chose 'win the game', which is no action; allowed: .* or their texts"),
        ("action for another game", r"it answered for table \d+, which it was not asked about; allowed now: \d"),
        ("other protocol", "it speaks protocol 2; allowed: 1"),
        ("memory", "MemoryError"),
    ],
)
def test_a_fault_is_told_in_words(fault, message, tmp_path):
    start = 0.5 if fault == "silence" else 30
    seconds = {"hang": 1, "half a line": 2}.get(fault, 30)
    bot = faulty(fault, tmp_path, seconds=seconds, start_seconds=start, memory=256)
    with pytest.raises(Fault, match=message):
        play(GAME, [bot, RandomAgent()], 1, seed=1, rotate=False)


def test_nothing_of_a_fault_reaches_the_terminal(tmp_path):
    with pytest.raises(Fault, match="is no 'action' message") as fault:
        play(GAME, [faulty("escape codes", tmp_path), RandomAgent()], 1)
    assert "\x1b" not in str(fault.value)
    assert "\x07" not in str(fault.value)


def test_after_a_fault_a_random_action_stands_in_and_the_program_is_told_all_again(tmp_path):
    """A program that crashes is started again, with all events since the deal; the game goes on as if by itself."""
    bot, hellos = faulty("crash", tmp_path, decision=3, on_fault="random"), []
    bot.tap = lambda way, line: hellos.append(line) if b'"hello"' in line else None
    found = play(GAME, [bot, RandomAgent()], 1, seed=2, rotate=False)
    bot.close()
    assert found.faults.tolist() == [[found.moves[0, 0] // 4, 0]]  # every fourth decision of each process
    assert found.faults[0, 0] >= 2
    assert found.forfeits.tolist() == [[0, 0]]
    assert bot.restarts == bot.faults == found.faults[0, 0]
    assert {json.loads(line)["seed"] for line in hellos} == {json.loads(hellos[0])["seed"]}


def test_a_restarted_program_hears_all_events_since_the_deal(tmp_path):
    """And one that goes on only what is new."""
    s, told = GAME.new(2, seed=1), {}
    for fault in ("crash", "none"):
        bot, heard = faulty(fault, tmp_path, on_fault="random"), told.setdefault(fault, [])
        bot.tap = lambda way, line, heard=heard: heard.append(json.loads(line)) if b'"decide"' in line else None
        seat, dice = Seat(0, ["first"]), generator(1)
        for event in ("second", "third"):
            seat.events.append(event)
            bot.act_seats(s.reshape(1), GAME.legal_mask(s)[None], [seat], dice)
        assert seat.faults == 2 * (fault == "crash")
        bot.leave(seat, None)
        bot.close()
    assert [message["events"] for message in told["crash"]] == [["first", "second"], ["first", "second", "third"]]
    assert [message["events"] for message in told["none"]] == [["first", "second"], ["third"]]


def test_a_wrong_action_ends_no_process(tmp_path):
    bot = faulty("wrong id", tmp_path, on_fault="random")
    found = play(GAME, [bot, RandomAgent()], 2, seed=2)
    bot.close()
    assert found.faults.sum() == 1
    assert bot.restarts == 0


def test_whoever_forfeits_is_last_whatever_the_score(tmp_path):
    bot = faulty("wrong id", tmp_path, decision=2, on_fault="forfeit", players=3)
    found = play(GAME, [bot, RandomAgent(), RandomAgent()], 1, seed=2)
    bot.close()
    (lost,) = found.forfeits[:, 0].nonzero()[0].tolist()
    assert found.forfeits.sum() == found.faults.sum() == 1
    assert found.ranks[lost, 0] == 3
    assert sorted(found.ranks[lost, 1:].tolist()) in ([1, 2], [1, 1])
    assert found.returns[lost, 0] == -1.0
    assert found.returns[lost].sum() == pytest.approx(0)


def test_a_program_that_never_works_is_not_tried_for_ever(tmp_path):
    bot = faulty("exit", tmp_path, on_fault="random")
    with pytest.raises(Fault, match=f"fault {IN_A_ROW} in a row"):
        play(GAME, [bot, RandomAgent()], 8)


def test_time_for_a_game_is_limited(tmp_path):
    bot = faulty("none", tmp_path, game_seconds=1e-9, on_fault="random")
    found = play(GAME, [bot, RandomAgent()], 1, seed=1, rotate=False)
    bot.close()
    assert found.faults[0, 0] == 1  # it is not asked again


def test_two_seats_of_a_game_do_not_share_a_process(tmp_path):
    bot = faulty("none", tmp_path)
    play(GAME, [bot, bot], 2, seed=1)
    processes = bot._staff.processes
    assert set(processes) == {0, 1}
    assert processes[0] is not processes[1]
    bot.close()


def alive(pid):
    """Is there such a process, and is it more than a zombie?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_program_ends_with_its_parent_however_that_ends(tmp_path):
    """The parent is killed while the program hangs; neither it nor what it started is left."""
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import os, subprocess, sys, time\n"
        f"child = subprocess.Popen([{sys.executable!r}, '-S', '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'new')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(tmp_path / 'new')!r}, {str(tmp_path / 'pids')!r})\n"
        "time.sleep(60)\n"
    )
    code = (
        f"import coven\nbot = coven.bot('cmd:log={tmp_path} {sys.executable} -S {bot}', 'alchemists')\n"
        "bot.choose(coven.game('alchemists').new(2, 1))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    try:
        until = time.monotonic() + 60
        while not (tmp_path / "pids").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        pids = list(map(int, (tmp_path / "pids").read_text().split()))
        assert all(map(alive, pids))
    finally:
        parent.kill()
        parent.wait()
    until = time.monotonic() + 20
    while any(map(alive, pids)):
        assert time.monotonic() < until, pids
        time.sleep(0.02)


def test_what_it_says_is_kept_but_not_without_end(tmp_path):
    script = tmp_path / "loud.py"
    script.write_text("import sys\nsys.stderr.write('loud ' * 1_000_000 + 'the end')\n")
    with pytest.raises(Fault, match=r"its last words: '.*the end'"):
        play(GAME, [agent(f"{PYTHON} -S {script}", tmp_path / "log"), RandomAgent()], 1)
    (log,) = (tmp_path / "log").iterdir()
    assert (1 << 20) < log.stat().st_size < (1 << 20) + 5000
    assert "bytes are left out here" in log.read_text()
    assert os.stat(log).st_mode & 0o77 == 0


def test_copies_have_programs_of_their_own(tmp_path):
    bot = faulty("none", tmp_path)
    for other in (copy.deepcopy(bot), pickle.loads(pickle.dumps(bot))):
        assert other.spec == bot.spec
        assert other._staff is not bot._staff
    assert FAULTY in bot.files


def test_opponents_of_a_learner_may_be_programs(tmp_path):
    """Nobody keeps a record of such games: every decision is a table of its own, and events are null."""
    env = coven.make_gym("alchemists", num_players=2, opponents=[f"cmd:log={tmp_path} {PYTHON} -S {FAULTY} none"])
    env.reset(seed=1)
    for _ in range(3):
        env.step(int(env.action_masks().argmax()))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd:", "it needs a program"),
        ("cmd:seconds=2", "it needs a program"),
        ("cmd:no-such-program-here x", "there is no program 'no-such-program-here'"),
        ("cmd:'open", "quoted as a shell wants it"),
        ("cmd:second=2 cat", "second is no setting; allowed: on_fault="),
        ("cmd:seconds=2 seconds=3 cat", "seconds is set twice"),
        ("cmd:seconds=fast cat", "allowed: a number"),
        ("cmd:seconds=nan cat", "allowed: a number"),
        ("cmd:seconds=0 cat", "allowed: more than 0"),
        ("cmd:memory=-1 cat", "allowed: more than 0"),
        ("cmd:on_fault=cry cat", "allowed: stop, random, forfeit"),
    ],
)
def test_a_spec_that_cannot_be_is_refused(spec, message):
    with pytest.raises(UnknownAgent, match=message):
        create(spec, GAME, 2)


def test_the_rule_of_the_command_line_is_for_those_that_have_none():
    assert with_rule("cmd:cat", "random") == "cmd:on_fault=random cat"
    assert with_rule("cmd:on_fault=stop cat", "random") == "cmd:on_fault=stop cat"
    assert with_rule("greedy", "random") == "greedy"
    assert with_rule("cmd:cat", None) == "cmd:cat"
