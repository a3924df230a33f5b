"""Which ceiling is drawn, which share rests on one that is not trusted, and what a roofline says of
both."""

import pytest
from sample_records import DATA

from analysis.counters.roofline import bandwidth_roofs, compute_roofs
from analysis.tables.tables import over_share
from plots import roofline
from plots.drawing import layout, style
from plots.roofline import LOOKS, OTHER_LOOK, PEAK_LINES, counts_text
from records.cases.ceilings import best_ceilings, mark_shares, of_share, with_best_ceilings
from records.loading import Experiment
from records.view import View
from report.asked.wanted import views
from report.pages.table_text import make as make_table


def entry(what="fma", level="avx2", threads=1, value=60.0, trusted=True):
    return {"device": "cpu", "what": what, "level": level, "threads": threads, "value": value,
            "trusted": trusted, "unit": "GFLOP/s" if what == "fma" else "GB/s"}


ALL = [entry(), entry(threads=16, value=900.0), entry("memory_read", "dram", 1, 14.0),
       entry("memory_read", "dram", 16, 180.0)]


def run_of(*entries, name="r", **host):
    return {"run_id": name, "host": {"cpu": "x", "cores": 16} | host, "ceilings": list(entries)}


@pytest.mark.parametrize("found,value",
                         [([(1.0, True), (2.0, True)], 2.0), ([(1.0, True), (2.0, False)], 1.0),
                          ([(1.0, False), (2.0, True)], 2.0), ([(1.0, False), (2.0, False)], 2.0),
                          ([(1.0, True), (2.0, False), (3.0, False)], 1.0),
                          ([(2.0, True), (1.0, True)], 2.0)])
def test_the_highest_trusted_entry_counts(found, value):
    runs = [run_of(entry(value=number, trusted=trusted)) for number, trusted in found]
    assert [one["value"] for one in best_ceilings(runs)] == [value]


def test_a_machine_with_other_cores_lends_no_ceiling():
    runs = [run_of(entry(value=5.0), cores=2), run_of(entry(value=7.0, trusted=False))]
    assert with_best_ceilings(runs)["ceilings"][0]["value"] == 7.0
    runs = [run_of(entry(value=5.0)), run_of(entry(value=7.0, trusted=False))]
    assert with_best_ceilings(runs)["ceilings"][0]["value"] == 5.0 and with_best_ceilings([]) == {}


@pytest.mark.parametrize("threads,bound,value",
                         [(1, "compute", 60.0), (8, "compute", 60.0), (16, "compute", 900.0),
                          (1, "memory", 14.0), (16, "memory", 180.0)])
def test_a_share_is_formed_with_the_smaller_of_all_cores_and_t_times_one(make, threads,
                                                                         bound, value):
    """15 threads times 60 GFLOP/s are the 900 of all sixteen."""
    case = make(parameters={"threads": threads}, of_ceiling=0.5, bound_by=bound)
    assert of_share(case, run_of(*ALL))["value"] == value


@pytest.mark.parametrize("bound,trusted", [("memory", False), ("compute", True)])
def test_shares_of_an_untrusted_ceiling_are_counted_in_the_caption(make, bound, trusted):
    case = make(parameters={"threads": 16}, of_ceiling=0.5, bound_by=bound)
    mark_shares([case], [run_of(*ALL[:3], ALL[3] | {"trusted": False})])
    assert case.share_trusted == trusted
    caption = make_table(View("e", "gflops", "T", (case,), {})).caption
    assert ("is not trusted (its self-check failed, or points passed it) at 1 of "
            "1 point." in caption) != trusted


@pytest.mark.parametrize(("other", "above", "trusted"), [
    ({}, True, True), ({"value": 950.0}, True, False), ({"value": 1100.0}, False, False),
    ({"value": 1100.0, "trusted": False}, True, True)])
def test_a_point_is_above_its_ceiling_only_above_the_highest_that_its_host_was_seen_to_have(
        make, other, above, trusted):
    """Planted: 1.1 times all cores' 900 of its own run, 990, beside another run of the host."""
    case = make(parameters={"threads": 16}, of_ceiling=1.1, bound_by="compute", run_id="own")
    later = run_of(entry(value=70.0), entry(threads=16, **{"value": 900.0} | other), name="later")
    elsewhere = run_of(entry(threads=16, value=9000.0), name="elsewhere", id="other")
    mark_shares([case], [run_of(*ALL, name="own")],
                [run_of(*ALL, name="own"), later, elsewhere])
    assert (case.above_ceiling, case.share_trusted) == (above, trusted)
    assert case.above_own_ceiling, "its share is told, and needs its remark"


def test_a_lower_instruction_set_is_no_ceiling_where_the_best_one_s_is_not_trusted(make):
    """Half of AVX-512's 900 became 450 % of the baseline's 100, the only one that was trusted."""
    case = make(parameters={"threads": 16}, of_ceiling=0.5, bound_by="compute", run_id="own")
    own = run_of(entry(level="avx512", threads=16, value=900.0, trusted=False),
                 entry(level="baseline", threads=16, value=100.0), name="own")
    mark_shares([case], [own])
    assert case.of_highest == 0.5 and not case.above_ceiling and not case.share_trusted


@pytest.mark.parametrize(("slowest", "above"), [(2.0, True), (2.1, False)])
def test_a_point_is_above_its_ceiling_only_by_all_of_its_interval(make, slowest, above):
    """Its median of 2.0 s is 1.065 of the ceiling; at 2.1 s it is 1.014."""
    case = make(of_ceiling=1.065, ci95_s=(1.9, slowest))
    assert case.above_ceiling == above and (over_share(case) == (
        "above its ceiling by less than its interval")) is not above


