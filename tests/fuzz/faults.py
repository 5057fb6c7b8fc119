"""What `test_writes` runs with `faults.c` preloaded: `python faults.py FOLDER POINTS CASE ...`.

A case is some work in a folder, and what must hold after it was killed or the disk was full at the n-th write: whatever
is there is whole, nothing older than the running update is lost, and going on gives the result of an undisturbed run.
Every piece of work is a fork of this process, so that nothing is loaded twice.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import traceback
from pathlib import Path

import numpy as np
import torch

import coven
from coven.agents import checkpoint, fit, learned, search_training, train
from coven.agents.search_settings import search_preset
from coven.arena import evaluation, export, protocol, results, verify
from coven.arena.run import run as play
from coven.arena.schedule import plan
from coven.arena.store import Store
from coven.games.core.errors import CovenError

LIBRARY = ctypes.CDLL(None)
MODES = {"kill": 1, "full": 2}
NEVER = 1 << 30  # more than there are, and what C takes for an int
GAME = coven.game("alchemists")
TINY = {"players": [2], "network": [8], "tables": 2, "steps_per_update": 4, "batch_size": 8, "epochs": 1}
TINY |= {"lesson_length": 4, "evaluation_deals": 2, "seed": 3}
UPDATES = 3
TINY_SEARCH = {"players": [2], "network": [4], "full": 2, "quick": 1, "games": 1, "blocks": 2, "lessons": 1}
TINY_SEARCH |= {"lesson_games": 1, "window": 1000, "batch_size": 8, "passes": 0.1, "proof_blocks": 2}
TINY_SEARCH |= {"evaluation_deals": 2, "rounds": 2, "seed": 3}


class Training:
    """A run of three updates, each evaluated and every second one kept; by lessons alone it is the same every time."""

    def __init__(self, folder, lessons=UPDATES):
        self.folder, self.settings = folder, train.preset(GAME, **TINY, lessons=lessons)
        train._Clock.time_left = property(lambda clock: clock.run.updates < UPDATES)
        train._Clock.share_left = property(lambda clock: 1 - clock.run.updates / UPDATES)
        train.EVALUATE_EVERY, train.KEEP_EVERY = 1, 2
        torch.set_num_threads(1)
        warm = train.Run.begin(GAME, folder.parent / "warm", self.settings)
        warm.study()
        warm.evaluate()

    def work(self):
        started = (self.folder / "settings.json").exists()
        run = train.Run.resume(GAME, self.folder) if started else train.Run.begin(GAME, self.folder, self.settings)
        save = run.save

        def save_and_tell():
            save()
            (self.folder.parent / "told").write_text(str(run.updates))

        run.save = save_and_tell
        train.train(run, 1, quiet=True)

    def result(self):
        run = train.Run.resume(GAME, self.folder)
        assert run.updates == UPDATES
        if self.settings.lessons < UPDATES:
            return None  # self-play goes on from new deals
        return {name: values.tobytes() for name, values in checkpoint.tensors(run.model).items()}

    def check(self):
        """What holds at any moment."""
        told = self.folder.parent / "told"
        last = int(told.read_text()) if told.exists() else 0
        told.unlink(missing_ok=True)
        if not (self.folder / "settings.json").exists():
            return
        run = train.Run.resume(GAME, self.folder)
        assert run.updates >= last, f"update {last} was stored, {run.updates} is left"
        if not run.checkpoint_file.exists():
            return
        assert [row["updates"] for row in run.rows] == list(range(run.updates + 1))
        assert len(run.pool.past) == run.updates // 2
        shares = [row["win_share"] for row in run.rows]
        best = max(i for i, share in enumerate(shares) if share == max(shares))
        assert run.best == best == learned.load(run.agent_file, GAME)[1]["updates"]


class SelfPlay(Training):
    """The same with one lesson, then self-play."""

    def __init__(self, folder):
        super().__init__(folder, lessons=1)


class Search:
    """Training with search: a round of lessons, then one of searches; it is the same every time."""

    def __init__(self, folder):
        self.folder, self.settings = folder, search_preset(GAME, **TINY_SEARCH)
        search_training.SAMPLE_GAMES = 2
        torch.set_num_threads(1)
        warm = search_training.SearchRun.begin(GAME, folder.parent / "warm-search", self.settings)
        search_training.train(warm, quiet=True)

    def work(self):
        started = (self.folder / "settings.json").exists()
        kind = search_training.SearchRun
        run = kind.resume(GAME, self.folder) if started else kind.begin(GAME, self.folder, self.settings)
        save = run.save

        def save_and_tell():
            save()
            (self.folder.parent / "told").write_text(str(run.rounds))

        run.save = save_and_tell
        search_training.train(run, quiet=True)

    def result(self):
        run = search_training.SearchRun.resume(GAME, self.folder)
        assert run.rounds == self.settings.rounds
        shares = [(row["updates"], row["win_share"]) for row in run.rows]
        return shares, {name: values.tobytes() for name, values in checkpoint.tensors(run.learner).items()}

    def check(self):
        told = self.folder.parent / "told"
        last = int(told.read_text()) if told.exists() else 0
        told.unlink(missing_ok=True)
        if (self.folder / "settings.json").exists():
            run = search_training.SearchRun.resume(GAME, self.folder)
            assert run.rounds >= last, f"round {last} was stored, {run.rounds} is left"
            if run.checkpoint_file.exists():
                learned.load(run.agent_file, GAME)


class Tournament:
    """A tournament of three units."""

    def __init__(self, folder):
        self.path = folder / "a.db"
        self.tournament = plan("alchemists", ["random", "greedy"], 2, 6, seed=5, block=2)
        play(folder.parent / "warm.db", self.tournament)

    def work(self):
        play(self.path, self.tournament)

    def result(self):
        with Store(self.path) as store:
            return store.digest()

    def check(self):
        if self.path.exists() and self.path.stat().st_size:
            play(self.path, self.tournament, lambda tournament, units: iter(()))  # opens it, and plays nothing
            with Store(self.path) as store:
                assert len(store) % 4 == 0  # whole units


class Evaluation:
    """Four small tournaments and the file of their result."""

    def __init__(self, folder):
        self.folder, self.file = folder / "games", folder / "result.jsonl.xz"
        protocol.GAMES = {"random": 2}
        evaluation.evaluate("alchemists", "mix:0.5", folder.parent / "warm-evaluation")

    def work(self):
        results.write(evaluation.evaluate("alchemists", "mix:0.5", self.folder), self.file)

    def result(self):
        return verify.verify(self.file).result.digest()

    def check(self):
        if self.file.exists():
            self.result()


class Fit:
    """An estimate."""

    def __init__(self, folder):
        self.path = folder / "estimate.safetensors"
        torch.set_num_threads(1)
        self.fitted = None
        self.settings = fit.FitSettings(1000, 2, 1, 1, 0)
        fit.fit(GAME, folder.parent / "warm.safetensors", self.settings)

    def work(self):
        fit.fit(GAME, self.path, self.settings)

    def result(self):
        return self.path.read_bytes()

    def check(self):
        if self.path.exists():
            assert self.path.read_bytes() == (self.path.parent.parent / "warm.safetensors").read_bytes()


class Export:
    """Games for other tools, over older files."""

    def __init__(self, folder):
        self.folder, self.db = folder, folder.parent / "games.db"
        play(self.db, plan("alchemists", ["random", "greedy"], 2, 6, seed=5, block=2))
        self.files = [folder / f"games.{kind}" for kind in ("csv", "jsonl", "parquet")]

    def work(self):
        with Store(self.db) as store:
            for path in self.files:
                export.export(store, path)

    def result(self):
        return [len(path.read_bytes()) for path in self.files]

    def check(self):
        for path in self.files:
            if path.exists():
                end = path.read_bytes()[-4:]
                assert end.endswith(b"PAR1" if path.suffix == ".parquet" else b"\n")


CASES = {"train": Training, "selfplay": SelfPlay, "search": Search, "arena": Tournament}
CASES |= {"evaluate": Evaluation, "fit": Fit, "export": Export}


def forked(work, *arm):
    """Run something in a fork of this process: how it ended, and how many writes there were."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            LIBRARY.faults_arm(*arm)
            work()
            code = 0
        except CovenError as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            code = 2
        except BaseException:
            traceback.print_exc()
        finally:
            os.write(writer, str(LIBRARY.faults_count()).encode())
            os._exit(code)
    os.close(writer)
    with open(reader) as pipe:
        writes = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), int(writes or 0)


