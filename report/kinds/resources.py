"""Registers, spills, shared memory and occupancy of GPU kernels."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.tables import Cell, Row, Table, empty, listed
from language import say
from records.cases.case import Case
from records.cases.series import series_of
from records.names.numbers import DASH, plain
from records.schema.operations import shape_text
from records.view import View

_LIMIT = "occupancy_limit"
# Of a record: its name, how that is said, and how many are one of what is shown.
RESOURCES = (("registers", "registers per thread", 1), ("spill_bytes", "spilled bytes", 1),
             ("static_shared_bytes", "static shared KiB", 1024),
             ("dynamic_shared_bytes", "dynamic shared KiB", 1024),
             ("blocks_per_sm", "blocks per SM", 1), ("occupancy", "occupancy", None),
             (_LIMIT, "limited by", None))


def _resource(case: Case, name: str, unit: int | None) -> Cell:
    value = case.resources.get(name)
    if name == _LIMIT and isinstance(value, str):
        return Cell(say(", ").join(say("nothing" if part == "none" else part, context="limit")
                                   for part in value.split(" and ")))
    if not isinstance(value, (int, float)):
        return Cell(DASH)
    if unit is None:
        return Cell(f"{plain(100 * value, 0)} %", value, unit="1")
    shown = value / unit
    return Cell(f"{shown:,.0f}" if shown == round(shown) else plain(shown, 1), value,
                unit="byte" if "bytes" in name else "1")


def resources_table(view: View) -> Table:
    """What each GPU kernel occupies, at the largest shape at which it has a number."""
    found: list[tuple[str, Case]] = []
    without = []
    for series in series_of(case for case in view.shown if case.device == "gpu"):
        known = [case for case in series.cases if case.resources]
        if known:
            found.append((series.name, known[-1]))
        else:
            without.append(series.name)
    if not found:
        return empty(view, say("No point records what its kernel occupies (only the suite's own "
                               "GPU kernels do)."))
    # older records do not say what limits the occupancy
    columns = [(name, said, unit) for name, said, unit in RESOURCES
               if name != _LIMIT or any(_LIMIT in case.resources for _, case in found)]
    table = Table.of(view, say(
        "What one kernel occupies, as compiled and as the driver reports it, at the largest shape "
        "measured. A {dash}: not recorded.", dash=DASH), (say("Implementation"), say("Shape")),
                     tuple(say(said) for _, said, _ in columns),
                     [Row((label, shape_text(*case.shape)),
                          tuple(_resource(case, name, unit) for name, _, unit in columns))
                      for label, case in found])
    if without:
        table.notes.append(say("Not known of {names}.", names=listed(without)))
    return table


KIND = TableKind(
    title="what a kernel occupies",
    about="registers, spills, shared memory and occupancy of GPU kernels",
    table=resources_table,
    has=lambda case: case.device == "gpu",
    explains=True)
