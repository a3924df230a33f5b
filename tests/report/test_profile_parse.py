"""What is read from ncu's output, and how the kernels of one call are put together."""

import pytest
from sample_records import DATA

from analysis.counters.metrics import METRICS, TIME, combined, in_base_units, wanted
from report.profile.ncu import NcuError, command_line, parse, unknown_metrics

# As ncu 2025.3.1 printed it on an H200: a fill and a tiled multiplication in one range. Most of the
# card's attributes are cut.
# counted since; this output lacks them
LATER = ("shared_wavefronts", "warps_per_issue", "stalled_")
H200 = (DATA / "ncu/h200_two_kernels.txt").read_text(encoding="utf-8")


def table(*rows, metrics=(TIME, "dram__bytes_read.sum"), units=("ns", "byte")):
    header = ["ID", "Process ID", "Kernel Name", *metrics]
    lines = [header, ["", "", "", *units], *rows]
    return "==PROF== Connected to process 7\n" + "".join(
        ",".join(f'"{field}"' for field in line) + "\n"
        for line in lines) + "==PROF== Disconnected from process 7\n"


def test_the_kernels_of_a_real_output_and_their_values():
    profile = parse(H200)
    assert profile.names == ("fill", "tiled<16>")
    fill, tiled = profile.kernels
    later = {name for metric in METRICS if metric.name.startswith(LATER) for name in metric.names}
    assert set(tiled) == set(wanted()) - later, "this card knew every metric that was asked for"
    assert tiled["dram__bytes_read.sum"] == 8_397_568
    assert tiled[TIME] == pytest.approx(727.648e-6)
    assert fill["sm__warps_active.avg.pct_of_peak_sustained_active"] == pytest.approx(0.2366)


def test_a_record_of_a_real_output_has_every_metric_in_the_units_of_the_format():
    metrics = combined(parse(H200).kernels)
    assert list(metrics) == [metric.name for metric in METRICS if not metric.name.startswith(LATER)]
    assert metrics["time_s"] == {"value": pytest.approx(731.936e-6), "unit": "s"}
    assert metrics["dram_read_bytes"] == {"value": 8_397_568 + 2_816, "unit": "byte"}
    assert metrics["instructions"]["value"] == 69_140_480 + 327_680
    # 1024³ multiplications by 16×16 tiles: two loads a thread and tile, 4 sectors for 2 half-warps
    # of 64 bytes
    assert metrics["global_load_sectors_per_request"] == {"value": 4.0, "unit": "sector"}
    assert metrics["shared_load_bank_conflicts"] == {"value": 100_711_829, "unit": "count"}
    assert 0.70 < metrics["occupancy"]["value"] < 0.7137, ("weighted by time, so that the short "
                                                           "fill hardly counts")


def test_shares_are_weighted_by_time_and_sums_are_not():
    active = "sm__warps_active.avg.pct_of_peak_sustained_active"
    kernels = [{TIME: 3e-6, active: 0.8, "dram__bytes_read.sum": 10.0},
               {TIME: 1e-6, active: 0.4, "dram__bytes_read.sum": 5.0}]
    metrics = combined(kernels)
    assert metrics["occupancy"]["value"] == pytest.approx(0.7)
    assert metrics["dram_read_bytes"]["value"] == 15
    assert metrics["time_s"]["value"] == pytest.approx(4e-6)


def test_what_warps_wait_for_is_weighted_by_time():
    """Warps an issued instruction; versions of ncu differ in the unit that they print."""
    barrier, every = ("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
                      "smsp__average_warp_latency_per_inst_issued.ratio")
    kernels = parse(table(["0", "7", "k(float *)", "3,000", "0.5", "8.0"],
                          ["1", "7", "k(float *)", "1,000", "0.1", "4.0"],
                          metrics=(TIME, barrier, every), units=("ns", "inst", "cycle"))).kernels
    metrics = combined(kernels)
    assert metrics["stalled_barrier"] == {"value": pytest.approx(0.4), "unit": "warp"}
    assert (metrics["warps_per_issue"]["value"] == pytest.approx(7.0)
            and "stalled_wait" not in metrics)


