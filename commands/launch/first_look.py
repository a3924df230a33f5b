"""What `run quick` needs of the program where nothing is built yet."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from files.tree import ROOT


def _entries(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Each plain value of a definition, with its key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _entries(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _entries(inner, key)
    else:
        yield key, value


def rows_of_quick() -> list[str]:
    """The rows of cpu/gemm/rows.txt that quick.toml names. None where it names anything but gemm's
    rows by their ids, or cannot be read: then it needs the whole program, which says what is wrong.
    """
    try:
        text = (ROOT / "experiments/quick.toml").read_text(encoding="utf-8")
        entries = list(_entries(tomllib.loads(text)))
    except (OSError, ValueError):
        return []
    ids = dict.fromkeys(str(value) for key, value in entries if key == "implementation")
    rows = [name.removeprefix("cpu.") for name in ids if not re.fullmatch(r"gpu\.\w+", name)]
    known = {line.split(" ")[0] for line in
             (ROOT / "cpu/gemm/rows.txt").read_text(encoding="utf-8").splitlines()}
    more = any(key in ("isa", "operation") for key, _ in entries)
    return [] if more or not known.issuperset(rows) else rows
