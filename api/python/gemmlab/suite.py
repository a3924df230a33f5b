"""Where the suite is, and its commands with what they print passed on while they run. A wheel may
hold the suite; then the folder that one stands in takes what it writes."""

from __future__ import annotations

import ctypes
import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlparse

_INSIDE = Path(__file__).with_name("tree").resolve()  # of a wheel with the suite
_chosen: Path | None = None


class GemmlabError(Exception):
    """A command that could not do what was asked; the message is what it said."""


def _installed_from() -> Iterator[Path]:
    """The tree that `pip install ./api/python` was called in: pip notes it."""
    try:
        noted = metadata.distribution("gemmlab").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        noted = None
    address = urlparse(json.loads(noted)["url"]) if noted else None
    if address and address.scheme == "file":
        yield Path(unquote(address.path)).parents[1]


def _candidates() -> Iterator[Path]:
    if _chosen:
        yield _chosen
    if os.environ.get("GEMMLAB_HOME"):
        yield Path(os.environ["GEMMLAB_HOME"])
    yield _INSIDE
    yield from _installed_from()
    yield from (Path(__file__).resolve().parents[3], Path.cwd(), *Path.cwd().parents,
                Path.cwd() / "gemmlab")


def home() -> Path:
    """The suite's folder. Raises GemmlabError where there is none."""
    for place in _candidates():
        if (place / "gemmlab").is_file() and (place / "CMakeLists.txt").is_file():
            return place.resolve()
    raise GemmlabError("the suite is not found: clone it, and call gemmlab.use('its folder') or "
                       "set GEMMLAB_HOME")


def use(folder: str | Path) -> None:
    """The suite in `folder` from now on."""
    global _chosen
    _chosen = Path(folder).expanduser()
    home()


def fit() -> None:
    """Prints which GPU, driver and CUDA toolkit are here, and what of them does not fit the others.
    Builds nothing; a finished build says itself of which card it makes no use."""
    told = subprocess.run([sys.executable, "-I", "-S", str(home() / "commands/launch/card_fit.py")],
                          text=True, stdout=subprocess.PIPE, check=True)
    print(told.stdout, end="")


def environment(suite: Path) -> dict[str, str]:
    """Of the suite's commands: ours, and for a suite that nobody may write into the folder that
    does instead, this Python, which has its packages, and an OpenMP runtime where there is none."""
    own = dict(os.environ)
    if suite != _INSIDE:
        return own
    own.setdefault("GEMMLAB_WORK", os.getcwd())
    own.setdefault("GEMMLAB_PEERS", str(Path(own["GEMMLAB_WORK"], "build", "peers")))
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), own.get("PATH", os.defpath)])
    try:
        ctypes.CDLL("libgomp.so.1")
    except OSError:
        own["LD_LIBRARY_PATH"] = os.pathsep.join(
            [str(suite / "build" / "openmp"), *filter(None, [own.get("LD_LIBRARY_PATH")])])
    return own


def main() -> int:
    """`gemmlab ARGUMENTS`, as a command of its own: the suite's launcher in its place."""
    try:
        suite = home()
    except GemmlabError as error:
        print(f"gemmlab: {error}", file=sys.stderr)
        return 2
    os.execvpe("bash", ["bash", str(suite / "gemmlab"), *sys.argv[1:]], environment(suite))


def run(arguments: list[str], told: Callable[[str], None] = lambda line: None,
        allowed: tuple[int, ...] = (0,)) -> int:
    """`./gemmlab ARGUMENTS`; `told` gets its last line whenever that changes. Raises GemmlabError
    with what it said for another exit code than the allowed ones. What the notebook is interrupted
    by ends the command, too."""
    ours, theirs = pty.openpty()  # progress is shown in place only where it seems to be a terminal
    suite = home()
    process = subprocess.Popen(["bash", str(suite / "gemmlab"), *arguments],
                               stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env=environment(suite) | {"COLUMNS": "120", "TERM": "dumb"},
                               close_fds=True)
    os.close(theirs)
    said = ""
    try:
        for part in _parts(ours):
            said += part
            if line := _last_line(said):
                told(line)
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        os.close(ours)
    if code not in allowed:
        lines = [line for line in _plain(said).splitlines() if line.strip()]
        raise GemmlabError("\n".join(lines[-12:]) or f"gemmlab {arguments[0]} ended with {code}")
    return code


def _parts(descriptor: int) -> Iterator[str]:
    """What arrives, until the other end is closed."""
    while True:
        select.select([descriptor], [], [])
        try:
            part = os.read(descriptor, 1 << 16)
        except OSError:  # Linux's way to say that the other end of a terminal is closed
            return
        if not part:
            return
        yield part.decode("utf-8", "replace")


def _plain(said: str) -> str:
    """Without what moves a terminal's cursor: of each line what was written last."""
    text = said.replace("\r\n", "\n").replace("\x1b[K", "")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def _last_line(said: str) -> str:
    return next(
        (line.strip() for line in reversed(_plain(said[-4000:]).split("\n")) if line.strip()), "")
