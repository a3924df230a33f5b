"""How fast a submission is: sentences, tables and the figure's data."""

from __future__ import annotations

from analysis.tables.tables import Cell, Row, Table, time_cell
from records.names.numbers import DASH, counted, ends_of, joined, percent, with_interval
from submissions.verdicts import library_times, like
from submissions.verdicts.verdict import ORDER, REDUCED, Shape, Timing, Verdict, shape_of

from .chart import Bar, Chart, Panel

CAPTION = ("Median over calls in interleaved rounds, so that drift hits all alike; brackets: 95 % "
           "interval. Shares of the library are its time over this one, round by round. One number "
           "alone as a shape: M = N = K.")


def name_of(timing: Timing) -> str:
    """As the page calls it."""
    if timing.role == "submission":
        return "this submission"
    return (f"{timing.implementation} (library)" if timing.role == "library"
            else timing.implementation)


def shapes_of(verdict: Verdict) -> list[Shape]:
    """In the rule's order."""
    return list(dict.fromkeys(timing.shape for timing in verdict.timings))


def gflops_cell(timing: Timing) -> Cell:
    low, high = ends_of(timing.gflop_ci95)
    return Cell(with_interval(timing.gflop_per_s, low, high), timing.gflop_per_s, low,
                high, "GFLOP/s")


def library_text(timing: Timing) -> str:
    """"42 % [41 %, 43 %]"; empty where there is no library, or it is the library itself."""
    if timing.of_library is None:
        return ""
    ends = timing.of_library_ci95
    return percent(timing.of_library) + (f" [{percent(ends[0])}, {percent(ends[1])}]"
                                         if ends else "")


def library_cell(timing: Timing) -> Cell:
    return Cell(library_text(timing) or DASH, timing.of_library, *ends_of(timing.of_library_ci95))


def ceiling_text(timing: Timing) -> str:
    """"31 % (compute)"; empty where no ceiling is known."""
    if timing.of_ceiling is None:
        return ""
    return percent(timing.of_ceiling) + (f" ({timing.bound_by})" if timing.bound_by else "")


def _places(verdict: Verdict) -> dict[Shape, dict]:
    return {shape: place for place in verdict.items("place")
            if (shape := shape_of(place.get("shape"))) is not None and place.get("rank")
            and place.get("of")}


class _Reasons:
    """Numbered notes: why a time is missing."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def dash(self, timing: Timing) -> Cell:
        text = f"Not timed: {timing.skipped or 'no time was measured'}."
        if text not in self.texts:
            self.texts.append(text)
        return Cell(DASH, note=self.texts.index(text) + 1)


def own_table(verdict: Verdict) -> Table:
    """One row per shape: the submission's own speed."""
    places, reasons, rows = _places(verdict), _Reasons(), []
    for timing in verdict.own:
        if not timing.measured:
            rows.append(Row((timing.shape.short,), (reasons.dash(timing), *[Cell(DASH)] * 4)))
            continue
        place = places.get(timing.shape)
        rows.append(Row((timing.shape.short,), (
            gflops_cell(timing), time_cell(timing),
            library_cell(timing), Cell(ceiling_text(timing) or DASH),
            Cell(f"{place['rank']} of {place['of']}" if place else DASH))))
    return Table("own", "Speed of this submission", CAPTION, (ORDER,),
                 ("GFLOP/s", "time per call", "of the library", "of the ceiling", "place"), rows,
                 reasons.texts)


def all_table(verdict: Verdict) -> Table:
    """One row per shape and implementation, fastest first in each shape."""
    reasons, rows = _Reasons(), []
    for shape in shapes_of(verdict):
        for timing in _ordered(verdict, shape):
            heads = (shape.short, f"{'▸ ' if timing.role == 'submission' else ''}{name_of(timing)}")
            if timing.measured:
                rows.append(Row(heads, (gflops_cell(timing), time_cell(timing),
                                        library_cell(timing), Cell(str(timing.samples)))))
            else:
                rows.append(Row(heads, (reasons.dash(timing), *[Cell(DASH)] * 3)))
    return Table("all", "Everything that was timed", CAPTION, (ORDER, "implementation"),
                 ("GFLOP/s", "time per call", "of the library", "calls timed"), rows, reasons.texts)


def _ordered(verdict: Verdict, shape: Shape) -> list[Timing]:
    """Fastest first; what was not timed last, as written."""
    here = [timing for timing in verdict.timings if timing.shape == shape]
    return sorted(here, key=lambda timing: -timing.gflop_per_s if timing.measured else 1)


def place_text(place: dict, shape: Shape) -> str:
    """"Place 3 of 6 at M = N = K = 1024: slower than cpu.eigen, faster than cpu.blocked."."""
    beside = [f"slower than {place['above']}"] if place.get("above") else []
    beside += [f"faster than {place['below']}"] if place.get("below") else []
    return f"Place {place['rank']} of {place['of']} at {shape.words}" + (f": {', '.join(beside)}."
                                                                         if beside else ".")


