"""Where this tree lies, and which Python packages it has: satellites may have been taken off."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@cache
def packages() -> tuple[Path, ...]:
    """The folders of the Python packages at the top of the tree, by name."""
    return tuple(sorted(path.parent for path in ROOT.glob("*/__init__.py")))
