"""What a command prints reaches somebody, or the command says that it did not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from files.reading import InputError


def _flush() -> None:
    sys.stdout.flush()
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, ValueError):  # a test's own, which is no file
        return
    os.write(descriptor, b"")  # argparse passes over errors, and Python may keep nothing back


def heard(command: Callable[[], int | None]) -> int | None:
    """What the command returns. Raises InputError where standard output is closed, or does not take
    all that is printed."""
    if sys.stdout is None:
        raise InputError("standard output is closed, so nobody would read the answer; > /dev/null "
                         "keeps it away")
    try:
        try:
            code = command()
        except SystemExit:  # --help
            _flush()
            raise
        _flush()
        return code
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None or not _lost():
            raise
        raise InputError(f"standard output cannot be written to: {error.strerror}") from error


def _lost() -> bool:
    """Can nothing more be printed? What is left of it is dropped then, for Python would try again
    at its end."""
    try:
        _flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return True
    return False
