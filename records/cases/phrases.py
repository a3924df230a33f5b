"""How sentences say a ratio, and name a point that other work disturbed."""

from __future__ import annotations

from collections.abc import Iterable

from language import say
from records.names.numbers import counted, percent, ratio_text
from records.schema.operations import shape_text

from .case import Case
from .ratios import LEAST_PAIRS, Ratio, geometric_mean
from .series import Series, Shape

MUCH = 1.05  # times as much
LEAST_MEAN = 3  # points: of fewer there is no mean to tell


def mark() -> str:
    """"disturbed"."""
    return say("disturbed")


def unsound(*cases: Case, disturbed: bool = True, ceiling: bool = True,
            clock: bool = True) -> str:
    """What a reader has to know of the points that a number rests on: "threads not bound to cores,
    3 samples"; empty where there is nothing. `disturbed`: that other work took their cores, too,
    which a name may say already; `ceiling`: that one is faster than its ceiling; `clock`: that it
    was held down under some, which clocks beside them may say."""
    told = ([say("disturbed by other work")] if disturbed
            and any(case.disturbed for case in cases) else [])
    told += [say("threads not bound to cores")] if any(case.unbound for case in cases) else []
    told += ([say("above its ceiling")]
             if ceiling and any(case.above_ceiling for case in cases) else [])
    told += ([say("the clock was held down on one side")]
             if clock and len({bool(case.throttled) for case in cases}) > 1 else [])
    # of a point that another program timed no count is known
    few = min((count for case in cases if (count := case.sample_count or len(case.samples_s))),
              default=LEAST_PAIRS)
    told += [counted(few, "sample")] if few < LEAST_PAIRS else []
    return say(", ").join(told)


def over_its_own(case: Case) -> str:
    """That it is above its own run's ceiling, where another run of the host excuses it."""
    return (say("{share} of its run's ceiling", share=percent(case.of_ceiling or 0))
            if case.above_own_ceiling else "")


def ran_text(*cases: Case) -> str:
    """"ran 1 thread": where a CPU point took fewer threads than it was asked to."""
    ran = sorted({case.threads_actual for case in cases if case.device == "cpu"
                  and case.threads_actual and case.threads_actual < case.threads})
    return say("ran {threads}", threads=say(", ").join(
        counted(one, "thread") for one in ran)) if ran else ""


def remark(*cases: Case) -> str:
    """" (3 samples)": what is unsound of the points, named in the same sentence, that a number
    rests on, or that the clock was held down under all of them; empty where there is nothing."""
    why = doubts(*cases)
    return say(" ({remark})", remark=why) if why else ""


def doubts(*cases: Case, disturbed: bool = False) -> str:
    """"3 samples, the clock was held down": what is unsound of them, or that the clock was held
    down under all; `disturbed`: that of other work, too, which a name may say already."""
    both = len(cases) > 0 and all(case.throttled for case in cases)
    return say(", ").join(filter(None, (unsound(*cases, disturbed=disturbed),
                                        say("the clock was held down") if both else "")))


def pairing(ratio: Ratio) -> str:
    """"not paired" of a ratio whose two points share no rounds; else empty."""
    return say("not paired") if ratio.not_paired else ""


def caveats(ratio: Ratio) -> str:
    """"3 samples, not paired": what a reader has to know of a ratio, but for what decides it."""
    return say(", ").join(filter(None, (unsound(*ratio.of), pairing(ratio))))


def remark_on(ratio: Ratio, word: str = "") -> str:
    """" (3 samples, not paired, a tie)": the remark on its two points, that they are not paired,
    and the word."""
    why = say(", ").join(filter(None, (doubts(*ratio.of), pairing(ratio), word)))
    return say(" ({remark})", remark=why) if why else ""


def place_of(ratio: Ratio) -> str:
    """"4096", "4096, 117 % of its run's ceiling", "3000, not resolved, 0.796 by the medians": where
    a ratio was measured, with what is unsound of its two points and what limits it."""
    open_one = say("not resolved") if ratio.undecided else ""
    over = ["" if case.above_ceiling else over_its_own(case) for case in ratio.of]
    return say(", ").join(filter(None, (shape_text(*ratio.of[-1].shape), caveats(ratio),
                                        *dict.fromkeys(over), open_one, by_medians(ratio))))


def by_medians(ratio: Ratio) -> str:
    """"4.26 by the medians", the same way round as the ratio, where that of the shared rounds is
    another by more than MUCH; else empty."""
    if not ratio.apart:
        return ""
    baseline, case = ratio.of
    value = baseline.median_s / case.median_s
    far = max(value / ratio.value, ratio.value / value) > MUCH
    return say("{times} by the medians", times=ratio_text(value)) if far else ""


def times(ratio: Ratio, told: bool = False) -> str:
    """"1.34 times [1.30, 1.39]", with what is unsound of its two points, and that they tie unless
    the sentence has `told` it: "2.0 times (3 samples, not resolved)"."""
    value, bracket, rest = ratio_text(ratio.value, ratio.low, ratio.high).partition(" [")
    text = say("{value} times{interval}", value=value, interval=bracket + rest)
    text += remark_on(ratio, "" if told else ratio.word)
    medians = by_medians(ratio)
    return say("{text} ({remark})", text=text, remark=medians) if medians else text


def sound_mean(ratios: Iterable[Ratio]) -> str:
    """" (0.96 over the 15 with nothing unsound)": what a geometric mean comes to without the points
    that are unsound, or above the ceiling of their run; empty where all are sound, or fewer than
    LEAST_MEAN."""
    every = list(ratios)
    sound = [ratio.value for ratio in every if not unsound(*ratio.of)
             and not any(case.above_own_ceiling for case in ratio.of)]
    return say(" ({mean} over the {count} with nothing unsound)",
               mean=ratio_text(geometric_mean(sound)),
               count=len(sound)) if LEAST_MEAN <= len(sound) < len(every) else ""


def quoted(name: str) -> str:
    """In quotation marks where a comma in it would read as the sentence's own: “pipelined, tile
    256x128”."""
    return say("“{name}”", name=name) if "," in name else name


def named(case: Case, name: str = "") -> str:
    """The name, or the label, with "(disturbed)" behind it where other work took the case's
    cores."""
    shown = quoted(name or case.name)
    return say("{name} ({mark})", name=shown, mark=mark()) if case.disturbed else shown


def named_over(series: Series, shapes: Iterable[Shape]) -> str:
    """"tiled (disturbed at 2 of 3 shapes)" over the shapes that it is ranked at; "tiled
    (disturbed)" at one."""
    cases = [series.by_shape[shape] for shape in shapes if shape in series.by_shape]
    count = sum(case.disturbed for case in cases)
    if len(cases) == 1:
        return named(cases[0], series.name)
    name = quoted(series.name)
    return say("{name} ({mark} at {count} of {shapes} shapes)", name=name, mark=mark(),
               count=count, shapes=len(cases)) if count else name
