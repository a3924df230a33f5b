"""`python -m submissions …` is `gemmlab submit …`."""

from __future__ import annotations

from commands import stops

if __name__ == "__main__":
    stops.leave_at_once()  # the imports below take a while

import sys

from commands import ending, terminal_output
from commands.heard import heard

from .driver.command import main

if __name__ == "__main__":
    stops.raise_stopped()
    terminal_output.guard()
    sys.exit(ending.code_of("gemmlab submit", lambda: heard(lambda: main(sys.argv[1:])),
                            "--json" in sys.argv))
