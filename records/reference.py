"""The committed records of the machine that stands in where a reader has no GPU."""

from __future__ import annotations

import json
from pathlib import Path

from files.reading import InputError
from files.tree import ROOT, WORK

from .loading import Results, find_files, load

DATA, EXPERIMENTS = ROOT / "data", ROOT / "experiments"
OWN_RESULTS = WORK / "data" / "results"  # of this machine


def reference_folder(data: Path) -> Path | None:
    """data/results/<machine> as data/reference.json names it; None where either is missing.
    Raises InputError where reference.json is there and cannot be read."""
    pointer = data / "reference.json"
    if not pointer.is_file():
        return None
    try:
        folder = data / "results" / str(json.loads(pointer.read_text(encoding="utf-8"))["machine"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f'{pointer}: expected {{"machine": "<folder under data/results>"}}') from error
    return folder if folder.is_dir() and any(folder.glob("*.jsonl")) else None


def load_reference(folder: Path | None, own: Path) -> Results | None:
    """All reference records, so that their answer is the one that their own report gives; None
    where there are none, or `own` is that folder itself."""
    if folder is None or folder.resolve() == own.resolve():
        return None
    return load(folder, find_files(folder))