def test_a_transfer_is_held_against_the_highest_rate_of_its_memory(make):
    """1.1 times what its own run copied from pageable memory, 7.0; another run copied 8.0."""
    def copies(rate, level="pageable"):
        return {"device": "gpu", "what": "transfer_to_device", "level": level, "threads": 0,
                "value": rate, "trusted": True, "unit": "GB/s"}

    case = make("gpu.naive", of_ceiling=1.1, bound_by="transfer", host_memory="pageable",
                run_id="own")
    own = run_of(copies(7.0), name="own")
    for other, above in ((copies(8.0), False), (copies(55.0, "pinned"), True)):
        mark_shares([case], [own], [own, run_of(other, name="later")])
        assert case.above_ceiling == above


@pytest.mark.parametrize("parameters,says,value",
                         [({"threads": 1}, "1 thread", 60.0), ({"isa": "avx2"}, "1 thread", 60.0),
                          ({"threads": 2}, "16 threads", 900.0)])
def test_the_ceiling_is_that_of_the_threads_drawn(make, parameters, says, value):
    view = View("e", "gflops_vs_size", "T", (make(parameters=parameters),), run_of(*ALL))
    assert view.ceiling("cpu") == (value, f"measured CPU FMA ceiling, avx2, {says}")


def test_each_panel_has_the_ceiling_of_its_own_lines(make):
    one, many = make(parameters={"threads": 1}), make("cpu.b", parameters={"threads": 16})
    view = View("e", "gflops_vs_size", "T", (one, many), run_of(*ALL))
    assert [value for value, _ in layout.ceilings_for(view, [one])] == [60.0]
    assert [value for value, _ in layout.ceilings_for(view, [one, many])] == [900.0]


def test_an_untrusted_ceiling_says_so_in_the_figure(make):
    view = View("e", "gflops_vs_size", "T", (make(),), run_of(entry(trusted=False)))
    assert view.ceiling("cpu")[1].endswith("1 thread (not trusted)")


def test_views_take_the_trusted_ceiling_of_an_earlier_run(make):
    found = Experiment(
        "e", DATA, [run_of(entry(value=5.0)), run_of(entry(value=7.0, trusted=False))], [make()])
    (view,) = views(found, {"kind": "gflops_vs_size"}, None)
    assert view.ceiling("cpu")[0] == 5.0


def test_a_roofline_of_one_thread_has_the_roofs_of_one_thread(make):
    view = View("e", "roofline", "T", (make(parameters={"threads": 1}),), run_of(*ALL))
    assert [(roof.name, roof.value)
            for roof in compute_roofs(view, "cpu")] == [("FMA avx2, 1 thread", 60.0)]
    assert [(roof.name, roof.value)
            for roof in bandwidth_roofs(view, "cpu")] == [("DRAM read, 1 thread", 14.0)]


def test_no_two_roofs_have_the_same_dashes():
    lines = (*PEAK_LINES, *(dashes for _, dashes, _ in LOOKS.values()), OTHER_LOOK[1])
    assert len(set(lines)) == len(lines) == 7


def test_a_roofline_counts_its_lines_and_not_the_shapes_behind_them(make):
    cases = tuple(make(name, size=size) for name in ("cpu.a", "cpu.b") for size in (64, 128))
    lost = make("cpu.c", status="crashed", reason="signal 11")
    assert counts_text(View("e", "roofline", "T", cases, run_of(*ALL))) == \
        "2 lines, each at its largest shape: 2 of 4 points drawn."
    view = View("e", "roofline", "T", (*cases, lost), run_of(*ALL))
    assert counts_text(view).endswith("2 of 5 points drawn. 1 of 5 points left out: 1 crashed.")
    with style.applied():
        texts = " ".join(text.get_text() for text in roofline.figure(view).texts)
    assert "2 lines, each at its largest shape" in texts and "shown." not in texts


@pytest.mark.parametrize("title,kind,whole", [("Threads", "thread_scaling", "Threads"),
                                              ("Threads", "time", "Threads – time")])
def test_a_title_does_not_say_the_kind_twice(make, title, kind, whole):
    found = Experiment("e", DATA, [run_of() | {"definition": {"name": "e", "title": title}}],
                       [make(parameters={"threads": 1})])
    (view,) = views(found, {"kind": kind}, None)
    assert view.title == whole


@pytest.mark.parametrize(("worth", "above"), [(13.9, False), (8.2, True), (None, True)])
def test_a_ceiling_below_what_its_processors_were_worth_is_not_held_against_a_point(
        make, worth, above):
    """Planted: 1.45 times all processors' 480, 696, of a run that found 60 on one alone."""
    case = make(parameters={"threads": 16}, of_ceiling=1.45, bound_by="compute", run_id="own")
    own = run_of(entry(), entry(threads=16, value=480.0), name="own", cores_worth=worth)
    mark_shares([case], [own])
    assert (case.above_ceiling, case.above_own_ceiling) == (above, above) and case.share_trusted
    assert case.of_ceiling == pytest.approx(1.45 if above else 696 / 834), \
        "the share that is told is of the ceiling that the doctor names"
    few = make(parameters={"threads": 8}, of_ceiling=1.0, bound_by="compute", run_id="own")
    mark_shares([few], [own])
    assert few.of_ceiling == 1.0, "eight times one processor's was its ceiling before and is"
    assert best_ceilings([own])[1]["value"] == (pytest.approx(834.0) if not above else 480.0)
    assert own["ceilings"][1]["value"] == 480.0, "records stay as they are"
