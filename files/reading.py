"""Files that somebody gave us: opened, cut into lines and parsed, or refused in one line."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from .safe import shown

MOST_LINE_BYTES = 2**26  # a million samples have about 2**25
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class InputError(Exception):
    """What was asked for cannot be read; the message is one line for the user."""


def opened(path: Path) -> BinaryIO:
    """The file to read from. Raises InputError where it is none: a pipe would never answer, a
    device never end."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(f"{path}: not a regular file")
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """(where it begins, the line); of a line that no record has the length of, its first bytes,
    which are read as none."""
    place = 0
    for text in iter(partial(file.readline, MOST_LINE_BYTES), b""):
        size = len(text)
        if size == MOST_LINE_BYTES and not text.endswith(b"\n"):
            for rest in iter(partial(file.readline, MOST_LINE_BYTES), b""):
                size += len(rest)
                if rest.endswith(b"\n"):
                    break
        yield place, text
        place += size


def parsed(text: bytes) -> Any:
    """A line's record. orjson is several times faster; what it refuses (NaN, bytes that are no
    UTF-8) Python's own parser may still take. Raises ValueError."""
    if len(text) >= MOST_LINE_BYTES:
        raise ValueError(f"not a record: longer than {MOST_LINE_BYTES >> 20} MiB")
    try:
        return orjson.loads(text)
    except ValueError:
        pass
    try:
        line = json.loads(text.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a whole record ({str(error).split(': line ', 1)[0]})") from error
    for name, value in line.items() if isinstance(line, dict) else ():
        if _LONE_SURROGATE.search(json.dumps((name, value), ensure_ascii=False)):
            raise ValueError(f"{shown(name)}: half of a surrogate pair, which is not text")
    return line
