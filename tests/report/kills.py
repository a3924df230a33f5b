"""Ends commands that write at any moment: `python tests/report/kills.py [--kills N] [--seed S]
[--seconds T]`.

By time, and before and after each step that puts something into its place. What may be left is what
was there before or all of the new, byte for byte; whatever else lies there stays, and a signal that
can be heeded leaves nothing unfinished beside it either. Prints a line per kind of command; exits
with 1 and names each kill that left anything else."""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "samples" / "data"
sys.path.insert(0, str(ROOT))

import plots  # noqa: E402
from analysis.compared import compare  # noqa: E402, F401
from commands import exits, satellites, stop_signals  # noqa: E402
from files import placing  # noqa: E402
from plots.drawing import style  # noqa: E402, F401 - once, not in each child
from report import build, explorer  # noqa: E402, F401
from report.__main__ import COMMANDS  # noqa: E402
from report.pages import html as pages  # noqa: E402

NUMBERS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130, signal.SIGTERM: 143}
HEEDED = NUMBERS.keys() - {signal.SIGKILL}
MOST_BYTES = 2 * 2**30
MOST_S = 60.0
UNFINISHED = b"are being put into place"
State = dict[str, bytes]


@dataclass(frozen=True)
class Writer:
    """A command that writes. `lies`: makes what is there before; `mixed`: does its output share a
    folder with others' files, so that it is put into place file by file?"""

    name: str
    arguments: tuple[str, ...]
    lies: Callable[[Path], None] = lambda folder: None
    mixed: bool = False
    does: Callable[[list[str]], int | None] | None = None


