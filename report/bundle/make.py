"""Packs a bundle. The same records give the same bytes on the same system: names in order, dates from the records."""

from __future__ import annotations

import json
import tempfile
import zipfile
from datetime import datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from ..build import build
from ..language import using
from ..records import Results
from .layout import ABOUT, DEFINITIONS, FORMAT, RECORDS, REFERENCE, REPORT, SUMS, digest, makers_digest, sums_text

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a date in a zip


def _read(folder: Path, below: str) -> dict[str, bytes]:
    return {f"{below}/{path.relative_to(folder).as_posix()}": path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def _definitions(results: Results) -> dict[str, bytes]:
    """The definition of each experiment as its latest run recorded it, and its TOML file where that is still the same."""
    found: dict[str, bytes] = {}
    for experiment in results.experiments:
        text = json.dumps(experiment.definition, ensure_ascii=False, indent=2) + "\n"
        found[f"{DEFINITIONS}/{experiment.name}.json"] = text.encode()
        source = EXPERIMENTS / f"{experiment.name}.toml"
        if source.is_file() and digest(source.read_bytes()) == experiment.run.get("definition_sha256"):
            found[f"{DEFINITIONS}/{experiment.name}.toml"] = source.read_bytes()
    return found


def _records(results: Results, below: str) -> dict[str, bytes]:
    """The files of the experiments and what was measured beside them, in a folder of the same name: the report says it."""
    folder = results.folder.resolve().name
    paths = {*(experiment.source for experiment in results.experiments), *results.folder.glob("*.csv")}
    return {f"{below}/{folder}/{path.name}": path.read_bytes() for path in sorted(paths)}


def _about(results: Results, reference: Results | None, language: str) -> bytes:
    programs = {json.dumps(run.get("program"), sort_keys=True) for run in results.runs}
    about: dict[str, Any] = {
        "format": FORMAT, "language": language, "records": results.folder.resolve().name,
        "reference": reference.folder.resolve().name if reference else None,
        "experiments": [experiment.name for experiment in results.experiments],
        "programs": [json.loads(program) for program in sorted(programs)], "report_sources_sha256": makers_digest(),
        "python": dict(sorted((one.metadata["Name"].lower(), one.version) for one in distributions()))}
    return (json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode()


def _date(results: Results) -> tuple[int, ...]:
    """Of the latest run."""
    started = str(results.runs[-1].get("started_utc") or "") if results.runs else ""
    try:
        return max(datetime.fromisoformat(started.replace("Z", "+00:00")).timetuple()[:6], EARLIEST)
    except ValueError:
        return EARLIEST


def pack(results: Results, reference: Results | None, language: str, output: Path) -> tuple[int, list[str]]:
    """Builds the report and writes the zip; (files in it, which pages were left out and why)."""
    with tempfile.TemporaryDirectory() as folder, using(language):
        _, left_out = build(results, reference, Path(folder))
        files = _read(Path(folder), REPORT)
    files |= _records(results, RECORDS) | _definitions(results)
    if reference is not None:
        files |= _records(reference, REFERENCE)
    files[ABOUT] = _about(results, reference, language)
    files[SUMS] = sums_text(files).encode()
    output.parent.mkdir(parents=True, exist_ok=True)
    date = _date(results)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return len(files), left_out