def test_a_ratio_is_that_of_the_sums():
    sectors, requests = (f"l1tex__t_{what}_pipe_lsu_mem_global_op_ld.sum"
                         for what in ("sectors", "requests"))
    kernels = [{sectors: 40.0, requests: 10.0}, {sectors: 320.0, requests: 10.0}]
    assert combined(kernels)["global_load_sectors_per_request"]["value"] == 18
    assert ("global_load_sectors_per_request"
            not in combined([{sectors: 0.0, requests: 0.0}])), "no request, no ratio"


def test_the_second_name_stands_in_where_a_card_lacks_the_first():
    first, second = next(metric for metric in METRICS if metric.name == "fma_pipe").names
    assert combined([{first: 0.5, second: 0.4}])["fma_pipe"]["value"] == 0.5
    assert combined([{second: 0.4}])["fma_pipe"]["value"] == 0.4
    assert "fma_pipe" not in combined([{TIME: 1.0}])


def test_what_ncu_could_not_tell_is_absent_rather_than_zero():
    metrics = combined(parse(table(["0", "7", "k(float *)", "1,000", "n/a"])).kernels)
    assert metrics == {"time_s": {"value": pytest.approx(1e-6), "unit": "s"}}


@pytest.mark.parametrize(
    "unit,factor", [("byte", 1), ("Kbyte", 1e3), ("Mbyte", 1e6), ("Gbyte", 1e9), ("B", 1),
                    ("KB", 1e3), ("ns", 1e-9), ("nsecond", 1e-9), ("us", 1e-6), ("usecond", 1e-6),
                    ("msecond", 1e-3), ("second", 1), ("%", 0.01), ("inst", 1), ("sector", 1),
                    ("warp", 1), ("cycle", 1), ("wavefront", 1), ("", 1)])
def test_units_of_every_version_come_to_base_units(unit, factor):
    assert in_base_units(250.0, unit) == pytest.approx(250.0 * factor)


def test_an_unknown_unit_gives_no_number():
    assert in_base_units(1.0, "furlong") is None
    assert "time_s" not in combined(parse(table(["0", "7", "k", "1", "2"],
                                                units=("furlong", "byte"))).kernels)


@pytest.mark.parametrize("signature,name", [
    ("fill(float *)", "fill"), ("void tiled<16>(const float *, int)", "tiled<16>"),
    ("void a::b<(int)8, c<(bool)1>>(float *)", "a::b<(int)8, c<(bool)1>>"),
    ("sm90_xmma_gemm_f32f32", "sm90_xmma_gemm_f32f32"),
    ("(anonymous namespace)::split(int)", "(anonymous namespace)::split"),
    ("void gemmlab::(anonymous namespace)::naive(const float *)",
     "gemmlab::(anonymous namespace)::naive")])
def test_names_of_kernels_lose_their_arguments_and_keep_their_template(signature, name):
    assert parse(table(["0", "7", signature, "1", "2"])).names == (name,)


@pytest.mark.parametrize("output", ["", "==WARNING== No kernels were profiled.\n", table(),
                                    '"ID","Process ID"\n"0","1"\n'])
def test_an_output_without_a_kernel_is_an_error(output):
    with pytest.raises(NcuError):
        parse(output)


def test_refused_metrics_are_named():
    assert unknown_metrics("==ERROR== Failed to find metric sm__pipe_fma_cycles_active.avg\n"
                           "==PROF== ok") == {"sm__pipe_fma_cycles_active.avg"}
    assert unknown_metrics(H200) == set()


def test_only_the_bracketed_call_is_profiled_in_base_units_at_unchanged_clocks():
    line = command_line("ncu", ["a.sum", "b.sum"], ["program", "multiply"])
    assert line[-2:] == ["program", "multiply"]
    for name, value in (("--profile-from-start", "off"), ("--print-units", "base"),
                        ("--clock-control", "none"), ("--page", "raw"),
                        ("--metrics", "a.sum,b.sum")):
        assert line[line.index(name) + 1] == value
