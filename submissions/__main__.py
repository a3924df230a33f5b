"""`python -m submissions …` is `gemmlab submit …`."""

from __future__ import annotations

from commands import stop_signals

if __name__ == "__main__":
    stop_signals.leave_at_once()  # the imports below take a while

import sys

from commands import exits, terminal_output
from commands.lost_output import heard

from .driver.command import main

if __name__ == "__main__":
    stop_signals.raise_stopped()
    terminal_output.guard()
    sys.exit(exits.code_of("gemmlab submit", lambda: heard(lambda: main(sys.argv[1:])),
                            "--json" in sys.argv))
