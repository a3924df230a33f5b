"""A clone that this user may not write to is refused in one line that names the path and says what
to do."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from conftest import Launcher

STRANGER = 65534  # nobody; root may write everywhere and would not notice


@pytest.fixture(name="theirs")
def _theirs():
    """A launcher whose checkout belongs to whoever runs the tests, where another user can reach
    it."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield Launcher(folder)
    shutil.rmtree(folder)


def as_stranger(launcher: Launcher, *arguments: str, locked: tuple[Path, ...], **options):
    """Runs it as a user who may not write to `locked`: as nobody where the tests run as root."""
    if os.geteuid() == 0:
        return launcher(*arguments, user=STRANGER, **options)
    for path in locked:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        return launcher(*arguments, **options)
    finally:
        for path in locked:
            path.chmod(path.stat().st_mode | 0o200)


def refused(done, path: Path) -> bool:
    """One line, about this path, with the way out; nothing of bash's own."""
    return (done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
            and done.stderr.startswith(f"gemmlab: {path} cannot be written to: it belongs to ")
            and "GEMMLAB_BUILD=FOLDER" in done.stderr)


@pytest.mark.parametrize("command", ["list", "report", "doctor"])
def test_a_fresh_clone_of_another_user(theirs, command):
    done = as_stranger(theirs, command, locked=(theirs.root,))
    assert refused(done, theirs.root), done.stderr


def test_a_clone_that_another_user_has_built_in(theirs):
    assert theirs("list").returncode == 0
    build = theirs.root / "build"
    done = as_stranger(theirs, "list", locked=(build,))
    assert refused(done, build), done.stderr


def test_a_lock_and_logs_that_root_left_in_ones_own_clone(theirs):
    assert theirs("list").returncode == 0
    state = theirs.root / "build/launcher"
    if os.geteuid() == 0:
        for path in (theirs.root, theirs.root / "build", state):
            os.chown(path, STRANGER, -1)
    done = as_stranger(theirs, "list", locked=tuple(state.iterdir()))
    assert refused(done, next(path for path in sorted(state.iterdir()))), done.stderr


def test_a_build_folder_that_root_left(theirs):
    assert theirs("list").returncode == 0
    build = theirs.root / "build"
    if os.geteuid() == 0:
        for path in (theirs.root, build, build / "launcher", *(build / "launcher").iterdir()):
            os.chown(path, STRANGER, -1)
    done = as_stranger(theirs, "list", locked=(build / "cpu/.gemmlab", build / "cpu/build.ninja"))
    assert refused(done, build / "cpu/.gemmlab"), done.stderr


def test_a_finished_build_is_used_from_there_all_the_same(theirs):
    build = theirs.finished_build()
    assert as_stranger(theirs, "list", locked=(theirs.root,),
                       GEMMLAB_BUILD=str(build)).returncode == 0


def test_what_stands_where_the_lock_belongs_is_named(gemmlab):
    assert gemmlab("list").returncode == 0
    lock = gemmlab.root / "build/launcher/lock"
    lock.unlink()
    lock.mkdir()
    done = gemmlab("list")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"gemmlab: {lock} cannot be opened for writing; remove it\n"
