"""Records of any operation: what tables, figures and sentences say of them. The synthetic records
(make_operations.py) follow from a roof, so that each number is known beforehand."""

from __future__ import annotations

import csv
import json
import re

import pytest
from english_left import english_in
from make_operations import (
    EXPERIMENTS,
    LEVELS,
    ROOF,
    block_of,
    of_definition,
    point,
    run_of,
    skipped,
    write,
)
from sample_records import DATA, ROOT

from analysis.memory import hierarchy
from analysis.memory.hierarchy_tables import hierarchy_finding
from analysis.tables import densities, rates, swept
from records.loading import find_files, load
from records.schema import older
from report.__main__ import main
from report.asked import registry
from report.asked.wanted import views
from report.doctor import findings


def results_of(folder, *names):
    return load(folder, find_files(write(folder, *names)))


def view_of(folder, name, **spec):
    (experiment,) = results_of(folder, name).experiments
    return views(experiment, {"kind": "summary", **spec}, None)[0]


def loaded(folder, *lines):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines),
                                    encoding="utf-8")
    return load(folder, find_files(folder))


@pytest.fixture(scope="module", name="page")
def _page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operations")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plots.FORMATS", ("svg",))
        patch.setattr("report.pages.html.FORMS", ("html", "md", "tex"))
        assert main(["build", str(write(folder / "records")), "--no-pdf", "--output",
                     str(folder / "report")]) == 0
    return folder / "report"


def test_a_record_tells_its_operation_dimensions_options_and_rates(tmp_path):
    (experiment,) = results_of(tmp_path, "gemv").experiments
    case = next(case for case in experiment.cases
                if case.options and case.implementation == "gpu.cublas_gemv")
    assert (case.operation, case.dims, case.options) == ("gemv", {"m": 16384, "n": 16384},
                                                         {"transpose_a": 1})
    assert (case.shape == (16384, 16384, "A transposed") and case.library and case.device == "gpu"
            and case.variant_of == "")
    assert (list(case.rates) == ["gbyte_per_s", "gflop_per_s"]
            and case.rate == case.rates["gbyte_per_s"] and case.rate_unit == "GB/s")
    low, high = case.rate_ci95
    assert (low < case.rate < high
            and high == pytest.approx(case.rate * case.median_s / case.ci95_s[0]))


def test_less_is_better_of_a_time_per_load(tmp_path):
    case = next(case for case in view_of(tmp_path, "memory").shown if case.operation == "chase")
    assert case.rate_unit == "ns per load"
    low, high = case.rate_ci95
    assert (low < case.rate < high
            and high == pytest.approx(case.rate * case.ci95_s[1] / case.median_s))


