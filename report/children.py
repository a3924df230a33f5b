"""Tasks that other processes do meanwhile. These end when the process that started them does, however it ends."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from typing import Any, Callable, Generic, Iterator, Sequence, TypeVar

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
    """Does the tasks, in their order, while the body goes on, side by side on the cores there are. What a task needs it has
    from this process, uncopied; what it makes is sent back."""
    workers = min(len(os.sched_getaffinity(0)), len(tasks), MOST_WORKERS)
    if workers < 2:
        yield [Pending(task) for task in tasks]
        return
    with _pool(workers, tasks) as pool:
        yield [Pending(task, pool.submit(_do, place)) for place, task in enumerate(tasks)]


@contextmanager
def doing_one(task: Task[Made]) -> Iterator[Pending[Made]]:
    """Does the task in a process of its own while the body goes on; that process ends with the task. Where there is no second
    core, the task is done when its result is asked for."""
    if len(os.sched_getaffinity(0)) < 2:
        yield Pending(task)
        return
    with _pool(1, [task]) as pool:
        future = pool.submit(_do, 0)
        future.add_done_callback(lambda _: pool.shutdown(wait=False))  # its memory is not needed while others draw
        yield Pending(task, future)


def _do(place: int) -> Any:
    """Does one task. What it leaves in cycles, a figure above all, goes when it is done, and not in searches meanwhile: these
    took a tenth of the time."""
    try:
        return _tasks[place]()
    finally:
        gc.collect()


@contextmanager
def _pool(workers: int, tasks: Sequence[Task[Any]]) -> Iterator[ProcessPoolExecutor]:
    """Processes forked from this one. Where the body raises, they are ended in the middle of their work."""
    with ProcessPoolExecutor(workers, get_context("fork"), _begin, (os.getpid(), tasks)) as made:
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


def _begin(parent: int, tasks: Sequence[Task[Any]]) -> None:
    global _tasks
    _end_with(parent)
    gc.freeze()  # what is the parent's is not garbage, and stays uncopied as long as nobody looks at it
    gc.disable()
    _tasks = tasks


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
