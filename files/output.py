"""Where commands write: beside the finished name first, and then into its place as a whole. What
was there before stays until then, whatever ends the command; a file that no command of ours has
made stays for good, and so do records."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from .placing import NO_REPLACE, flush, is_an_output, place, place_each, rename
from .reading import InputError
from .safe import real_path, shown
from .tree import WORK

RECORDS = ".jsonl"
MARK_OF_MARKDOWN = "<!-- made by gemmlab report -->"
MARK = '<meta name="generator" content="gemmlab">'
_LINK = "[CSV](tables/"
# What only a file of ours holds, by the ending of its name: near its beginning, or at its end. Of a
# zip the name of an entry.
_MARKS = {".html": {MARK}, ".md": {_LINK, MARK_OF_MARKDOWN},
          ".csv": {"machine,experiment,group,label,", "sample,round,time_s,"},
          ".json": {'"executable": "gemmlab"'}, ".zip": {"bundle.json"}}
_LOOKED_AT = 2**20  # bytes at each end of a file
_OURS = WORK / "build"  # whatever lies there was made by us
_UNFINISHED = (f"The files beside this page, such as {_LINK}), are being put into place. If you "
               "read this later: that was interrupted; make them again.")
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_numbers = count()


def know(marks: Mapping[str, Collection[str]]) -> None:
    """Files with these marks, of satellites, are ours as well."""
    for ending, some in marks.items():
        _MARKS.setdefault(ending, set()).update(some)


def is_ours(path: Path) -> bool:
    """Did a command of gemmlab make this file? An empty one is nobody's, and nothing of it can be
    lost: so is a table without rows."""
    if path.is_relative_to(_OURS):
        return True
    if not path.is_file() or path.is_symlink():
        return False
    with path.open("rb") as file:
        found = file.read(_LOOKED_AT)
        file.seek(-min(_LOOKED_AT, path.stat().st_size), os.SEEK_END)
        found += file.read()
    if not found.strip():
        return True
    if path.suffix in _MARKS.keys() - {".zip"}:
        return any(mark.encode() in found for mark in _MARKS[path.suffix])
    if zipfile.is_zipfile(path):
        with suppress(zipfile.BadZipFile, OSError, ValueError), zipfile.ZipFile(path) as archive:
            return bool(_MARKS[".zip"] & set(archive.namelist()))
    return MARK.encode() in found  # a page may be called anything


def refuse_foreign(path: Path) -> None:
    """Raises InputError where something is there that no command of ours may write over."""
    if RECORDS in (path.suffix, _real(path).suffix):
        raise InputError(f"{path}: a name of records, which only run, profile and merge write; "
                         "name another")
    if path.is_dir():
        raise InputError(f"{path}: a folder; the output is a file, so name a file")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a regular file; name another")
    if path.exists() and not is_ours(path):
        raise _foreign(path)


def _foreign(path: Path) -> InputError:
    return InputError(f"{shown(str(path))}: gemmlab has not made this file and does not overwrite "
                      "it; remove it, or name another")


def _real(target: Path) -> Path:
    """Where a link leads: what it names is replaced, not the link."""
    try:
        return real_path(target)
    except ValueError as error:  # a NUL
        raise InputError(f"{shown(str(target))}: not a name of a file") from error


def _beside(folder: Path) -> Path:
    """A name for what is not finished yet, in that folder. What killed commands have left there
    goes."""
    ours = f".gemmlab-{socket.gethostname()}-"
    for old in folder.glob(f"{ours}*.part"):
        number = old.name.removeprefix(ours).split("-")[0]
        if number.isdigit() and not Path(f"/proc/{number}").exists():
            _remove(old)
    return folder / f"{ours}{os.getpid()}-{next(_numbers)}.part"


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


@contextmanager
def _named(stage: Path, target: Path) -> Iterator[None]:
    """An error about what is not finished becomes one about what it was to be."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = str(error.filename) if error.filename is not None else str(stage)
        if error.errno is None or not name.startswith(str(stage)):
            raise
        raise OSError(error.errno, error.strerror,
                      str(target) + name.removeprefix(str(stage))) from error


@contextmanager
def _no_stops() -> Iterator[None]:
    """Ctrl-C and the like wait the few milliseconds: they must leave nothing unfinished."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def new_file(target: Path, any_there: bool = False) -> Iterator[Path]:
    """A file to write, which takes the place of `target` when the body is done; nothing of it stays
    where the body raises. `any_there`: the caller knows that what is there may go, as merge does of
    records. One that another has begun meanwhile never goes. Raises InputError where something is
    there that gemmlab has not made."""
    real = _real(target)
    if not any_there:
        refuse_foreign(real)
    there = real.exists()
    real.parent.mkdir(parents=True, exist_ok=True)
    stage = _beside(real.parent)
    try:
        with _named(stage, target):
            yield stage
            if not stage.exists():
                return  # there was nothing to replace it with
            flush(stage)
            if there:
                shutil.copymode(real, stage)
            elif rename(stage, real, NO_REPLACE):
                return
            os.replace(stage, real)
    finally:
        with _no_stops():
            _remove(stage)


def write_text(target: Path, text: str) -> None:
    """In one step, in a folder whose files are all of one output."""
    with new_file(target, any_there=True) as made:
        made.write_text(text, encoding="utf-8", errors="replace", newline="\n")


@contextmanager
def new_folder(target: Path, pages: Collection[str] = (),
               gone: Collection[str] = ()) -> Iterator[Path]:
    """A folder to write into, which takes the place of `target` when the body is done. What else is
    in it stays, but for the files `gone` of an earlier output. Where it holds more than an earlier
    output, or cannot be replaced, its entries are put into place one by one, while nothing but
    SIGKILL interrupts. `pages`: those of the output that bear a mark; one that is there says that
    tables and figures beside it are ours, too. Raises InputError where something else is there."""
    real = _real(target)
    if real.exists() and not real.is_dir():
        raise InputError(f"{target}: not a folder; name another")
    for name in pages:
        if (real / name).exists() and not is_ours(real / name):
            raise _foreign(target / name)
    inside = os.path.ismount(real) or (real.exists() and not os.access(real.parent, os.W_OK))
    (real if inside else real.parent).mkdir(parents=True, exist_ok=True)
    stage = _beside(real if inside else real.parent)
    try:
        with _named(stage, target):
            stage.mkdir()
            yield stage
            flush(stage)
            _refuse_foreign_below(stage, real, target, pages)
            with _no_stops():
                if not inside and is_an_output(real, stage, pages):
                    place(stage, real, gone)
                else:
                    place_each(stage, real, {name: _unfinished(name) for name in pages}, gone)
    finally:
        with _no_stops():
            _remove(stage)


def _refuse_foreign_below(stage: Path, real: Path, target: Path, pages: Collection[str]) -> None:
    """A page of ours that is there says whose the files are that can bear no mark."""
    witnessed = any((real / name).exists() and is_ours(real / name) for name in pages)
    for path in stage.rglob("*"):
        name = path.relative_to(stage)
        there = real / name
        if not there.exists() and not there.is_symlink():
            continue
        if path.is_dir():
            if not there.is_dir() or (there.is_symlink() and not witnessed):
                raise InputError(f"{target / name}: not a folder of the output; remove it, or name "
                                 "another")
        elif there.is_dir() or (not is_ours(there) and (str(name) in pages or not witnessed)):
            raise _foreign(target / name)


def _unfinished(page: str) -> str:
    return f"{MARK}\n\n{_UNFINISHED}\n"
