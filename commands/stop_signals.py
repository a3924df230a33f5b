"""Signals that ask for the end: Ctrl-C, SIGTERM, a closed terminal."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from . import packages

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

BY_SIGNAL = 128  # and the signal's number: the exit code, as shells say it
AGAIN_S = 0.05
# a terminal and the program above may both ask, and the second must not stop the putting in order
SAME_S = 1.0
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """A signal asked for the end: scratch folders and drawing processes go on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def __str__(self) -> str:
        return ("interrupted" if self.number == signal.SIGINT
                else f"ended by {signal.Signals(self.number).name}")


def _handle(what: Callable[[int, FrameType | None], None]) -> None:
    """Those that the caller lets this process ignore stay ignored."""
    for number in _STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, what)


def leave_at_once() -> None:
    """While modules are loaded there is nothing to put in order, and a traceback through them tells
    nobody anything. The launcher holds Ctrl-C back until here."""
    def leave(number: int, frame: FrameType | None) -> NoReturn:
        os.write(2, f"gemmlab: {Stopped(number)}\n".encode())
        os._exit(BY_SIGNAL + number)

    _handle(leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
    sys.excepthook = packages.while_loading


def raise_stopped() -> None:
    """From here on they raise Stopped: once more where Python drops it, as it does in a
    finalizer."""
    first: list[float] = []

    def stop(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if first and now - first[0] < SAME_S:
            return
        first[:] = [now]
        raise Stopped(number)

    def stop_again(number: int) -> NoReturn:
        raise Stopped(number)

    def again(lost: UnraisableHookArgs) -> None:
        if not isinstance(lost.exc_value, Stopped):
            sys.__unraisablehook__(lost)
            return
        number = lost.exc_value.number
        signal.signal(signal.SIGALRM, lambda *_: stop_again(number))
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)

    _handle(stop)
    sys.excepthook = sys.__excepthook__
    sys.unraisablehook = again
