"""`gemmlab peers`: the libraries that requirements-peers.txt pins, fetched from PyPI and unpacked
where the suite looks for them."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from commands.arguments import Parser
from files.reading import InputError
from files.tree import ROOT

REQUIREMENTS = ROOT / "requirements-peers.txt"
_LINE = re.compile(
    r'(?P<name>[\w.-]+)==(?P<version>[\w.]+)\s*(?:;\s*platform_machine\s*==\s*"(?P<machine>\w+)")?')
_VERSIONS = "versions.json"


@dataclass(frozen=True)
class Library:
    """What of a wheel is wanted. Sizes in MB are those of the pinned x86-64 wheel."""

    short: str  # on the command line
    title: str
    rows: str
    licence: str
    download_mb: int
    kept_mb: int
    # patterns of names, each of which the wheel must have; the first is what the suite opens
    files: tuple[str, ...]


LIBRARIES = {"scipy-openblas32": Library("openblas", "OpenBLAS", "cpu.openblas_pypi",
                                         "BSD 2-Clause", 8, 25, ("libscipy_openblas.so",)),
             # the parts that a product of 32-bit sizes on GNU's OpenMP loads, with the kernels of
             # each instruction set
             "mkl": Library("mkl", "Intel oneMKL", "cpu.mkl, cpu.mkl_jit, cpu.mkl_typed",
                            "Intel Simplified Software License: proprietary, free of charge", 221,
                            407, ("libmkl_rt.so.*", "libmkl_core.so.*", "libmkl_intel_lp64.so.*",
                                  "libmkl_gnu_thread.so.*", "libmkl_def.so.*", "libmkl_avx2.so.*",
                                  "libmkl_avx512.so.*", "libmkl_avx10.so.*")),
}


@dataclass(frozen=True)
class Pin:
    """A line of requirements-peers.txt."""

    name: str
    version: str
    machine: str | None  # the one that there is a wheel for

    @property
    def library(self) -> Library:
        return LIBRARIES[self.name]


def pins(text: str) -> list[Pin]:
    """Raises InputError, with the line, where one names no library known here or pins no
    version."""
    found = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None or match["name"] not in LIBRARIES:
            raise InputError(f"{REQUIREMENTS.name}: '{line}' is not NAME==VERSION with a name of "
                             f"{', '.join(LIBRARIES)}")
        found.append(Pin(match["name"], match["version"], match["machine"]))
    return found


def folder() -> Path:
    """Where the suite looks for them; cpu/libraries/library.cpp has the same rule."""
    return Path(os.environ.get("GEMMLAB_PEERS") or ROOT / "build" / "peers")


def installed(place: Path) -> dict[str, str]:
    """Name -> version of what lies there whole."""
    try:
        noted = json.loads((place / _VERSIONS).read_text())
    except (OSError, ValueError):
        return {}
    return {name: version for name, version in noted.items() if name in LIBRARIES
            and _names(place / "lib", LIBRARIES[name])}


def _names(lib: Path, library: Library) -> list[str]:
    """The library's files there; none unless all are."""
    here = sorted(path.name for path in lib.iterdir()) if lib.is_dir() else []
    found = [[name for name in here if fnmatch(name, pattern)] for pattern in library.files]
    return [name for names in found for name in names] if all(found) else []


def _fetch(pin: Pin, wheels: Path | None, to: Path) -> Path:
    """The wheel, from PyPI or from a folder of wheels. Raises InputError with pip's last line."""
    source = [] if wheels is None else ["--no-index", "--find-links", str(wheels)]
    done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet",
                           "--disable-pip-version-check", "--no-deps", "--only-binary",
                           ":all:", "--dest", str(to), *source, f"{pin.name}=={pin.version}"],
                          stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                          errors="replace", check=False)
    found = sorted(to.glob("*.whl"))
    if done.returncode != 0 or len(found) != 1:
        said = ([line for line in done.stderr.splitlines() if line.strip()]
                or [f"pip left {len(found)} wheels"])
        raise InputError(f"{pin.name} {pin.version} could not be fetched: {said[-1].strip()}")
    return found[0]


