"""A bundle's files out of its zip, which anyone may have made."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from pathlib import Path

from files.reading import InputError, opened

from .layout import safe_path

MOST_BYTES = 1 << 30  # that a zip may unpack to
MOST_FILES = 100_000

# Of the format, little-endian: APPNOTE.TXT of PKWARE
# before each file: what is before the lengths of its name and of more, and these
_HEADER = struct.Struct("<26xHH")
# behind a file that was written as a stream
_SIZES_BEHIND, _SIZES, _SIZES_SIGN = 0x08, struct.Struct("<4xIII"), b"PK\x07\x08"
# of the last record, which ends with the length of a comment
_END_SIGN, _END_SIZE = b"PK\x05\x06", 18


def _refusal(archive: zipfile.ZipFile) -> str:
    """Why it is not taken; empty where there is no reason."""
    entries = archive.infolist()
    if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
        return (f"it holds {len(entries):,} files of {sum(entry.file_size for entry in entries):,} "
                f"bytes in all; a bundle has at most {MOST_FILES:,} files and {MOST_BYTES:,} bytes")
    seen: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        if not safe_path(name):
            return (f"the name {name!r} leads out of the bundle, or to another file on another "
                    "system")
        if name.casefold() in seen:
            return (f"{name} is in it twice: which of them one sees depends on the program that "
                    "unpacks it")
        seen.add(name.casefold())
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            return f"{name} is not a plain file"
    return "there is something in it beside its files" if _more_than_files(archive) else ""


def _more_than_files(archive: zipfile.ZipFile) -> bool:
    """Are there bytes before, between or behind what a zip has of its files? zipfile passes over
    them, and so nobody would see them."""
    file = archive.fp
    assert file is not None
    at = 0
    for entry in sorted(archive.infolist(), key=lambda entry: entry.header_offset):
        file.seek(entry.header_offset)
        header = file.read(_HEADER.size)
        if entry.header_offset != at or len(header) < _HEADER.size:
            return True
        name, extra = _HEADER.unpack(header)
        at += _HEADER.size + name + extra + entry.compress_size
        if entry.flag_bits & _SIZES_BEHIND:
            file.seek(at)
            at += _SIZES.size if file.read(4) == _SIZES_SIGN else _SIZES.size - 4
    file.seek(archive.start_dir)
    directory, end = file.read().rpartition(_END_SIGN)[::2]
    listed = sum(46 + len(entry.orig_filename.encode()) + len(entry.extra) + len(entry.comment)
                 for entry in archive.infolist())
    return (at != archive.start_dir or len(directory) != listed or len(end) != _END_SIZE
            or end[-2:] != b"\0\0")


def unpacked(path: Path) -> dict[str, bytes]:
    """name -> content. Raises InputError for what is not a zip, and for one that other programs
    would unpack to something else, to other places or for ever."""
    try:
        # of a device the end would be looked for for ever
        with opened(path) as file, zipfile.ZipFile(file) as archive:
            if refusal := _refusal(archive):
                raise InputError(f"{path}: {refusal}")
            return {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError,
            ValueError) as error:
        raise InputError(f"{path}: not a whole zip ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
