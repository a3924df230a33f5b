"""What the first multiplication of a fresh process costs, and which phase of it most."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from analysis.tables.evidence_tables import (
    first_calls,
    phase_name,
    phases_of,
    steady_ratio,
)
from language import say
from records.cases.case import Case
from records.cases.series import Series, Shape, series_of
from records.names.numbers import duration, percent, plain
from records.schema.operations import shape_text, volume
from records.view import View

COPIES = ("transfer_in", "transfer_out")
REST = "rest"
LEAST_REST = 0.02  # of a call: less in no phase is not told


@dataclass(frozen=True)
class FirstCall:
    """One line at one shape: median seconds of each phase, the copies together, in the order in
    which they happen."""

    name: str
    case: Case
    phases: dict[str, float]

    @property
    def longest(self) -> str:
        return max(self.phases, key=lambda phase: self.phases[phase])

    @property
    def steady_s(self) -> float | None:
        """Of a later call in the same process."""
        return median(self.case.steady_s) if self.case.steady_s else None


@dataclass(frozen=True)
class Panel:
    """What is set side by side: the calls of one device at one shape."""

    device: str
    shape: Shape
    calls: tuple[FirstCall, ...]


def phase_text(phase: str) -> str:
    """What a phase of FirstCall.phases is called."""
    return say("copies of A, B and C") if phase == "copies" else say(
        "not in a phase") if phase == REST else phase_name(phase)


def _call(series: Series, case: Case) -> FirstCall:
    medians = {phase: median(case.first_call_s[phase]) for phase in phases_of([case])}
    phases: dict[str, float] = {}
    for phase, seconds in medians.items():
        key = "copies" if phase in COPIES else phase
        phases[key] = phases.get(key, 0.0) + seconds
    rest = case.median_s - sum(phases.values())
    if rest > LEAST_REST * case.median_s:
        phases[REST] = rest
    return FirstCall(series.name, case, phases)


def panels(view: View) -> list[Panel]:
    """GPU before CPU, then the shape at which most is known first; lines in the order of the
    definition."""
    found: dict[tuple[str, Shape], list[FirstCall]] = {}
    for series in series_of(first_calls(list(view.cases))):
        for case in series.cases:
            found.setdefault((case.device, case.shape), []).append(_call(series, case))
    order = sorted(found, key=lambda key: (key[0] != "gpu", -len(found[key]), volume(key[1])))
    return [Panel(device, shape, tuple(found[device, shape])) for device, shape in order]


def first_call_finding(view: View) -> str:
    """"The first multiplication of a process takes 282 ms, 280 ms of it context; the same call
    later takes 254 µs": of the quickest GPU line, else of the quickest of all; empty where none was
    timed."""
    every = panels(view)
    if not every:
        return ""
    call = min(every[0].calls, key=lambda one: one.case.median_s)
    text = say("The first multiplication of a process takes {time}, {part} of it {phase}",
               time=duration(call.case.median_s), part=duration(call.phases[call.longest]),
               phase=phase_text(call.longest))
    if call.steady_s:
        text += say("; the same call later takes {time}", time=duration(call.steady_s))
    return text


def first_call_described(view: View) -> str:
    """Each call's time and phases in words."""
    return say(" ").join(
        say("{name} at {shape}: {time}, {phases}.", name=call.name, shape=shape_text(*panel.shape),
            time=duration(call.case.median_s), phases=say(", ").join(
                f"{phase_text(phase)} {duration(seconds)}" for phase,
                seconds in call.phases.items())) for panel in panels(view) for call in panel.calls)


def beside_text(call: FirstCall) -> str:
    """"282 ms, 99 % of it context\\nlater 254 µs: 1,108 times faster"."""
    text = say("{time}, {share} of it {phase}",
               time=duration(call.case.median_s), phase=phase_text(call.longest),
               share=percent(call.phases[call.longest] / call.case.median_s))
    ratio = steady_ratio(call.case)
    if ratio is None or not call.steady_s:
        return text
    return text + "\n" + say("later {time}: {value} times faster", time=duration(call.steady_s),
                             value=plain(ratio.value))
