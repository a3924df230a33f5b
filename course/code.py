"""Lines cut from the sources as they stand, so that the course never shows code that is not run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from files.tree import ROOT

from .chapter import Cut

MOST_LINES = 24


class NotFound(Exception):
    """The source no longer has what a chapter cuts from it."""


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    marked: bool

    @property
    def indent(self) -> int:
        """Blanks before its first letter: where it is wrapped, the rest hangs from there."""
        return len(self.text) - len(self.text.lstrip())


def _first(lines: list[str], pattern: str, start: int, file: str) -> int:
    for number in range(start, len(lines)):
        if re.search(pattern, lines[number]):
            return number
    raise NotFound(f"{file}: no line from {start + 1} on matches {pattern!r}")


def cut(wanted: Cut, root: Path = ROOT) -> list[Line]:
    """The lines, without what they are all indented by. Raises NotFound where the file, an end or a
    marked line is not there."""
    path = root / wanted.file
    if not path.is_file():
        raise NotFound(f"{wanted.file}: no such file")
    lines = path.read_text(encoding="utf-8").splitlines()
    within = _first(lines, wanted.within, 0, wanted.file) if wanted.within else 0
    begin = _first(lines, wanted.begin, within, wanted.file)
    end = _first(lines, wanted.end, begin, wanted.file)
    if end - begin >= MOST_LINES:
        raise NotFound(f"{wanted.file}: lines {begin + 1} to {end + 1} are more than {MOST_LINES}")
    found = lines[begin:end + 1]
    for pattern in wanted.mark:
        _first(found, pattern, 0, f"{wanted.file}, lines {begin + 1} to {end + 1}")
    indent = min(len(line) - len(line.lstrip()) for line in found if line.strip())
    return [Line(begin + 1 + place, line[indent:], any(
        re.search(pattern, line) for pattern in wanted.mark)) for place, line in enumerate(found)]
