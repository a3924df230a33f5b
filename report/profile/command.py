"""`gemmlab profile`: one `counters` record per point, beside the experiment's other records."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analysis.counters.metrics import METRICS, combined, wanted
from commands.arguments import Parser, whole_number
from commands.program import ask, program_path
from files.reading import InputError
from records.names.numbers import counted, plain
from records.reference import OWN_RESULTS

from .ncu import Ncu, NcuError, find_ncu, version_of
from .perf import Counted, PerfError, count
from .points import LARGEST, Point, picked, points_on, read_points


class Store:
    """An open results file. Raises InputError where it cannot be written to or another run holds
    it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab+")
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise InputError(f"{path}: another run is writing to it; wait for it or give --output "
                             "another folder") from error

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, record: dict[str, Any]) -> None:
        """Writes one line; one that an earlier kill tore is closed first, so that it spoils nothing
        but itself."""
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._file.write((b"\n" if self._ends_torn() else b"") + line)
        self._file.flush()
        os.fdatasync(self._file.fileno())

    def _ends_torn(self) -> bool:
        if not self._file.seek(0, os.SEEK_END):
            return False
        self._file.seek(-1, os.SEEK_END)
        return self._file.read(1) != b"\n"


def _machine(text: str) -> str:
    # as for `run`: it becomes a folder's name
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed: letters, digits, '.', '_' and "
                                         "'-' only")
    return text


def _parser() -> Parser:
    parser = Parser(
        prog="gemmlab profile", description="Hardware counters of an experiment's GPU points, "
        "through NVIDIA Nsight Compute (ncu): bytes moved, coalescing, bank conflicts, occupancy, "
        "use of the pipes, instructions. With --cpu, of its CPU points: cycles, instructions, and "
        "loads that missed L1, the TLB, the last cache (perf_event_open).",
        epilog="example: gemmlab profile gpu_ladder --size 1024 --points 1,3")
    parser.add_argument("experiment", metavar="EXPERIMENT",
                        help="a name (see gemmlab list) or a .toml file")
    parser.add_argument("--points", metavar="LABEL|N,...",
                        help="only these: labels, implementations, or numbers of --list")
    parser.add_argument("--size", type=whole_number(1), default=LARGEST, metavar="N",
                        help="each group's largest shape with m, n and k of at most N (default: "
                        f"{LARGEST})")
    parser.add_argument("--cpu", action="store_true",
                        help="the CPU points, by the processor's own counters")
    parser.add_argument("--list", action="store_true",
                        help="print the points with their numbers; profile nothing")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="folder of the records (default: data/results/<machine>)")
    parser.add_argument("--gpu", metavar="N|UUID", help="the GPU, by its number in nvidia-smi or "
                        "by its uuid (default: the first)")
    parser.add_argument("--machine", type=_machine, metavar="NAME",
                        help="name of this machine (default: from CPU and GPU)")
    return parser


Card = dict[str, Any]  # run_id, host_id, gpu_uuid


def _call(program: str, point: Point) -> list[str]:
    return [program, "multiply", "--implementation", point.implementation,
            "--parameters", json.dumps(point.parameters, separators=(",", ":")),
            *(text for name, value in (point.dims | point.options).items()
              for text in (f"--{name}", str(value)))]


def _record(card: Card, experiment: str, point: Point, tool: str, kernel: str,
            metrics: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "counters", **card, "case_id": point.case_id, "experiment": experiment,
            "implementation": point.implementation,
            "parameters": point.parameters, "label": point.label,
            "group": point.group, "operation": point.operation, "dims": point.dims,
            "options": point.options, "tool": tool, "kernel": kernel, "metrics": metrics}


def _line(record: dict[str, Any]) -> str:
    metrics = record["metrics"]
    shown = [f"{plain(metrics[name]['value'] * scale)} {unit}" for name, scale, unit in (
        ("time_s", 1e6, "µs"), ("dram_read_bytes", 1e-6, "MB read"),
        ("fma_pipe", 100, "% FMA pipe"), ("occupancy", 100, "% occupancy")) if name in metrics]
    return ", ".join(shown)


