"""The program that the launcher has built, and what it prints as JSON."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from files.reading import InputError


def ask(program: str, *arguments: str) -> Any:
    """What the program prints as JSON. Raises InputError where it does not."""
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise InputError(f"{program}: {error.strerror}") from error
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise InputError(said.removeprefix("gemmlab: "))
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise InputError(f"{program} {' '.join(arguments)} printed no JSON") from error


def built_program() -> str:
    """The program that the launcher hands over; empty where it hands over none."""
    return os.environ.get("GEMMLAB_PROGRAM", "")


def program_path() -> str:
    """The program that the launcher has built. Raises InputError outside it."""
    program = built_program()
    if not program:
        raise InputError("GEMMLAB_PROGRAM names no program: call it through ./gemmlab, which "
                         "builds one")
    return program
