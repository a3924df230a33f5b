"""Which files are judged, and where what becomes of each goes."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

from files.reading import InputError, opened
from submissions.verdicts.verdict import FILE, MOST_BYTES

ENDINGS = (".cpp", ".cc", ".cxx", ".cu")
_SEEDS = 1_000_000_000  # short enough to be typed


def files_of(paths: list[Path]) -> list[Path]:
    """The files given, and the submissions in the folders given, each folder's in the order of
    their names. Raises InputError for a folder without any, and for two of one name."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        # a link is no kernel, but it was handed in: it is judged as such, and never followed
        found = sorted(file for file in path.iterdir()
                       if file.suffix in ENDINGS and (file.is_symlink() or file.is_file()))
        if not found:
            raise InputError(f"{path}: no submissions in it; they end in .cpp or .cu")
        files += found
    return of_different_names(files)


def of_different_names(files: list[Path]) -> list[Path]:
    """The same files. Raises InputError for two of one name: their verdicts would share a
    folder."""
    for name, count in Counter(file.name for file in files).items():
        if count > 1:
            raise InputError(f"two submissions are called {name}; each needs a name of its own")
    return files


def recorded(folder: Path) -> dict[str, Any]:
    """The verdict in a folder as it stands there; empty where there is none, or a torn one."""
    try:
        with opened(folder / FILE) as file:
            found = json.loads(file.read(MOST_BYTES).decode("utf-8", "replace"))
    except (InputError, OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def as_text(verdict: dict[str, Any]) -> str:
    """A verdict as its file and --json have it."""
    return json.dumps(verdict, indent=1, ensure_ascii=False)


def record(verdict: dict[str, Any], folder: Path) -> None:
    """In one step: a kill leaves the whole old file or the whole new one."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{FILE}.{os.getpid()}"
    unfinished.write_text(f"{as_text(verdict)}\n", encoding="utf-8",
                          errors="surrogatepass", newline="\n")
    os.replace(unfinished, folder / FILE)


def seed_for(folders: list[Path]) -> int:
    """All of a folder get the same shapes and inputs, also those judged on another day into the
    same folder."""
    if len(folders) > 1:
        for folder in folders:
            seed = recorded(folder).get("seed")
            if type(seed) is int and seed >= 0:
                return seed
    return random.SystemRandom().randrange(_SEEDS)
