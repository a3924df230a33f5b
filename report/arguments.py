"""The command lines' own parser and warnings: each is one line, without the usage before it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Ends with exit code 2 and "gemmlab COMMAND: error: …" where the arguments cannot be read."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())}\n")


def warn(command: str, warnings: Iterable[str]) -> None:
    """Each on standard error, after the command's name."""
    for warning in warnings:
        print(f"gemmlab {command}: warning: {warning}", file=sys.stderr)
