"""The commands there are, and what somebody probably meant who typed none of them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache

from commands.satellites import satellites
from files.tree import ROOT

from .messages import read

_LONGEST = 24  # letters: no name is longer


@cache
def commands() -> tuple[str, ...]:
    """In the order of the usage, each of whose lines begins with its place."""
    text = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("*/help/usage.txt"))
    return tuple(name for _, name in sorted(re.findall(r"^(\d+)   ([a-z-]+) ", text,
                                                       re.MULTILINE)))


def is_documented(command: str) -> bool:
    """Does docs/commands.md tell of it, which has those of satellites that are not here, too?"""
    return f"\n| `{command}` – " in read(ROOT / "docs/commands.md")


@cache
def steps(one: str, other: str) -> int:
    """Letters to insert, drop, replace or swap with their neighbour until one word is the other."""
    if not one or not other:
        return len(one + other)
    if one[-1] == other[-1]:
        return steps(one[:-1], other[:-1])
    ways = [steps(one[:-1], other), steps(one, other[:-1]), steps(one[:-1], other[:-1])]
    if len(one) > 1 and one[-2:] == other[:-3:-1]:
        ways.append(steps(one[:-2], other[:-2]))
    return 1 + min(ways)


def nearest(word: str, names: Sequence[str]) -> str:
    """The first of the names that is nearest to it, as far as one letter in four is wrong, or one;
    else the first that begins so; else nothing."""
    if len(word) > _LONGEST:
        return ""
    typed = word.lower()
    near = min(names, key=lambda name: steps(typed, name))
    if steps(typed, near) <= max(len(word) // 4, 1):
        return near
    return next((name for name in names if len(word) > 2 and name.startswith(typed)), "")


def meant(word: str) -> str:
    """", did you mean COMMAND?", or nothing; for a file the command that takes it."""
    takers = [name for one in satellites().values() for name, start in one.starts.items()
              if word.endswith(start.files)]
    if os.path.exists(ROOT / "experiments" / f"{word}.toml") or word.endswith(".toml"):
        found = f"run {word}"
    elif takers:
        found = f"{takers[0]} {word}"
    else:
        found = nearest(word, [*commands(), "--help", "--version"])
    return f", did you mean {found}?" if found else ""
