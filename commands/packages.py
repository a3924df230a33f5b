"""Packages of requirements.txt that cannot be loaded: one line with the remedy, and where the
launcher made .venv, a new one."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from files.tree import packages

REFUSED = 2
# the command that the launcher was given; set where .venv is its own to mend
AGAIN = "GEMMLAB_AGAIN"
REPAIRED = "GEMMLAB_REPAIRED"  # it was mended once already
_MARK, DAMAGED = ".gemmlab", "damaged\n"  # the launcher's mark in .venv, and what has it made anew


def damaged(error: BaseException) -> bool:
    """Is it a package that is missing, cut off or of another Python, rather than a fault of
    ours?"""
    if isinstance(error, ImportError):
        return (error.name or "").partition(".")[0] not in {folder.name for folder in packages()}
    return isinstance(error, SyntaxError) and "site-packages" in Path(error.filename or "").parts


def refused(error: BaseException) -> int:
    """The exit code, after the line; does not return where the launcher can mend it."""
    why = (f"the Python packages cannot be loaded ({type(error).__name__}: "
           f"{' '.join(str(error).split())})")
    mark = Path(sys.prefix) / _MARK
    with suppress(OSError):
        if mark.is_file():  # whoever made the environment by hand has none, and keeps what is in it
            mark.write_text(DAMAGED, encoding="utf-8")
    if command := os.environ.pop(AGAIN, ""):
        os.environ[REPAIRED] = "1"
        print(f"gemmlab: {why}; making .venv anew", file=sys.stderr, flush=True)
        launcher = os.path.join(os.environ["GEMMLAB_ROOT"], "gemmlab")
        os.execv(launcher, [launcher, command,
                            *sys.argv[2 if sys.argv[0].endswith("report/__main__.py") else 1:]])
    remedy = "remove .venv, and ./gemmlab makes it anew" if Path(sys.prefix).name == ".venv" else \
        f"{sys.executable} -m pip install --force-reinstall -r requirements.txt"
    print(f"gemmlab: {why}: {remedy}", file=sys.stderr)
    return REFUSED


def while_loading(kind: type[BaseException], error: BaseException,
                  place: TracebackType | None) -> None:
    """For sys.excepthook, while modules are loaded."""
    if not damaged(error):
        sys.__excepthook__(kind, error, place)
        os._exit(3)
    code = refused(error)
    sys.stderr.flush()
    os._exit(code)
