"""The independent timer's reading, comparing and writing, with a PyTorch whose products take a
known time."""

import csv
import importlib.util
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).with_name("independent_timer.py")
specification = importlib.util.spec_from_file_location("independent_timer", SCRIPT)
timer = importlib.util.module_from_spec(specification)
specification.loader.exec_module(timer)

CALL_S = 50e-6  # every product of the planted PyTorch takes this long


class Matrix:
    def uniform_(self, low, high):
        return self

    def double(self):
        return self

    def abs(self):
        return self

    def all(self):
        return True

    def __getitem__(self, rows):
        return self

    def __matmul__(self, other):
        return self

    def __sub__(self, other):
        return self

    def __mul__(self, factor):
        return self

    __rmul__ = __mul__

    def __le__(self, other):
        return self


class Card:
    """Counts the products that a graph holds; its events tell CALL_S for each that was replayed
    between them."""

    def __init__(self, uuid):
        self.uuid, self.now_s, self.captured = uuid, 0.0, None

    def matmul(self, a, b, out):
        if self.captured is not None:
            self.captured.calls += 1

    def graph(self, graph):
        card = self

        class Capture:
            def __enter__(self):
                card.captured = graph

            def __exit__(self, *_):
                card.captured = None

        return Capture()

    def module(self):
        card = self

        class Graph:
            calls = 0

            def replay(self):
                card.now_s += self.calls * CALL_S

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing

            def record(self):
                self.at_s = card.now_s

            def synchronize(self):
                pass

            def elapsed_time(self, stop):
                return (stop.at_s - self.at_s) * 1e3

        stream = SimpleNamespace(wait_stream=lambda other: None)
        cuda = SimpleNamespace(
            is_available=lambda: True, get_device_name=lambda index: "a card",
            CUDAGraph=Graph, Event=Event, get_device_properties=lambda index:
            SimpleNamespace(uuid=self.uuid, L2_cache_size=50 << 20),
            Stream=lambda: stream, current_stream=lambda: stream,
            stream=lambda which: nullcontext(), synchronize=lambda: None, graph=self.graph)
        backends = SimpleNamespace(cuda=SimpleNamespace(
            matmul=SimpleNamespace(allow_tf32=True), preferred_blas_library=lambda library: None))
        return SimpleNamespace(__version__="2.0", cuda=cuda, backends=backends,
                               matmul=self.matmul, empty=lambda rows, cols, device: Matrix(),
                               manual_seed=lambda seed: None,
                               set_float32_matmul_precision=lambda precision: None)


def case(shape, median_s, **changes):
    m, n, k = shape
    return {"kind": "case", "run_id": "r", "experiment": "timer_check",
            "implementation": "gpu.cublas", "m": m, "n": n, "k": k,
            "scope": "kernel", "cache": "cold", "status": "ok", "reason": None,
            "median_s": median_s, "ci95_s": [median_s * 0.99, median_s * 1.01],
            "chosen": {"version": "13.1.0"}, **changes}


def write_records(path, cases, uuid="GPU-1234"):
    run = {"kind": "run", "run_id": "r", "gpus": [{"uuid": uuid}]}
    path.write_text("".join(json.dumps(record) + "\n" for record in [run, *cases]),
                    encoding="utf-8")


@pytest.fixture
def run_timer(tmp_path, monkeypatch):
    def run(cases, uuid="GPU-1234", torch=True):
        write_records(tmp_path / "timer_check.jsonl", cases, uuid)
        monkeypatch.setitem(sys.modules, "torch", Card("1234").module() if torch else None)
        monkeypatch.setattr(timer, "WARM_UP_S", 0)
        monkeypatch.setattr(sys, "argv", ["timer", str(tmp_path / "timer_check.jsonl"), "--rounds",
                                          "8", "--output", str(tmp_path / "out" / "check")])
        return timer.main()

    return run


def test_equal_times_agree_and_are_written(run_timer, tmp_path, capsys):
    assert run_timer([case(shape, CALL_S * 1.02) for shape in timer.SHAPES]) == 0
    with open(tmp_path / "out" / "check.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["M"], row["N"], row["K"]) for row in rows][-1] == ("16", "4096", "4096")
    for row in rows:
        assert float(row["torch_s"]) == pytest.approx(CALL_S)
        assert float(row["ratio"]) == pytest.approx(1.02)
        assert row["within_3_percent"] == "True"
    text = (tmp_path / "out" / "check.md").read_text(encoding="utf-8")
    assert text == capsys.readouterr().out
    assert "| 16×4096×4096 | 51.00 [50.49, 51.51] | 50.00 [50.00, 50.00] | 1.0200 | yes |" in text


@pytest.mark.parametrize("factor", [1.031, 0.969])
def test_one_shape_that_is_off_by_more_than_3_percent_fails(run_timer, capsys, factor):
    cases = [case(shape, CALL_S) for shape in timer.SHAPES]
    cases[2]["median_s"] *= factor
    assert run_timer(cases) == 1
    assert capsys.readouterr().out.count("| NO |") == 1


def test_the_last_record_counts_and_twins_do_not(run_timer):
    cases = [case(timer.SHAPES[0], 9.0), *(case(shape, CALL_S) for shape in timer.SHAPES)]
    cases += [case(timer.SHAPES[1], 9.0, twin_of="abc"), case(timer.SHAPES[1], 9.0, replica=1),
              case(timer.SHAPES[1], 9.0, handicap=0.03),
              case(timer.SHAPES[1], 9.0, scope="call"), case(timer.SHAPES[1], 9.0, cache="warm"),
              case(timer.SHAPES[1], 9.0, implementation="gpu.cublaslt"),
              case(timer.SHAPES[1], 9.0, experiment="gpu_ladder")]
    assert run_timer(cases) == 0


def test_m_k_and_n_are_not_mistaken_for_one_another(run_timer):
    cases = [case(shape, CALL_S) for shape in timer.SHAPES[:-1]]
    with pytest.raises(timer.CannotCompare, match="16×4096×4096"):
        run_timer([*cases, case((4096, 16, 4096), CALL_S), case((4096, 4096, 16), CALL_S)])


def test_what_cannot_be_compared_is_said(run_timer):
    whole = [case(shape, CALL_S) for shape in timer.SHAPES]
    with pytest.raises(timer.CannotCompare, match="512×512×512.*timer_check"):
        run_timer(whole[1:])
    with pytest.raises(timer.CannotCompare, match="ended as timeout: too slow"):
        run_timer([*whole[1:], case(timer.SHAPES[0], CALL_S, status="timeout", reason="too slow")])
    with pytest.raises(timer.CannotCompare, match="PyTorch is not installed"):
        run_timer(whole, torch=False)
    with pytest.raises(timer.CannotCompare, match="must be of one machine"):
        run_timer(whole, uuid="GPU-5678")


def test_the_interval_is_that_of_order_statistics():
    assert timer.median_interval([3, 1, 2]) == (2, None, None)
    assert timer.median_interval(range(6)) == (2.5, 0, 5)
    assert timer.median_interval(range(1, 101)) == (50.5, 40, 61)
