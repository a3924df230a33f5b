"""A ring of stages between a producer and a consumer, step by step, by the rules of
gpu/gemm/wgmma/ring.h: two barriers a stage, whose phases are waited for by parity.

Times are of a model: a copy is under way for so many units, the products of a stage take so many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from emulator.explain.drawing import BLUE, WIDTH, line, svg, text
from language import say
from records.names.numbers import percent

from .marks import FONT, Box, Label, boxes, labels, note

COPY, PRODUCTS, ISSUE = 5.0, 2.0, 0.5


@dataclass
class Barrier:
    """When each of its phases ended, from phase 0 on."""

    ended: list[float] = field(default_factory=list)

    def wait(self, parity: int, now: float) -> float:
        """When the wait for a phase of this parity is over: at once where the last one that ended
        has it, as the one before phase 0 has parity 1."""
        over = sum(time <= now for time in self.ended)
        return now if (over - 1) % 2 == parity else self.ended[over]


@dataclass(frozen=True)
class Step:
    """One stage's round: asked for, arrived, multiplied from and to, all in units of time."""

    stage: int
    phase: int
    asked: float
    full: float
    begun: float
    empty: float


def rounds(stages: int, steps: int) -> list[Step]:
    """`steps` parts of A and B on their way through a ring of `stages`."""
    full, empty = ([Barrier() for _ in range(stages)] for _ in range(2))
    made: list[Step] = []
    producer = consumer = 0.0
    for step in range(steps):
        stage, phase = step % stages, step // stages % 2
        asked = empty[stage].wait(phase ^ 1, producer)
        producer = asked + ISSUE
        full[stage].ended.append(asked + COPY)
        begun = full[stage].wait(phase, consumer)
        consumer = begun + PRODUCTS
        empty[stage].ended.append(consumer)
        made.append(Step(stage, phase, asked, full[stage].ended[-1], begun, consumer))
    return made


def waited(made: list[Step]) -> float:
    """How long the consumer waits after its first step."""
    return made[-1].empty - made[0].begun - PRODUCTS * len(made)


def ring_timeline(of: Sequence[str]) -> Markup:
    """The stages of a ring over time, for each count of stages named."""
    steps = 11
    runs = [rounds(int(count), steps) for count in of]
    end = max(one[-1].empty for one in runs)
    parts: list[str] = []
    y = 8.0
    for count, made in zip(map(int, of), runs):
        y = _ring(parts, made, count, end, y)
    parts += [boxes([(84, y + 2, 14, 11)], BLUE, 0.35), boxes([(224, y + 2, 14, 11)], BLUE),
              text(103, y + 12, say("on its way"), "soft"),
              text(243, y + 12, say("multiplied"), "soft"),
              _dot(364, y + 7.5, full=True), text(373, y + 12, say("full: a phase ends"), "soft"),
              _dot(508, y + 7.5, full=False), text(517, y + 12, say("empty, likewise"), "soft")]
    return svg(y + 22, parts, say("stages of a ring over time"), FONT) + note(say(
        "A model: a copy is under way for {copy} units of time, the products of a stage take "
        "{products}; waits and phases are those of the code. In the bars: the step; at the dots: "
        "the parity that is waited for.", copy=f"{COPY:g}", products=f"{PRODUCTS:g}"))


def _dot(x: float, y: float, full: bool) -> str:
    """Where a barrier's phase ends."""
    fill = "" if full else ' class="hollow"'
    return f'<circle cx="{x:g}" cy="{y:g}" r="3"{fill}/>'


def _ring(parts: list[str], made: list[Step], count: int, end: float, y: float) -> float:
    """A row for the producer, each stage and the consumers. Returns where it ends."""
    left, high = 84.0, 28.0
    scale = (WIDTH - left - 8) / end
    parts.append(text(0, y + 10, say("{count} stages", count=count), "strong"))
    y += 18

    def x(time: float) -> float:
        return round(left + time * scale, 1)

    rows = [y + high * (stage + 1) for stage in range(count)]
    multiplies = rows[-1] + high
    names = [(say("producer"), y), *((say("stage {stage}", stage=stage), top)
                                     for stage, top in enumerate(rows)),
             (say("consumers"), multiplies)]
    parts += [text(left - 8, top + 20, name, "soft", "end") for name, top in names]
    parts += [line(left, top + high - 1, WIDTH - 8, top + high - 1, "rule") for _, top in names]
    coming: list[Box] = []
    used: list[Box] = []
    numbers: list[Label] = []
    asked: list[Label] = []
    parities: list[Label] = []
    dots: list[str] = []
    for step, one in enumerate(made):
        top = rows[one.stage]
        coming += [(x(one.asked), y + 11, round(ISSUE * scale - 1, 1), 12),
                   (x(one.asked), top + 11, round((one.full - one.asked) * scale, 1), 12)]
        for at in (top, multiplies):
            used.append((x(one.begun), at + 11, round((one.empty - one.begun) * scale - 1, 1), 12))
            numbers.append((x((one.begun + one.empty) / 2), at + 20.5, step))
        asked.append((x((one.asked + one.full) / 2), top + 20.5, step))
        for at, is_full in ((x(one.full), True), (x(one.empty), False)):
            dots.append(_dot(at, top + 17, is_full))
            parities.append((at, top + 8, one.phase))
    parts += [boxes(coming, BLUE, 0.35), boxes(used, BLUE),
              labels(asked, 9), labels(numbers, 9, kind="on"), *dots,
              labels(parities, 8.5, kind="pale")]
    idle = waited(made)
    said = (say("the tensor cores wait for {share} of the time", share=percent(
        idle / (made[-1].empty - made[0].begun)))
            if idle else say("the tensor cores do not wait"))
    parts.append(text(WIDTH - 8, y - 8, said, "soft", "end"))
    return multiplies + high + 18