def unpack(wheel: Path, library: Library, name: str, place: Path) -> None:
    """The library's files into place/lib, its licences into place/licences. What was there of
    another version goes."""
    with tempfile.TemporaryDirectory(dir=place) as staging, zipfile.ZipFile(wheel) as archive:
        lib, licences = Path(staging, "lib"), Path(staging, "licences")
        for target in (lib, licences):
            target.mkdir()
        for member in archive.infolist():
            base = Path(member.filename).name
            wanted = lib if any(fnmatch(base, pattern) for pattern in library.files) else \
                licences if re.match(r"(?i)licen[cs]e|third-party", base) else None
            if wanted is None or member.is_dir():
                continue
            with archive.open(member) as source, (wanted / base).open("wb") as copy:
                shutil.copyfileobj(source, copy)
        fresh = _names(lib, library)
        if not fresh:
            raise InputError(f"{wheel.name} lacks some of {', '.join(library.files)}")
        remove(name, place)
        (place / "lib").mkdir(exist_ok=True)
        for base in fresh:
            os.replace(lib / base, place / "lib" / base)
        (place / "licences").mkdir(exist_ok=True)
        os.replace(licences, place / "licences" / name)


def remove(name: str, place: Path) -> None:
    """The library's files and licences, whole or not."""
    _note(name, None, place)
    for pattern in LIBRARIES[name].files:
        for path in (place / "lib").glob(pattern):
            path.unlink()
    shutil.rmtree(place / "licences" / name, ignore_errors=True)


def _note(name: str, version: str | None, place: Path) -> None:
    noted = installed(place)
    noted.pop(name, None)
    if version is not None:
        noted[name] = version
    if place.is_dir():
        (place / _VERSIONS).write_text(json.dumps(noted, indent=1, sort_keys=True) + "\n")


def offer(pin: Pin, here: dict[str, str], machine: str) -> str:
    """One library, for a person who decides."""
    library = pin.library
    if pin.machine not in (None, machine):
        state = f"not for {machine}"
    elif here.get(pin.name) == pin.version:
        state = "installed"
    else:
        state = f"{here[pin.name]} is installed" if pin.name in here else "not installed"
    return (f"{library.short:9} {library.title} {pin.version} ({state}): {library.rows}; "
            f"{library.download_mb} MB to fetch, {library.kept_mb} MB kept; licence: "
            f"{library.licence}")


def _parser() -> Parser:
    parser = Parser(prog="gemmlab peers", description="Libraries of today for cpu_peers, beside "
                    "those of the system: shows what there is, with sizes and licences, asks, and "
                    "unpacks them from PyPI into build/peers.",
                    epilog="example: gemmlab peers --only openblas --yes")
    parser.add_argument("--yes", action="store_true",
                        help="install without asking; their licences are then accepted")
    parser.add_argument("--only", metavar="A,B", help="of "
                        f"{', '.join(one.short for one in LIBRARIES.values())} (default: all)")
    parser.add_argument("--wheels", type=Path, metavar="DIR",
                        help="take the wheels from this folder and not from PyPI")
    parser.add_argument("--remove", action="store_true", help="remove them instead")
    return parser


def _chosen(all_pins: list[Pin], only: str | None) -> list[Pin]:
    if only is None:
        return all_pins
    names = [name.strip() for name in only.split(",") if name.strip()]
    known = [pin.library.short for pin in all_pins]
    for name in names or [only]:
        if name not in known:
            raise InputError(f"--only: '{name}' is none of {', '.join(known)}")
    return [pin for pin in all_pins if pin.library.short in names]


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise InputError("nothing was installed: nobody can be asked here; --yes installs them and "
                         "accepts their licences")
    return input(
        f"Install {count} of them and accept the licences? [y/N] ").strip().lower() in ("y", "yes")


def main(arguments: list[str]) -> int:
    """0: all that was asked for is there (or gone), or the answer was no."""
    options = _parser().parse_args(arguments)
    machine, place = platform.machine(), folder()
    chosen = _chosen(pins(REQUIREMENTS.read_text()), options.only)
    if options.remove:
        for pin in chosen:
            remove(pin.name, place)
            print(f"{pin.library.title}: removed from {place}")
        return 0
    here = installed(place)
    print(*(offer(pin, here, machine) for pin in chosen), sep="\n")
    wanted = [pin for pin in chosen
              if pin.machine in (None, machine) and here.get(pin.name) != pin.version]
    if not wanted or not (options.yes or _agreed(len(wanted))):
        return 0
    try:
        place.mkdir(parents=True, exist_ok=True)
        for pin in wanted:
            with tempfile.TemporaryDirectory(dir=place) as fetched:
                unpack(_fetch(pin, options.wheels, Path(fetched)), pin.library, pin.name, place)
            _note(pin.name, pin.version, place)
            print(f"{pin.library.title} {pin.version}: installed in {place}")
    except OSError as error:
        raise InputError(f"{error.filename or place}: {error.strerror}") from error
    return 0
