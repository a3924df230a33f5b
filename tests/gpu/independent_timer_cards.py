#!/usr/bin/env python3
"""Times one product on several cards through PyTorch's torch.distributed, beside what gemmlab
recorded of gpu.multi there.

Nothing of gemmlab is used but the records. One process per card; each has rows of A and rows of B
in its card's memory before the clock starts. A call gathers B on all cards
(all_gather_into_tensor), multiplies (torch.matmul, float32 without TF32) and gathers C on the first
card: what gpu.multi does with operands = sharded. The clock is the host's from a barrier to the end
of all work, of the card that takes longest. M x K x N: A is M x K, B is K x N. Exit status: 0 where
at least one point was compared, 2 where none.

    ./gemmlab run multi_gpu_strong --no-report
    python3 tests/gpu/independent_timer_cards.py data/results/MACHINE/multi_gpu_strong.jsonl --cards
    2 --output data/timer_cards
"""

import argparse
import importlib.util
import json
import os
import sys
import tempfile
import time
from pathlib import Path

_SPECIFICATION = importlib.util.spec_from_file_location(
    "independent_timer", Path(__file__).with_name("independent_timer.py"))
timer = importlib.util.module_from_spec(_SPECIFICATION)
_SPECIFICATION.loader.exec_module(timer)
CannotCompare = timer.CannotCompare

IMPLEMENTATION = "gpu.multi"
CHECKED_ROWS = 16
WARM_UP_CALLS = 3
COLUMNS = ["M", "N", "K", "cards", "exchange", "ours_s", "torch_s", "torch_low_s", "torch_high_s",
           "ours_over_torch"]


def shape_from(text):
    """(M, N, K) of "16384" or "MxNxK"; raises argparse.ArgumentTypeError."""
    parts = text.lower().split("x")
    if len(parts) not in (1, 3) or not all(part.isdigit() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"'{text}' is not a shape: 16384 or 16384x8192x4096 "
                                         "(MxNxK) is allowed")
    return tuple(int(part) for part in parts) if len(parts) == 3 else (int(parts[0]),) * 3


def read_records(path, experiment, cards):
    """{(M, N, K): {exchange: the last case of gpu.multi on so many cards with sharded
    operands}}."""
    found = {}
    for record in timer.lines_of(path):
        parameters = record.get("parameters") or {}
        if (record.get("kind"), record.get("experiment"),
                record.get("implementation")) != ("case", experiment, IMPLEMENTATION):
            continue
        if (timer.is_altered(record) or parameters.get("gpus") != cards
                or parameters.get("operands") != "sharded"):
            continue
        extents = record.get("dims", record)
        shape = (extents["m"], extents["n"], extents["k"])
        found.setdefault(shape, {})[parameters.get("exchange", "copies")] = record
    return found


def check_shapes(shapes, cards):
    """Every card has as many rows of A, and of B, as the others."""
    for m, n, k in shapes:
        if m % cards or k % cards:
            raise CannotCompare(f"{timer.name((m, n, k))}: M and K must be multiples of {cards}, "
                                "as each card has as many rows")


