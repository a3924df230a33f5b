"""The lines of results files, found and ordered without being kept: which of them a merged file
holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from files.reading import MOST_LINE_BYTES, InputError, lines_of, opened, parsed
from records.cases.hosts import Run, host_of, tell_apart
from records.schema.lines import KINDS, checked

_SHARD = re.compile(r"\.shard-\d+-of-\d+$")


class _Head(msgspec.Struct):
    """What of a line decides whether it stays. The samples, most of its bytes, are passed over."""

    kind: str | None = None
    run_id: str | None = None
    experiment: str | None = None
    case_id: str | None = None
    host_id: str | None = None
    twin_of: str | None = None


_HEAD = msgspec.json.Decoder(_Head)


@dataclass(frozen=True, slots=True)
class Line:
    """Where a line stands, and what it is about."""

    head: _Head
    path: Path
    place: int  # of its first byte
    size: int
    digest: bytes = b""  # of a line of no kind that we know


@dataclass
class Lines:
    """All lines of some files, by experiment."""

    of: dict[str, list[Line]] = field(default_factory=dict)
    runs: dict[tuple[str, str], Run] = field(default_factory=dict)  # by experiment and run_id
    sizes: dict[Path, int] = field(default_factory=dict)  # bytes read of each file
    warnings: list[str] = field(default_factory=list)

    def runs_of(self, experiment: str) -> list[Run]:
        return [run for (name, _), run in self.runs.items() if name == experiment]


def experiment_of(path: Path) -> str:
    """"quick" of quick.jsonl and of quick.shard-03-of-16.jsonl."""
    return _SHARD.sub("", path.stem)


def _head_of(text: bytes) -> tuple[_Head, dict[str, Any] | None]:
    """The head, and the whole record of a run. Raises ValueError where the line is no record."""
    if len(text) >= MOST_LINE_BYTES:
        raise ValueError("longer than any record")
    try:
        head = _HEAD.decode(text)
    except (ValueError, RecursionError):
        # not UTF-8, NaN, or another type than ours: what Python can read stays
        line = parsed(text)
        if not isinstance(line, dict):
            raise ValueError("not an object") from None
        return (_Head(*(line.get(name) if isinstance(line.get(name), str) else None
                        for name in _Head.__struct_fields__)),
                line if line.get("kind") == "run" else None)
    return head, parsed(text) if head.kind == "run" else None


def _sound(run: dict[str, Any], run_id: str) -> Run:
    """The run; of one that is not what records/schema/lines.py asks for, or newer, that its host is
    no other run's, so that nothing of it goes."""
    try:
        return checked(run)
    except ValueError:
        started = run.get("started_utc")
        return {"run_id": run_id, "started_utc": started if isinstance(started, str) else "",
                "host": {"id": f"of run {run_id}"}}


def read(files: Iterable[Path]) -> Lines:
    """The lines of all files. Raises InputError where none can be opened; of several the one that
    cannot is left out with a warning, as is a torn line, which is no record."""
    lines = Lines()
    for path in files:
        torn = 0
        try:
            source = opened(path)
        except InputError as error:
            lines.warnings.append(f"{error}; left out")
            continue
        with source:
            for start, text in lines_of(source):
                if text.isspace():
                    continue
                try:
                    head, run = _head_of(text)
                except (ValueError, RecursionError):
                    torn += 1
                    continue
                experiment = head.experiment or experiment_of(path)
                digest = b"" if head.kind in KINDS else sha256(text.strip()).digest()
                lines.of.setdefault(experiment,
                                    []).append(Line(head, path, start, len(text), digest))
                if run is not None:
                    lines.runs[experiment, str(head.run_id)] = _sound(run, str(head.run_id))
            lines.sizes[path] = source.tell()
        if torn:
            lines.warnings.append(f"{path}: left out {torn} line{'s' if torn > 1 else ''} that no "
                                  "program wrote to the end")
    if not lines.sizes and lines.warnings:
        raise InputError(lines.warnings[0].removesuffix("; left out"))
    tell_apart(lines.runs.values())
    return lines


def _started(run: Run | None, run_id: str) -> str:
    """When the run began; a run_id, which begins with that time, stands in for a run without a
    record."""
    return str((run or {}).get("started_utc") or run_id).replace("-", "").replace(":", "")


def kept(lines: Lines, experiment: str) -> list[Line]:
    """Of each point the last record of each host, and every run: run by run in the order of their
    beginning, within a run as they were written."""
    runs = {run_id: run for (name, run_id), run in lines.runs.items() if name == experiment}
    hosts = {run_id: host_of(run) for run_id, run in runs.items()}
    rank = {run_id: (_started(runs.get(run_id), run_id), run_id)
            for run_id in {line.head.run_id or "" for line in lines.of[experiment]}}
    last: dict[tuple, Line] = {}
    # stable: files as they were given
    for line in sorted(lines.of[experiment], key=lambda one: rank[one.head.run_id or ""]):
        head = line.head
        if head.kind == "case" and head.case_id:
            key: tuple = ("case", head.case_id, hosts.get(head.run_id or "", ""))
        elif head.kind == "counters" and head.case_id:
            key = ("counters", head.case_id, head.host_id)
        elif head.kind in ("run", "cost"):
            key = (head.kind, head.run_id)
        else:
            key = ("other", line.digest, head.case_id)  # whatever it is, it stays
        last.pop(key, None)
        last[key] = line
    return list(last.values())


def missing_text(lines: Lines, experiment: str) -> str:
    """What the shards of the experiment's latest definition lack until now; empty where nothing is
    known to be missing."""
    runs = sorted(lines.runs_of(experiment), key=lambda run: _started(run, str(run.get("run_id"))))
    cut = [run for run in runs if isinstance(run.get("shard"), dict)]
    if not cut or cut[-1].get("definition_sha256") != runs[-1].get("definition_sha256"):
        return ""
    definition, shard = cut[-1].get("definition_sha256"), cut[-1]["shard"]
    of_it = {str(run.get("run_id")) for run in runs if run.get("definition_sha256") == definition}
    there = {line.head.case_id for line in lines.of[experiment]
             if line.head.kind == "case" and line.head.run_id in of_it and not line.head.twin_of}
    if len(there) >= shard["points"]:
        return ""
    begun = {run["shard"]["index"] for run in cut if run["shard"]["count"] == shard["count"]}
    never = sorted(set(range(shard["count"])) - begun)
    return (f"{experiment}: {len(there)} of {shard['points']} points are there" + (
        f"; never begun of {shard['count']} shards: {', '.join(map(str, never))}" if never else ""))
