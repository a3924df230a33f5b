"""The committed records of the machine that stands in where a reader has no GPU."""

from __future__ import annotations

import json
from pathlib import Path

from files.reading import InputError
from files.tree import ROOT

from .loading import Results, find_files, load

DATA, EXPERIMENTS = ROOT / "data", ROOT / "experiments"
FOR_THE_ANSWER = {"cpu_vs_gpu", "gpu_ladder", "block_size", "quick"}


def reference_folder(data: Path) -> Path | None:
    """data/results/<machine> as data/reference.json names it; None where either is missing.
    Raises InputError where reference.json is there and cannot be read."""
    pointer = data / "reference.json"
    if not pointer.is_file():
        return None
    try:
        folder = data / "results" / str(json.loads(pointer.read_text(encoding="utf-8"))["machine"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f'{pointer}: expected {{"machine": "<folder under data/results>"}}') from error
    return folder if folder.is_dir() and any(folder.glob("*.jsonl")) else None


def load_reference(folder: Path | None, own: Path, names: set[str]) -> Results | None:
    """The reference records of the experiments named, and of those that the answer needs; None where there are none, or `own`
    is that folder itself."""
    if folder is None or folder.resolve() == own.resolve():
        return None
    files = [path for path in find_files(folder) if path.stem in names | FOR_THE_ANSWER]
    return load(folder, files) if files else None
