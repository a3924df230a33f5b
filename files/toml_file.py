"""TOML that a user wrote: read whole, or refused in one line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from .reading import InputError, opened

MOST_BYTES, MOST_DEEP = 2**24, 32  # as `run` has them: runner/definition/toml_reader.h
_PART = re.compile(
    r'''"{3}(?:\\.|.)*?(?:"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|#[^\n]*|[.\[\]{}=,\n]''',
    re.DOTALL)


def _too_deep(text: str) -> bool:
    """Do keys, lists or tables nest deeper than is allowed? Python's reader takes time and memory
    with the square of it."""
    dots = nested = 0
    for part in _PART.finditer(text):
        letter = part[0]
        if letter == ".":
            dots += 1
        elif len(letter) == 1 and letter in "[]{}=,\n":
            dots = 0
            nested += (letter in "[{") - (letter in "]}")
        if max(dots, nested) > MOST_DEEP:
            return True
    return False


def toml_of(path: Path) -> tuple[str, dict[str, Any]]:
    """(the file's text, its tables). Raises InputError with the file and why it is none."""
    with opened(path) as file:
        read = file.read(MOST_BYTES + 1)
    if len(read) > MOST_BYTES:
        raise InputError(f"{path}: it has over {MOST_BYTES >> 20} MiB, the most that is allowed")
    try:
        text = read.decode("utf-8")
        if _too_deep(text):
            raise InputError(f"{path}: keys, lists or tables within one another, more than "
                             f"{MOST_DEEP} deep")
        return text, tomllib.loads(text)
    except ValueError as error:  # not UTF-8, not TOML, or a number of thousands of digits
        raise InputError(f"{path}: not valid TOML: {' '.join(str(error).split())}") from error
