"""Published claims are judged within one host, and say which; counters of another card say so."""

from dataclasses import replace
from pathlib import Path

import pytest
from test_published import case, claim, point
from test_published_tables import figure

from report.language import using
from report.published.book import Panel, book
from report.published.compared import chart_of
from report.published.judge import NOT_HERE, REPRODUCED, judge
from report.published.names import Ours
from report.published.points import Absent, Points
from report.published.tables import Beside
from report.published.why import why
from report.records import Experiment, Results

FOLDER = Path("/nowhere")


def run_on(host, **more):
    return {"run_id": f"run-{host}", "started_utc": f"2026-11-2{host}T00:00:00Z", "experiment": "e", "gpus": [{"uuid": "GPU-a"}],
            "host": {"id": f"host{host}", "cpu": "Xeon", "cores": 16}} | more


def points(*cases, counters=(), folder=FOLDER, name="e"):
    """The points of an experiment that was run on the hosts 1 and 2, in this order."""
    for one in cases:
        one.host = one.run_id.replace("run-", "host")
    return Points(Results(folder, [Experiment(name, folder, [run_on(1), run_on(2)], list(cases),
                                              counters={str(number): one for number, one in enumerate(counters)})], []))


def on(host, implementation, seconds):
    return case(implementation, seconds, run_id=f"run-{host}", case_id=f"{implementation}{host}")


def test_no_claim_is_judged_with_points_of_two_hosts():
    known = points(on(1, "cpu.serial", 8.0), on(2, "cpu.ikj", 1.0))
    found = judge(claim(), known)
    assert found.verdict == NOT_HERE
    assert why(found, known, []) == "serial and ikj were not measured on one host, so that no ratio is formed."


def test_both_sides_come_from_the_host_that_has_both():
    known = points(on(1, "cpu.serial", 8.0), on(1, "cpu.ikj", 2.0), on(2, "cpu.ikj", 1.0))
    found = judge(claim(published="4"), known)
    assert found.verdict == REPRODUCED and found.measured.value == pytest.approx(4.0, rel=0.01)
    assert why(found, known, []).endswith("Measured on host host1.")


def test_the_fastest_of_several_is_that_of_the_same_host():
    known = points(on(1, "cpu.serial", 8.0), on(1, "cpu.ikj", 2.0), on(2, "cpu.serial", 3.0), on(2, "cpu.eigen", 1.0))
    above, below = known.pair((point("cpu.serial"),), (point("cpu.ikj"), point("cpu.eigen")))
    assert (above.host, below.host, below.implementation) == ("host2", "host2", "cpu.eigen"), "the latest"
    with pytest.raises(Absent):
        points(on(1, "cpu.serial", 8.0), on(2, "cpu.eigen", 1.0)).pair((point("cpu.serial"),), (point("cpu.ikj"), point("cpu.eigen")))


def test_one_host_needs_no_name():
    known = points(on(1, "cpu.serial", 8.0), on(1, "cpu.ikj", 2.0))
    known.hosts.pop("host2")
    assert "host" not in why(judge(claim(), known), known, [])


@pytest.mark.parametrize("uuid,text", [("GPU-bbbbbbbb-1", "Counted on another card (GPU-bbbbbbbb) than the times."), ("GPU-a", "")])
def test_a_reason_that_quotes_counters_says_whose_they_are(uuid, text):
    counters = [{"implementation": name, "parameters": {}, "m": 64, "n": 64, "k": 64, "gpu_uuid": uuid, "metrics": {
        "occupancy": {"value": 0.5, "unit": "-"}}} for name in ("cpu.serial", "cpu.ikj")]
    known = points(on(1, "cpu.serial", 8.0), on(1, "cpu.ikj", 2.0), counters=counters)
    quoting = claim(reasons={"why": "{over_occupancy} of {under_time}", "why_zh": "{over_occupancy}"})
    told = why(judge(quoting, known), known, [])
    assert told.startswith("50 % of 2.00 s") and told.endswith(text or "Measured on host host1.")
    assert ("Counted" in why(judge(claim(), known), known, [])) is False, "nothing counted is quoted there"
    with using("zh"):
        assert why(judge(quoting, known), known, []) == told, "verdicts.csv is English in any report"


def test_what_pytorch_timed_belongs_to_the_host_that_it_stood_beside(tmp_path):
    (tmp_path / "independent_timer.csv").write_text("M,K,N,torch_s,torch_low_s,torch_high_s\n64,64,64,1,0.9,1.1\n")
    known = points(on(2, "gpu.cublas", 1.0), folder=tmp_path, name="timer_check")
    (torch,) = known.find(point("torch.matmul", experiments="timer_check"))
    assert torch.host == "host2"


def test_a_spread_is_of_one_host():
    flat = claim("near", (point("gpu.naive"), point("gpu.naive", size=128)), measure="spread", published="1")
    small, large = on(1, "gpu.naive", 1.0), case("gpu.naive", 8.0, size=128, run_id="run-1")
    assert judge(flat, points(small, large)).measured.value == pytest.approx(1.0)
    known = points(small, large, on(2, "gpu.naive", 0.1))
    assert judge(flat, known).measured.value == pytest.approx(1.0), "host 2 has one size only"
    assert judge(flat, points(on(2, "gpu.naive", 0.1), large)).verdict == NOT_HERE


def test_ceilings_are_of_one_host():
    def run(host, level, value):
        return run_on(host, ceilings=[{"device": "gpu", "what": "memory_read", "level": one, "value": value * scale, "unit": "GB/s",
                                       "trusted": True} for one, scale in (("l2", 2.0), ("dram", 1.0)) if one in level])

    both = tuple({"device": "gpu", "what": "memory_read", "level": level} for level in ("l2", "dram"))
    one = claim("above", (), measure="ceiling", ceilings=both)
    made = lambda *runs: Points(Results(FOLDER, [Experiment("e", FOLDER, list(runs))], []))  # noqa: E731
    known = made(run(1, ("l2", "dram"), 3.0), run(2, ("dram",), 1.0))
    found = judge(one, known)
    assert found.measured.value == pytest.approx(2.0) and "Measured on host host1." in why(found, known, [])
    assert judge(one, made(run(1, ("l2",), 3.0), run(2, ("dram",), 1.0))).verdict == NOT_HERE


def test_a_figure_names_the_host_of_each_number_or_of_all():
    def chart(*cases):
        figures = [figure("base", value=8.0), figure(value=2.0), figure("tiled", value=4.0, block="4")]
        beside = Beside(replace(book(), figures=tuple(figures), panels=(Panel("s", "1", 64, "time", "base"),), names={
            ("s", "", name): Ours(id, "", ("e",), "") for name, id in (("base", "cpu.serial"), ("naive", "gpu.naive"),
                                                                        ("tiled", "gpu.tiled"))}), points(*cases), "en")
        return chart_of(beside, "s", "here")

    first = on(1, "cpu.serial", 8.0), on(1, "gpu.naive", 2.0)
    one = chart(*first, on(1, "gpu.tiled", 4.0))
    assert one.conditions.startswith("Host host1") and [row.host for row in one.panels[0].rows] == ["", ""]
    two = chart(*first, on(2, "cpu.serial", 8.0), on(2, "gpu.tiled", 4.0))
    assert "host" not in two.conditions.lower() and [row.host for row in two.panels[0].rows] == ["host host1", "host host2"]
