"""Appends records to a results file as the program does: one line each, flushed, under its lock."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from files.reading import InputError


class Store:
    """An open results file. Raises InputError where it cannot be written to or another run holds
    it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab+")
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise InputError(f"{path}: another run is writing to it; wait for it or give --output "
                             "another folder") from error

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, record: dict[str, Any]) -> None:
        """Writes one line; one that an earlier kill tore is closed first, so that it spoils nothing
        but itself."""
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._file.write((b"\n" if self._ends_torn() else b"") + line)
        self._file.flush()
        os.fdatasync(self._file.fileno())

    def _ends_torn(self) -> bool:
        if not self._file.seek(0, os.SEEK_END):
            return False
        self._file.seek(-1, os.SEEK_END)
        return self._file.read(1) != b"\n"
