"""The commands there are, and what somebody probably meant who typed none of them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache

from files.tree import ROOT

_LONGEST = 24  # letters: no name is longer


@cache
def commands() -> tuple[str, ...]:
    """As commands/launch/usage.txt lists them."""
    text = (ROOT / "commands/launch/usage.txt").read_text(encoding="utf-8")
    return tuple(re.findall(r"^  ([a-z-]+) ", text, re.MULTILINE))


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
    if os.path.exists(ROOT / "experiments" / f"{word}.toml") or word.endswith(".toml"):
        found = f"run {word}"
    elif word.endswith((".cpp", ".cc", ".cxx", ".cu")):
        found = f"submit {word}"
    else:
        found = nearest(word, [*commands(), "--help", "--version"])
    return f", did you mean {found}?" if found else ""
