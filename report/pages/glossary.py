"""Words that the report uses and a newcomer may not know."""

from __future__ import annotations

from language import say


def words() -> list[tuple[str, str]]:
    """(word, what it means), in the order in which a reader meets them."""
    return [
        (say("N"), say("the side of square matrices: A, B and C are N×N")),
        (say("kernel"), say("a function that runs on the GPU; as a scope: its time alone, with A, "
                            "B and C in the card's memory")),
        (say("call"), say("the kernel, its launch and the wait for it")),
        (say("with transfers, end to end"), say("the call, A and B copied to the card and C back")),
        (say("pinned, pageable"), say("memory of the host that stays in place, which the card can "
                                      "copy from directly, and ordinary memory")),
        (say("cold cache"), say("the inputs are not in any cache when the clock starts")),
        (say("rung"), say("a step of optimisation: plain loops, another order of loops (ikj), "
                          "blocks, tiles in shared memory, tiles in registers, loads that run "
                          "ahead (pipelined), packed operands (packed)")),
        (say("matrix units"),
         say("tensor cores, AMX: units that multiply small matrices of 8 or 16 bits, from which "
             "float32's accuracy is put together; they stand apart from plain float32")),
        (say("level, a tie"), say("a difference that the measurement cannot tell from none"))]
