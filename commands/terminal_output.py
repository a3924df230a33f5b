"""Standard output and error that never hand a terminal what it obeys, whoever wrote the text: a
title, a file's name, a hand-in."""

from __future__ import annotations

import io
import os
import sys

from files.safe import harmless


class _Harmless(io.TextIOWrapper):
    """UTF-8 whatever the locale says; what cannot be written becomes a question mark."""

    def write(self, text: str) -> int:
        super().write(harmless(text))
        return len(text)


def guard() -> None:
    """From here on what is printed goes through it. What draws a line in place writes past it:
    draw()."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, _Harmless):
            stream.flush()
            setattr(sys, name, _Harmless(stream.buffer, encoding="utf-8", errors="replace",
                                         line_buffering=stream.line_buffering,
                                         write_through=stream.write_through))


def draw(line: str, stderr: int = 2) -> bool:
    """Puts one line in the place of the last that was drawn; an empty one clears it. False where
    nobody listens."""
    try:
        os.write(stderr, f"\r\033[K{harmless(line)}".encode(errors="replace"))
        return True
    except OSError:
        return False
