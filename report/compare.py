"""Two machines or two runs side by side: medians of both, and their ratio, for every point that both measured."""

from __future__ import annotations

import json
from pathlib import Path

from .numbers import counted, plain, shape_text
from .ratios import geometric_mean, unpaired
from .records import Case, Results
from .tables import MOST_NAMES, Cell, Notes, Row, Table, time_cell
from .parameter_tables import ratio_cell
from .series import natural
from .view import View, machine_name

Key = tuple[str, str, str, tuple[int, int, int], str, str, str, int]


def _keyed(results: Results) -> dict[Key, Case]:
    """Cases by what they measure; the same point under several labels is numbered in the order of the labels."""
    found: dict[Key, Case] = {}
    for experiment in results.experiments:
        for case in sorted(experiment.cases, key=lambda case: (case.label, case.case_id)):
            point = (experiment.name, case.implementation, json.dumps(case.parameters, sort_keys=True), case.shape,
                     case.scope, case.cache, case.distribution)
            number = 0
            while (*point, number) in found:
                number += 1
            found[(*point, number)] = case
    return found


def _order(case: Case) -> tuple:
    parameters = tuple((name, natural(value)) for name, value in sorted(case.parameters.items()))
    return case.experiment, case.device, case.implementation, parameters, case.m * case.n * case.k, case.shape, \
        case.scope, case.cache, case.label


def names_of(first: Results, second: Results) -> tuple[str, str]:
    """What to call the two: the machines, or their folders or files where the machines have one name."""
    names = [machine_name(results.runs[-1]) if results.runs else results.folder.name for results in (first, second)]
    if names[0] == names[1]:
        names = [results.folder.name for results in (first, second)]
    return (names[0], names[1]) if names[0] != names[1] else (f"{names[0]} (first)", f"{names[1]} (second)")


def _label(case: Case, scopes: bool) -> str:
    return f"{case.label} ({case.scope}, {case.cache})" if scopes else case.label


def compare(first: Results, second: Results) -> tuple[Table, list[str]]:
    """The table of shared points and the sentences that sum it up; above 1 the second is faster."""
    mine, theirs = _keyed(first), _keyed(second)
    shared = sorted((key for key in mine if key in theirs), key=lambda key: (_order(mine[key]), key[-1]))
    names = names_of(first, second)
    scopes = len({(case.scope, case.cache) for case in mine.values()}) > 1
    notes = Notes(View("", "compare", "", (), {}))
    table = Table("compare", f"{names[0]} against {names[1]}",
                  f"Median times; the ratio is the time of {names[0]} over that of {names[1]}: above 1 the latter is "
                  "faster. Brackets hold the 95 % confidence interval of a median; a ratio's brackets are what the two "
                  "allow (wider than 95 %), and one that holds 1, or has none, is a tie.",
                  ("Experiment", "Implementation", "Shape"), (*names, "ratio"))
    ratios = []
    for key in shared:
        pair = mine[key], theirs[key]
        ratio = unpaired(*pair) if all(case.shown for case in pair) else None
        ratios += [ratio] if ratio else []
        cells = tuple(time_cell(case) if case.shown else notes.dash(case) for case in pair)
        heads = (key[0], _label(pair[0], scopes), shape_text(*pair[0].shape))
        table.rows.append(Row(heads, (*cells, ratio_cell(ratio) if ratio else Cell("–"))))
    table.notes = notes.texts()
    return table, [*_verdict(names, ratios), *_unshared(names, mine, theirs)]


def _verdict(names: tuple[str, str], ratios: list) -> list[str]:
    if not ratios:
        return ["No point has a number that may be shown on both sides, so nothing can be compared."]
    faster = [ratio for ratio in ratios if not ratio.tie and ratio.value > 1]
    slower = [ratio for ratio in ratios if not ratio.tie and ratio.value < 1]
    ties = len(ratios) - len(faster) - len(slower)
    text = f"Of {counted(len(ratios), 'shared point')}, {names[1]} is faster at {len(faster):,}, slower at " \
           f"{len(slower):,}, and {ties:,} tie{'s' if ties == 1 else ''}."
    values = sorted(ratio.value for ratio in ratios)
    spread = f", from {plain(values[0])} to {plain(values[-1])}" if len(values) > 1 else ""
    return [text, f"The geometric mean of the ratios is {plain(geometric_mean(values))}{spread}."]


def _unshared(names: tuple[str, str], mine: dict[Key, Case], theirs: dict[Key, Case]) -> list[str]:
    found = []
    for name, own, other in ((names[0], mine, theirs), (names[1], theirs, mine)):
        only = [case for key, case in own.items() if key not in other]
        if only:
            labels = sorted({case.label for case in only})
            more = [f"{len(labels) - MOST_NAMES} more"] if len(labels) > MOST_NAMES else []
            listed = "; ".join([*labels[:MOST_NAMES], *more])
            found.append(f"{counted(len(only), 'point')} only on {name}: {listed}.")
    return found


def markdown_page(table: Table, sentences: list[str], folder: Path | None = None) -> str:
    """What `gemmlab compare` prints; with a folder also compare.md, .csv and .tex in it."""
    from .table_text import markdown, write

    page = f"# {table.title}\n\n" + "".join(f"- {text}\n" for text in sentences) + "\n" + markdown(table)
    if folder is not None:
        write(table, folder, "compare")
        (folder / "compare.md").write_text(page, encoding="utf-8", newline="\n")
    return page
