"""What PNG and PDF files depend on besides the records and the report's sources: where it is the
same, so are they."""

from __future__ import annotations

import ctypes
import platform
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from .layout import digest

# What sets the letters of a PDF: library, function, and how its answer is to be read.
_LIBRARIES = (("libpango-1.0.so.0", "pango_version_string", ctypes.c_char_p),
              ("libharfbuzz.so.0", "hb_version_string", ctypes.c_char_p),
              ("libfontconfig.so.1", "FcGetVersion", ctypes.c_int))


def _version(library: str, function: str, answer: Any) -> str | None:
    try:
        asked = getattr(ctypes.CDLL(library), function)
    except (OSError, AttributeError):
        return None
    asked.restype = answer
    version = asked()
    return version.decode("ascii", "replace") if isinstance(version, bytes) else str(version)


def _fonts() -> str:
    """Of the names and sizes of all fonts."""
    from matplotlib.font_manager import findSystemFonts

    found = sorted((path.name, path.stat().st_size) for path in map(Path, findSystemFonts())
                   if path.is_file())
    return digest(repr(found).encode())


@cache
def python_versions() -> dict[str, str]:
    return dict(sorted((one.metadata["Name"].lower(), one.version) for one in distributions()))


@cache
def system_facts() -> dict[str, str | None]:
    return {"machine": platform.machine(), "python": platform.python_version(),
            **{library: _version(library, function, answer)
               for library, function, answer in _LIBRARIES}, "fonts_sha256": _fonts()}
