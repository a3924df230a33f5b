"""Checks a bundle: its checksums, and all that its records yield against what is made anew from
them."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import plots
from commands.exits import named
from files.reading import InputError
from files.safe import is_file_name
from language import LANGUAGES, using
from records.loading import Results, find_files, load
from report.build import build
from report.handin.wishes import wishes_of_json

from .layout import ABOUT, FORMAT, RECORDS, REFERENCE, REPORT, SUMS, digest, sums_text
from .make import (
    Form,
    definitions,
    json_text,
    read_folder,
    said_by_maker,
    said_by_records,
    sources_run,
)
from .unpack import unpacked

PAGE = f"{REPORT}/report.pdf"
OF_SYSTEM = (".png", ".pdf")  # the same bytes on the same system only
OTHER_SYSTEM = ("it comes out otherwise on another system, and this one is not the one that it was "
                "made on")
AS_THEY_ARE = "the records are taken as they are: nothing here tells whether they were measured so"


@dataclass
class Verdict:
    """What a bundle was found to be. `changed` is what the checksums tell, `rederived` what the
    records tell; `unverified` is what neither can, with the reason."""

    files: int
    anew: list[str] = field(default_factory=list)  # made anew, and the same byte for byte
    changed: list[str] = field(default_factory=list)
    rederived: list[str] = field(default_factory=list)
    unverified: dict[str, str] = field(default_factory=dict)
    same_makers: bool = True

    @property
    def good(self) -> bool:
        return not self.changed and not self.rederived


def _about(path: Path, files: dict[str, bytes]) -> dict[str, Any]:
    if ABOUT not in files or SUMS not in files:
        raise InputError(f"{path}: not a bundle, there is no "
                         f"{ABOUT if ABOUT not in files else SUMS} in it")
    try:
        about = json.loads(files[ABOUT])
        known = about["format"], about["language"], about["records"], about.get("reference")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: {ABOUT} cannot be read ({error})") from error
    if known[0] != FORMAT:
        raise InputError(f"{path}: {ABOUT}: format is {known[0]!r}; this version reads {FORMAT}")
    if known[1] not in LANGUAGES:
        raise InputError(f"{path}: {ABOUT}: language is {known[1]!r}; allowed: "
                         f"{', '.join(LANGUAGES)}")
    for name in filter(None, known[2:]):
        if not isinstance(name, str) or not is_file_name(name):
            raise InputError(f"{path}: {ABOUT}: {name!r} is not the name of a folder of records")
    try:
        wishes_of_json(about.get("report", {}))
    except ValueError as error:
        raise InputError(f"{path}: {ABOUT}: {error}") from error
    return about


def _against_sums(files: dict[str, bytes]) -> list[str]:
    """What is not as SHA256SUMS says."""
    there = {name: data for name, data in files.items() if name != SUMS}
    if files[SUMS] == sums_text(there).encode():
        return []
    lines = files[SUMS].decode("utf-8", "replace").splitlines()
    said = {name: checksum
            for checksum, two_blanks, name in (line.partition("  ") for line in lines)
            if two_blanks}
    return ([*(f"{name}: missing" for name in sorted(said.keys() - there.keys())),
             *(f"{name}: not in {SUMS}" for name in sorted(there.keys() - said.keys())),
             *(f"{name}: changed since it was packed" for name in sorted(said.keys() & there.keys())
               if said[name] != digest(there[name]))]
            or [f"{SUMS}: not one line per file, in the order of their names"])


def _records(root: Path, files: dict[str, bytes], below: str,
             name: str | None) -> tuple[Results | None, list[str]]:
    """The records of that part, written out where they can be read, and the names of their files;
    none where there are none."""
    found = [entry for entry in files if name and entry.startswith(f"{below}/{name}/")
             and entry.count("/") == 2 and entry.endswith((".jsonl", ".csv"))]
    folder = root / below / str(name)
    for entry in found:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / Path(entry).name).write_bytes(files[entry])
    return (load(folder, find_files(folder)) if found else None), found


def _report(results: Results, reference: Results | None, form: Form, folder: Path,
            same_system: bool) -> dict[str, bytes]:
    """The report from the records alone; without PNG and PDF where this system draws them
    otherwise."""
    told = plots.formats_of(results, ())
    with using(form.language), plots.undrawn(
            () if same_system else tuple(one for one in told if f".{one}" in OF_SYSTEM)):
        build(results, reference, folder, set() if same_system else {"pdf"},
              form.wishes, asked=told)
    return read_folder(folder, REPORT)


class _Check:
    """The comparison of one bundle's files, each with what there is to hold against it."""

    def __init__(self, files: dict[str, bytes], about: dict[str, Any]) -> None:
        self.files, self.about = files, about
        self.form = Form(about["language"], wishes_of_json(about.get("report", {})))
        here = said_by_maker()
        self.same_makers = all(about.get(key) == here[key]
                               for key in ("report_sources_sha256", "python"))
        self.same_system = all(about.get(key) == value for key, value in here.items())
        self.verdict = Verdict(len(files), changed=_against_sums(files),
                               same_makers=self.same_makers)
        self.seen = {SUMS}

    def yields(self, name: str, data: bytes, what: str = "what the records yield") -> None:
        """The records yield `data` under that name."""
        self.seen.add(name)
        if name not in self.files:
            self.verdict.rederived.append(f"{name}: the records yield it, the bundle lacks it")
        elif self.files[name] != data:
            self.verdict.rederived.append(f"{name}: not {what}")
        else:
            self.verdict.anew.append(name)

    def cannot_tell(self, name: str, why: str) -> None:
        self.seen.add(name)
        self.verdict.unverified[name] = why

    def compare(self, root: Path) -> None:
        results, own = _records(root, self.files, RECORDS, self.about["records"])
        if results is None:
            raise InputError(f"the bundle holds no records under {RECORDS}/{self.about['records']}")
        reference, theirs = _records(root, self.files, REFERENCE, self.about.get("reference"))
        for name in own + theirs:
            self.cannot_tell(name, AS_THEY_ARE)
        for name, data in definitions(results).items():
            self.yields(name, data)
        for name, run in sources_run(results).items():
            if name in self.files:  # it is packed only where it is still what was run
                data = self.files[name]
                self.yields(name, data if digest(data) == run else b"",
                            "the file whose SHA-256 the records hold")
        self._about(results, reference)
        self._pages(results,
                    _report(results, reference, self.form, root / REPORT, self.same_system))
        self.verdict.rederived += [f"{name}: no record yields it"
                                   for name in sorted(self.files.keys() - self.seen)]

    def _about(self, results: Results, reference: Results | None) -> None:
        maker = {key: self.about.get(key) for key in said_by_maker()}
        self.yields(ABOUT, json_text(said_by_records(results, reference, self.form) | maker))
        if not self.same_system and ABOUT in self.verdict.anew:
            self.verdict.anew.remove(ABOUT)
            self.cannot_tell(ABOUT, f"it names another system than this one ({', '.join(maker)})")

    def _pages(self, results: Results, made: dict[str, bytes]) -> None:
        for name, data in sorted(made.items()):
            self.yields(name, data)
        if self.same_system:
            return
        # What is drawn otherwise here: one of each beside each figure that was made anew, and the
        # page on paper.
        suffixes = [f".{one}" for one in plots.formats_of(results, ()) if f".{one}" in OF_SYSTEM]
        drawn = {name.removesuffix(".svg") + suffix for name in made if name.endswith(".svg")
                 for suffix in suffixes}
        for name in sorted((drawn | {PAGE}) & self.files.keys()):
            self.cannot_tell(name, OTHER_SYSTEM)
        self.verdict.rederived += [f"{name}: the records yield it, the bundle lacks it"
                                   for name in sorted(drawn - self.files.keys())]


def check(path: Path) -> Verdict:
    """Raises InputError where the file is not a bundle or its records cannot be read."""
    files = unpacked(path)
    checked = _Check(files, _about(path, files))
    with tempfile.TemporaryDirectory() as folder, named(Path(folder)):
        checked.compare(Path(folder))
    return checked.verdict
