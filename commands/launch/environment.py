"""The Python that has the packages of requirements.txt: .venv, or whichever has them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence

from files.tree import ROOT

from . import apt, messages
from .messages import STATE, Refused, asked, fingerprint, goes_well, must, tell

VENV = ROOT / ".venv"
PYTHON = VENV / "bin/python"
_MARK = VENV / ".gemmlab"  # what commands/packages.py writes into it: DAMAGED
_REQUIREMENTS = ROOT / "requirements.txt"
_BUILD_TOOLS = ROOT / "requirements-build.txt"
_INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
_HAS_PACKAGES = """import sys, importlib.util as u
sys.exit(not all(map(u.find_spec, ("matplotlib", "jinja2", "orjson", "msgspec", "babel"))))"""


def _mark() -> str:
    """What .venv was made for. The path of the real interpreter (…/python3.11) tells which."""
    return f"{fingerprint(_REQUIREMENTS)} {os.path.realpath(PYTHON)}"


def is_ready() -> bool:
    return os.access(PYTHON, os.X_OK) and messages.read(_MARK) == _mark()


def prepare() -> None:
    """Makes .venv, or brings it up to date."""
    if is_ready():
        return
    messages.refuse_unwritable(VENV)
    _see_to_pip()
    tell("fetching the Python packages of requirements.txt")
    _fetch()
    _MARK.write_text(f"{_mark()}\n", encoding="utf-8")


def see_to_cmake() -> None:
    """Where CMake is not here or too old, or Ninja is not here, PyPI's go into .venv, which is
    first on PATH from then on."""
    if not _lacking_to_build():
        return
    os.environ["PATH"] = f"{VENV / 'bin'}:{os.environ.get('PATH', '')}"
    if not (lacking := _lacking_to_build()):
        return
    messages.refuse_unwritable(VENV)
    _see_to_pip()
    tell(f"{lacking}: fetching CMake and Ninja from PyPI")
    must("cmake", PYTHON, *_INSTALL, "--require-hashes", "-r", _BUILD_TOOLS)


def _lacking_to_build() -> str:
    found = re.search(r"version ([\d.]+)", asked("cmake", "--version").stdout)
    if not found:
        return "there is no CMake"
    least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)",
                      messages.read(ROOT / "CMakeLists.txt"))
    if least and _numbers(found[1]) < _numbers(least[1]):
        return f"CMake is {found[1]}, and {least[1]} or later is needed"
    return "" if shutil.which("ninja") else "there is no Ninja"


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".") if number]


def _see_to_pip() -> None:
    """That of .venv, which is made where it is not there."""
    if messages.read(_MARK) != "damaged" and not asked(PYTHON, "-c", "import pip").returncode:
        return
    tell("making .venv")
    if not _make():
        apt.install(apt.VENV)
        if not _make():
            raise Refused("no Python 3.11 or later that can make a virtual environment "
                          "(Debian, Ubuntu: apt install python3-venv)")


def _make() -> bool:
    """A Python of a system's other archive, as Colab's, has pip but no ensurepip."""
    if base := _python_with("ensurepip"):
        must("venv", base, "-m", "venv", "--clear", VENV)
    elif base := _python_with("pip"):
        must("venv", base, "-m", "venv", "--clear", "--without-pip", VENV)
        must("venv-pip", base, "-m", "pip", "--python", PYTHON, *_INSTALL[2:], "pip")
    return bool(base)


def _python_with(module: str) -> str:
    """One that has venv and this: the system's rather than whatever comes first on PATH."""
    test = f"import sys, venv, {module}; sys.exit(sys.version_info < (3, 11))"
    return _first(("/usr/bin/python3", "python3", sys.executable), test)


def _first(pythons: Sequence[str], test: str) -> str:
    """The first that passes it, or nothing."""
    return next((one for one in pythons if asked(one, "-c", test).returncode == 0), "")


def _fetch() -> None:
    """By uv where it is on PATH or comes from where pip fetches from, in a tenth of pip's time; by
    pip where uv cannot, which reads other settings of mirrors and certificates. Every file is held
    to its hash."""
    of_uv, hashed = STATE / "uv.txt", ("--require-hashes", "-r")
    text = _REQUIREMENTS.read_text(encoding="utf-8")
    found = re.search(r"^uv==(.*\\\n)*.*\n", text, re.MULTILINE)
    of_uv.write_text(found[0] if found else "", encoding="utf-8")
    uv = shutil.which("uv") or ""
    if not uv and goes_well("uv", PYTHON, *_INSTALL, *hashed, of_uv):
        uv = str(PYTHON.with_name("uv"))
    if not uv or not goes_well("uv", uv, "pip", "install", "--quiet", "--python", PYTHON, *hashed,
                               _REQUIREMENTS, more=True):
        must("pip", PYTHON, *_INSTALL, *hashed, _REQUIREMENTS)


def find() -> str:
    """Where nothing may be installed: whatever Python has the packages, or nothing."""
    return _first((str(PYTHON), "python3"), _HAS_PACKAGES)
