"""What the page says of the rung that `--like` named."""

from __future__ import annotations

from records.names.numbers import plain

from .verdict import Timing, Verdict


def wanted(verdict: Verdict) -> str:
    """The rung, as rules write it; empty where none was named."""
    named = verdict.part("options").get("like")
    return named if isinstance(named, str) else ""


def _is(timing: Timing, rung: str) -> bool:
    """The ladder may write the same rung with its default parameter: "gpu.tiled block=16" for
    "gpu.tiled"."""
    return (timing.role != "submission"
            and (timing.implementation == rung or timing.implementation.split(" ")[0] == rung))


def sentences(verdict: Verdict) -> list[str]:
    """How the submission compares with it at the largest shape at which both were timed; or that
    they were not."""
    rung = wanted(verdict)
    if not rung:
        return []
    if not rung.startswith(f"{verdict.device}."):
        return [f"{rung}, named by --like, runs on the other device: there is nothing to compare."]
    pairs = [(own, other) for own in verdict.own for other in verdict.timings
             if own.measured and other.measured and own.shape == other.shape and _is(other, rung)]
    if not pairs:
        return [f"{rung}, named by --like, was not timed here."]
    own, other = max(pairs, key=lambda pair: pair[0].shape.work)
    return [(f"Beside {rung}, as asked: {plain(own.gflop_per_s / other.gflop_per_s)} times as fast "
             f"as it at {own.shape.words}.")]