def _records(folder: Path) -> None:
    """Two shards and one merged before."""
    folder.mkdir()
    lines = (DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for number in (0, 1):
        (folder / f"quick.shard-{number}-of-2.jsonl").write_text(
            "".join([lines[0], *lines[1 + number::2]]), encoding="utf-8")
    (folder / "quick.jsonl").write_text("".join(lines[:9]), encoding="utf-8")


def _older(folder: Path) -> None:
    """An earlier report, with a drawing of the user's in it."""
    for name, text in (("report.html", '<meta name="generator" content="gemmlab">old'),
                       ("report.md", "[CSV](tables/old.csv)"), ("report.pdf", "old"),
                       ("tables/costs.csv", "old"), ("figures/mine.svg", "mine")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _mixed(folder: Path) -> None:
    _older(folder)
    (folder / "thesis.tex").write_text("mine")




def _assignment(arguments: list[str]) -> int | None:
    from submissions.assignments.command import main

    return main(arguments)


LAPTOP = str(DATA / "laptop")
WRITERS = (Writer("export", ("export", LAPTOP, "--output", "out")),
           Writer("export as JSON", ("export", LAPTOP, "--output", "out", "--format",
                                     "google-benchmark"), lambda folder: folder.mkdir()),
           Writer("merge", ("merge", "out"), _records),
           Writer("course", ("course", LAPTOP, "--output", "out")),
           Writer("compare", ("compare", LAPTOP, LAPTOP, "--output", "out")),
           Writer("report", ("build", LAPTOP, "--no-pdf", "--output", "out")),
           Writer("report over an earlier one",
                  ("build", LAPTOP, "--markdown", "--output", "out"), _older),
           Writer("report among others' files",
                  ("build", LAPTOP, "--markdown", "--output", "out"), _mixed, mixed=True),
           Writer("bundle", ("bundle", LAPTOP, "--output", "out/mine.zip")),
           *([Writer("assignment new", ("new", "out"), does=_assignment)]
             if "submissions" in satellites.satellites() else []),
)
WRITERS = tuple(one for one in WRITERS if one.does or one.arguments[0] in COMMANDS)
for _one in satellites.satellites().values():
    for _place in _one.commands.values():
        satellites.found(_place)  # loaded once, not in each child


def state(folder: Path) -> State:
    """Every file below it but what is not finished."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()
            and not any(part.startswith(".gemmlab-") for part in path.relative_to(folder).parts)}


def _made(folder: Path) -> State:
    return {name: data for name, data in state(folder).items() if name not in ("said", "steps")}


def _end_at(step: int, number: int) -> list[int]:
    """In the child: the signal comes before (even) or after (odd) a step that puts something into
    its place; never for a negative one. Counts down."""
    left, own = [step], os.getpid()

    def counted(does: Callable) -> Callable:
        def call(*arguments, **named):
            for after in (False, True):
                if os.getpid() == own:  # not of what draws for it
                    if left[0] == 0:
                        os.kill(own, number)
                    left[0] -= 1
                if not after:
                    made = does(*arguments, **named)
            return made
        return call

    for name in ("replace", "link", "unlink", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
    placing.rename = counted(placing.rename)
    from files import output

    output.rename = placing.rename
    return left


def _child(writer: Writer, folder: Path, step: int | None, number: int) -> None:
    """Does the command in that folder, and ends as it would by itself."""
    os.chdir(folder)
    os.setsid()
    for stream, name in ((1, "/dev/null"), (2, str(folder / "said"))):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    stop_signals.raise_stopped()
    left = _end_at(-1 if step is None else step, number)
    does = writer.does or COMMANDS[writer.arguments[0]][1]

    def command() -> int | None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEEDED)
        return does(list(writer.arguments[0 if writer.does else 1:]))

    code = exits.code_of("gemmlab", command)
    sys.stdout.flush()
    (folder / "steps").write_text(str(-1 - left[0]))
    os._exit(code)


def run(writer: Writer, folder: Path, after_s: float | None = None, step: int | None = None,
        number: int = signal.SIGKILL) -> tuple[int, float]:
    """The exit code, negative for a signal, and the seconds it took. `after_s`, `step`: when it
    gets the signal."""
    folder.mkdir()
    writer.lies(folder / "out")
    began = time.monotonic()
    signal.pthread_sigmask(signal.SIG_BLOCK, HEEDED)  # until the child has its handlers
    pid = os.fork()
    if pid != 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEEDED)
    else:
        try:
            _child(writer, folder, step, number)
        finally:
            os._exit(99)
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        now = time.monotonic() - began
        if done:
            return os.waitstatus_to_exitcode(status), now
        if after_s is not None and now >= after_s:
            os.kill(pid, number)
            after_s = None
        if now > MOST_S + (after_s or 0):
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.0005)


def fault_of(writer: Writer, folder: Path, code: int, number: int, before: State,
             after: State) -> str:
    """What is wrong with what a kill has left; empty where nothing is."""
    said = (folder / "said").read_text(errors="replace") if (folder / "said").exists() else ""
    left = _made(folder)
    if "Traceback" in said or code not in (0, NUMBERS[number]):
        return f"ended with {code}: {said[-300:]}"
    if number != signal.SIGKILL and any(path.name.startswith(".gemmlab-")
                                        for path in folder.rglob("*")):
        return "left what is not finished"
    if left in (before, after):
        return ""
    mine = {name: data for name, data in before.items() if b"mine" in data}
    if (writer.mixed and mine.items() <= left.items() and left.keys() <= before.keys()
            | after.keys() and UNFINISHED in left.get("out/report.md", UNFINISHED)):
        return ""  # it says itself that it is not whole
    if writer.name == "merge" and all(left[name] in (before.get(name), after.get(name))
                                      for name in left):
        return ""
    wrong = sorted(name for name in left.keys() | after.keys()
                   if left.get(name) not in (before.get(name), after.get(name)))
    return f"a mixture; neither old nor new: {', '.join(wrong[:5]) or 'but old beside new'}"


def kills_of(writer: Writer, count: int, seed: str, scratch: Path,
             until: float) -> tuple[int, list[str]]:
    """Kills it so often, in turn by time and by step; how many came before its end, and what was
    wrong."""
    chance = random.Random(f"{seed} {writer.name}")
    whole = scratch / "whole"
    code, seconds = run(writer, whole)
    if code != 0:
        return 0, [f"{writer.name}: ended with {code}: {(whole / 'said').read_text()[-300:]}"]
    after, steps = _made(whole), int((whole / "steps").read_text())
    shutil.rmtree(whole)
    empty = scratch / "empty"
    empty.mkdir()
    writer.lies(empty / "out")
    before = state(empty)
    shutil.rmtree(empty)
    hit, wrong = 0, []
    for one in range(3 * count):  # some come too late
        if hit == count or time.monotonic() > until:
            break
        number = chance.choice(list(NUMBERS))
        # where things are put into place, above all
        last = max(steps - chance.choice((4, 16, steps)), 0)
        when = ({"after_s": chance.uniform(0, seconds)} if one % 2
                else {"step": chance.randrange(last, steps)})
        code, _ = run(writer, scratch / "killed", number=number, **when)
        hit += code != 0
        if fault := fault_of(writer, scratch / "killed", code, number, before, after):
            wrong.append(f"{writer.name}, {signal.Signals(number).name}, {when}: {fault}")
        shutil.rmtree(scratch / "killed")
    return hit, wrong


def runs_of(program: Path, count: int, seed: str, scratch: Path,
            until: float) -> tuple[int, list[str]]:
    """`run` is killed, goes on, and has each point once: no record lost, doubled or torn, but for
    the last line."""
    chance = random.Random(f"{seed} run")
    (scratch / "tiny.toml").write_text('title = "tiny"\nquestion = "?"\n[[group]]\nname = "g"\n'
                                       'size = [8, 16, 24]\nmax_time_s = 0.2\nmin_time_s = 0.05\n'
                                       '[[group.run]]\nimplementation = ["cpu.ikj"]\n')
    command = [str(program), "run", "tiny.toml", "--no-report", "--output", "out"]
    hit, wrong = 0, []
    for _ in range(3 * count):
        if hit == count or time.monotonic() > until:
            break
        shutil.rmtree(scratch / "out", ignore_errors=True)
        with subprocess.Popen(command, cwd=scratch, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL,
                              env={**os.environ, "GEMMLAB_ROOT": str(ROOT)}) as process:
            time.sleep(chance.uniform(0, 4))
            process.send_signal(signal.SIGKILL)
        hit += process.returncode != 0
        kept = scratch / "out" / "tiny.jsonl"
        before = kept.read_bytes().splitlines(keepends=True) if kept.exists() else []
        if any(not _is_record(line) for line in before[:-1]):
            wrong.append("run: a line before the last is torn")
        done = subprocess.run(command, cwd=scratch, capture_output=True,
                              env={**os.environ, "GEMMLAB_ROOT": str(ROOT)}, check=False)
        lines = kept.read_bytes().splitlines(keepends=True)
        cases = [json.loads(line) for line in lines if _is_record(line)]
        ids = [(case["case_id"], case["twin_of"]) for case in cases if case["kind"] == "case"]
        if (done.returncode != 0 or lines[:len(before[:-1])] != before[:-1]
                or len({one for one, twin in ids if twin is None}) != 3):
            wrong.append(f"run: ended with {done.returncode}, {len(ids)} records of points")
    return hit, wrong


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Ends commands that write at any moment.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", default="2026")
    parser.add_argument("--seconds", type=float, default=3600, help="begin no kill later than this")
    options = parser.parse_args(arguments)
    plots.FORMATS, pages.FORMS = ("svg",), ("html", "md", "tex")  # what takes the time
    until = time.monotonic() + options.seconds
    program = Path(os.environ.get("GEMMLAB_BUILD",
                                  ROOT / "build" / "cpu")) / "experiments" / "runner" / "gemmlab"
    kinds = len(WRITERS) + program.is_file()
    faults: list[str] = []
    killed = 0
    for place in range(kinds):
        count = options.kills * (place + 1) // kinds - options.kills * place // kinds
        share = time.monotonic() + (until - time.monotonic()) / (kinds - place)
        if time.monotonic() > until:
            break
        with tempfile.TemporaryDirectory(prefix="gemmlab-kills-") as scratch:
            if place < len(WRITERS):
                name = WRITERS[place].name
                hit, wrong = kills_of(WRITERS[place], count, options.seed, Path(scratch), share)
            else:
                name = "run"
                hit, wrong = runs_of(program, count, options.seed, Path(scratch), share)
        killed += hit
        faults += wrong
        print(f"{name}: {hit} of {count} ended before their end, {len(wrong)} wrong", flush=True)
    print(*faults, sep="\n")
    print(f"{killed} kills, {len(faults)} wrong")
    return 1 if faults or not killed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
