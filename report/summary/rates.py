"""GFLOP/s of every implementation of the ladder by size, a table and a plot for each device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.answer.names import name, version_of, with_remark
from analysis.answer.over_hosts import APART, by_point, clearly_faster, few_libraries, in_any_group
from analysis.answer.points import KERNEL, Contest, usable, way_of
from analysis.ladder.ladder import climbed, ladders_of
from analysis.tables.tables import Table, sentences
from language import say
from records.cases.case import Case
from records.cases.phrases import over_its_own, ran_text, times, unsound
from records.cases.ratios import Ratio, speedup
from records.cases.series import Shape
from records.cases.where import host_text
from records.names.naming import family_of, is_library
from records.names.numbers import joined, plain
from records.names.palette import SHADES
from records.schema.operations import is_square
from records.view import View
from report.machine.conditions import conditions
from report.pages.document import Stemmed

from . import Job
from .columns import Columns, Marks, Number, fewer, of_rate, side
from .cpu_only import CpuAnswer, most_threads

NOTABLY = 0.1  # of a lead
MOST_COLUMNS = 8  # of our own; where there are more, the rungs that are faster than all before them
Line = dict[int, Case]  # by the size of the squares


@dataclass(frozen=True)
class Measured:
    """What one experiment measured on one host under one regime; of each implementation the points
    on all cores."""

    experiment: str
    host: str
    run: dict[str, Any]
    cases: tuple[Case, ...]
    reference: bool = False
    beside: tuple[Case, ...] = ()  # the points of the whole folder
    # whose points come first at a shape: they shared their rounds
    groups: dict[Shape, str] = field(default_factory=dict)

    def lines(self, device: str) -> dict[str, Line]:
        """By the name of the implementation, plain ones first: its fastest point at each
        square, on the most threads that the host has cores for."""
        there = int((self.run.get("host") or {}).get("cores") or 0)
        found: dict[str, Line] = {}
        for case in sorted(self.cases, key=lambda case: (*_ladder_place(case), case.case_id)):
            if (case.device == device and is_square(case.shape) and way_of(case) == KERNEL
                    and usable(case) and not case.by_fp32):
                line, size = found.setdefault(name(case), {}), side(case.shape)
                if size not in line or self._rank(case, there) < self._rank(line[size], there):
                    line[size] = case
        return found

    def _rank(self, case: Case, cores: int) -> tuple:
        """Of the shape's group, whose points shared their rounds; on as many threads as there are
        cores; the fastest."""
        used = case.threads if not cores or case.threads <= cores else 0
        own = case.group == self.groups.get(case.shape, case.group)
        return not own, -used, case.median_s


def _ladder_place(case: Case) -> tuple[int, bool, int]:
    """By the idea, what takes no threads first, then as the definition has it."""
    idea = family_of(case)
    return list(SHADES).index(idea), "threads" in case.parameters, case.place


def of_contest(contest: Contest, reference: bool) -> Measured:
    """The points of the shapes at which CPU and GPU are compared."""
    groups = {shape: cases[0].group for shape, cases in contest.at.items()}
    return Measured(contest.experiment, contest.host, contest.run, contest.cases, reference,
                    contest.beside, groups)


def of_cpu(answer: CpuAnswer) -> Measured | None:
    """Where CPU and GPU were not compared: the CPU's points of the experiment that tells most of
    it; what its first group lacks, of others on as many threads."""
    for place, by_shape in answer.by_place.items():
        if len({name(case) for at in by_shape.values() for case in at}) > 1:
            *regime, group = place
            groups = {other: at for (*others, other), at in answer.by_place.items()
                      if others == regime and most_threads(at) == most_threads(by_shape)}
            of = {shape: at for other in reversed([group, *groups])
                  for shape, at in groups[other].items()}
            return Measured(place[0], place[1], answer.run_of(*place[:2]),
                            tuple(case for at in of.values() for case in at))
    return None


def rates_table(measured: Measured, device: str, headline: int) -> tuple[Stemmed, Job] | None:
    """The table of a device and its plot; None where it has no number."""
    lines = measured.lines(device)
    if not lines:
        return None
    apart = {label: line for label, line in lines.items() if _first(line).precision != "fp32"}
    ranked = {label: line for label, line in lines.items() if label not in apart}
    libraries = {label: line for label, line in ranked.items() if is_library(_first(line))}
    own = _kept({label: line for label, line in ranked.items() if label not in libraries}, measured)
    sizes = fewer(sorted({size for line in lines.values() for size in line}), headline)
    every = tuple(case for of in (own, libraries, apart) for line in of.values()
                  for case in line.values())
    view = View(measured.experiment, "gflops_vs_size", _title(device), every, measured.run,
                host=measured.host, reference=measured.reference)
    stem = f"gflops-{device}"
    drawn = tuple(case for label, line in (_one_each(own) | _shown(libraries)).items()
                  for case in _as_one(label, line))
    return (stem, _table(view, stem, sizes, own, apart, libraries,
                         measured)), (replace(view, cases=drawn), f"summary-{stem}")


def _title(device: str) -> str:
    return say("GFLOP/s on the CPU") if device == "cpu" else say("GFLOP/s on the GPU")


def _first(line: Line) -> Case:
    return next(iter(line.values()))


def _kept(own: dict[str, Line], measured: Measured) -> dict[str, Line]:
    if len(own) <= MOST_COLUMNS:
        return own
    cases = tuple(case for line in own.values() for case in line.values())
    ladder = next(
        iter(ladders_of(View(measured.experiment, "ladder_bars", "", cases, measured.run))), None)
    rungs = {rung.name for rung in climbed(ladder, MOST_COLUMNS)} if ladder else set()
    return {label: line for label, line in own.items() if label in rungs} or own


def _table(view: View, stem: str, sizes: list[int], own: dict[str, Line], apart: dict[str, Line],
           libraries: dict[str, Line], measured: Measured) -> Table:
    columns, marks = Columns(tuple(map(str, sizes))), Marks()

    def add(label: str, cases: list[Case | None], group: str = "") -> None:
        columns.add(label, [None if case is None else of_rate(case, _rate_note(
            case, measured, marks)) for case in cases], "GFLOP/s", group)

    for label, line in own.items():
        add(label, [line.get(size) for size in sizes])
    best = [_fastest(libraries, size) for size in sizes]
    for label, line in _shown(libraries).items():
        add(_with_version(label, line) if label in libraries else label,
            [line.get(size) for size in sizes])
    ranked = list(range(len(columns.names)))
    columns.mark_best(ranked)
    if any(best) and own:
        alone = {name(case) for line in libraries.values() for case in line.values()}
        columns.add(say("ours, % of {name}", name=alone.pop())
                    if len(alone) == 1 else say("ours, % of the best library"),
                    [_share(_fastest(own, size), library, str(size), marks, measured)
                     for size, library in zip(sizes, best)], "%", decimals=0)
    for label, line in apart.items():
        add(label, [line.get(size) for size in sizes], say("on matrix units"))
    columns.add_widest("", ranked)
    caption = sentences(
        say("2·N³ over the median time, squares M = N = K, in 10⁹ operations per second. Bold: the "
            "best of a row in plain float32, and what its interval overlaps. ± is the farther end "
            "of the row's widest 95 % interval."),
        _which(libraries, best))
    return columns.table(stem,
                         _title(_first(next(iter((own or libraries or apart).values()))).device),
                         caption, ("N",), marks, view.reference,
                         where=conditions(view.cases, view.run, view.host, view.reference))


def _fastest(lines: dict[str, Line], size: int) -> Case | None:
    there = (line[size] for line in lines.values() if size in line)
    return min(there, key=lambda case: case.median_s, default=None)


def _share(own: Case | None, library: Case | None, row: str, marks: Marks,
           measured: Measured) -> Number | None:
    """Round by round where both shared rounds; None where a side is faster than can be: a broken
    measurement is no baseline."""
    if own is None or library is None or own.above_ceiling or library.above_ceiling:
        return None
    ratio = speedup(library, own)
    more = _sound_share(own, library, measured) or _faster_elsewhere(library, measured.beside)
    detail = ""
    if not more and (less := _less_elsewhere(ratio, measured.beside)):
        base = less.of[0]
        more = say("{share} % of {name} on {host}, in {experiment}", name=name(base),
                   share=plain(100 * less.value, 0), host=host_text(base.host),
                   experiment=base.experiment)
        detail = unsound(*less.of)
    return Number(100 * ratio.value, note=marks.of_pair(row, ratio, library, own, more=more,
                                                        detail=detail))


def _less_elsewhere(ratio: Ratio, beside: Iterable[Case]) -> Ratio | None:
    """The least that the same code of ours comes to over the fastest library of its group on
    another host, where that takes more than NOTABLY of a lead; else None."""
    own = ratio.of[-1]
    if ratio.tie or ratio.value <= 1:
        return None
    groups: dict[tuple, list[Case]] = {}
    for case in beside:
        if (case.host != own.host and usable(case) and (
                case.device, case.shape, case.precision, case.regime, case.threads) == (
                own.device, own.shape, own.precision, own.regime, own.threads)):
            groups.setdefault((case.run_id, case.group), []).append(case)
    found: list[Ratio] = []
    for cases in groups.values():
        ours = [case for case in cases if (case.implementation, case.parameters) == (
            own.implementation, own.parameters)]
        theirs = min((case for case in cases if case.library), default=None,
                     key=lambda case: case.median_s)
        if ours and theirs:
            found.append(speedup(theirs, ours[0]))
    least = min(found, key=lambda one: one.value, default=ratio)
    return least if least.value - 1 < (1 - NOTABLY) * (ratio.value - 1) else None


def _other_groups(like: Case, measured: Measured) -> list[Case]:
    """The points of the experiment's other groups at the shape of this one, on as many threads: the
    table has one group's at a shape, whose rounds were shared."""
    return [case for case in in_any_group(like, measured.cases)
            if case.group != like.group and case.threads == like.threads]


