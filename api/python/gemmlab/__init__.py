"""gemmlab in notebooks: `%load_ext gemmlab`, then `%%submit`, `%experiment` and `%report`;
`records()` gives frames."""

from __future__ import annotations

from .frames import records, samples
from .suite import GemmlabError, fit, home, use

__all__ = ["GemmlabError", "fit", "home", "load_ipython_extension", "records", "samples", "use"]


def load_ipython_extension(shell) -> None:
    """What %load_ext calls."""
    from .magics import Magics

    shell.register_magics(Magics)
