"""What the launcher says on standard error, and the commands whose output goes to a log."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from commands.progress import redraws
from commands.terminal_output import draw
from files.safe import visible
from files.tree import ROOT

STATE = ROOT / "build/launcher"
_UNWRITABLE = re.compile("Permission denied|Read-only file system|No space left on device")
_OFFLINE = re.compile(
    "NewConnectionError|Failed to establish a new connection|Temporary failure (in name resolution|"
    "resolving)|Name or service not known|Could not resolve|Network is unreachable|dns error|"
    "failed to lookup address|tcp connect error|ConnectTimeout|Connection timed out", re.IGNORECASE)


_UNTRUSTED = re.compile("CERTIFICATE_VERIFY_FAILED|UnknownIssuer|certificate (is not trusted|"
                        "verif[a-z]+ failed)|SSL certificate problem", re.IGNORECASE)
# the first that CMake names, of whatever length; what follows is what became of it
_OF_CMAKE = re.compile(r"^CMake Error at [^\n]*\(message\):\n((?:\n?  [^\n]+\n)+)", re.MULTILINE)


class Refused(Exception):
    """The command cannot be started; the message is one line."""


def tell(message: str) -> None:
    if redraws(2):
        draw("")  # where a count stands
    print(f"gemmlab: {visible(message)}", file=sys.stderr, flush=True)


def show_end(log: Path, lines: int) -> None:
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]:
        print(line, file=sys.stderr)


def tried(do: Callable[[], None], otherwise: str) -> bool:
    """Did it go well? Where it did not, says why, and what comes instead."""
    try:
        do()
        return True
    except Refused as refused:
        tell(str(refused))
        tell(otherwise)
        return False


def fingerprint(file: Path, *texts: str) -> str:
    """Of both, short enough for a file's name."""
    whole = file.read_bytes() + b"".join(b"\n" + text.encode() for text in texts or [""])
    return hashlib.sha256(whole).hexdigest()[:16]


def read(file: Path) -> str:
    """What it holds, without the line's end; nothing where it is not there."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").rstrip("\n")
    except OSError:
        return ""


def goes_well(name: str, *command: str | Path, more: bool = False) -> bool:
    """Runs it; all output goes to the log of that name, `more` of it behind what is there."""
    with (STATE / f"{name}.log").open("ab" if more else "wb") as log:
        try:
            code = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except OSError as error:
            code = log.write(f"{error}\n".encode())
    if code == -signal.SIGINT:
        raise Refused("interrupted")  # the next way is none, either
    return code == 0


def must(name: str, *command: str | Path) -> None:
    """The same; raises Refused, after the log's end or with the cause, where it fails."""
    if goes_well(name, *command):
        return
    log = STATE / f"{name}.log"
    if not (cause := _cause_in(log)):
        show_end(log, 25)
    raise Refused(f"{name} failed{cause}; the whole log: {log}")


def _cause_in(log: Path) -> str:
    """": why", where many lines come down to one: pip that reaches nobody speaks of versions."""
    text = log.read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines():
        if _UNWRITABLE.search(line):
            return f": {line[:300]}"
    if found := re.search(r"Build step for (\w+) failed", text):  # of CMake's FetchContent
        url = re.search("downloading '([^']+)' failed", text)
        return (f": {url[1] if url else found[1]} could not be fetched; an unpacked copy does: "
                f"FETCHCONTENT_SOURCE_DIR_{found[1].upper()}=FOLDER")
    if _OFFLINE.search(text):
        return ": no network"
    if _UNTRUSTED.search(text):
        return (": the server's certificate is not trusted; for a proxy's own set PIP_CERT and "
                "SSL_CERT_FILE to its file")
    found = _OF_CMAKE.search(text)
    return f": {' '.join(found[1].split())}" if found else ""


def asked(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Its output and how it ended; one that is not there fails."""
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=os.environ | variables, encoding="utf-8", errors="replace", check=False)
    except OSError:
        return subprocess.CompletedProcess(command, 127, "")


def refuse_unwritable(*paths: Path) -> None:
    """Someone else's clone, or one that root has built in, is not a failing build."""
    for path in paths:
        if path.exists() and not os.access(path, os.W_OK):
            try:
                owner = path.owner()
            except (OSError, KeyError):
                owner = "another user"
            raise Refused(f"{path} cannot be written to: it belongs to {owner}; use a clone of "
                          "your own, or GEMMLAB_BUILD=FOLDER for a build that is already there")
