"""How a command ends: done, refused, crashed or stopped, each with one line and an exit code of its own."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

from . import packages, safe
from .records import InputError
from .stops import BY_SIGNAL, Stopped

DONE, REFUSED, CRASHED = 0, 2, 3  # 1: what was asked to be found was found


@contextmanager
def named(path: Path) -> Iterator[None]:
    """An error of the system within that names no file (a full disk names none) becomes one about `path`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _say_all() -> None:
    """What a terminal's encoding lacks, as "µ" in GBK, is replaced: it must not end a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def code_of(name: str, command: Callable[[], int | None]) -> int:
    """The exit code of the command, whose name stands before what is said of its end."""
    _say_all()
    try:
        return command() or DONE
    except InputError as error:
        return _said(f"{name}: error: {error}", REFUSED)
    except BrokenPipeError:  # `| head` has seen enough
        sys.stderr.close()
        return DONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return _said(f"{name}: error: {where}{error.strerror or error}", REFUSED)
    except KeyboardInterrupt:
        return _said(f"{name}: interrupted", BY_SIGNAL + signal.SIGINT)
    except Stopped as stopped:
        return _said(f"{name}: {stopped}", BY_SIGNAL + stopped.number)
    except Exception as error:  # whatever it is, its exit code must not be that of a finding
        if packages.damaged(error):
            return packages.refused(error)
        traceback.print_exc()
        return _said(f"{name}: crashed, which is a fault of gemmlab: {type(error).__name__}: {error}", CRASHED)


def _said(line: str, code: int) -> int:
    print(safe.visible(line), file=sys.stderr)
    return code
