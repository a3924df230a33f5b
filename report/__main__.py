"""Command line: `python -m report build …` is `gemmlab report …`, `python -m report compare …` is
`gemmlab compare …`."""

from __future__ import annotations

from commands import stop_signals

if __name__ == "__main__":
    stop_signals.leave_at_once()  # the imports below take a while

import sys
from collections.abc import Callable

from commands import exits, terminal_output
from commands.lost_output import heard
from commands.satellites import found, satellites

from .bundle.command import main as bundle
from .bundle.command import verify
from .command import main as build
from .compare.command import main as compare
from .doctor.command import main as doctor
from .export.command import main as export
from .peer_libraries import main as peers
from .profile.command import main as profile


def _later(place: str) -> Callable[[list[str]], int | None]:
    return lambda arguments: found(place)(arguments)


COMMANDS: dict[str, tuple[str, Callable[[list[str]], int | None]]] = {
    "build": ("gemmlab report", build), "compare": ("gemmlab compare", compare),
    "doctor": ("gemmlab doctor", doctor), "export": ("gemmlab export", export),
    "profile": ("gemmlab profile", profile), "bundle": ("gemmlab bundle", bundle),
    "verify-bundle": ("gemmlab verify-bundle", verify), "peers": ("gemmlab peers", peers),
    **{name: (f"gemmlab {name}", _later(place)) for one in satellites().values()
       for name, place in one.commands.items()}}


def main(arguments: list[str]) -> int:
    """0 done, 1 what was asked to be found was found (a regression, a problem), 2 usage or input
    that cannot be read, 3 a crash, 128 and a signal's number where one ended it."""
    if not arguments or arguments[0] not in COMMANDS:
        asked = arguments[:1] in (["-h"], ["--help"])
        print(f"usage: python -m report {' | '.join(COMMANDS)} ... (--help on each)",
              file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    name, command = COMMANDS[arguments[0]]
    return exits.code_of(name, lambda: heard(lambda: command(arguments[1:])),
                          "--json" in arguments)


if __name__ == "__main__":
    stop_signals.raise_stopped()
    terminal_output.guard()
    sys.exit(main(sys.argv[1:]))
