"""What each command needs before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from commands.satellites import Start, satellites

from .meant import commands

_PROGRAM = Start(target="gemmlab_program")
# The rest is `python -m report` and builds nothing, or a satellite's, which says what it needs.
_OWN = {
    **dict.fromkeys(("list", "info", "run", "tune"), _PROGRAM),
    "check": Start(target="gemmlab_emulated_program"),
    "test": Start(target="all"),
    "report": Start(module=("report", "build")),
    "profile": Start(module=("report", "profile"), target=_PROGRAM.target),
    "doctor": Start(module=("report", "doctor"), target=_PROGRAM.target,  # unless it reads records
                    built=lambda arguments: all(one.startswith("-") for one in arguments)),
}
_OF_RECORDS = ("bundle", "compare", "export", "peers", "verify-bundle")
# what follows is no experiment of `run`'s
_VALUED = ("--output", "--machine", "--gpu", "--shard", "--hours")


@cache
def starts() -> dict[str, Start]:
    """Of every command of the usage; one of a satellite that was taken off is not among them."""
    known = _OWN | {name: Start(module=("report", name)) for name in _OF_RECORDS}
    for one in satellites().values():
        known |= {name: Start(module=("report", name)) for name in one.commands} | one.starts
    return {name: known[name] for name in commands() if name in known}


def taken(command: str, arguments: Sequence[str]) -> tuple[str, list[str]]:
    """What it is for the satellite that takes it, else as it was."""
    for one in satellites().values():
        if command in one.takes and (words := one.takes[command](arguments)):
            return words[0], words[1:]
    return command, list(arguments)


def needs_python(command: str, arguments: Sequence[str]) -> bool:
    if command == "run":
        return not any(one.partition("=")[0] == "--shard" or one in ("--no-report", "--dry-run")
                       for one in arguments)
    return command == "test" or bool(starts()[command].module)


def is_first_look(command: str, arguments: Sequence[str]) -> bool:
    """'run quick' and no other experiment, which needs a small part of the program."""
    alone = list(arguments[:1]) == ["quick"] and "--all" not in arguments
    return command == "run" and alone and all(
        one.startswith("-") or before in _VALUED for before, one in pairwise(arguments))
