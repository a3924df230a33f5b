"""What other processes do meanwhile: their results come back, and their memory goes."""

import gc
import os
import threading
import time
from functools import partial
from multiprocessing import active_children

import pytest

from commands import children

TWO_CORES = {0, 1}


@pytest.fixture
def cores(monkeypatch):
    return lambda there: monkeypatch.setattr(os, "sched_getaffinity", lambda pid: there)


def fail():
    raise KeyError("x")


def test_one_task_is_done_in_a_process_that_ends_with_it(cores):
    cores(TWO_CORES)
    with children.doing_one(os.getpid) as pending:
        assert pending.result() != os.getpid()
        end = time.monotonic() + 30
        while active_children():  # it holds no memory while others work
            assert time.monotonic() < end
            time.sleep(0.02)
        assert pending.result() != os.getpid()  # and may be asked for again


def test_without_a_second_core_it_is_done_here_when_asked_for(cores):
    cores({0})
    with children.doing_one(os.getpid) as pending:
        assert pending.result() == os.getpid()


def test_what_one_task_raises_is_raised_where_it_is_asked_for(cores):
    cores(TWO_CORES)
    with children.doing_one(fail) as pending, pytest.raises(KeyError):
        pending.result()


def test_a_body_that_raises_ends_the_process(cores):
    cores(TWO_CORES)
    with pytest.raises(ValueError), children.doing_one(partial(time.sleep, 600)):
        raise ValueError
    assert not active_children()


def test_no_thread_outlives_it(cores):
    cores(TWO_CORES)
    before = set(threading.enumerate())
    with children.doing_one(os.getpid) as pending:
        pending.result()
    # Python, ending, would wake one by a pipe that it closes in the same moment
    assert set(threading.enumerate()) <= before


def leave_a_cycle():
    """Whether the search for cycles is on, and how many this process has found so far; leaves one
    behind."""
    made = []
    made.append(made)
    return gc.isenabled(), sum(one["collected"] for one in gc.get_stats())


def test_cycles_are_searched_for_after_a_task_alone(cores):
    cores(TWO_CORES)
    with children.doing([leave_a_cycle] * 6) as pending:
        found = [one.result() for one in pending]
    assert not any(enabled for enabled, _ in found)
    # a later task sees an earlier one's gone
    assert max(count for _, count in found) > min(count for _, count in found)
