"""Three machines or runs and more beside the first: of each its ratios to the first, and what they
come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from analysis.tables.tables import Cell, Notes, Row, Table, marked, tie_note, time_cell
from records.cases.experiment import Results
from records.cases.ratios import geometric_mean
from records.matching import order_of
from records.names.numbers import ratio_text
from records.schema.operations import shape_text
from records.view import View

from .compare import (
    Comparison,
    Labels,
    Pair,
    compare,
    lost_text,
    names_of,
    noise_text,
    pair_cell,
    unshared_texts,
)


@dataclass(frozen=True)
class Beside:
    """One machine or run beside the first."""

    name: str
    comparison: Comparison

    @property
    def pairs(self) -> dict[int, Pair]:
        """By the first's case."""
        return {id(pair.first): pair for pair in self.comparison.pairs}


@dataclass(frozen=True)
class Many:
    """All of them: `first` is what the ratios are to."""

    first: str
    others: tuple[Beside, ...]

    @property
    def warnings(self) -> list[str]:
        return list(dict.fromkeys(text for other in self.others
                                  for text in other.comparison.warnings))


def compare_all(first: Results, others: list[Results]) -> Many:
    """Sets each of the others beside the first; a ratio above 1: faster than the first."""
    names = names_of(first, *others)
    return Many(names[0], tuple(Beside(name, compare(first, other, (names[0], name)))
                                for name, other in zip(names[1:], others)))


def summary(many: Many) -> Table:
    """A row per machine, experiment and device: how many points are shared with the first, and how
    the machine did there."""
    columns = ("points", "geometric mean", "from", "to", "faster", "slower", "tie", "not resolved",
               "not confirmed")
    several = len(many.others) > 1
    other_is = "" if several else f" {many.others[0].name} is"
    caption = (f"How many times as fast as {many.first}{other_is}, over the shared points of an "
               "experiment on a device: above 1 it is faster. A difference is declared where its "
               "99 % interval and the noise floor lie wholly to one side, and confirmed where no "
               "other work ran.")
    table = Table("compare_summary", "By experiment", caption,
                  (*(["Machine"] if several else []), "Experiment", "Device"), columns)
    for other in many.others:
        for (experiment, device), pairs in by_experiment(other.comparison).items():
            values = [pair.ratio.value for pair in pairs]
            counts = Counter(pair.verdict for pair in pairs)
            mean = geometric_mean(values)
            ends = [Cell(ratio_text(value), value) for value in (mean, min(values), max(values))]
            heads = (*([other.name] if several else []), experiment, device.upper())
            table.rows.append(Row(heads, (Cell(f"{len(pairs):,}", len(pairs)), *ends, *(
                Cell(f"{counts[name]:,}", counts[name]) for name in columns[4:]))))
    return table


def by_experiment(comparison: Comparison) -> dict[tuple[str, str], list[Pair]]:
    """(experiment, device) -> its pairs, in the order of the table."""
    found: dict[tuple[str, str], list[Pair]] = {}
    for pair in comparison.pairs:
        found.setdefault((pair.first.experiment, pair.first.device), []).append(pair)
    return found


def title_of(many: Many) -> str:
    if len(many.others) == 1:
        return f"{many.others[0].name} against {many.first}"
    return f"{many.first} and {len(many.others)} others side by side"


def points_table(many: Many) -> Table:
    """Every point of the first that another shares: its time, and of each other its ratio to
    that."""
    names = [other.name for other in many.others]
    matches = {id(match.first): match.first for other in many.others
               for match in other.comparison.shared}
    cores = {id(match.first) for other in many.others for match in other.comparison.shared
             if match.cores}
    beside = [other.pairs for other in many.others]
    theirs = [{id(match.first): match.second for match in other.comparison.shared}
              for other in many.others]
    labels = Labels(matches.values())
    notes = Notes(View("", "compare", "", (), {}))
    floors = [match for other in many.others for match in other.comparison.shared]
    table = Table("compare", "Every shared point", f"The median time on {many.first}, and of each "
                  f"other how many times as fast it is: above 1 it is faster. Brackets hold 95 % "
                  "confidence intervals; a ratio's comes from those of the two medians, added in "
                  f"quadrature on the log scale. {tie_note()} {noise_text(floors)}",
                  ("Implementation", "Shape", "Experiment"), (many.first, *names))
    for key, case in sorted(matches.items(), key=lambda one: order_of(one[1])):
        cells = [marked(time_cell(case), notes, case) if case.shown else notes.dash(case)]
        for pairs, second in zip(beside, theirs):
            pair = pairs.get(key)
            cells.append(pair_cell(pair, notes) if pair else notes.dash(second.get(key))
                         if case.shown else Cell(""))
        name = labels.of(case, "all cores" if key in cores else "")
        table.rows.append(Row((name, shape_text(*case.shape), case.experiment), tuple(cells)))
    table.notes = notes.texts()
    return table


def told(many: Many) -> list[str]:
    """What the tables cannot show: points of one side alone, numbers that were lost, and what makes
    some doubtful."""
    texts = [f"Warning: {text}" for text in many.warnings]
    if len(many.others) == 1:
        return [*texts, *many.others[0].comparison.remarks]
    for other in many.others:
        names = many.first, other.name
        texts += (lost_text(names, other.comparison.shared)
                  + unshared_texts(names, *other.comparison.unshared))
        if not other.comparison.pairs:
            texts.append(f"No point has a number on both {many.first} and {other.name}.")
    return list(dict.fromkeys(texts))


@dataclass(frozen=True)
class Strip:
    """The ratios of one machine to the first: a row of the figure."""

    machine: str
    name: str  # of the row
    device: str
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return geometric_mean(list(self.values))


def strips(many: Many) -> list[Strip]:
    """Of one machine beside the first a row for each experiment and device, of several one for each
    device."""
    made = []
    for other in many.others:
        rows: dict[tuple[str, str], list[float]] = {}
        for (experiment, device), pairs in by_experiment(other.comparison).items():
            name = experiment if len(many.others) == 1 else other.name
            rows.setdefault((name, device), []).extend(pair.ratio.value for pair in pairs)
        made += [Strip(other.name, name, device, tuple(values))
                 for (name, device), values in sorted(rows.items())]
    return made
