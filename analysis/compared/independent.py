"""What an independent timer found beside an experiment of ours: the same library's products, timed
by PyTorch."""

from __future__ import annotations

import csv
from array import array
from pathlib import Path

from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio, unpaired
from records.cases.series import Shape
from records.names.numbers import ratio_text
from records.schema.operations import shape_text
from records.view import View

TORCH = "torch.matmul"  # measured beside the suite: tests/gpu/independent_timer.py
TORCH_FILE = "independent_timer.csv"


def torch_cases(folder: Path) -> list[Case]:
    """PyTorch's products as cases, from the table that the independent timer leaves beside the
    records."""
    path = folder / TORCH_FILE
    if not path.is_file():
        return []
    cases = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                m, k, n = (int(row[side]) for side in ("M", "K", "N"))
                seconds = float(row["torch_s"])
                interval = ((float(row["torch_low_s"]), float(row["torch_high_s"]))
                            if row["torch_low_s"] else None)
            except (KeyError, TypeError, ValueError):
                continue  # a file of another form: PyTorch then counts as not measured
            cases.append(Case(
                run_id=TORCH, case_id=f"{TORCH}-{m}-{n}-{k}", experiment="timer_check",
                implementation=TORCH, device="gpu", name_parts=("PyTorch",), family="",
                variant_of="", library=False, parameters={}, label="PyTorch",
                dims={"m": m, "n": n, "k": k}, scope="kernel", cache="cold", distribution="uniform",
                group="", status="ok", reason="", precision="fp32", verdicts=("ok",),
                samples_s=array("d"), rounds=array("q"), measured_s=seconds, ci95_s=interval,
                rates={"gflop_per_s": 2.0 * m * n * k / seconds / 1e9}, of_ceiling=None,
                bound_by=None, threads_actual=0, warnings=()))
    return cases


def _beside(view: View, folder: Path) -> list[tuple[Shape, Ratio]]:
    """Our time over the other's at each shape that both timed."""
    found = []
    for other in torch_cases(folder):
        own = next((case for case in view.shown
                    if (case.experiment, case.shape) == (other.experiment, other.shape)
                    and case.library and case.precision == "fp32" and not case.copy), None)
        if own is not None:
            found.append((own.shape, unpaired(own, other)))
    return found


def _most(found: list[tuple[Shape, Ratio]]) -> str:
    return f"{100 * max(abs(ratio.value - 1) for _, ratio in found):.1f}"


def independent_finding(view: View, folder: Path) -> str:
    """How far the two timers are apart; empty where there is no table of the other's beside the
    records, or the view is of another experiment."""
    found = _beside(view, folder)
    return (say("The same library timed by PyTorch differs by {most} % at most", most=_most(found))
            if found else "")


def independent_sentences(view: View, folder: Path) -> list[str]:
    """The same with every shape; none where there is none."""
    found = _beside(view, folder)
    told = [say("{value} at {shape}", shape=shape_text(*shape),
                value=ratio_text(ratio.value, ratio.low, ratio.high))
            for shape, ratio in found]
    return [say("Timed by PyTorch beside it, the same library's times differ by {most} % at most. "
                "Ours over PyTorch's: {parts}.", most=_most(found),
                parts=say("; ").join(told))] if told else []
