"""A bundle's files out of its zip, which anyone may have made."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path

from ..records import InputError, opened
from .layout import safe_path

MOST_BYTES = 1 << 30  # that a zip may unpack to
MOST_FILES = 100_000


def _refusal(archive: zipfile.ZipFile) -> str:
    """Why it is not taken; empty where there is no reason."""
    entries = archive.infolist()
    if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
        return f"it holds {len(entries):,} files of {sum(entry.file_size for entry in entries):,} bytes in all; a bundle has " \
               f"at most {MOST_FILES:,} files and {MOST_BYTES:,} bytes"
    seen: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        if not safe_path(name):
            return f"the name {name!r} leads out of the bundle, or to another file on another system"
        if name.casefold() in seen:
            return f"{name} is in it twice: which of them one sees depends on the program that unpacks it"
        seen.add(name.casefold())
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            return f"{name} is not a plain file"
    if archive.comment or min((entry.header_offset for entry in entries), default=0):
        return "there is something in it beside its files"
    return ""


def unpacked(path: Path) -> dict[str, bytes]:
    """name -> content. Raises InputError for what is not a zip, and for one that other programs would unpack to something else,
    to other places or for ever."""
    try:
        with opened(path) as file, zipfile.ZipFile(file) as archive:  # of a device the end would be looked for for ever
            if refusal := _refusal(archive):
                raise InputError(f"{path}: {refusal}")
            return {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise InputError(f"{path}: not a whole zip ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
