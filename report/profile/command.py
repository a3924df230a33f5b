"""`gemmlab profile`: one `counters` record per point, beside the experiment's other records."""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..arguments import Parser, whole_number
from ..doctor.machine import ask, program_path
from ..numbers import counted, plain
from ..records import InputError
from ..reference import DATA
from .metrics import METRICS, combined, wanted
from .ncu import Ncu, NcuError, Profile, find_ncu, version_of
from .points import LARGEST, Point, gpu_points, picked, read_points
from .store import Store


def _machine(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", text):  # as for `run`: it becomes a folder's name
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed: letters, digits, '.', '_' and '-' only")
    return text


def _parser() -> Parser:
    parser = Parser(
        prog="gemmlab profile", description="Hardware counters of an experiment's GPU points, through NVIDIA Nsight Compute "
        "(ncu): bytes moved, coalescing, bank conflicts, occupancy, use of the pipes, instructions.",
        epilog="example: gemmlab profile gpu_ladder --size 1024 --points 1,3")
    parser.add_argument("experiment", metavar="EXPERIMENT", help="a name (see gemmlab list) or a .toml file")
    parser.add_argument("--points", metavar="LABEL|N,...", help="only these: labels, implementations, or numbers of --list")
    parser.add_argument("--size", type=whole_number(1), default=LARGEST, metavar="N",
                        help=f"each group's largest shape with m, n and k of at most N (default: {LARGEST})")
    parser.add_argument("--list", action="store_true", help="print the points with their numbers; profile nothing")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the records (default: data/results/<machine>)")
    parser.add_argument("--gpu", metavar="N|UUID", help="the GPU, by its number in nvidia-smi or by its uuid (default: the first)")
    parser.add_argument("--machine", type=_machine, metavar="NAME", help="name of this machine (default: from CPU and GPU)")
    return parser


Card = dict[str, Any]  # run_id, host_id, gpu_uuid


def _call(program: str, point: Point) -> list[str]:
    return [program, "multiply", "--implementation", point.implementation,
            "--parameters", json.dumps(point.parameters, separators=(",", ":")),
            *(text for name, value in (point.dims | point.options).items() for text in (f"--{name}", str(value)))]


def _record(card: Card, experiment: str, point: Point, tool: str, profile: Profile) -> dict[str, Any]:
    return {"kind": "counters", **card, "case_id": point.case_id, "experiment": experiment,
            "implementation": point.implementation, "parameters": point.parameters, "label": point.label,
            "group": point.group, "operation": point.operation, "dims": point.dims, "options": point.options, "tool": tool,
            "kernel": " + ".join(profile.names), "metrics": combined(profile.kernels)}


def _line(record: dict[str, Any]) -> str:
    metrics = record["metrics"]
    shown = [f"{plain(metrics[name]['value'] * scale)} {unit}" for name, scale, unit in
             (("time_s", 1e6, "µs"), ("dram_read_bytes", 1e-6, "MB read"), ("fma_pipe", 100, "% FMA pipe"),
              ("occupancy", 100, "% occupancy")) if name in metrics]
    return ", ".join(shown)


def _card_of(info: dict[str, Any]) -> Card:
    """Where this run counts, by what `info` says of the machine: the records' times may be of another."""
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return {"run_id": f"{now}-{secrets.token_hex(3)}", "host_id": (info.get("host") or {}).get("id"),
            "gpu_uuid": info["gpus"][0].get("uuid")}


def _points(program: str, experiment: str, options: argparse.Namespace) -> tuple[str, Card, list[Point]]:
    """(the machine's name, its card, the points to profile). Raises InputError where there is nothing to profile here."""
    info = ask(program, "info", "--json", *(["--gpu", options.gpu] if options.gpu is not None else []))
    if not info.get("gpus"):
        why = str(info.get("gpu_unavailable") or "no GPU was found")
        raise InputError("this program was built without CUDA: install CUDA 12.0 or later, then GEMMLAB_CUDA=ON ./gemmlab …"
                         if "without CUDA" in why else f"there is no GPU to profile: {why}")
    if options.gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = info["gpus"][0]["uuid"]  # what ncu starts sees that card alone
    points = gpu_points(read_points(ask(program, "points", options.experiment)), experiment, options.size)
    return options.machine or str(info.get("machine")), _card_of(info), picked(points, options.points) if options.points else points


def _profile_all(program: str, card: Card, experiment: str, points: list[Point], path: Path) -> int:
    """Profiles and records; returns how many points could not be."""
    ncu_path = find_ncu()
    ncu, tool = Ncu(ncu_path, wanted()), version_of(ncu_path)
    failed = 0
    with Store(path) as store:
        for number, point in enumerate(points, 1):
            try:
                record = _record(card, experiment, point, tool, ncu.profile(_call(program, point)))
            except NcuError as error:
                failed += 1
                print(f"gemmlab profile: warning: {point.text}: {error}", file=sys.stderr)
                continue
            store.append(record)
            print(f"[{number}/{len(points)}] {point.text}: {_line(record)}", flush=True)
            _warn_of_absent(record, point)
    if ncu.unknown:
        print(f"gemmlab profile: warning: not known on this card: {', '.join(ncu.unknown)}", file=sys.stderr)
    return failed


def _warn_of_absent(record: dict[str, Any], point: Point) -> None:
    absent = [metric.name for metric in METRICS if metric.name not in record["metrics"]]
    if absent:
        print(f"gemmlab profile: warning: {point.text}: no {', '.join(absent)}", file=sys.stderr)


def main(arguments: list[str]) -> int:
    """0 all profiled, 1 some were not. Raises InputError where nothing can be."""
    options = _parser().parse_args(arguments)
    program = program_path()
    experiment = Path(options.experiment).stem if options.experiment.endswith(".toml") else options.experiment
    machine, card, points = _points(program, experiment, options)
    if options.list:
        for number, point in enumerate(points, 1):
            print(f"{number:3}  {point.text}  ({point.implementation})")
        return 0
    path = (options.output or DATA / "results" / machine) / f"{experiment}.jsonl"
    failed = _profile_all(program, card, experiment, points, path)
    if failed == len(points):
        raise InputError(f"none of {counted(failed, 'point')} could be profiled")
    print(f"Records: {path}")
    return 1 if failed else 0
