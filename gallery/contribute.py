"""`gemmlab contribute`: records for the gallery of others, looked through and packed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commands import progress
from commands.arguments import RESULTS, Parser
from files.reading import opened
from files.safe import shown
from records.loading import Results
from records.names.numbers import counted
from records.reference import EXPERIMENTS
from report.bundle.command import asked
from report.doctor import NOTE, PROBLEM, findings

# Rules of the doctor by which numbers are not what they are called. What else it finds goes along,
# and stands in the report.
GRAVE = ("wrong-shapes", "mixed-hosts", "not-optimised", "sanitizers", "dirty-sources")
_HOME = re.compile(r"/(?:home|Users)/[^/\s\"']+")
_ADDRESS = re.compile(r"https?://|[\w.+-]+@[\w-]+\.[\w.]+")
MOST_NAMED = 20


def _parser() -> Parser:
    parser = Parser(prog="gemmlab contribute", description="Looks through the records of a "
                    "machine and packs them, with their report, as a zip to send: no damaged line, "
                    "no changed sources, nobody's name or folder. Exits with 1, and packs nothing, "
                    "where something stands against it.",
                    epilog="example: gemmlab contribute data/results/my-machine")
    parser.add_argument("results", type=Path, metavar="RESULTS", help=RESULTS)
    parser.add_argument("--output", type=Path, metavar="FILE.zip",
                        help="the zip (default: <folder>.zip here)")
    return parser


def _strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """(key, text) of all texts of a record: "host.cpu"."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, key)


def _record(line: str) -> Any:
    """Nothing of a damaged line, which whoever reads the records tells of."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def personal(files: list[Path]) -> list[str]:
    """"x.jsonl:1: arguments: '/home/alice' is somebody's folder": the first of each file and
    key."""
    found: dict[tuple[str, str], str] = {}
    for path in files:
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                whole = line.decode(errors="replace")
                if not _HOME.search(whole) and not _ADDRESS.search(whole):
                    continue
                for key, text in _strings(_record(whole)):
                    for pattern, what in ((_HOME, "somebody's folder"), (_ADDRESS, "an address")):
                        if match := pattern.search(text):
                            found.setdefault((path.name, key), f"{path.name}:{number}: {key}: "
                                             f"'{shown(match[0])}' is {what}")
    return list(found.values())


def unknown(results: Results) -> list[str]:
    """Experiments whose definition this tree does not have: their titles are anybody's text."""
    known = {path.stem for path in EXPERIMENTS.glob("*.toml")}
    return [f"{one.name}: no experiment of this tree; leave {one.name}.jsonl out"
            for one in results.experiments if one.name not in known]


def without_commit(results: Results) -> list[str]:
    runs = [str(run.get("run_id")) for run in results.runs
            if not (run.get("program") or {}).get("commit")]
    return [f"{counted(len(runs), 'run')} by a program of no commit, first {runs[0]}: measure "
            "from a clone"] if runs else []


def main(arguments: list[str]) -> int:
    """0 packed, 1 something stands against it. Raises InputError where there are no records."""
    options = _parser().parse_args(arguments)
    files, results, output = asked(options.results, options.output, "contribute")
    with progress.shown("gemmlab contribute"):
        found = findings(results)
    against = [*results.warnings, *unknown(results), *without_commit(results), *personal(files),
               *(f"{one.rule} ({one.experiment}): {one.text}" for one in found
                 if one.rule in GRAVE)]
    for line in against[:MOST_NAMED]:
        print(f"gemmlab contribute: {line}", file=sys.stderr)
    if against:
        more = len(against) - MOST_NAMED
        print("gemmlab contribute: " + (f"and {more} more; " if more > 0 else "") +
              "nothing was packed", file=sys.stderr)
        return 1
    from report.bundle.make import Form, pack
    from report.handin.wishes import Wishes

    with progress.shown("gemmlab contribute"):
        count, _ = pack(results, files, None, Form("en", Wishes()), output)
    problems, notes = (sum(one.severity == what for one in found) for what in (PROBLEM, NOTE))
    print(f"Contribution: {output} ({counted(count, 'file')}, {output.stat().st_size / 1e6:.1f} "
          f"MB). The doctor's {counted(problems, 'problem')} and {counted(notes, 'note')} go "
          "along in its report; CONTRIBUTING.md says where to send it.")
    return 0
