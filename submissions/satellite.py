"""The judge. Its commands are `python -m submissions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from commands.satellites import Satellite, Start


def _judged(*module: str, built: Callable[[Sequence[str]], bool] = Start.built) -> Start:
    return Start(module=module, target="gemmlab_judge", program="submissions/gemmlab-judge",
                 variable="GEMMLAB_JUDGE", built=built)


def _explained(arguments: Sequence[str]) -> list[str]:
    """A hand-in is explained by the judge, who compiles it."""
    return (["submit", *arguments, "--emulate", "--no-timing"]
            if any(one.endswith(".cu") for one in arguments) else [])


SATELLITE = Satellite(takes={"explain": _explained}, starts={
    "submit": _judged("submissions"),
    "assignment": _judged("submissions.assignments",
                          built=lambda arguments: list(arguments[:1]) == ["check"])})
