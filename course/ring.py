"""A ring of stages between a producer and a consumer, step by step, by the rules of
gpu/gemm/wgmma/ring.h: two barriers a stage, whose phases are waited for by parity.

Times are of a model: a copy is under way for so many units, the products of a stage take so many.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
