"""Files and folders that are finished, put into their place in one step."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

NO_REPLACE, EXCHANGE = 1, 2  # <linux/fs.h>
_AT_FDCWD = -100  # <fcntl.h>


def rename(one: Path, other: Path, how: int) -> bool:
    """Linux's renameat2. False where this system or file system has none. Raises OSError."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), how) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV):
        return False
    raise OSError(number, os.strerror(number), str(other))


def flush(path: Path) -> None:
    """Onto the disk: else a loss of power may leave an empty file under the finished name. Of a
    folder's files all at once, which takes a twentieth of the time."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if path.is_dir():
            ctypes.CDLL(None).syncfs(descriptor)
        else:
            os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EROFS):  # there is nothing to flush
            raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(descriptor)


def is_an_output(real: Path, stage: Path, pages: Collection[str]) -> bool:
    """Is there nothing but what an earlier call has written, so that all of it can be replaced in
    one step? Not where somebody stands in it: the folder would be gone from under them."""
    if not real.exists():
        return True
    with suppress(FileNotFoundError):  # the working directory itself may be gone
        if Path.cwd().is_relative_to(real):
            return False
    made = {entry.name for entry in stage.iterdir()}
    return all(entry.name in made or entry.stem in {Path(name).stem for name in pages}
               for entry in real.iterdir())


def place(made: Path, there: Path, gone: Collection[str] = ()) -> None:
    """Puts a file or a folder into its place in one step; what else is in that folder stays, but
    for what is `gone`."""
    if there.is_symlink() and made.is_dir():
        there.unlink()
    if not there.exists() or not made.is_dir():
        os.replace(made, there)
        return
    _carry_over(there, made, gone)
    shutil.copymode(there, made)
    if not _swapped(made, there):  # as with a folder in a lower layer of a container's file system
        for entry in made.iterdir():
            place(entry, there / entry.name)


def _swapped(made: Path, there: Path) -> bool:
    """Did the folders change names?"""
    if rename(made, there, EXCHANGE):
        return True
    aside = made.with_name(f"{made.name}.old")
    try:
        os.replace(there, aside)
    except OSError:
        return False
    os.replace(made, there)
    os.replace(aside, made)
    return True


def _carry_over(old: Path, new: Path, gone: Collection[str] = ()) -> None:
    """What is in the old folder and not in the new one is in both: one file with two names."""
    for entry in old.iterdir():
        into = new / entry.name
        if entry.name in gone:
            continue
        if entry.is_dir() and not entry.is_symlink():
            if not into.exists():
                into.mkdir()
                shutil.copymode(entry, into)
            _carry_over(entry, into)
        elif not into.exists():
            try:
                os.link(entry, into, follow_symlinks=False)
            except OSError:  # a file system without, or a file of another user
                shutil.copy2(entry, into, follow_symlinks=False)


def place_each(stage: Path, real: Path, unfinished: Mapping[str, str],
               gone: Collection[str]) -> None:
    """Puts the entries of a folder into their places in another. `unfinished`: what a page that was
    there says meanwhile; other old files go first: a kill must not leave old beside new and nothing
    that tells it."""
    real.mkdir(exist_ok=True)
    made = sorted(stage.iterdir(), key=lambda path: path.name in unfinished)
    for there in (real / path.name for path in made if path.is_file()):
        was = there.exists()
        there.unlink(missing_ok=True)
        if was and there.name in unfinished:
            there.write_text(unfinished[there.name], encoding="utf-8")
    for path in made:
        place(path, real / path.name)
    for name in {*gone} - {path.name for path in made}:
        (real / name).unlink(missing_ok=True)