def _waiting(own: Timing) -> str:
    """Which rounds count where some had to wait for a processor that another program held; empty
    where none did."""
    if own.quiet is None or own.quiet_rounds is None or own.quiet_rounds >= own.samples:
        return ""
    quiet = (f"At {own.shape.words} {own.quiet_rounds} of {own.samples} rounds had the processors "
             "for themselves")
    if own.quiet:
        return f"{quiet}; the others do not count."
    if own.waits_alone:
        return (f"{quiet}: it waited for a processor where the library did not, as more threads "
                "than processors do. Its share is no better than by all rounds.")
    return (f"{quiet}, too few: all are shown, though other programs may have slowed one side more "
            "than the other.")


def certainty(verdict: Verdict) -> list[str]:
    """What keeps these times from being believed, or compared, without a second thought."""
    made = []
    if why := next((timing.speed_why for timing in verdict.own if not timing.speed_counts),
                   verdict.raw.get("speed_why")):
        made.append(f"A speed here does not count: {str(why).rstrip('.')}.")
    loose = [timing.shape.words for timing in verdict.own if timing.settled is False]
    if loose:
        made.append(f"Not settled at {'; '.join(loose)}: the interval of its share of the "
                    "library's speed was still too wide after further rounds, so that the lower "
                    "end counts for marks.")
    made += [said for timing in verdict.own if (said := _waiting(timing))]
    made += library_times.sentences(verdict)
    load = verdict.part("load")
    if load.get("busy"):
        made.append("The machine was busy: while this was timed, other programs kept "
                    f"{load['others']:.1f} of {counted(load['cores'], 'core')} at work. What a "
                    "mark hangs on is withheld where their share of it cannot be told.")
    if load.get("raised"):
        made.append("It was timed at a real-time priority, so that other programs waited for it.")
    if verdict.raw.get("timed_again"):
        made.append("It was timed twice: the first times were uncertain, and those of the better "
                    "turn count.")
    if verdict.raw.get("ladder_once"):
        made.append("The ladder was timed once for the whole class, beside the library; this "
                    "submission was timed beside the library alone, and is compared with the "
                    "ladder through it.")
    return made


def sentences(verdict: Verdict) -> list[str]:
    """The largest shape in words, and what was not timed."""
    largest = verdict.largest
    if largest is None:
        return []
    low, high = ends_of(largest.gflop_ci95)
    library, shares = verdict.at(largest.shape, "library"), []
    if largest.of_library is not None:
        shares.append(f"{library_text(largest)} of the "
                      f"library{f' ({library.implementation})' if library else ''}")
    if largest.of_ceiling is not None:
        bound = f" {largest.bound_by}" if largest.bound_by else ""
        shares.append(f"{percent(largest.of_ceiling)} of this machine's{bound} ceiling")
    rate = with_interval(largest.gflop_per_s, low, high, "GFLOP/s")
    made = [f"{rate} at {largest.shape.words}{': ' if shares else ''}{joined(shares)}."]
    if low is None:
        made.append(f"Timed there in only {counted(largest.samples, 'call')}, too few for an "
                    "interval: let no mark hang on a small difference.")
    if verdict.noise is not None:
        made.append(f"A second process of the same code differs by up to {percent(verdict.noise)}: "
                    "a smaller difference means nothing.")
    made += certainty(verdict)
    places = _places(verdict)
    if largest.shape in places:
        made.append(place_text(places[largest.shape], largest.shape))
    made += like.sentences(verdict)
    missing = [timing.shape.words for timing in verdict.own if not timing.measured]
    if missing:
        made.append(f"Not timed at {counted(len(missing), 'shape')} ({'; '.join(missing)}): see "
                    "the table.")
    if verdict.verdict == REDUCED:
        made.append("It computes with less precision than the ladder and the library, so these "
                    "speeds are not a fair race.")
    return made


def _ceiling(verdict: Verdict, shape: Shape) -> tuple[float, str] | None:
    """GFLOP/s that the machine allows at this shape: from the shares where there are any, else the
    FMA ceiling."""
    shares = [(timing, timing.of_ceiling) for timing in _ordered(verdict, shape)
              if timing.measured and timing.of_ceiling]
    shares.sort(key=lambda one: one[0].role != "submission")
    if shares:
        first, share = shares[0]
        return first.gflop_per_s / share, f"{first.bound_by} ceiling".strip()
    found = [one["value"] for one in verdict.items("ceilings") if one.get("device")
             == verdict.device and one.get("unit") == "GFLOP/s" and one.get("value")]
    return (max(found), "compute ceiling") if found else None


def _bar(timing: Timing) -> Bar:
    value = (timing.gflop_per_s, *ends_of(timing.gflop_ci95)) if timing.measured else None
    return Bar(name_of(timing), timing.role, value)


def chart(verdict: Verdict) -> Chart | None:
    """What the figure shows: the shapes at which the submission was timed; None where it was at
    none."""
    shapes = [timing.shape for timing in verdict.own if timing.measured]
    if not shapes:
        return None
    machine = verdict.part("machine")
    name = machine.get("gpu") if verdict.device == "gpu" else machine.get("cpu")
    panels = tuple(Panel(shape.words, tuple(_bar(timing) for timing in _ordered(verdict, shape)),
                         _ceiling(verdict, shape)) for shape in shapes)
    differ = any(shape.N != shape.K for shape in shapes)
    return Chart("Speed beside the ladder and the library", str(name or "machine unknown"), panels,
                 len(verdict.own) - len(shapes),
                 conditions="N: the inner dimension, as in solve" if differ else "")