def _rate_note(case: Case, measured: Measured, marks: Marks) -> int:
    """"threads not bound to cores; OpenBLAS has 1,325 in the group energy", "threads not bound to
    cores (128: ran 10 threads)": what of its kind is clearly faster in another group, with what is
    unsound of either, or where its code is faster and sound; and on how many threads it ran where
    these are fewer than asked for. 0 where there is nothing."""
    best = _better(case, measured)
    faster = with_remark(say("{name} has {rate} in the group {group}", name=name(best),
                             rate=plain(best.rate), group=best.group),
                         unsound(best) or over_its_own(best)) if best else ""
    few = few_libraries(case, measured.cases) if case.library else ""
    own, there = ran_text(case), "" if best else _sound_elsewhere(case, measured)
    of_row = own if case.unbound else ""  # that it is unbound is the reason
    told = [text for text in ("" if of_row else own, faster, few) if text]
    loose = [unsound(case)] if told and case.unbound else []
    return marks.of_cases(str(case.shape[0]), case, more=say("; ").join([*loose, *told]),
                          detail=say("; ").join(filter(None, (of_row, there))))


def _better(case: Case, measured: Measured) -> Case | None:
    """What of its kind, the same code or a library, is clearly faster in another group: a sound one
    where there is one."""
    def kind(one: Case) -> str:
        return "library" if one.library else name(one)

    better = clearly_faster(_other_groups(case, measured), case)
    return min((one for one in better if kind(one) == kind(case)),
               key=lambda one: (bool(unsound(one)), one.median_s), default=None)


