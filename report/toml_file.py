"""TOML that a user wrote: read whole, or refused in one line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from .records import InputError, opened

MOST_BYTES = 2**24  # what `run` reads of a definition, too


def toml_of(path: Path) -> tuple[str, dict[str, Any]]:
    """(the file's text, its tables). Raises InputError with the file and why it is none."""
    with opened(path) as file:
        read = file.read(MOST_BYTES + 1)
    if len(read) > MOST_BYTES:
        raise InputError(f"{path}: it has over {MOST_BYTES >> 20} MiB, the most that is allowed")
    try:
        text = read.decode("utf-8")
        return text, tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{path}: lists or tables within one another, deeper than can be read") from None
    except ValueError as error:  # not UTF-8, not TOML, or a number of thousands of digits
        raise InputError(f"{path}: not valid TOML: {' '.join(str(error).split())}") from error
