"""Where this tree lies, and which Python packages it has: satellites may have been taken off.
Installed, it is nothing to write into: GEMMLAB_WORK names the folder that stands for it then."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = Path(os.environ.get("GEMMLAB_WORK") or ROOT)  # what is written where no place is named


@cache
def packages() -> tuple[Path, ...]:
    """The folders of the Python packages at the top of the tree, by name."""
    return tuple(sorted(path.parent for path in ROOT.glob("*/__init__.py")))
