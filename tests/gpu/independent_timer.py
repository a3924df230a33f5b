#!/usr/bin/env python3
"""Times cuBLAS through PyTorch and compares with what gemmlab recorded of gpu.cublas on the same
machine.

Nothing of gemmlab is used but the records it is held against: the products are torch.matmul in
float32 without TF32, replayed from a CUDA graph, on inputs that no cache can still hold, and the
clock is PyTorch's. M x K x N: A is M x K, B is K x N. Exit status: 0 where all agree within 3 %, 1
where one does not, 2 where nothing could be compared.

    ./gemmlab run timer_check --no-report
    python3 tests/gpu/independent_timer.py data/results/MACHINE/timer_check.jsonl --output
    data/timer_check
"""

import argparse
import csv
import ctypes
import json
import math
import random
import statistics
import sys
import time
from pathlib import Path

SHAPES = [(512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096),
          (16, 4096, 4096)]  # M, N, K
IMPLEMENTATION = "gpu.cublas"
AGREE = 0.03
# L2s that the sets of one shape would fill: whatever its policy, little survives a turn
CACHES_OF_SETS = 4
GRAPH_S = 2e-3  # a replay is at least this long, so that starting it does not count
WARM_UP_S = 0.5  # for the clock to rise
COLUMNS = ["M", "N", "K", "ours_s", "ours_low_s", "ours_high_s", "torch_s", "torch_low_s",
           "torch_high_s", "ratio", "within_3_percent"]


class CannotCompare(Exception):
    """Why there is nothing to compare, in one line."""


def name(shape):
    return "×".join(str(side) for side in shape)


def median_interval(samples):
    """(median, low, high): 95 % by order statistics; low and high are None under 6 samples."""
    ordered = sorted(samples)
    count = len(ordered)
    rank, tail = 0, 0.0
    while rank < count // 2:
        tail += math.comb(count, rank) / 2.0**count
        if tail > 0.025:
            break
        rank += 1
    middle = statistics.median(ordered)
    return (middle, ordered[rank - 1], ordered[count - rank]) if rank > 0 else (middle, None, None)


def lines_of(path):
    """The records of a JSON-Lines file, one after the other."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CannotCompare(f"{path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            raise CannotCompare(f"{path}, line {number}: not JSON ({error.msg})") from error


def is_altered(record):
    """Is it one of those that a run makes beside a point, to judge its own noise?"""
    return bool(record.get("twin_of") or record.get("replica") or record.get("handicap"))


def read_records(path, experiment):
    """{(M, K, N): the last case of gpu.cublas, kernel scope, cold cache} and {run_id: run} of a
    JSON-Lines file."""
    cases, runs = {}, {}
    for record in lines_of(path):
        if record.get("kind") == "run":
            runs[record["run_id"]] = record
        wanted = {"kind": "case", "experiment": experiment, "implementation": IMPLEMENTATION,
                  "scope": "kernel", "cache": "cold"}
        if (not is_altered(record)
                and all(record.get(key) == value for key, value in wanted.items())):
            extents = record.get("dims", record)  # those of before operations bear them themselves
            cases[extents["m"], extents["n"], extents["k"]] = record
    return cases, runs


def check_records(path, experiment, cases):
    """Every shape must have been measured."""
    for shape in SHAPES:
        if shape not in cases:
            raise CannotCompare(f"{path}: no record of {IMPLEMENTATION}, scope kernel, cache cold, "
                                f"at M×N×K = {name(shape)} in experiment {experiment}")
        if cases[shape]["status"] != "ok":
            raise CannotCompare(f"{path}: {name(shape)} ended as {cases[shape]['status']}: "
                                f"{cases[shape]['reason']}")


def open_torch():
    """PyTorch, told to multiply in plain float32 by cuBLAS."""
    try:
        import torch
    except ImportError as error:
        raise CannotCompare(f"PyTorch is not installed for {sys.executable} ({error})") from error
    if not torch.cuda.is_available():
        raise CannotCompare(f"PyTorch {torch.__version__} sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    if hasattr(torch.backends.cuda, "preferred_blas_library"):
        torch.backends.cuda.preferred_blas_library("cublas")
    return torch


def check_same_card(torch, run):
    """The records must come from the card that is here."""
    here = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    recorded = [gpu["uuid"].removeprefix("GPU-") for gpu in run.get("gpus", [])[:1]]
    if here is not None and [str(here).removeprefix("GPU-")] != recorded:
        raise CannotCompare(f"the records are of GPU {recorded}, and this one is {here}: both must "
                            "be of one machine")


def torch_cublas_version():
    """The version of the libcublas that PyTorch loaded; "unknown" where it cannot be asked."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if "/libcublas.so" not in path:
            continue
        library = ctypes.CDLL(path)
        parts = []
        for part in range(3):  # major, minor, patch
            value = ctypes.c_int()
            if library.cublasGetProperty(part, ctypes.byref(value)) != 0:
                return "unknown"
            parts.append(str(value.value))
        return ".".join(parts)
    return "unknown"


