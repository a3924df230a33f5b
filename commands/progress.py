"""What a command that takes a while is doing: one line on standard error, which a terminal shows in
place."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from files.safe import harmless

from .terminal_output import draw

QUIET_S = 2.0  # what is done by then says nothing
TERMINAL_S, PLAIN_S = 1.0, 30.0  # between two lines

_doing: Callable[[], str] = str


def redraws(descriptor: int) -> bool:
    """May a line there give way to the next? Plain lines where TERM or NO_COLOR ask for them."""
    return (os.isatty(descriptor) and os.environ.get("TERM", "") not in ("", "dumb")
            and not os.environ.get("NO_COLOR"))


def now(doing: str | Callable[[], str]) -> None:
    """From here on that is what is shown; a function is asked each time."""
    global _doing
    _doing = doing if callable(doing) else lambda: doing


@contextmanager
def shown(name: str, stderr: int = 2) -> Iterator[None]:
    """Shows what `now` is told within, after the command's name, with the seconds that have
    gone."""
    now("")
    done = threading.Event()
    terminal = redraws(stderr)
    teller = threading.Thread(target=_tell, args=(name, stderr, terminal, done), daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _tell(name: str, stderr: int, terminal: bool, done: threading.Event) -> None:
    """Writes past Python's buffers: processes are forked meanwhile, and must inherit no lock that
    is held here."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are the main thread's
    begin = time.monotonic()
    wait = QUIET_S
    said = False
    while not done.wait(wait):
        wait = TERMINAL_S if terminal else PLAIN_S
        if doing := _doing():
            line = f"{name}: {doing} ({time.monotonic() - begin:.0f} s)"
            said = (draw(line, stderr) if terminal else _wrote(stderr, f"{line}\n")) or said
    if said and terminal:
        draw("", stderr)


def _wrote(stderr: int, text: str) -> bool:
    try:
        os.write(stderr, harmless(text).encode(errors="replace"))
        return True
    except OSError:  # nobody listens
        return False
