"""The command lines' own parser: what is wrong is said in one line, without the usage before it."""

from __future__ import annotations

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Ends with exit code 2 and "gemmlab COMMAND: error: …" where the arguments cannot be read."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())}\n")
