"""`python -m report.basis RESULTS`: each sentence with a number, and what it rests on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from commands.arguments import RESULTS, Parser, warn
from files.reading import InputError
from records.cases.case import Case
from records.loading import find_files, load
from records.names.numbers import counted, joined
from report.machine.machine_facts import dates

from .origins import Origins, quantities, shared_text
from .sentences import Told, told

MOST_HOSTS = 3
UNKNOWN = "of no point or pair that the sentence names: a mean, a span, a count, or wrong"


def _parser() -> Parser:
    parser = Parser(prog="python -m report.basis", description="Each sentence with a number that "
                    "README, report, PDF and course say of a folder of records: its points, host, "
                    "cache, load, inputs, whether rounds were shared, what was left out; and where "
                    "each of its numbers comes from.")
    parser.add_argument("results", type=Path, metavar="RESULTS",
                        help=RESULTS)
    parser.add_argument("--where", default="", help="only sentences of this place: headline, "
                        "summary, course or an experiment's name")
    return parser


def _values(cases: Sequence[Case], name: str) -> str:
    return joined(sorted({str(getattr(case, name)) for case in cases}))


def conditions(one: Told, started: dict[str, str]) -> str:
    """"24 points of hosts 944e1f55; cold cache; bursts; uniform inputs; each shares its rounds with
    others; 2026-11-24; …"."""
    shown = [case for case in one.cases if case.shown]
    hosts = sorted({case.host[:8] for case in shown})
    more = f" and {len(hosts) - MOST_HOSTS} more" if len(hosts) > MOST_HOSTS else ""
    load_text = joined(sorted({case.load or "burst" for case in shown}))
    days = joined(sorted({started.get(case.run_id, "")[:10] for case in shown} - {""}))
    loose = sum(case.unbound for case in shown)
    return "; ".join(filter(None, [
        f"{counted(len(shown), 'point')} of host {', '.join(hosts[:MOST_HOSTS])}{more}",
        f"cache {_values(shown, 'cache')}", f"load {load_text}",
        f"inputs {_values(shown, 'distribution')}",
        f"scope {_values(shown, 'scope')}", shared_text(shown),
        f"{loose} with threads not bound" if loose else "", days, one.left_out]))


def lines_of(one: Told, origins: Origins, started: dict[str, str]) -> Iterator[str]:
    yield f"{one.where}: {one.text}"
    yield f"    on {conditions(one, started)}"
    for quantity in quantities(one.text):
        found = origins.of(quantity, one.text)
        others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield f"    {quantity.text} {quantity.unit}: {found[0].text if found else UNKNOWN}{others}"


def main(arguments: list[str]) -> int:
    args = _parser().parse_args(arguments)
    try:
        results = load(args.results, find_files(args.results))
    except InputError as error:
        print(f"python -m report.basis: {error}", file=sys.stderr)
        return 1
    warn("basis", results.warnings)
    started = {str(run.get("run_id")): dates([run]) for run in results.runs}
    known: dict[tuple[Case, ...], Origins] = {}
    for one in told(results):
        if one.where.startswith(args.where):
            print("\n".join(lines_of(one,
                                     known.setdefault(one.cases, Origins(one.cases)), started)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
