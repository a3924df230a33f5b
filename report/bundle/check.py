"""Checks a bundle: its checksums, and its report against one made anew from the records in it."""

from __future__ import annotations

import json
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from ..build import build
from ..language import LANGUAGES, using
from ..records import InputError, Results, find_files, load
from .layout import ABOUT, FORMAT, RECORDS, REFERENCE, REPORT, SUMS, digest, makers_digest

MOST_BYTES = 1 << 30  # of what a zip may unpack to
FORMS = ("html", "md", "tex")  # made anew and compared; a PDF is the same on the same system only


@dataclass
class Verdict:
    """What a bundle was found to be. `changed` is what the checksums tell, `rederived` what the records tell."""

    files: int = 0
    tables: int = 0
    changed: list[str] = field(default_factory=list)
    rederived: list[str] = field(default_factory=list)
    same_makers: bool = True

    @property
    def good(self) -> bool:
        return not self.changed and not self.rederived


def _unpacked(path: Path) -> dict[str, bytes]:
    """name -> content. Raises InputError for what is no zip, or one that would write outside its folder or fill the disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            size = sum(entry.file_size for entry in entries)
            if size > MOST_BYTES:
                raise InputError(f"{path}: it unpacks to {size:,} bytes; a bundle has at most {MOST_BYTES:,}")
            for entry in entries:
                if entry.filename.startswith("/") or ".." in Path(entry.filename).parts:
                    raise InputError(f"{path}: the name {entry.filename!r} leads out of the bundle")
            return {entry.filename: archive.read(entry) for entry in entries}
    except (zipfile.BadZipFile, zipfile.zlib.error, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{path}: not a whole zip ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def _about(path: Path, files: dict[str, bytes]) -> dict[str, Any]:
    if ABOUT not in files or SUMS not in files:
        raise InputError(f"{path}: not a bundle, there is no {ABOUT if ABOUT not in files else SUMS} in it")
    try:
        about = json.loads(files[ABOUT])
        known = about["format"], about["language"], str(about["records"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: {ABOUT} cannot be read ({error})") from error
    if known[0] != FORMAT:
        raise InputError(f"{path}: {ABOUT}: format is {known[0]!r}; this version reads {FORMAT}")
    if known[1] not in LANGUAGES:
        raise InputError(f"{path}: {ABOUT}: language is {known[1]!r}; allowed: {', '.join(LANGUAGES)}")
    return about


def _against_sums(files: dict[str, bytes]) -> list[str]:
    """What is not as SHA256SUMS says."""
    said = dict(reversed(line.split("  ", 1)) for line in files[SUMS].decode("utf-8", "replace").splitlines() if "  " in line)
    there = {name: digest(data) for name, data in files.items() if name != SUMS}
    return [*(f"{name}: missing" for name in sorted(said.keys() - there.keys())),
            *(f"{name}: not in {SUMS}" for name in sorted(there.keys() - said.keys())),
            *(f"{name}: changed since it was packed" for name in sorted(said.keys() & there.keys())
              if said[name] != there[name])]


def _records(root: Path, files: dict[str, bytes], below: str, name: str) -> Results | None:
    """The records of that part, written out where they can be read; None where there are none."""
    folder = root / below / Path(name).name
    for entry, data in files.items():
        if entry.startswith(f"{below}/{name}/"):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / Path(entry).name).write_bytes(data)
    return load(folder, find_files(folder)) if folder.is_dir() else None


def _made_anew(files: dict[str, bytes], about: dict[str, Any]) -> dict[str, bytes]:
    """The report's tables, figures and pages from the records alone."""
    with tempfile.TemporaryDirectory() as folder, mock.patch("report.pages.FORMS", FORMS), \
            mock.patch("plots.FORMATS", ("svg",)), using(about["language"]):
        root = Path(folder)
        results = _records(root, files, RECORDS, str(about["records"]))
        if results is None:
            raise InputError(f"the bundle holds no records under {RECORDS}/{about['records']}")
        reference = _records(root, files, REFERENCE, str(about["reference"])) if about.get("reference") else None
        build(results, reference, root / REPORT)
        return {f"{REPORT}/{path.relative_to(root / REPORT).as_posix()}": path.read_bytes()
                for path in sorted((root / REPORT).rglob("*")) if path.is_file()}


def check(path: Path) -> Verdict:
    """Raises InputError where the file is no bundle or its records cannot be read."""
    files = _unpacked(path)
    about = _about(path, files)
    made = _made_anew(files, about)
    tables = f"{REPORT}/tables/"
    verdict = Verdict(len(files) - 1, sum(name.startswith(tables) for name in made), _against_sums(files),
                      same_makers=about.get("report_sources_sha256") == makers_digest())
    for name, data in sorted(made.items()):
        if name not in files:
            verdict.rederived.append(f"{name}: the records yield it, the bundle lacks it")
        elif files[name] != data:
            verdict.rederived.append(f"{name}: not what the records yield")
    verdict.rederived += [f"{name}: no record yields it" for name in sorted(files)
                          if name.startswith(tables) and name not in made]
    return verdict
