"""Where things lie in a bundle, what their names may be, and the checksums over them."""

from __future__ import annotations

import hashlib
from functools import cache

from commands.satellites import makers
from files.safe import is_file_name
from files.tree import ROOT

FORMAT = 3
SUMS = "SHA256SUMS"  # as sha256sum writes and checks it
ABOUT = "bundle.json"
REPORT, RECORDS, REFERENCE, DEFINITIONS = "report", "records", "reference", "definitions"
_SOURCES = ("*.py", "*.toml", "*.j2", "*.css", "*.js")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sums_text(files: dict[str, bytes]) -> str:
    """A line per file, in the order of the names."""
    return "".join(f"{digest(data)}  {name}\n" for name, data in sorted(files.items()))


def safe_path(name: str) -> bool:
    return all(is_file_name(part) for part in name.split("/"))


@cache
def makers_digest() -> str:
    """Of the sources that make a report: where they are the same, so is what they make."""
    found = sorted([*(path for folder in makers() for pattern in _SOURCES
                      for path in folder.rglob(pattern)),
                    # a report says which definitions have changed
                    *(ROOT / "experiments").glob("*.toml")])
    return digest(b"".join(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes()
                           for path in found))
