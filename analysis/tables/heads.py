"""What a finding is, and the words that all of them use."""

from __future__ import annotations

from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.cases.phrases import named
from records.cases.ratios import Ratio
from records.names.numbers import counted, ends_of, plain, with_interval


@dataclass(frozen=True)
class Head:
    """What heads a section, in a line without intervals; the numbers that it rests on, with theirs,
    and the reason; and the points that the line is made of, so that it says what is unsound about
    them. A mean over many names none, but has them in `averaged`. `further`: what the line goes on
    to, of other points."""

    finding: str
    sentences: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    averaged: tuple[Case, ...] = ()
    further: str = ""


def rounded(value: float) -> str:
    """"23", "2,300", "1.34", "1.004": for a headline, whose interval stands elsewhere."""
    if abs(value - 1) < 0.01:
        return plain(value, 3)
    value = float(f"{value:.3g}") if value >= 1000 else value  # once: 6.146 is 6.1
    return plain(value, 0 if value >= 9.95 else 1 if value >= 2 else 2)


def faster(ratio: Ratio, other: str) -> str:
    """"23 times as fast as X", "level with X", "1.4 times slower than X"."""
    if ratio.tie:
        return (say("not to be told from {other}", other=other) if ratio.undecided
                else say("level with {other}", other=other))
    if ratio.value > 1:
        return say("{times} times as fast as {other}", times=rounded(ratio.value), other=other)
    return say("{times} times slower than {other}", times=rounded(1 / ratio.value), other=other)


def with_remark(text: str, remark: str) -> str:
    """"TEXT (threads not bound to cores)", within the brackets that TEXT ends with; the text alone
    where there is nothing to remark."""
    if not remark or not text.endswith(")"):
        return say("{text} ({remark})", text=text, remark=remark) if remark else text
    return say("; ").join((text[:-1], remark)) + ")"


def unlike_threads(case: Case, other: Case) -> str:
    """"11 threads against 1" of two points of the CPU; empty where both had as many, or one is a
    GPU's."""
    used, theirs = (one.threads_actual or one.threads for one in (case, other))
    apart = case.device == other.device == "cpu" and used != theirs
    return (say("{threads} against {theirs}", threads=counted(used, "thread"), theirs=theirs)
            if apart else "")


def called(case: Case) -> str:
    """Its name as in figures; "(disturbed)" behind it where other work took its cores."""
    return named(case, case.name)


def compared(name: str, ratio: Ratio, other: str) -> str:
    """"packed is 1.2 times as fast as OpenBLAS", "packed is level with OpenBLAS"."""
    return say("{name} is {compared}", name=name, compared=faster(ratio, other))


def rate(case: Case) -> str:
    return with_interval(case.rate, *ends_of(case.rate_ci95), case.rate_unit)
