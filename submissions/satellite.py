"""The judge. Its commands are `python -m submissions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from commands.satellites import Satellite, Start

_JUDGED = Start(target="gemmlab_judge", program="submissions/gemmlab-judge",
                variable="GEMMLAB_JUDGE")


def _explained(arguments: Sequence[str]) -> list[str]:
    """A hand-in is explained by the judge, who compiles it."""
    return (["submit", *arguments, "--emulate", "--no-timing"]
            if any(one.endswith(".cu") for one in arguments) else [])


SATELLITE = Satellite(
    reports=False, takes={"explain": _explained}, starts={
        "submit": replace(_JUDGED, module=("submissions",), files=(".cpp", ".cc", ".cxx", ".cu")),
        "assignment": replace(_JUDGED, module=("submissions.assignments",),
                              built=lambda arguments: list(arguments[:1]) == ["check"])},
    yours={20: ("./gemmlab submit my_kernel.cu",
                "is your own kernel right, how fast is it, and what to try next; without a GPU it "
                "is emulated")},
    marks={".zip": ("assignment.toml", "assignment/assignment.toml")})
