"""The command lines' own parser and warnings: each is one line, without the usage before it."""

from __future__ import annotations

import argparse
import difflib
import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from files import safe

RESULTS = "a folder of .jsonl files, or such a file"
MOST_NAME = 80  # letters of an argument that are shown


class Misused(SystemExit):
    """A mistake on the command line, of which standard error has been told."""

    def __init__(self, message: str) -> None:
        super().__init__(2)
        self.message = message


class Parser(argparse.ArgumentParser):
    """Ends with exit code 2 and "gemmlab COMMAND: error: …" where the arguments cannot be read."""

    def error(self, message: str) -> NoReturn:
        message = safe.visible(message)
        print(f"{self.prog}: error: {message}", file=sys.stderr)
        raise Misused(message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What follows a misspelt option looks like a file that does not exist: so the option is
        named before."""
        if self._subparsers is None:
            self._refuse_unknown(sys.argv[1:] if args is None else args)
        return super().parse_args(args, namespace)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What a script's unset variable leaves is no choice, and no name of the folder where one
        stands."""
        arguments = list(sys.argv[1:] if args is None else args)
        for before, argument in zip(["", *arguments], arguments):
            without_value = argument.startswith("--") and argument.find("=") == len(argument) - 1
            if not argument or without_value:
                where = (argument if without_value else f"after {before}"
                         if before.startswith("--") else "")
                self.error(f"an argument is empty{f' ({where})' if where else ''}: leave it out, "
                           "or give it a value")
        return super().parse_known_args(args, namespace)

    def _refuse_unknown(self, arguments: Sequence[str]) -> None:
        known = list(self._option_string_actions)
        for argument in itertools.takewhile(lambda argument: argument != "--", arguments):
            name = argument.partition("=")[0]
            begins_one = self.allow_abbrev and any(option.startswith(name) for option in known)
            if len(name) < 2 or name[0] != "-" or name[1].isdigit() or name in known or begins_one:
                continue
            near = difflib.get_close_matches(name[:MOST_NAME], known, 1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            self.error(f"there is no option {safe.shortened(argument, MOST_NAME)}{meant}; see "
                       f"{self.prog} --help")


def whole_number(least: int, most: int | None = None, why: str = "") -> Callable[[str], int]:
    """For `type=`: reads plain digits, from `least` to `most`. `why`: what the message adds to what
    is allowed."""
    allowed = f"a whole number from {least}" + (f" to {most}" if most is not None else "") + why

    def read(text: str) -> int:
        digits = text.isascii() and text.isdigit() and len(text) < 20
        if not digits or not least <= int(text) <= (most if most is not None else int(text)):
            raise argparse.ArgumentTypeError(f"'{safe.shortened(text, MOST_NAME)}' is not allowed: "
                                             f"{allowed}")
        return int(text)
    return read


def warn(command: str, warnings: Iterable[str]) -> None:
    """Each on standard error, after the command's name."""
    for warning in warnings:
        print(f"gemmlab {command}: warning: {warning}", file=sys.stderr)
