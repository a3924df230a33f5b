"""The independent timer of several cards: its arguments, what it reads and compares, and, where
PyTorch is, two processes on the CPU."""

import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("independent_timer_cards.py")
specification = importlib.util.spec_from_file_location("independent_timer_cards", SCRIPT)
cards = importlib.util.module_from_spec(specification)
specification.loader.exec_module(cards)


def case(shape, median_s, exchange="copies", **changes):
    m, n, k = shape
    parameters = {"gpus": 2, "operands": "sharded", "exchange": exchange, "chunks": 4,
                  "memory_mib": 0}
    record = {"kind": "case", "run_id": "r", "experiment": "multi_gpu_strong",
              "implementation": "gpu.multi", "dims": {"m": m, "n": n, "k": k},
              "parameters": {**parameters, **changes.pop("parameters", {})}, "status": "ok",
              "reason": "", "median_s": median_s}
    return {**record, **changes}


@pytest.fixture
def records(tmp_path):
    def write(cases):
        path = tmp_path / "multi_gpu_strong.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in cases), encoding="utf-8")
        return path

    return write


def test_shapes_are_sides_or_m_n_k():
    assert cards.shape_from("16384") == (16384, 16384, 16384)
    assert cards.shape_from("64x32x16") == (64, 32, 16)
    for wrong in ("64x32", "64x32x0", "", "x", "64.5", "-3", "1x2x3x4"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a shape"):
            cards.shape_from(wrong)


@pytest.mark.parametrize("wrong", [["--rounds", "5"], ["--cards", "0"], ["--backend", "mpi"],
                                   ["--shape", "12y"]])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(SystemExit) as refused:
        cards.arguments(["records.jsonl", *wrong])
    assert refused.value.code == 2


def test_only_sharded_records_of_so_many_cards_count_and_the_last_of_them(records):
    shape = (64, 32, 16)
    path = records([
        case(shape, 9.0), case(shape, 1.0), case(shape, 2.0, "nccl"),
        case(shape, 9.0, parameters={"gpus": 1}),
        case(shape, 9.0, parameters={"operands": "first"}),
        case(shape, 9.0, implementation="gpu.multi_tensor"), case(shape, 9.0, twin_of="abc"),
        case(shape, 9.0, replica=1), case(shape, 9.0, handicap=0.03),
        case(shape, 9.0, experiment="multi_gpu_weak"), {"kind": "run", "run_id": "r"}
    ])
    found = cards.read_records(path, "multi_gpu_strong", 2)
    assert {shape: {exchange: one["median_s"] for exchange, one in those.items()}
            for shape, those in found.items()} == {(64, 32, 16): {"copies": 1.0, "nccl": 2.0}}
    old = case(shape, 3.0)
    del old["parameters"]["exchange"]
    assert list(cards.read_records(records([old]), "multi_gpu_strong", 2)[shape]) == ["copies"]


def test_what_cannot_be_read_or_shared_out_is_said(tmp_path):
    with pytest.raises(cards.CannotCompare, match="No such file"):
        cards.read_records(tmp_path / "none.jsonl", "x", 2)
    (tmp_path / "broken.jsonl").write_text('{"kind": "case"}\n{"kind"')
    with pytest.raises(cards.CannotCompare, match="line 2: not JSON"):
        cards.read_records(tmp_path / "broken.jsonl", "x", 2)
    cards.check_shapes([(64, 33, 16)], 4)
    for shape in ((66, 64, 64), (64, 64, 66)):
        with pytest.raises(cards.CannotCompare, match="must be multiples of 4"):
            cards.check_shapes([shape], 4)


def test_ratios_are_of_medians_and_failed_records_are_left_out():
    shape = (1000, 2000, 3000)
    found = {shape: {"nccl": case(shape, 3e-3, "nccl"), "copies": case(shape, 2e-3),
                     "other": case(shape, 1.0, status="timeout")}}
    rows = cards.compare(found, {shape: [4e-3, 1e-3, 5e-3, 4e-3, 4e-3, 9e-3]}, 2)
    assert [(row["exchange"], row["ours_over_torch"])
            for row in rows] == [("copies", pytest.approx(0.5)), ("nccl", pytest.approx(0.75))]
    assert (rows[0]["torch_low_s"], rows[0]["torch_high_s"]) == (1e-3, 9e-3)
    assert ("| 1000×2000×3000 | 2 | copies | 2.00 (6.0) | 4.00 (3.0) | 0.5000 |"
            in cards.markdown(rows, []))


def run_script(path, *more):
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, str(SCRIPT), str(path), "--backend", "gloo", *more],
                          env=environment, capture_output=True, text=True, timeout=110)


def test_a_shape_that_is_not_recorded_ends_it_with_the_reason(records):
    done = run_script(records([case((64, 32, 16), 1e-3)]), "--shape", "128")
    assert done.returncode == 2
    assert ("no record of gpu.multi, gpus = 2, operands = sharded, at M×N×K = 128×128×128"
            in done.stderr)


def test_two_processes_multiply_and_are_compared(records, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed here")
    shapes = [(64, 32, 16), (2, 5, 4)]
    done = run_script(records([case(shape, 1e-3) for shape in shapes]), "--rounds", "6", "--output",
                      str(tmp_path / "out" / "cards"))
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "out" / "cards.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["M"], row["N"], row["K"]) for row in rows} == {("64", "32", "16"), ("2", "5", "4")}
    for row in rows:
        assert float(row["torch_low_s"]) <= float(row["torch_s"]) <= float(row["torch_high_s"])
        assert float(row["ours_over_torch"]) == pytest.approx(1e-3 / float(row["torch_s"]))
    assert (tmp_path / "out" / "cards.md").read_text(encoding="utf-8") == done.stdout
    assert "with gloo, one process per card, 6 calls" in done.stdout


class Narrow:
    """torch, with a matmul whose results are as coarse as TF32's."""

    def __init__(self, torch):
        self.torch = torch

    def __getattr__(self, name):
        return getattr(self.torch, name)

    def matmul(self, a, b, out):
        self.torch.matmul(a.bfloat16().float(), b.bfloat16().float(), out=out)


@pytest.mark.parametrize("narrow", [False, True])
def test_a_product_of_less_than_float32_is_seen(tmp_path, monkeypatch, narrow):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/meeting",
                                         rank=0, world_size=1)
    try:
        product = cards.Product(Narrow(torch) if narrow else torch, (32, 16, 64), 0, 1,
                                torch.device("cpu"))
        product.multiply()
        assert product.wrong_rows() == (16 if narrow else 0)
        product.c[3, 3] = float("nan")
        product.c_part[5, 2] = float("nan")
        assert product.wrong_rows() == (16 + 2 if narrow else 3)
    finally:
        torch.distributed.destroy_process_group()
