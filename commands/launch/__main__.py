"""Command line: `./gemmlab COMMAND …`, past its help."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback through the imports
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from glob import glob
from typing import NoReturn

from commands.launch import apt, environment
from commands.launch.build import build, built_last, preset
from commands.launch.first_look import rows_of_quick
from commands.launch.meant import commands, is_documented, meant, nearest
from commands.launch.messages import STATE, Refused, refuse_unwritable, tell, tried
from commands.launch.starts import is_first_look, needs_python, starts, taken
from files.safe import visible
from files.tree import ROOT

_NO_NEWS = ("GEMMLAB_PYTHON", "GEMMLAB_MISSING_PACKAGES", "GEMMLAB_ADD_PACKAGES", "GEMMLAB_AGAIN",
            "MPLBACKEND")  # a notebook names one that only its own Python has
_MOST_TESTS = 4  # side by side: many have threads of their own


def refuse_misspelt(command: str, arguments: Sequence[str]) -> None:
    if command not in starts():
        if command in commands() or is_documented(command):
            raise Refused(f"{command} is a satellite's command, whose folder is not here")
        raise Refused(f"there is no command '{command}'{meant(command)}; there are "
                      f"{' '.join(commands())} (see gemmlab --help)")
    for before, argument in zip([command, *arguments], arguments):
        if not argument:
            after = f" (after {before})" if before.startswith("--") else ""
            raise Refused(f"{command}: an argument is empty{after}: leave it out, or give it a "
                          "value")
        if argument.startswith("--h") and nearest(argument, ["--help"]):
            raise Refused(f"{command}: there is no option {argument}, did you mean --help?")


@contextmanager
def locked() -> Iterator[None]:
    """One at a time installs and builds; whoever comes second waits."""
    if not STATE.is_dir():
        refuse_unwritable(ROOT, ROOT / "build")
    try:
        STATE.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise Refused(f"{STATE} cannot be made; GEMMLAB_BUILD=FOLDER uses a build that is already "
                      "there") from None
    refuse_unwritable(ROOT / "build", *(path for pattern in ("launcher", "launcher/*", "*/.gemmlab",
                      "*/build.ninja") for path in sorted(ROOT.glob(f"build/{pattern}"))))
    try:
        lock = (STATE / "lock").open("w")
    except OSError:
        raise Refused(f"{STATE / 'lock'} cannot be opened for writing; remove it") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("waiting for another gemmlab to finish building")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _prepare_python(command: str) -> bool:
    """`run` measures without it, too, and says so before it builds."""
    if command == "run":
        return tried(environment.prepare, "going on without the Python packages: the points are "
                     "measured all the same")
    environment.prepare()
    return True


def prepare(command: str, arguments: Sequence[str]) -> tuple[Path, str]:
    """Installs and builds what it needs: (the program, the Python that has the packages)."""
    start, python = starts()[command], needs_python(command, arguments)
    builds = start.needs_build(arguments)
    if given := os.environ.get("GEMMLAB_BUILD"):
        program = Path(given, start.program)
        if builds and not os.access(program, os.X_OK):
            raise Refused(f"GEMMLAB_BUILD is '{given}', but there is no program "
                          f"{given}/{start.program}")
        return program, environment.find() if python else ""
    with locked(), ThreadPoolExecutor(1) as beside:
        folder = ROOT / "build" / (preset() if builds else "")
        program = folder / start.program
        if builds:
            apt.install()
            environment.see_to_cmake()
        fetched = beside.submit(_prepare_python, command) if python else None
        if builds:
            if fetched and command != "run":
                fetched.result()  # what goes without nothing of it need not be built
            first = (folder.name == "cpu" and not program.exists()
                     and is_first_look(command, arguments))
            build(folder, start.target, rows_of_quick() if first else ())
            if first and not os.access(program, os.X_OK):
                program = program.with_name("gemmlab-quick")
        if fetched and not fetched.result():
            return program, environment.find()
    return program, str(environment.PYTHON) if python else ""


def hand_over(command: str, arguments: Sequence[str], program: Path, python: str) -> int:
    """Starts it in place of this process; returns the exit code of what is none."""
    start = starts()[command]
    builds = start.needs_build(arguments)
    if python:
        os.environ["GEMMLAB_PYTHON"] = python
    if command in ("list", "doctor") and builds:
        apt.export_missing()
    if start.used:
        if arguments:
            raise Refused(f"{command} takes no argument, not '{arguments[0]}'")
        print(os.path.realpath(program), flush=True)
        if os.isatty(1):
            tell(start.used)
        return 0
    if command == "test":  # a -j of the user's comes later and counts
        jobs = min(len(glob("/sys/devices/system/cpu/cpu[0-9]*")), _MOST_TESTS)
        return min(1, subprocess.call(["ctest", "--test-dir", program.parents[1],
                                       "--output-on-failure", "-j", str(jobs), *arguments]) % 256)
    if not start.module:
        replace_by(str(program), command, *arguments)
    if not python:
        raise Refused(f"{command} needs the Python packages of requirements.txt; run it without "
                      "GEMMLAB_BUILD, or on a machine that has them")
    for one in starts().values():
        os.environ.pop(one.variable, None)
    if builds:
        os.environ[start.variable] = str(program)
    elif command in ("report", "doctor") and (found := built_last()):
        os.environ["GEMMLAB_PROGRAM"] = found  # asked which points are stale
    if not os.environ.get("GEMMLAB_BUILD") and not os.environ.get("GEMMLAB_REPAIRED"):
        os.environ["GEMMLAB_AGAIN"] = command  # where .venv turns out to be damaged
    # A folder named report where the user stands must not be taken for the package.
    os.environ |= {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "PYTHONUTF8": "1"}
    # until there is a handler for it: commands/stop_signals.py
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    replace_by(python, "-m", *start.module, *arguments)


def replace_by(*words: str) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python passes over
        signal.signal(number, signal.SIG_DFL)
    os.execvp(words[0], words)


def main(words: Sequence[str]) -> int:
    """2 where the command cannot be started, 130 where it was interrupted before."""
    try:
        for name in _NO_NEWS:
            os.environ.pop(name, None)
        refuse_misspelt(words[0], words[1:])
        if (ROOT / "build/runner").is_dir():  # installed (cmake/Suite.cmake)
            os.environ.setdefault("GEMMLAB_BUILD", str(ROOT / "build"))
        command, arguments = taken(words[0], words[1:])
        return hand_over(command, arguments, *prepare(command, arguments))
    except (Refused, OSError) as error:
        said, code = str(error), 2
        tell(said)
    except KeyboardInterrupt:
        said, code = "interrupted", 130
    if "--json" in words:
        print(json.dumps({"error": visible(said)}, ensure_ascii=False))
    return code


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