def _sound_elsewhere(case: Case, measured: Measured) -> str:
    """"3,609 by matrix unit on host 766d76a7, warm cache": of a point that is not sound the fastest
    sound one of the same code in any experiment, where that is clearly faster; else empty."""
    if not unsound(case):
        return ""
    like = [one for one in measured.beside if usable(one) and not unsound(one) and (
        one.shape, one.implementation, one.parameters, one.precision, one.distribution, way_of(one)
        ) == (case.shape, case.implementation, case.parameters, case.precision, case.distribution,
              way_of(case))]
    best = min(clearly_faster(like, case), key=lambda one: one.median_s, default=None)
    return by_point(plain(best.rate), best) if best else ""


def _sound_share(own: Case, library: Case, measured: Measured) -> str:
    """"91 % of OpenBLAS in the group energy": of points that are not sound what another group's
    sound ones come to; empty where there are none."""
    if not unsound(own, library):
        return ""
    others = [one for one in _other_groups(own, measured) if not unsound(one)]
    shares = [(speedup(one, mine), one) for mine in others if name(mine) == name(own)
              for one in others if one.library and one.group == mine.group]
    sound, best = min(shares, key=lambda one: one[0].value, default=(Ratio(1.0), None))
    return say("{share} % of {name} in the group {group}", share=plain(100 * sound.value, 0),
               name=name(best), group=best.group) if best else ""


