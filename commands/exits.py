"""How a command ends: done, refused, crashed or stopped, each with one line and an exit code of its
own."""

from __future__ import annotations

import json
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from files import safe
from files.output import know
from files.reading import InputError

from . import packages
from .arguments import Misused
from .satellites import satellites
from .stop_signals import BY_SIGNAL, Stopped

DONE, REFUSED, CRASHED = 0, 2, 3  # 1: what was asked to be found was found


@contextmanager
def named(path: Path) -> Iterator[None]:
    """An error of the system within that names no file (a full disk names none) becomes one about
    `path`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def code_of(name: str, command: Callable[[], int | None], in_json: bool = False) -> int:
    """The exit code of the command, whose name stands before what is said of its end. Who asked for
    JSON gets that in JSON, too: {"error": …}. It may write over what any satellite has made."""
    for one in satellites().values():
        know(one.marks)
    try:
        code, said = _ended(command)
    except SystemExit as left:
        if in_json and isinstance(left, Misused):
            print(json.dumps({"error": left.message}))
        raise
    if said:
        print(safe.visible(f"{name}: {said}"), file=sys.stderr)
        if in_json:
            print(json.dumps({"error": said.removeprefix("error: ")}))
    return code


def _ended(command: Callable[[], int | None]) -> tuple[int, str]:
    """(exit code, what is said of the end)."""
    try:
        return command() or DONE, ""
    except InputError as error:
        return REFUSED, f"error: {error}"
    except BrokenPipeError:  # `| head` has seen enough
        sys.stderr.close()
        return DONE, ""
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return REFUSED, f"error: {where}{error.strerror or error}"
    except KeyboardInterrupt:
        return BY_SIGNAL + signal.SIGINT, "interrupted"
    except Stopped as stopped:
        return BY_SIGNAL + stopped.number, str(stopped)
    except Exception as error:  # whatever it is, its exit code must not be that of a finding
        if packages.damaged(error):
            return packages.refused(error), ""
        traceback.print_exc()
        return CRASHED, f"crashed, which is a fault of gemmlab: {type(error).__name__}: {error}"
