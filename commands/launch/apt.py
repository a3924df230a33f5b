"""The packages of packages.txt, by apt."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence

from files.tree import ROOT

from .messages import STATE, Refused, asked, fingerprint, must, tell, tried

LIST = ROOT / "packages.txt"
VENV = "python3.11-venv|python3-venv"  # the entry; Ubuntu 22.04's own Python is 3.10
OTHERWISE = ("If they are here by other means: cmake --preset cpu && cmake --build --preset cpu, "
             "then GEMMLAB_BUILD=build/cpu ./gemmlab …")
_DAY_S = 86400
# sudo drops them
_KEPT = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
         "APT_CONFIG")


def names_of(*entries: str) -> list[str]:
    """Of all alternatives: `?a|b`."""
    return [name for entry in entries for name in entry.removeprefix("?").split("|")]


def first_of(entry: str, names: Sequence[str]) -> str:
    """The first alternative that is among the names, or nothing."""
    return next((name for name in names_of(entry) if name in names), "")


def _purposes() -> dict[str, str]:
    """Of the entries of packages.txt."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    found = (line.partition("#") for line in lines if line.strip() and not line.startswith("#"))
    return {entry.strip(): purpose.strip() for entry, _, purpose in found}


def missing(only: str = "") -> list[str]:
    """The entries of packages.txt (or that one) that are neither installed nor on PATH."""
    entries = [entry for entry in _purposes() if only in ("", entry)]
    told = asked("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package}\\n", *names_of(*entries))
    there = {line.split()[-1] for line in told.stdout.splitlines() if line.startswith("ii ")}
    return [entry for entry in entries
            if not any(name in there or shutil.which(name) for name in names_of(entry))]


def in_archive(entries: Sequence[str]) -> list[str]:
    """The packages named in them that apt can install."""
    found, name = [], ""
    for line in asked("apt-cache", "policy", *names_of(*entries), LC_ALL="C").stdout.splitlines():
        if not line.startswith(" "):
            name = line.removesuffix(":")
        elif line.startswith("  Candidate: ") and not line.startswith("  Candidate: ("):
            found.append(name)
    return found


def _is_root() -> bool:
    return asked("id", "-u").stdout.strip() == "0"


def _apt(log: str, *arguments: str) -> None:
    as_root = ["env"] if _is_root() else ["sudo", "-n", "env", *(
        f"{name}={os.environ[name]}" for name in _KEPT if name in os.environ)]
    must(log, *as_root, "DEBIAN_FRONTEND=noninteractive", "apt-get", *arguments)


def _install(names: Sequence[str]) -> None:
    tell(f"installing {' '.join(names)}")
    _apt("apt-install", "install", "-y", "--no-install-recommends", "-o",
         "DPkg::Lock::Timeout=300", *names)


def install(only: str = "") -> None:
    """Looks once a list and machine; a stamp remembers what could not be had, for a day."""
    stamp = STATE / f"absent-{fingerprint(LIST, os.uname().nodename, *filter(None, [only]))}"
    if stamp.exists():
        age = time.time() - stamp.stat().st_mtime  # below 0 where a clock was set back
        if stamp.stat().st_size == 0 or 0 <= age < _DAY_S:
            return
    left_out = _install_all(missing(only))
    stamp.write_text("".join(f"{entry}\n" for entry in left_out), encoding="utf-8")


def _install_all(entries: Sequence[str]) -> Sequence[str]:
    """Returns what it had to leave out of those that may be missing."""
    needed = [entry for entry in entries if not entry.startswith("?")]
    if not entries or not shutil.which("apt-get"):
        if needed:
            tell("there is no apt on this system; install what Debian and Ubuntu call: "
                 + " ".join(needed))
            raise Refused(OTHERWISE)
        return entries
    if may_install := _is_root() or asked("sudo", "-n", "true").returncode == 0:
        tell("fetching apt's lists")
        tried(lambda: _apt("apt-update", "update"), "going on with the lists that are there")
    available = in_archive(entries)
    found = {entry: first_of(entry, available) for entry in entries}
    if absent := [names_of(entry)[-1] for entry in needed if not found[entry]]:
        raise Refused(f"this system's archive has no {' '.join(absent)}; those of Debian 12, "
                      f"Ubuntu 22.04 and later do. {OTHERWISE}")
    for entry, name in found.items():
        if not name:
            tell(f"left out: this system's archive has no {entry[1:]} ({_purposes()[entry]})")
    names = [found[entry] for entry in needed]
    optional = [name for entry, name in found.items() if name and entry not in needed]
    if not may_install:
        if needed:
            tell("packages are missing, and neither root nor passwordless sudo is here to install "
                 "them:")
            print("  sudo apt-get update\n  sudo apt-get install", *names, *optional,
                  file=sys.stderr)
            raise Refused(OTHERWISE)
        if optional:
            tell("going on without packages that may be added: sudo apt-get install "
                 + " ".join(optional))
        return entries
    if optional and not tried(lambda: _install([*names, *optional]),
                              f"going on without {' '.join(optional)}"):
        found, optional = dict.fromkeys(entries, ""), []
    if names and not optional:
        _install(names)
    return [entry for entry, name in found.items() if not name and entry not in needed]


def export_missing() -> None:
    """Tells list and doctor which optional packages are not here, and what adds them."""
    if not shutil.which("dpkg-query") or not shutil.which("apt-cache"):
        return
    if not (entries := [entry for entry in missing() if entry.startswith("?")]):
        return
    available = in_archive(entries)
    names = [first_of(entry, available) for entry in entries]
    os.environ["GEMMLAB_MISSING_PACKAGES"] = ", ".join(
        name or f"{entry[1:]} (not in this system's archive)"
        for name, entry in zip(names, entries))
    if any(names):
        apt_get = "apt-get" if _is_root() else "sudo apt-get"
        os.environ["GEMMLAB_ADD_PACKAGES"] = " ".join(
            [apt_get, "update &&", apt_get, "install", *filter(None, names)])
