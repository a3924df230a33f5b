"""The code blocks of the project's Markdown files."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = ("build/", "data/results/")  # what is made


@dataclass(frozen=True)
class Block:
    """A fenced block: the first word behind its fence, and its lines as printed."""

    file: Path
    line: int  # of its fence, from 1
    info: str
    text: str

    @property
    def place(self) -> str:
        """ "README.md:146"."""
        ours = self.file.is_relative_to(ROOT)
        return f"{self.file.relative_to(ROOT) if ours else self.file.name}:{self.line}"

    @property
    def path(self) -> str:
        """The file that the block is, where its first line says so: "// cpu/gemm/mine.cpp"."""
        found = re.match(r"(?://|#) ([\w./-]+\.\w+)\n", self.text)
        return found[1] if found else ""


def files() -> list[Path]:
    """Those that people write."""
    found = []
    for path in ROOT.rglob("*.md"):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith((".", *NOT_OURS)) and "/." not in name:
            found.append(path)
    return sorted(found)


def blocks_in(file: Path, text: str) -> Iterator[Block]:
    """Raises ValueError where a fence is never closed."""
    fence = re.compile(r"^( *)```(\w*)[^\n`]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
    if len(re.findall(r"^ *```", text, re.MULTILINE)) % 2:
        raise ValueError(f"{file.name}: a ``` is never closed")
    for found in fence.finditer(text):
        yield Block(
            file, text.count("\n", 0, found.start()) + 1, found[2], textwrap.dedent(found[3])
        )


def blocks() -> list[Block]:
    """Of all files."""
    return [
        block for file in files() for block in blocks_in(file, file.read_text(encoding="utf-8"))
    ]


def indented(text: str) -> list[int]:
    """The lines, from 1, at which code begins that is set off by four blanks and not by a fence.

    Paragraphs of lists do not count.
    """
    found, fenced, listed = [], False, False
    lines = ["", *text.splitlines()]
    for number in range(1, len(lines)):
        line = lines[number]
        fenced ^= bool(re.match(r" *```", line))
        if re.match(r"\S", line):
            listed = bool(re.match(r"[-*+] |\d+\. ", line))
        if (
            line.startswith("    ")
            and line.strip()
            and not lines[number - 1].strip()
            and not fenced
            and not listed
        ):
            found.append(number)
    return found