class Product:
    """C = A·B at one shape, as a CUDA graph that goes through sets of A, B and C in turn."""

    def __init__(self, torch, shape):
        self.torch, self.shape, self.samples_s = torch, shape, []
        m, n, k = shape
        set_bytes = 4 * (m * k + k * n + m * n)
        cache_bytes = torch.cuda.get_device_properties(0).L2_cache_size
        count = max(2, math.ceil(CACHES_OF_SETS * cache_bytes / set_bytes))
        self.sets = [tuple(torch.empty(rows, cols, device="cuda").uniform_(-1, 1)
                           for rows, cols in ((m, k), (k, n), (m, n))) for _ in range(count)]
        self.passes = 1
        self.capture()
        self.check()
        pass_s = min(self.replay_s() for _ in range(3))
        if pass_s < GRAPH_S:
            self.passes = math.ceil(GRAPH_S / pass_s)
            self.capture()

    def multiply_all(self):
        for a, b, c in self.sets:
            self.torch.matmul(a, b, out=c)

    def capture(self):
        torch = self.torch
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # what the first call allocates cannot be captured
            self.multiply_all()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for _ in range(self.passes):
                self.multiply_all()
        self.replay_s()  # the first replay uploads the graph

    def check(self):
        """The first rows of C against double precision: TF32 would not be within float32's
        bound."""
        a, b, c = (matrix.double() for matrix in self.sets[0])
        error = (a[:16] @ b - c[:16]).abs()
        if not bool((error <= 16 * 2.0**-24 * (a[:16].abs() @ b.abs())).all()):
            raise CannotCompare(f"torch.matmul at {name(self.shape)} is not a float32 product")

    def replay_s(self):
        """Seconds of one replay, by events."""
        start, stop = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        self.graph.replay()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3

    def sample(self):
        self.samples_s.append(self.replay_s() / (self.passes * len(self.sets)))


def time_products(torch, rounds):
    """{shape: samples in seconds a call}, the shapes visited in a shuffled order in every round."""
    torch.manual_seed(1)
    shuffler = random.Random(1)
    products = [Product(torch, shape) for shape in SHAPES]
    start = time.monotonic()
    while time.monotonic() - start < WARM_UP_S:
        for product in products:
            product.replay_s()
    for _ in range(rounds):
        shuffler.shuffle(products)
        for product in products:
            product.sample()
    return {product.shape: product.samples_s for product in products}


def compare(cases, samples_s):
    """A row of COLUMNS a shape."""
    rows = []
    for shape in SHAPES:
        ours_s = cases[shape]["median_s"]
        low_s, high_s = cases[shape]["ci95_s"] or (None, None)
        torch_s, torch_low_s, torch_high_s = median_interval(samples_s[shape])
        ratio = ours_s / torch_s
        rows.append(dict(zip(COLUMNS, [*shape, ours_s, low_s, high_s, torch_s, torch_low_s,
                                       torch_high_s, ratio, abs(ratio - 1) <= AGREE])))
    return rows


def markdown(rows, notes):
    """The rows as a table in microseconds, and the notes below it."""
    def time_us(row, who):
        low_s, high_s = row[f"{who}_low_s"], row[f"{who}_high_s"]
        interval = "" if low_s is None else f" [{low_s * 1e6:.2f}, {high_s * 1e6:.2f}]"
        return f"{row[f'{who}_s'] * 1e6:.2f}{interval}"

    lines = ["| M×N×K | gemmlab, µs | PyTorch, µs | gemmlab / PyTorch | within 3 % |",
             "|---|---|---|---|---|"]
    for row in rows:
        shape = name((row["M"], row["N"], row["K"]))
        lines.append(f"| {shape} | {time_us(row, 'ours')} | {time_us(row, 'torch')} | "
                     f"{row['ratio']:.4f} | {'yes' if row['within_3_percent'] else 'NO'} |")
    return "\n".join([*lines, "", *notes]) + "\n"


def write(output, rows, text, columns=tuple(COLUMNS)):
    """`output`.csv and `output`.md."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{output}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    Path(f"{output}.md").write_text(text, encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("records",
                        help="the .jsonl file of the experiment, made on this machine just before")
    parser.add_argument("--experiment", default="timer_check",
                        help="its name (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=101,
                        help="samples a shape (default: %(default)s)")
    parser.add_argument("--output", type=Path, metavar="BASE", help="write BASE.csv and BASE.md")
    given = parser.parse_args()
    if given.rounds < 6:
        parser.error(f"--rounds {given.rounds}: at least 6, or there is no 95 % interval")
    return given


def main():
    given = arguments()
    cases, runs = read_records(given.records, given.experiment)
    check_records(given.records, given.experiment, cases)
    torch = open_torch()
    run = runs.get(cases[SHAPES[-1]]["run_id"], {})
    check_same_card(torch, run)
    rows = compare(cases, time_products(torch, given.rounds))
    ours = (cases[SHAPES[0]].get("chosen") or {}).get("version", "unknown")
    notes = [(f"Median of a call, 95 % interval; {torch.cuda.get_device_name(0)}. gemmlab: run "
              f"{run.get('run_id')}, cuBLAS {ours}. PyTorch {torch.__version__}: cuBLAS "
              f"{torch_cublas_version()}, torch.matmul float32 without TF32, {given.rounds} CUDA "
              f"graph replays a shape over sets of A, B and C that fill the L2 {CACHES_OF_SETS} "
              "times.")]
    text = markdown(rows, notes)
    print(text, end="")
    if given.output:
        write(given.output, rows, text)
    return 0 if all(row["within_3_percent"] for row in rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CannotCompare as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        sys.exit(2)
