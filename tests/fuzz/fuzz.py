"""Gives the commands files with a few things wrong in each: `python tests/fuzz/fuzz.py --program
build/cpu/runner/gemmlab`.

1,000 sets of records, 1,000 definitions and 1,000 traces, by seeds 0 to 999, so that any can be had
again: `--only records --first 17 --count 1`. Each command must end by itself, in 60 s and 2 GB,
with 0, 1 or 2, without a traceback or a signal, and leave nothing outside of its output. CI gives
it a share (test_fuzz.py). Prints what did not, and exits with 1.

The Python commands run in processes forked from this one, which has loaded what they need: starting
Python takes longer than most of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]

import mutate  # noqa: E402

MOST_S, MOST_BYTES = 60, 2 * 10**9
ALLOWED = (0, 1, 2)
# of so many sets of records one goes through what draws, one through what packs
SELDOM, RARE = 5, 25
GOOD = mutate.SAMPLES / "thread_scaling.jsonl"


@dataclass(frozen=True)
class Ended:
    code: int  # negative: by that signal
    seconds: float
    bytes: int
    said: str


def ended(command: list[str], folder: Path, program: Path | None) -> Ended:
    """How a command ended that is run there: one of the program's, or `python -m report …`, in a
    process of its own."""
    from report.__main__ import main

    log = folder.parent.parent / "said"
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.setsid()
            os.chdir(folder)
            for number in (1, 2):
                os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
            if command[0] == "run":
                os.execve(str(program), [str(program), *command],
                          os.environ | {"GEMMLAB_ROOT": str(ROOT)})
            # pytest has others
            sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
            code = main(command)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 2
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    status, used = _waited(child, begin + MOST_S)
    text = log.read_bytes().decode("utf-8", "replace") if log.is_file() else ""
    log.unlink(missing_ok=True)
    return Ended(os.waitstatus_to_exitcode(status), time.monotonic() - begin,
                 used.ru_maxrss * 1024, text)


def _waited(child: int, until: float) -> tuple[int, resource.struct_rusage]:
    while True:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            return status, used
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            _, status, used = os.wait4(child, 0)
            return status, used
        time.sleep(0.005)


def wrong(end: Ended) -> str:
    """What is wrong with an end; empty where nothing is."""
    if end.seconds > MOST_S:
        return f"took over {MOST_S} s"
    if end.code not in ALLOWED:
        return f"exit code {end.code}: {end.said[-600:]}"
    if "Traceback (most recent" in end.said or "crashed, which is a fault" in end.said:
        return f"traceback: {end.said[-600:]}"
    if end.code == 2 and not end.said.strip():
        return "exit code 2 without a word"
    if end.bytes > MOST_BYTES:
        return f"took {end.bytes / 1e9:.1f} GB"
    return ""


def strays(folder: Path, allowed: set[str]) -> list[str]:
    """What stands in the folder that is above all that a command was given, and should not."""
    found = [str(path.relative_to(folder)) for path in folder.rglob("*")]
    return ([name for name in found if not any(
        name == one or name.startswith(f"{one}/") or one.startswith(f"{name}/") for one in allowed)]
        + [path for path in (mutate.ABSOLUTE, f"{mutate.ABSOLUTE}.jsonl") if os.path.lexists(path)])


def of_records(seed: int, folder: Path) -> Iterator[list[str]]:
    given = folder / "bad"
    given.mkdir()
    (given / "set.jsonl").write_bytes(mutate.records(seed))
    bad, out = str(given), str(folder / "out")
    yield ["doctor", bad]
    yield ["export", bad, "--output", f"{out}/csv"]
    yield ["export", bad, "--output", f"{out}/gb", "--format", "google-benchmark"]
    yield ["compare", str(GOOD), bad, "--fail-on-regression", "5"]
    yield ["compare", bad, bad]
    yield ["merge", bad, "--output", f"{out}/merged"]
    if seed % SELDOM == 0:
        yield ["build", bad, "--output", f"{out}/report", "--markdown"]
    if seed % RARE == 0:
        yield ["course", bad, "--output", f"{out}/course"]
        yield ["compare", bad, str(GOOD), "--output", f"{out}/compared"]
        yield ["bundle", bad, "--output", f"{out}/set.zip"]
        if (folder / "out" / "set.zip").is_file():
            yield ["verify-bundle", f"{out}/set.zip"]


def of_definition(seed: int, folder: Path) -> Iterator[list[str]]:
    (folder / "bad").mkdir()
    (folder / "bad" / "set.toml").write_bytes(mutate.definition(seed))
    yield ["run", "bad/set.toml", "--dry-run", "--output", "out"]
    yield ["slurm", "bad/set.toml", "--output", "out", "--tasks", "2", "--gpus-per-task", "0"]


def of_trace(seed: int, folder: Path) -> Iterator[list[str]]:
    (folder / "bad").mkdir()
    (folder / "bad" / "set.trace").write_bytes(mutate.trace(seed))
    yield ["run", "--from-trace", "bad/set.trace", "--dry-run", "--output", "out"]


def of_resumed(seed: int, folder: Path) -> Iterator[list[str]]:
    """Records that a run finds in its folder."""
    (folder / "out").mkdir()
    (folder / "out" / "quick.jsonl").write_bytes(mutate.records(seed))
    yield ["run", "quick", "--dry-run", "--output", "out"]


KINDS = {"records": of_records, "definitions": of_definition, "traces": of_trace,
         "resumed": of_resumed}


def faults_of(kind: str, seed: int, program: Path | None) -> list[str]:
    """What went wrong with one file, each with the command."""
    found = []
    with tempfile.TemporaryDirectory(prefix="gemmlab-fuzz-") as above:
        folder = Path(above) / "one" / "two" / "three"  # "../../x" stays where it is seen
        folder.mkdir(parents=True)
        for command in KINDS[kind](seed, folder):
            if command[0] == "run" and program is None:
                continue
            if why := wrong(ended(command, folder, program)):
                found.append(f"{kind} {seed}: {' '.join(command)}: {why}")
            for name in strays(Path(above), {"one/two/three/bad", "one/two/three/out"}):
                found.append(f"{kind} {seed}: {' '.join(command)}: leaves {name}")
                (shutil.rmtree(Path(above) / name, ignore_errors=True)
                 if (Path(above) / name).is_dir() else Path(above, name).unlink(missing_ok=True))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", type=lambda text: Path(text).resolve(),
                        help="gemmlab as it was built; without it, what it does is left out")
    parser.add_argument("--only", choices=KINDS, action="append",
                        help="may be given again (default: all)")
    parser.add_argument("--first", type=int, default=0, help="seed (default 0)")
    parser.add_argument("--count", type=int, default=1000, help="of each (default 1000)")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="at most; then it ends where it is")
    options = parser.parse_args()
    begin, faults, done = time.monotonic(), 0, 0
    kinds = options.only or list(KINDS)
    for seed in range(options.first, options.first + options.count):
        for kind in kinds:
            if time.monotonic() - begin > options.seconds:
                break
            done += 1
            for line in faults_of(kind, seed, options.program):
                faults += 1
                print(line, flush=True)
    print(
        f"{done} files of {', '.join(kinds)}: {faults} faults in {time.monotonic() - begin:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
