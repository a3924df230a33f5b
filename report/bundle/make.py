"""Packs a bundle. The same records give the same bytes on the same system: names in order, dates
from the records."""

from __future__ import annotations

import ctypes
import json
import platform
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from commands.exits import named
from files.output import new_file
from files.reading import InputError, opened
from files.safe import is_file_name, record_name
from language import using
from records.loading import Results
from records.reference import EXPERIMENTS
from report.build import build
from report.handin.wishes import Wishes

from .layout import (
    ABOUT,
    DEFINITIONS,
    FORMAT,
    RECORDS,
    REFERENCE,
    REPORT,
    SUMS,
    digest,
    makers_digest,
    sums_text,
)

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


Date = tuple[int, int, int, int, int, int]  # year, month, day, hour, minute, second
EARLIEST: Date = (1980, 1, 1, 0, 0, 0)  # of a date in a zip
LATEST: Date = (2107, 12, 31, 23, 59, 58)


def read_folder(folder: Path, below: str) -> dict[str, bytes]:
    return {f"{below}/{path.relative_to(folder).as_posix()}": path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def json_text(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")


def definitions(results: Results) -> dict[str, bytes]:
    """The definition of each experiment as its latest run recorded it."""
    return {f"{DEFINITIONS}/{record_name(experiment.name)}.json": json_text(experiment.definition)
            for experiment in results.experiments}


def sources_run(results: Results) -> dict[str, str]:
    """Name in the bundle -> SHA-256 of the TOML file that the latest run read."""
    return {f"{DEFINITIONS}/{record_name(experiment.name)}.toml": str(
        experiment.run.get("definition_sha256")) for experiment in results.experiments}


def _sources(results: Results) -> dict[str, bytes]:
    """The TOML files that are still what was run."""
    found = {}
    for name, run in sources_run(results).items():
        source = EXPERIMENTS / Path(name).name
        if source.is_file() and digest(source.read_bytes()) == run:
            found[name] = source.read_bytes()
    return found


def _records(folder: Path, files: Iterable[Path], below: str) -> dict[str, bytes]:
    """The files of records and what was measured beside them, in a folder of the same name: the
    report says it."""
    found = {}
    for path in sorted({*files, *folder.glob("*.csv")}):
        with opened(path) as file:
            found[f"{below}/{folder.resolve().name}/{path.name}"] = file.read()
    for name in found:
        if not all(is_file_name(part) for part in name.split("/")):
            raise InputError(f"{name.partition('/')[2]}: this name cannot be unpacked on every "
                             "system; rename it")
    return found


@dataclass(frozen=True)
class Form:
    """The form that the report was asked for in."""

    language: str
    wishes: Wishes


def said_by_records(results: Results, reference: Results | None, form: Form) -> dict[str, Any]:
    """What bundle.json says that follows from the records and from what was asked for."""
    programs = {json.dumps(run.get("program"), sort_keys=True) for run in results.runs}
    return {"format": FORMAT, "language": form.language,
            "report": form.wishes.as_json(), "records": results.folder.resolve().name,
            "reference": reference.folder.resolve().name if reference else None,
            "experiments": [experiment.name for experiment in results.experiments],
            "programs": [json.loads(program) for program in sorted(programs)]}


def said_by_maker() -> dict[str, Any]:
    """What bundle.json says of the system that it was made on."""
    return {"report_sources_sha256": makers_digest(), "python": python_versions(),
            "system": system_facts()}


def _date(results: Results) -> Date:
    """Of the latest run."""
    started = str(results.runs[-1].get("started_utc") or "") if results.runs else ""
    try:
        when = datetime.fromisoformat(started.replace("Z", "+00:00"))
    except ValueError:
        return EARLIEST
    return min(max((when.year, when.month, when.day, when.hour, when.minute, when.second),
                   EARLIEST), LATEST)


def _write(output: Path, files: dict[str, bytes], date: Date) -> None:
    """All of the zip or nothing: an earlier zip stays until then."""
    with new_file(output) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED,
                                                   compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)


def pack(results: Results, files: Iterable[Path], reference: Results | None, form: Form,
         output: Path) -> tuple[int, list[str]]:
    """Builds the report from the records that were read from `files`, and writes the zip; (files in
    it, which pages were left out and why)."""
    packed = _records(results.folder, files, RECORDS)
    if reference is not None:
        packed |= _records(reference.folder, [one.source for one in reference.experiments
                                              if one.source.is_file()], REFERENCE)
    with tempfile.TemporaryDirectory() as folder, using(form.language), named(Path(folder)):
        _, left_out = build(results, reference, Path(folder), wishes=form.wishes)
        packed |= read_folder(Path(folder), REPORT)
    packed |= definitions(results) | _sources(results)
    packed[ABOUT] = json_text(said_by_records(results, reference, form) | said_by_maker())
    packed[SUMS] = sums_text(packed).encode()
    _write(output, packed, _date(results))
    return len(packed), left_out
