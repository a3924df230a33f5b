"""The first call as one bar in phases."""

import pytest
from drawn import cut_off, figure_of, overlapping

from analysis.tables.first_calls import first_product_text
from plots.first_call import REST, finding, panels
from records.view import View

PHASES = {"context": [0.3] * 7, "transfer_in": [0.01] * 7, "kernel": [0.05] * 7,
          "transfer_out": [0.02] * 7}


def case(make, name="gpu.naive", label="naive", total=0.4, size=64, phases=None, **more):
    return make(name, label=label, size=size, samples=(total,) * 7, scope="first-call",
                first_call_s=phases or PHASES, steady_s=(0.001,) * 7, **more)


def view(*cases):
    return View("e", "first_call", "T", cases,
                {"gpus": [{"name": "A card"}], "host": {"cpu": "A CPU"}})


def test_copies_are_one_phase_and_what_is_in_none_is_told(make):
    ((call,),) = [panel.calls for panel in panels(view(case(make)))]
    assert call.phases == pytest.approx({"context": 0.3, "copies": 0.03,
                                         "kernel": 0.05, REST: 0.02})
    ((call,),) = [panel.calls for panel in panels(view(case(make, total=0.381)))]
    assert REST not in call.phases


def test_the_finding_names_the_longest_phase_and_the_later_call(make):
    slow = case(make, label="slow", total=0.9)
    assert (finding(view(slow, case(make))) == "The first multiplication of a process "
            "takes 400 ms, 300 ms of it context; the same call later takes 1.00 ms")


def test_devices_and_shapes_have_panels_of_their_own(make):
    cpu = case(make, "cpu.ikj", "ikj", phases={"kernel": [0.4] * 7})
    made = view(cpu, case(make, size=128), case(make), case(make, label="other"))
    assert [(panel.device, panel.shape[0], len(panel.calls)) for panel in panels(made)] == [
        ("gpu", 64, 2), ("gpu", 128, 1), ("cpu", 64, 1)]
    figure = figure_of(made)
    assert [axes.get_title("left").split(",")[0]
            for axes in figure.axes] == ["GPU at 64", "GPU at 128", "CPU at 64"]
    assert cut_off(figure) == [] and overlapping(figure) == []


def test_no_crashed_process_is_drawn(make):
    assert (panels(view(case(make, status="crashed"))) == []
            and "first call" in figure_of(view(case(make, status="crashed"))))


def test_the_first_product_is_told_of_the_largest_shape_that_both_devices_have_on_one_host(make):
    """Planted: a larger one of the GPU alone, and a quicker one on another host."""
    both = [case(make, label="naive", host="a" * 8),
            case(make, "gpu.cublas", "cuBLAS", 0.5, host="a" * 8, library=True),
            case(make, "cpu.ikj", "ikj", 0.01, host="a" * 8, threads_actual=5)]
    others = [case(make, size=128, host="a" * 8), case(make, label="naive", total=0.1, host="b" * 8)]
    assert first_product_text([*both, *others]) == (
        "A process's first product takes 400 ms on the card (naive; cuBLAS 500 ms) and 10.0 ms on "
        "the CPU (ikj, 5 threads), at 64 on host aaaaaaaa.")
    assert first_product_text(others) == ""
