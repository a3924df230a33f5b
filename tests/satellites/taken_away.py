"""Takes satellites off a copy of the tree: `python tests/satellites/taken_away.py FOLDER [NAME…]`
(default: all of them).

FOLDER gets every file that git knows here but those of the satellites and of their tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from commands.satellites import needs_of, satellites  # noqa: E402

SATELLITES = tuple(satellites())


def needed_by(name: str) -> set[str]:
    """The satellite, and those that do nothing without it."""
    return {name, *(other for other in SATELLITES if name in needs_of(ROOT / other))}


def files() -> list[str]:
    """What git knows, and what it will."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, check=True, capture_output=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def take_away(folder: Path, names: Sequence[str] = SATELLITES) -> None:
    """Writes the tree without these satellites into `folder`, which is not there yet."""
    gone = tuple(f"{place}/" for name in names for place in (name, f"tests/{name}"))
    for name in files():
        if not name.startswith(gone):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


if __name__ == "__main__":
    take_away(Path(sys.argv[1]), sys.argv[2:] or SATELLITES)
