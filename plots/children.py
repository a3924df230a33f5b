"""Processes that draw. They end when the process that started them does, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any, Callable, Iterator

_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def pool(workers: int, prepare: Callable[..., None], *arguments: Any) -> Iterator[ProcessPoolExecutor]:
    """Processes forked from this one, so that no argument is copied; each calls prepare(*arguments) first. Where the body
    raises, they are ended in the middle of their work."""
    with ProcessPoolExecutor(workers, get_context("fork"), _begin, (os.getpid(), prepare, arguments)) as made:
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)  # what a handler raises while Python forks is lost
            try:
                made.submit(os.getpid)  # the first job starts all processes
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
            yield made
        except BaseException:
            for child in active_children():
                child.kill()
            raise


def _begin(parent: int, prepare: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    _end_with(parent)
    prepare(*arguments)


def _end_with(parent: int) -> None:
    """The parent decides when work ends: its signals reach the terminal's whole group, and its death is ours."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that
        os._exit(1)