def wait_for_all(torch, device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


class Product:
    """C = A·B at one shape by one of `cards` processes."""

    def __init__(self, torch, shape, rank, cards, device):
        self.torch, self.dist, self.shape, self.rank, self.device = (torch, torch.distributed,
                                                                     shape, rank, device)
        m, n, k = shape
        generator = torch.Generator(device=device).manual_seed(1 + rank)
        self.a = torch.empty(m // cards, k, device=device).uniform_(-1, 1, generator=generator)
        self.b_part = torch.empty(k // cards, n, device=device).uniform_(-1, 1, generator=generator)
        self.b = torch.empty(k, n, device=device)
        self.c_part = torch.empty(m // cards, n, device=device)
        self.c = torch.empty(m, n, device=device) if rank == 0 else None
        self.places = list(self.c.chunk(cards)) if rank == 0 else None

    def multiply(self):
        self.dist.all_gather_into_tensor(self.b, self.b_part)
        self.torch.matmul(self.a, self.b, out=self.c_part)
        self.dist.gather(self.c_part, self.places, dst=0)

    def wrong_rows(self):
        """How many of a card's first rows, and of those that came to the first card, are no float32
        product."""
        a, b, c = self.a[:CHECKED_ROWS].double(), self.b.double(), self.c_part[:CHECKED_ROWS]
        error = (a @ b - c.double()).abs()
        wrong = (~(error <= 16 * 2.0**-24 * (a.abs() @ b.abs()))).any(dim=1).sum()  # a NaN is wrong
        if self.rank == 0:
            wrong = wrong + (self.c[:len(c)] != c).any(dim=1).sum()
        self.dist.all_reduce(wrong)
        return int(wrong)

    def sample_s(self):
        """Seconds of a call, of the slowest card."""
        wait_for_all(self.torch, self.device)
        self.dist.barrier()
        start = time.perf_counter()
        self.multiply()
        wait_for_all(self.torch, self.device)
        seconds = self.torch.tensor([time.perf_counter() - start], dtype=self.torch.float64,
                                    device=self.device)
        self.dist.all_reduce(seconds, op=self.dist.ReduceOp.MAX)
        return float(seconds[0])


def run_rank(rank, cards, backend, meeting, shapes, rounds, answer):
    """One process; the first writes {shape: samples} to the file `answer`."""
    import torch
    device = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    torch.distributed.init_process_group(backend, init_method=f"file://{meeting}", rank=rank,
                                         world_size=cards)
    times = []
    try:
        for shape in shapes:
            product = Product(torch, shape, rank, cards, device)
            for _ in range(WARM_UP_CALLS):
                product.multiply()
            wrong = product.wrong_rows()
            samples = [product.sample_s() for _ in range(rounds)]
            times.append({"shape": shape, "wrong": wrong, "samples_s": samples})
            del product
    finally:
        torch.distributed.destroy_process_group()
    if rank == 0:
        Path(answer).write_text(json.dumps({"times": times, "version": torch.__version__}),
                                encoding="utf-8")


def time_products(shapes, cards, backend, rounds):
    """({shape: samples in seconds}, PyTorch's version)."""
    try:
        import torch
        import torch.multiprocessing
    except ImportError as error:
        raise CannotCompare(f"PyTorch is not installed for {sys.executable} ({error})") from error
    if backend == "nccl" and torch.cuda.device_count() < cards:
        raise CannotCompare(f"{cards} cards are asked for, and PyTorch {torch.__version__} sees "
                            f"{torch.cuda.device_count()}")
    # multicast belongs to the switch of the host's cards: it stays off unless the user has asked
    # for it
    for name, value in (("NCCL_NVLS_ENABLE", "0"), ("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1")):
        os.environ.setdefault(name, value)
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        torch.multiprocessing.spawn(run_rank, (cards, backend, f"{folder}/meeting", shapes, rounds,
                                               str(answer)), nprocs=cards)
        told = json.loads(answer.read_text(encoding="utf-8"))
    for one in told["times"]:
        if one["wrong"]:
            raise CannotCompare(f"{timer.name(one['shape'])}: {one['wrong']} rows are no float32 "
                                "product")
    return {tuple(one["shape"]): one["samples_s"] for one in told["times"]}, told["version"]


def compare(records, samples_s, cards):
    """A row of COLUMNS for each recorded way to exchange, by shapes."""
    rows = []
    for shape, samples in samples_s.items():
        torch_s, low_s, high_s = timer.median_interval(samples)
        for exchange, record in sorted(records.get(shape, {}).items()):
            if record["status"] != "ok":
                continue
            ours_s = record["median_s"]
            rows.append(dict(zip(COLUMNS, [*shape, cards, exchange, ours_s, torch_s, low_s, high_s,
                                           ours_s / torch_s])))
    return rows


def markdown(rows, notes):
    lines = [("| M×N×K | cards | exchange | gemmlab, ms (TFLOP/s) | PyTorch, ms (TFLOP/s) | "
              "gemmlab / PyTorch |"), "|---|---|---|---|---|---|"]
    for row in rows:
        flop = 2.0 * row["M"] * row["N"] * row["K"]
        told = [f"{row[name] * 1e3:.2f} ({flop / row[name] / 1e12:.1f})"
                for name in ("ours_s", "torch_s")]
        shape = timer.name((row["M"], row["N"], row["K"]))
        lines.append(f"| {shape} | {row['cards']} | {row['exchange']} | {told[0]} | {told[1]} | "
                     f"{row['ours_over_torch']:.4f} |")
    return "\n".join([*lines, "", *notes]) + "\n"


def arguments(given=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("records",
                        help="the .jsonl file of the experiment, made on this machine just before")
    parser.add_argument("--experiment", default="multi_gpu_strong",
                        help="its name (default: %(default)s)")
    parser.add_argument("--cards", type=int, default=2,
                        help="processes, one per card (default: %(default)s)")
    parser.add_argument("--shape", type=shape_from, action="append", metavar="MxNxK",
                        help="default: every recorded one")
    parser.add_argument("--backend", choices=("nccl", "gloo"), default="nccl",
                        help="gloo: on the CPU, to try the program (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=11,
                        help="samples a shape (default: %(default)s)")
    parser.add_argument("--output", type=Path, metavar="BASE", help="write BASE.csv and BASE.md")
    known = parser.parse_args(given)
    if known.rounds < 6:
        parser.error(f"--rounds {known.rounds}: at least 6, or there is no 95 % interval")
    if known.cards < 1:
        parser.error(f"--cards {known.cards}: at least 1")
    return known


def main():
    given = arguments()
    records = read_records(given.records, given.experiment, given.cards)
    shapes = given.shape or sorted(records)
    missing = [timer.name(shape) for shape in shapes if shape not in records]
    if missing or not shapes:
        raise CannotCompare(f"{given.records}: no record of {IMPLEMENTATION}, gpus = "
                            f"{given.cards}, operands = sharded, at M×N×K = "
                            f"{', '.join(missing) or 'any'} in experiment {given.experiment}")
    check_shapes(shapes, given.cards)
    samples_s, version = time_products(shapes, given.cards, given.backend, given.rounds)
    rows = compare(records, samples_s, given.cards)
    if not rows:
        raise CannotCompare(f"{given.records}: no record of {IMPLEMENTATION} at these shapes ended "
                            "as ok")
    notes = [(f"Median of a call. PyTorch {version} with {given.backend}, one process per card, "
              f"{given.rounds} calls a shape: B gathered on all cards, float32 without TF32, C "
              "gathered on the first; nothing overlaps.")]
    text = markdown(rows, notes)
    print(text, end="")
    if given.output:
        timer.write(given.output, rows, text, COLUMNS)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CannotCompare as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        sys.exit(2)
