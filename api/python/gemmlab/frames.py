"""Records as pandas frames: the columns are those of `gemmlab export`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from . import suite

if TYPE_CHECKING:
    import pandas


def _exported(folder: str | Path, table: str) -> pandas.DataFrame:
    import pandas  # the command needs none

    with tempfile.TemporaryDirectory() as scratch:
        suite.run(["export", str(folder), "--output", scratch])
        return pandas.read_csv(Path(scratch) / f"{table}.csv", low_memory=False)


def records(folder: str | Path) -> pandas.DataFrame:
    """A row per case: a folder of .jsonl files, or such a file. Times are seconds."""
    return _exported(folder, "cases")


def samples(folder: str | Path) -> pandas.DataFrame:
    """A row per sample."""
    return _exported(folder, "samples")
