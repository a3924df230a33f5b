"""`gemmlab doctor`: the findings as text or JSON."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from pathlib import Path

from commands.arguments import Parser, warn
from commands.program import built_program, program_path
from records.loading import Results, find_files, load
from records.names.numbers import counted
from records.reference import OWN_RESULTS
from report.machine.stale import judge

from . import PROBLEM, Finding, findings, machine_findings, merged
from .machine import this_machine

WIDTH = 100


def _parser() -> Parser:
    parser = Parser(prog="gemmlab doctor", description="What is wrong with records, or with this "
                    "machine, and what to do about it. Exits with 1 where there is a problem.",
                    epilog="example: gemmlab doctor data/results/my-machine")
    parser.add_argument("results", nargs="?", type=Path, metavar="RESULTS",
                        help="a folder of .jsonl files, or such a file (default: this machine, and "
                        "its records under data/results where there are any)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _load(path: Path) -> Results:
    results = load(path, find_files(path))
    warn("doctor", results.warnings)
    judge(results, built_program())
    return results


def _subject(results: Results) -> str:
    cases = sum(len(experiment.cases) for experiment in results.experiments)
    return (f"{counted(cases, 'point')} of {counted(len(results.experiments), 'experiment')} in "
            f"{results.folder}")


def _looked_at(path: Path | None) -> tuple[list[str], list[Finding]]:
    """(what was looked at, what was found)."""
    if path is not None:
        results = _load(path)
        return [_subject(results)], findings(results)
    machine = this_machine(program_path())
    found, subjects = machine_findings(machine), ["this machine"]
    folder = OWN_RESULTS / str(machine.info.get("machine") or "-")
    if folder.is_dir() and any(folder.glob("*.jsonl")):
        results = _load(folder)
        found += findings(results)
        subjects.append(_subject(results))
    return subjects, merged(found)


def _paragraph(text: str, indent: str) -> str:
    """Filled; what follows a line's end is a command, and stays on one line."""
    first, *commands = text.split("\n")
    filled = textwrap.fill(first, WIDTH, initial_indent=indent, subsequent_indent="  ",
                           break_long_words=False, break_on_hyphens=False)
    return "\n".join([filled, *(f"    {command}" for command in commands)])


def text_of(subjects: list[str], found: list[Finding]) -> str:
    """The findings as a reader wants them; problems first."""
    problems = sum(finding.severity == PROBLEM for finding in found)
    counts = (f"{counted(problems, 'problem')}, {counted(len(found) - problems, 'note')}" if found
              else "nothing wrong was found")
    lines = [f"Looked at {' and '.join(subjects)}: {counts}."]
    for finding in found:
        where = f" ({finding.experiment})" if finding.experiment else ""
        lines += ["", f"{finding.severity}  {finding.rule}{where}", _paragraph(finding.text, "  "),
                  _paragraph(f"What to do: {finding.advice}", "  ")]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """0 no problem, 1 problems. Raises InputError where there is nothing to look at."""
    options = _parser().parse_args(arguments)
    subjects, found = _looked_at(options.results)
    problems = sum(finding.severity == PROBLEM for finding in found)
    if options.json:
        print(json.dumps({"looked_at": subjects, "problems": problems,
                          "notes": len(found) - problems,
                          "findings": [asdict(finding) for finding in found]},
                         ensure_ascii=False, indent=2))
    else:
        print(text_of(subjects, found))
    return 1 if problems else 0
