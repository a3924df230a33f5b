"""What one experiment or figure that cannot be made costs: itself, with a line that says so."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from files.reading import InputError
from files.safe import shortened, shown

MOST_REASON = 200
NOT_OURS = (OSError, MemoryError, InputError)  # a full disk or wrong usage concerns everything
Made = TypeVar("Made")


def reason(error: BaseException) -> str:
    """"TypeError: …", on one line."""
    return shortened(shown(f"{type(error).__name__}: {error}"), MOST_REASON)


def placed(error: BaseException) -> str:
    """The same with the place in the program, for whoever mends it."""
    frames = traceback.extract_tb(error.__traceback__)
    return (f"{reason(error)} ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames
            else reason(error))


def spared(what: str, make: Callable[[], Made], otherwise: Callable[[str], Made],
           faults: list[str]) -> Made:
    """The result of `make`; if that fails, the result of `otherwise` given the reason, and a line
    in `faults`."""
    try:
        return make()
    except NOT_OURS:
        raise
    except Exception as error:
        faults.append(f"warning: {what} is left out: {placed(error)}")
        return otherwise(reason(error))
