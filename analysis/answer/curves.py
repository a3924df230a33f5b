"""What the figures of GPU over CPU and of energy draw, and the findings that stand over them."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.tables.tables import sentences
from language import say
from records.cases.ratios import Ratio
from records.names.numbers import joined, plain
from records.schema.operations import extents, is_square, shape_text
from records.view import View

from .break_even import BreakEven, break_even
from .energy import Spent, cpu_unreadable, spent_of, told_shape
from .headline import Headline, gained, headline_of, pays
from .names import cores_of, crossing, name, rounded, way_text
from .over_hosts import told_together
from .pairs import BEST, PLAIN, SERIAL, Pairing, matches_of
from .points import END_TO_END, KERNEL, Contest, contest_in

DRAWN = (KERNEL, *END_TO_END)


@dataclass(frozen=True)
class Curve:
    """GPU over CPU over the size of squares; `plain`: plain kernel against plain loops instead of
    the best of both."""

    way: str
    plain: bool
    points: tuple[tuple[int, Ratio], ...]
    break_even: BreakEven | None

    @property
    def name(self) -> str:
        """"end to end, pinned" of the best; "plain loops: kernel"."""
        return (say("plain loops: {way}", way=way_text(self.way)) if self.plain
                else way_text(self.way))


def plain_pairing(contest: Contest) -> Pairing:
    """All cores where they were measured at as many sizes as one core."""
    every, one = matches_of(PLAIN, contest), matches_of(SERIAL, contest)
    return PLAIN if len(every) >= len(one) else SERIAL


def curves_of(contest: Contest) -> list[Curve]:
    """The best of both as kernel and end to end, then plain against plain likewise; only what has
    two squares."""
    made = []
    for pairing in (BEST, plain_pairing(contest)):
        for way in DRAWN:
            found = [match for match in matches_of(pairing, contest, way) if is_square(match.shape)]
            if len(found) > 1:
                told = [told_together(match, contest) for match in found]  # as the table has them
                made.append(Curve(way, pairing is not BEST,
                                  tuple((extents(match.shape)[0], match.ratio) for match in told),
                                  break_even(found)))
    return made


def _headline(view: View) -> Headline | None:
    contest = contest_in(view)
    return headline_of(contest) if contest else None


def versus_finding(view: View) -> str:
    """"At 4096 the GPU is 23 times as fast as the CPU's best; with transfers it pays from N = 512
    on"."""
    one = _headline(view)
    match = one.best.get(KERNEL) if one else None
    if one is None or match is None:
        return ""
    ratio, shape = match.ratio, shape_text(*one.shape)
    if ratio.tie:
        text = say("At {shape} the GPU and the CPU's best are not told apart", shape=shape)
    elif ratio.value > 1:
        text = say("At {shape} the GPU is {compared}", shape=shape,
                   compared=gained(match, one.contest, say("the CPU's best")))
    else:
        text = say("At {shape} the CPU's best is {times} times as fast as the GPU", shape=shape,
                   times=rounded(1 / ratio.value))
    return say("{text}; {pays}", text=text, pays=pays(one)) if one.moved else text


def compared_text(view: View) -> str:
    """Whom the lines set against each other."""
    one = _headline(view)
    if one is None or KERNEL not in one.best:
        return ""
    best = told_together(one.best[KERNEL], one.contest)
    text = say("Best against best: at {shape} {gpu} against {cpu} on {cores}.",
               shape=shape_text(*one.shape), gpu=name(best.gpu), cpu=name(best.cpu),
               cores=cores_of(best.cpu))
    found = matches_of(plain_pairing(one.contest), one.contest)
    if not found:
        return text
    last = found[-1]
    return sentences(text, say("Plain against plain: {gpu} against {cpu} on {cores}.",
                               gpu=name(last.gpu), cpu=name(last.cpu), cores=cores_of(last.cpu)))


def left_out_text(view: View) -> str:
    """What is compared and not drawn, and what is not compared since other work disturbed it."""
    contest = contest_in(view)
    others = sum(len(set(shape)) > 1 for shape in contest.shapes) if contest else 0
    disturbed = contest.disturbed if contest else 0
    return sentences(say("{count} shapes that are no squares are in the appendix.", count=others)
                     if others else "", say("{count} disturbed points are not used.",
                                            count=disturbed) if disturbed else "")


def versus_described(view: View) -> str:
    """The curves in words."""
    contest = contest_in(view)
    told = []
    for curve in curves_of(contest) if contest else ():
        (first, low), (last, high) = curve.points[0], curve.points[-1]
        told.append(say("{name}: {low} times at {first} to {high} times at {last}",
                        name=curve.name, low=plain(low.value), first=first, high=plain(high.value),
                        last=last) + (say(", GPU wins from {size}", size=crossing(curve.break_even))
                                      if curve.break_even else ""))
    return sentences(ended_with(versus_finding(view)),
                     say("GPU over CPU by size. {curves}.", curves=say("; ").join(told)))


def ended_with(text: str) -> str:
    return text + say(".") if text else ""


def energy_rows(view: View) -> list[Spent]:
    """What is drawn: every point at the shape that is told of, GPU before CPU, the kernel before
    transfers."""
    spent = spent_of(view.cases)
    shape = told_shape(spent)
    there = [one for one in spent if one.case.shape == shape]
    return sorted(there, key=lambda one: (one.case.device == "cpu", one.case.scope != KERNEL))


def energy_finding(view: View) -> str:
    """"At 8192 cuBLAS takes 12.9 J per product, packed on 16 cores 215 J: 17 times as much"."""
    rows = [one for one in energy_rows(view)
            if one.case.scope == KERNEL and one.case.precision == "fp32"]
    best = {device: min((one for one in rows if one.case.device == device),
                        key=lambda one: one.joules, default=None) for device in ("gpu", "cpu")}
    gpu, cpu = best["gpu"], best["cpu"]
    if gpu is None:
        return ""
    head = say("At {shape} {name} takes {joules} J per product", shape=shape_text(*gpu.case.shape),
               name=name(gpu.case), joules=plain(gpu.joules))
    if cpu is not None:
        return say("{head}, {name} on {cores} {joules} J: {times} times as much", head=head,
                   name=name(cpu.case), cores=cores_of(cpu.case), joules=plain(cpu.joules),
                   times=rounded(cpu.joules / gpu.joules))
    most = max((one for one in rows if one.case.device == "gpu"), key=lambda one: one.joules)
    return say("{head}, {name} {times} times as much", head=head, name=name(most.case),
               times=rounded(most.joules / gpu.joules)) if most is not gpu else head


def energy_note(view: View) -> str:
    """What was read, and why the CPU is not there."""
    sources = joined(list(dict.fromkeys(one.source for one in energy_rows(view))))
    why = cpu_unreadable(view.run, view.cases)
    return sentences(say("Read from {sources}; one reading over many calls, so no interval.",
                         sources=sources),
                     say("End to end, too, it is the card's energy alone."),
                     say("The CPU's energy {why}.", why=why) if why else "")


def energy_described(view: View) -> str:
    rows = [say("{name} {joules} J", name=name(one.case), joules=plain(one.joules))
            for one in energy_rows(view)]
    return sentences(ended_with(energy_finding(view)),
                     say("Energy of a product: {rows}.", rows=say("; ").join(rows)))