def test_an_older_record_is_a_gemms():
    line = json.loads((DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines()[1])
    assert "dims" not in line and "operation" not in line
    assert (older.dims_of(line) == {name: line[name] for name in "mnk"}
            and older.rates_of(line) == {"gflop_per_s": line["gflop_per_s"]})
    assert older.device_of(line) == line["implementation"][:3]
    assert older.variant_of({"implementation": "gpu.tiled_padded"}) == "gpu.tiled"
    # a newer record's word counts
    assert older.variant_of({"implementation": "gpu.tiled_padded", "variant_of": None}) == ""
    assert not older.is_reference({"implementation": "gpu.cublas", "reference": False})


def test_no_other_file_guesses_what_older_records_leave_unsaid():
    """The device from an id, a variant from its end, a library from what it chose: older.py
    alone."""
    guess = re.compile(r'"library" (not )?in |startswith\("(cpu|gpu)\.|split\("\.", '
                       r'1\)\[0\]|"uncoalesced"')
    found = [path.name for folder in ("report", "plots")
             for path in sorted((ROOT / folder).rglob("*.py"))
             if guess.search(path.read_text(encoding="utf-8")) and path.name != "older.py"]
    assert found == []


@pytest.mark.parametrize("change,says",
                         [({"dims": {}}, "dims: there is no dimension"),
                          ({"dims": {"n": 0}}, "dims[...]: expected int >= 1"),
                          ({"rates": {"gbyte_per_s": -1.0}}, "rates[...]: expected float > 0.0"),
                          ({"operation": 5}, "operation: expected str")])
def test_a_field_that_is_not_as_it_must_be_costs_its_line(tmp_path, change, says):
    run, line, *_ = EXPERIMENTS["blas1"]()
    results = loaded(tmp_path, run, line | change)
    assert len(results.warnings) == 1 and says in results.warnings[0], results.warnings


def test_a_rate_of_a_gemm_must_follow_from_its_time(tmp_path):
    run, line, *_ = EXPERIMENTS["gemm_forms"]()
    assert not loaded(tmp_path / "a", run, line).warnings
    results = loaded(tmp_path / "b", run,
                     line | {"rates": {"gflop_per_s": 2 * line["rates"]["gflop_per_s"]}})
    assert "2·m·n·k over median_s" in results.warnings[0]


def test_a_rate_without_a_time_costs_its_line(tmp_path):
    run, line, *_ = EXPERIMENTS["blas1"]()
    results = loaded(tmp_path, run, skipped(line, "too long") | {"rates": {"gbyte_per_s": 3.0}})
    assert "gbyte_per_s: there is no sample" in results.warnings[0]


def test_rates_stand_beside_the_roof_and_the_fastest_library_of_the_same_device(tmp_path):
    view = view_of(tmp_path, "gemv", kind="rates")
    table = rates.rates_table(view)
    assert table.heads == ("Shape m×n", "Implementation") and table.columns[:2] == ("GB/s",
                                                                                    "of the roof")
    by_head = {row.heads: row.cells for row in table.rows}
    rate, share, ratio = by_head["16384", "gemv tuned"]
    assert (rate.value == pytest.approx(0.93 * ROOF["gpu"], rel=0.03)
            and rate.low < rate.value < rate.high)
    assert (share.value == pytest.approx(0.93, rel=0.01) and share.low < share.value < share.high
            and share.text.startswith("93 % ["))
    assert (ratio.value == pytest.approx(0.93 / 0.91, rel=0.01)
            and ratio.low < ratio.value < ratio.high)
    assert by_head["16384", "OpenBLAS"][2].text == "1"  # a library of the other device is no rival
    assert by_head["16384", "gemv OpenMP"][2].value == pytest.approx(0.9 / 0.85, rel=0.01)


def test_points_of_two_operations_are_never_ranked_with_each_other(tmp_path):
    table = rates.rates_table(view_of(tmp_path, "blas1", kind="rates"))
    triads = [row for row in table.rows if row.heads[0] == "triad"]
    # a triad has no library, though dot and axpy have
    assert triads and all(row.cells[2].text == "–" for row in triads)


def test_density_finds_where_dense_becomes_faster(tmp_path):
    view = view_of(tmp_path, "spmv")
    curves = densities.curves_of(view)
    merge = next(curve for curve in curves if curve.name == "spmv merge")
    thinnest = merge.places[0]
    assert thinnest.ratio.value > 100 and thinnest.dense.implementation == "gpu.cublas_gemv"
    # 8 bytes per entry at 0.80 of the roof against 4 at 0.90: equal where 2·density / 0.80 = 1 /
    # 0.90
    assert densities.meeting(merge.places) == pytest.approx(0.8 / 0.9 / 2, rel=0.05)
    assert densities.density_finding(view).startswith("Sparse beats dense up to a density of about "
                                                      "44 % on the GPU")


def test_a_level_is_a_plateau_of_the_curve(tmp_path):
    view = view_of(tmp_path, "memory")
    cpu, gpu = hierarchy.latency_levels(view, "cpu"), hierarchy.latency_levels(view, "gpu")
    told = dict(zip(("L1", "L2", "L3", "DRAM"),
                    (value for _, value in LEVELS["cpu.chase", "huge", 512 * 2**20])))
    for level, value in told.items():
        assert cpu[level].case.rate == pytest.approx(value, rel=0.02), level
    assert (gpu["L2"].case.rate == pytest.approx(130, rel=0.02)
            and gpu["DRAM"].case.rate == pytest.approx(480, rel=0.02))
    assert (gpu["shared memory"].case.rate == pytest.approx(16, rel=0.02)
            and hierarchy.cycles_of(gpu["L1"].case) == pytest.approx(30.6))
    flows = hierarchy.bandwidth_levels(view, "gpu")
    assert (flows["L2"].case.rate == pytest.approx(5600, rel=0.02)
            and flows["DRAM"].case.rate == pytest.approx(3700, rel=0.02))
    assert hierarchy_finding(view).startswith("A dependent load from DRAM takes 95.3 ns on the CPU "
                                              "(79 times one from L1)")


def test_two_points_are_no_plateau_and_a_slope_is_none(tmp_path):
    run = run_of("memory", {"name": "memory"}, "chase")
    def curve(values):
        lines = [point(run, "chase", "gpu.chase", {"bytes": 4096 << at}, 1e-6 * value,
                       {"ns_per_load": 1e-6}, parameters={"path": "l1"})
                 for at, value in enumerate(values)]
        view = views(loaded(tmp_path / str(values[0]), run, *lines).experiments[0],
                     {"kind": "summary"}, None)[0]
        return [(one.low, one.high)
                for one in hierarchy.plateaus(hierarchy.latencies(view)[0].points)]
    assert curve([18.0, 18.1, 30.0, 60.0, 120.0]) == []
    assert curve([19.0, 19.1, 19.2, 60.0, 61.0, 62.0]) == [(4096, 16384), (32768, 131072)]


@pytest.mark.parametrize("group,axis,ends",
                         [("strides", "stride", (1, 32)), ("conflicts", "degree", (1, 32)),
                          ("occupancy", "occupancy", (0.125, 1.0))])
def test_a_sweep_is_over_the_number_that_varies(tmp_path, group, axis, ends):
    view = view_of(tmp_path, "memory", group=group, kind="sweep")
    found = swept.axis_of(view)
    (line, *_) = swept.lines_of(view, found)
    # a record leaves the option's default out
    assert found.name == axis and (line.points[0][0], line.points[-1][0]) == ends


def test_a_conflict_of_32_banks_costs_32_times(tmp_path):
    view = view_of(tmp_path, "memory", group="conflicts", kind="sweep")
    table = swept.sweep_table(view)
    last = table.rows[-1]
    assert last.heads[1] == "32" and last.cells[1].value == pytest.approx(1 / 32, rel=0.03)
    assert last.cells[1].low < last.cells[1].value < last.cells[1].high


def test_kinds_of_the_gemm_say_so_of_other_operations(page):
    text = (page / "report.md").read_text(encoding="utf-8")
    for stem in ("block size", "step by step"):
        assert re.search(rf"{stem}.*\n*.*This shows points of gemm alone, and these are of axpy, "
                         r"dot and triad\.", text), stem
    for name in ("versus", "break_even", "block_size", "ladder_steps"):
        assert registry.tables()[name].of == "gemm"


def test_each_operation_has_a_chapter_led_by_its_finding(page):
    heads = re.findall(r"^### (.*)", (page / "report.md").read_text(encoding="utf-8")
                       .split("## Threats")[0], re.MULTILINE)
    assert ("Our best reaches 93 % of the roof on the GPU and 95 % on the CPU at the largest size"
            in heads)
    assert any(head.startswith("Sparse beats dense up to") for head in heads)
    assert any(head.startswith("A dependent load from DRAM takes 95.3 ns on the CPU")
               for head in heads)
    for name in EXPERIMENTS:
        assert f'id="experiment-{name}"' in (page / "report.html").read_text(encoding="utf-8")


def test_the_same_records_give_the_same_bytes(page, tmp_path, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("report.pages.html.FORMS", ("html", "md", "tex"))
    assert main(["build", str(write(tmp_path / "records")), "--no-pdf", "--output",
                 str(tmp_path / "report")]) == 0
    files = [path.relative_to(page) for path in sorted(page.rglob("*")) if path.is_file()]
    assert [name for name in files
            if (page / name).read_bytes() != (tmp_path / "report" / name).read_bytes()] == []


def test_export_compare_and_doctor_take_every_operation(tmp_path, capsys):
    folder = write(tmp_path / "records")
    assert main(["export", str(folder), "--output", str(tmp_path / "csv")]) == 0
    with (tmp_path / "csv" / "cases.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    row = next(row for row in rows
               if row["operation"] == "gemv" and row["option_transpose_a"] == "1")
    assert ((row["m"], row["n"], row["k"]) == ("16384", "16384", "")
            and float(row["gbyte_per_s"]) > 0)
    assert main(["export", str(folder), "--output", str(tmp_path / "json"), "--format",
                 "google-benchmark"]) == 0
    benchmark = json.loads(
        (tmp_path / "json" / "memory.json").read_text(encoding="utf-8"))["benchmarks"]
    assert any("ns per load" in one for one in benchmark)
    capsys.readouterr()
    assert main(["compare", str(folder), str(folder), "--fail-on-regression", "0", "--output",
                 str(tmp_path / "c")]) == 0
    assert "shared points" in capsys.readouterr().out
    assert main(["doctor", str(folder)]) in (0, 1)
    assert not [one for one in findings(load(folder, find_files(folder)))
                if one.rule == "power-of-two"]


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_the_committed_definition_has_its_chapter_in_both_languages(tmp_path, monkeypatch,
                                                                    capsys, name):
    """Of invented records of it: no table or figure of it is empty, and no word of it stays English
    in Chinese."""
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("report.pages.html.FORMS", ("html", "md"))
    loaded(tmp_path / "records", *of_definition(ROOT / "experiments" / f"{name}.toml"))
    for language in ("en", "zh"):
        folder = tmp_path / language
        assert main(["build", str(tmp_path / "records"), "--no-pdf", "--language", language,
                     "--output", str(folder)]) == 0
        assert "left out:" not in capsys.readouterr().err
        page = (folder / "report.md").read_text(encoding="utf-8")
        assert f'id="experiment-{name}"' in (folder / "report.html").read_text(encoding="utf-8")
        assert "shows points of gemm alone" not in page and "No number varies" not in page
    assert english_in(page) == set()


def test_an_operation_that_nobody_knew_needs_no_edit(tmp_path, monkeypatch):
    """A toy from its records to a table and a figure: dimensions, rate and unit are the record's
    own."""
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("report.pages.html.FORMS", ("html", "md"))
    definition = {"name": "toy", "title": "Toy", "tables": [{"kind": "rates"}],
                  "figures": [{"kind": "rate_vs_size"}]}
    monkeypatch.setitem(__import__("make_operations").OPERATIONS, "flip",
                        (("cards",), (("gflip_per_s", "Gflip/s"),)))
    run = run_of("toy", definition, "flip")
    assert block_of("flip")["rates"] == [{"name": "gflip_per_s", "unit": "Gflip/s"}]
    lines = [point(run, "flip", implementation, {"cards": 2**power}, 1e-9 * 2**power * slow,
                   {"gflip_per_s": 1e-9 * 2**power}) for power in (10, 16, 24)
             for implementation, slow in (("cpu.flip", 2.0), ("gpu.flip", 0.5))]
    loaded(tmp_path / "records", run, *lines)
    assert main(["build", str(tmp_path / "records"), "--no-pdf", "--output",
                 str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Gflip/s" in page and "| 2²⁴ | flip, GPU |" in page
    assert "size cards" in (
        tmp_path / "out" / "figures" / "toy-rate_vs_size.svg").read_text(encoding="utf-8")