def _card_of(info: dict[str, Any], on_cpu: bool) -> Card:
    """Where this run counts, by what `info` says of the machine: the records' times may be of
    another."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return {"run_id": f"{now}-{secrets.token_hex(3)}",
            "host_id": (info.get("host") or {}).get("id"),
            "gpu_uuid": None if on_cpu else info["gpus"][0].get("uuid")}


def _points(program: str, experiment: str,
            options: argparse.Namespace) -> tuple[str, Card, list[Point]]:
    """(the machine's name, its card, the points to profile). Raises InputError where there is
    nothing to profile here."""
    info = ask(program, "info", "--json",
               *(["--gpu", options.gpu] if options.gpu is not None else []))
    if not options.cpu and not info.get("gpus"):
        why = str(info.get("gpu_unavailable") or "no GPU was found")
        raise InputError("this program was built without CUDA: install CUDA 12.0 or later, then "
                         "GEMMLAB_CUDA=ON ./gemmlab …" if "without CUDA" in why
                         else f"there is no GPU to profile: {why}")
    if options.gpu is not None and not options.cpu:
        # what ncu starts sees that card alone
        os.environ["CUDA_VISIBLE_DEVICES"] = info["gpus"][0]["uuid"]
    points = points_on("cpu" if options.cpu else "gpu",
                       read_points(ask(program, "points", options.experiment)),
                       experiment, options.size)
    return (options.machine or str(info.get("machine")), _card_of(info, options.cpu),
            picked(points, options.points) if options.points else points)


def _profile_all(program: str, card: Card, experiment: str, points: list[Point], path: Path) -> int:
    """Profiles and records; returns how many points could not be."""
    ncu_path = find_ncu()
    ncu, tool = Ncu(ncu_path, wanted()), version_of(ncu_path)
    failed = 0
    with Store(path) as store:
        for number, point in enumerate(points, 1):
            try:
                profile = ncu.profile(_call(program, point))
            except NcuError as error:
                failed += 1
                print(f"gemmlab profile: warning: {point.text}: {error}", file=sys.stderr)
                continue
            record = _record(card, experiment, point, tool, " + ".join(profile.names),
                             combined(profile.kernels))
            store.append(record)
            print(f"[{number}/{len(points)}] {point.text}: {_line(record)}", flush=True)
            _warn_of_absent(record, point)
    if ncu.unknown:
        print(f"gemmlab profile: warning: not known on this card: {', '.join(ncu.unknown)}",
              file=sys.stderr)
    return failed


def _warn_of_absent(record: dict[str, Any], point: Point) -> None:
    absent = [metric.name for metric in METRICS if metric.name not in record["metrics"]]
    if absent:
        print(f"gemmlab profile: warning: {point.text}: no {', '.join(absent)}", file=sys.stderr)


def _count_all(program: str, card: Card, experiment: str, points: list[Point], path: Path) -> int:
    """Counts on the CPU and records, what the kernel refuses as null with its reason; returns how
    many points have nothing."""
    refused: dict[str, list[str]] = {}
    failed = 0
    with Store(path) as store:
        for number, point in enumerate(points, 1):
            try:
                counted = count(_call(program, point))
            except PerfError as error:
                failed += 1
                print(f"gemmlab profile: warning: {point.text}: {error}", file=sys.stderr)
                continue
            store.append(_record(card, experiment, point, counted.tool, "", counted.metrics))
            failed += counted.nothing
            refused.update(counted.refused)
            print(f"[{number}/{len(points)}] {point.text}: {_cpu_line(counted)}", flush=True)
    for reason, names in refused.items():
        print(f"gemmlab profile: warning: no {', '.join(names)}: {reason}", file=sys.stderr)
    return failed


def _cpu_line(counted: Counted) -> str:
    values = {name: metric["value"] for name, metric in counted.metrics.items()}
    shown = [f"{plain(values['time_s'] * 1e6)} µs"]
    if values.get("cpu_cycles") and values.get("cpu_instructions") is not None:
        shown.append(f"{plain(values['cpu_instructions'] / values['cpu_cycles'])} instructions per "
                     "cycle")
    return ", ".join([*shown, *(["no counters"] if counted.nothing else [])])


def main(arguments: list[str]) -> int:
    """0 all profiled, 1 some were not. Raises InputError where nothing can be."""
    options = _parser().parse_args(arguments)
    program = program_path()
    experiment = (Path(options.experiment).stem if options.experiment.endswith(".toml")
                  else options.experiment)
    machine, card, points = _points(program, experiment, options)
    if options.list:
        for number, point in enumerate(points, 1):
            print(f"{number:3}  {point.text}  ({point.implementation})")
        return 0
    path = (options.output or OWN_RESULTS / machine) / f"{experiment}.jsonl"
    failed = (_count_all if options.cpu else _profile_all)(program, card, experiment, points, path)
    if failed == len(points):
        raise InputError(f"none of {counted(failed, 'point')} could be profiled")
    print(f"Records: {path}")
    return 1 if failed else 0
