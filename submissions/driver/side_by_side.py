"""Several at a time, as many as there are cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any


def side_by_side(work: Callable[[Any], Any], items: list[Any], tell: Callable[[], None],
                 stop: Callable[[], None]) -> Iterator[tuple[Any, Future]]:
    """Each item with what `work` makes of it, in the order in which they end. `tell` is called
    before each wait, `stop` where whoever takes them does not go on: it ends what is at work."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        doing: dict[Future, Any] = {pool.submit(work, one): one for one in items}
        try:
            while doing:
                tell()
                for ended in wait(doing, return_when=FIRST_COMPLETED).done:
                    yield doing.pop(ended), ended
        except BaseException:  # nobody waits for those that have not begun
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
