"""The command lines' own parser and warnings: each is one line, without the usage before it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import NoReturn

from . import safe


class Parser(argparse.ArgumentParser):
    """Ends with exit code 2 and "gemmlab COMMAND: error: …" where the arguments cannot be read."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())}\n")


def whole_number(least: int, most: int | None = None, why: str = "") -> Callable[[str], int]:
    """For `type=`: reads plain digits, from `least` to `most`. `why`: what the message adds to what is allowed."""
    allowed = f"a whole number from {least}" + (f" to {most}" if most is not None else "") + why

    def read(text: str) -> int:
        digits = text.isascii() and text.isdigit() and len(text) < 20
        if not digits or not least <= int(text) <= (most if most is not None else int(text)):
            raise argparse.ArgumentTypeError(f"'{safe.shortened(text, 80)}' is not allowed: {allowed}")
        return int(text)
    return read


def warn(command: str, warnings: Iterable[str]) -> None:
    """Each on standard error, after the command's name."""
    for warning in warnings:
        print(f"gemmlab {command}: warning: {warning}", file=sys.stderr)