def _one_each(own: dict[str, Line]) -> dict[str, Line]:
    """Of several parameters of one implementation those that are the fastest at the largest size: a
    figure of all has too many lines."""
    best: dict[str, str] = {}
    for label, line in own.items():
        row = _first(line).implementation
        if row not in best or _at_largest(line) > _at_largest(own[best[row]]):
            best[row] = label
    return {label: line for label, line in own.items() if label in best.values()}


def _at_largest(line: Line) -> tuple[int, float]:
    size = max(line)
    return size, line[size].rate


def _as_one(label: str, line: Line) -> Iterator[Case]:
    """The points of a column as those of one line, though another library or other parameters were
    the fastest at each size."""
    first = _first(line)
    for case in line.values():
        yield replace(case, label=label, implementation=first.implementation,
                      parameters=first.parameters, place=first.place)


def _shown(libraries: dict[str, Line]) -> dict[str, Line]:
    """Those that have a column: of several that are opened at run time the best at each size, as
    one."""
    # Eigen is compiled in
    opened = [label for label, line in libraries.items() if _first(line).library]
    if len(opened) < 2:
        return libraries
    sizes = sorted({size for line in libraries.values() for size in line})
    best = {size: case for size in sizes if (case := _fastest(libraries, size))}
    return {label: line for label, line in libraries.items()
            if label not in opened} | {say("best library"): best}


def _with_version(label: str, line: Line) -> str:
    return " ".join(filter(None, (label, version_of(_first(line)))))


def _which(libraries: dict[str, Line], best: list[Case | None]) -> str:
    """Which libraries took part, with their versions, and which was the best where."""
    if len(libraries) < 2:
        return ""
    known = [_with_version(label, line) for label, line in libraries.items()]
    places: dict[str, list[str]] = {}
    for case in best:
        if case is not None:
            places.setdefault(name(case), []).append(str(case.shape[0]))
    won = [say("{name} at {sizes}", name=label, sizes=say(", ").join(sizes)) for label,
           sizes in places.items()]
    return say("Best library of {known}: {won}.", known=joined(known), won=say("; ").join(won))


def _faster_elsewhere(case: Case, beside: tuple[Case, ...]) -> str:
    """"cublasLt is 1.14 times [1.14, 1.14] as fast as cuBLAS in gpu_ladder": the library of another
    experiment that makes the least of ours, set against the table's best where both were timed
    together; empty where none is faster."""
    def place(one: Case) -> tuple:
        return one.run_id, one.group

    def like(one: Case) -> tuple:
        return one.device, one.precision, one.regime, one.threads

    alike = [one for one in beside if one.shape == case.shape and one.library and usable(one)
             and one.experiment != case.experiment and like(one) == like(case)]
    same = {place(one): one for one in alike if one.implementation == case.implementation}
    ratios = [(speedup(same[place(one)], one), one) for one in alike if place(one) in same]
    ratio, other = max(ratios, key=lambda one: one[0].value, default=(Ratio(1.0), case))
    return say("{other} is {times} as fast as {name} in {experiment}",
               other=name(other), times=times(ratio), name=name(case),
               experiment=other.experiment) if ratio.value > APART and not ratio.tie else ""
