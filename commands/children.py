"""Tasks that other processes do meanwhile. These end when the process that started them does,
however it ends."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Generic, TypeVar

MOST_WORKERS = 4
Made = TypeVar("Made")
Task = Callable[[], Made]
_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_tasks: Sequence[Task[Any]] = ()  # in a child: what it may be asked to do


@dataclass(frozen=True)
class Pending(Generic[Made]):
    """A task under way; where there is no second core, it is done when its result is asked for."""

    task: Task[Made]
    future: Future[Made] | None = None

    @property
    def done(self) -> bool:
        return self.future is not None and self.future.done()

    def result(self) -> Made:
        """Waits for it. Raises what the task raises."""
        return self.task() if self.future is None else self.future.result()


@contextmanager
def doing(tasks: Sequence[Task[Made]]) -> Iterator[list[Pending[Made]]]:
    """Does the tasks, in their order, while the body goes on, side by side on the cores there are.
    What a task needs it has from this process, uncopied; what it makes is sent back."""
    workers = min(len(os.sched_getaffinity(0)), len(tasks), MOST_WORKERS)
    if workers < 2:
        yield [Pending(task) for task in tasks]
        return
    with _pool(workers, tasks) as pool:
        yield [Pending(task, pool.submit(_do, place)) for place, task in enumerate(tasks)]


@contextmanager
def doing_one(task: Task[Made]) -> Iterator[Pending[Made]]:
    """Does the task in a process of its own while the body goes on; that process ends with the
    task. Where there is no second core, the task is done when its result is asked for."""
    if len(os.sched_getaffinity(0)) < 2:
        yield Pending(task)
        return
    # not a pool: one that is shut down before its `with` ends leaves a thread that Python, ending,
    # may wake by a pipe which that thread closes in the same moment
    context = get_context("fork")
    ours, childs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(os.getpid(), task, childs))
    future: Future[Made] = Future()
    waiting = Thread(target=_receive, args=(ours, future))
    try:
        with _stops_blocked():  # by the thread for good: signals are the main thread's
            process.start()
            childs.close()
            waiting.start()
        yield Pending(task, future)
    finally:
        if process.pid is not None:
            process.kill()  # what nobody has asked for by now, nobody will
            waiting.join()
            process.join()


def _send(parent: int, task: Task[Made], to: Connection) -> None:
    _begin(parent, [task])
    made: tuple[Any, Exception | None]
    try:
        made = (_do(0), None)
    except Exception as error:
        made = (None, error)
    to.send(made)


def _receive(source: Connection, future: Future[Made]) -> None:
    with source:
        try:
            made, error = source.recv()
        except EOFError:
            error = BrokenProcessPool("the process ended before its task was done")
        except Exception as unreadable:
            error = unreadable
        if error is None:
            future.set_result(made)
        else:
            future.set_exception(error)


def _do(place: int) -> Any:
    """Does one task. What it leaves in cycles, a figure above all, goes when it is done, and not in
    searches meanwhile: these took a tenth of the time."""
    try:
        return _tasks[place]()
    finally:
        gc.collect()


@contextmanager
def _stops_blocked() -> Iterator[None]:
    """What a handler raises while Python forks is lost."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)


@contextmanager
def _pool(workers: int, tasks: Sequence[Task[Any]]) -> Iterator[ProcessPoolExecutor]:
    """Processes forked from this one. Where the body raises, they are ended in the middle of their
    work."""
    with ProcessPoolExecutor(workers, get_context("fork"), _begin, (os.getpid(), tasks)) as made:
        try:
            with _stops_blocked():
                made.submit(os.getpid)  # the first job starts all processes
            yield made
        except BaseException:
            for child in active_children():
                child.kill()
            raise


def _begin(parent: int, tasks: Sequence[Task[Any]]) -> None:
    global _tasks
    _end_with(parent)
    # what is the parent's is not garbage, and stays uncopied as long as nobody looks at it
    gc.freeze()
    gc.disable()
    _tasks = tasks


def _end_with(parent: int) -> None:
    """The parent decides when work ends: its signals reach the terminal's whole group, and its
    death is ours."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that
        os._exit(1)