def main(folder, points, cases):
    for case in cases:
        place = Path(folder) / case / "work"
        place.parent.mkdir()
        made = CASES[case](place)
        for mode in MODES:
            print(json.dumps({"case": case, "mode": mode} | disturb(made, mode, place, points)), flush=True)


def disturb(made, mode, folder, points):
    """Faults of one kind at some or all writes of a piece of work: how many writes there are, and were tried."""
    nowhere = (b"", NEVER, 0)

    def clean():
        shutil.rmtree(folder, ignore_errors=True)
        (folder.parent / "told").unlink(missing_ok=True)

    def fresh(n):
        clean()
        return forked(made.work, str(folder).encode(), n, MODES[mode])

    code, total = fresh(NEVER)
    assert code == 0
    expected = made.result()
    tried = sorted({int(n) for n in np.linspace(1, total, min(points, total))})
    for n in tried:
        code, _ = fresh(n)
        assert code in ((0, -9) if mode == "kill" else (0, 2)), f"write {n}: exit code {code}"
        assert forked(made.check, *nowhere)[0] == 0, f"after write {n}"
        assert forked(made.work, *nowhere)[0] == 0, f"going on after write {n}"
        assert made.result() == expected, f"another result after write {n}"
        left = [path.name for path in folder.rglob("*") if path.name.endswith((".partial", ".lock"))]
        assert mode == "kill" or not left, f"left behind by write {n}: {left}"
    return {"writes": total, "tried": len(tried)}


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:] or list(CASES))
