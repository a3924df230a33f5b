"""What the report answers first: sentence, numbers, badges, questions, lines, tables and
figures."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from pathlib import Path

import make_versus
import pytest
from english_left import english_in
from sample_records import DATA, ROOT, make_case, read

from analysis.answer.curves import curves_of, energy_finding, left_out_text, versus_finding
from analysis.answer.energy import Spent, cpu_unreadable, spent_of
from analysis.answer.headline import clause, headline_of, numbers, over_loops
from analysis.answer.names import cores_of
from analysis.answer.pairs import PLAIN, matches_of
from analysis.answer.points import contest_in, contest_of
from analysis.tables.tables import Table
from language import using
from records.cases.cores import Processors
from records.loading import Experiment, Results, find_files, load
from records.reference import load_reference
from records.schema.operations import is_square
from records.view import View
from report.__main__ import main
from report.asked.wanted import views
from report.pages.table_text import csv_text, make
from report.summary.answer import WIDTH, answer_of
from report.summary.exhibits import summary_of

REFERENCE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


def loaded(folder: Path) -> Results:
    return load(folder, find_files(folder))


@pytest.fixture(scope="module", name="versus")
def _versus(tmp_path_factory) -> Results:
    return loaded(make_versus.write(tmp_path_factory.mktemp("versus")))


@pytest.fixture(scope="module", name="metered")
def _metered(tmp_path_factory) -> Results:
    return loaded(make_versus.write(tmp_path_factory.mktemp("metered"), rapl=True))


def table(results: Results, kind: str, group: str = "pairs") -> Table:
    return make(views(results.experiments[0], {"kind": kind, "group": group}, None)[0])


def cells(made: Table) -> dict[tuple[str, ...], dict[str, tuple[str, float | None]]]:
    return {row.heads: {column: (cell.text, cell.value)
                        for column, cell in zip(made.columns, row.cells)} for row in made.rows}


def told_in(results: Results, exhibit: str, reference: Results | None = None) -> str:
    """The sentences of that exhibit of the summary."""
    return " ".join(next(one for one in summary_of(results, reference)
                         if one.name == exhibit).sentences)


def test_the_sentence_says_how_much_and_from_where(versus):
    answer = answer_of(versus, None)
    assert answer.sentence.startswith("On 4096×4096 matrices in plain float32 the H200's best kernel is "
                                      "35 times as fast as the best on 16 cores (MKL)")
    assert ("with transfers, allocation not counted, it pays from N = 3" in answer.sentence
            and " on from pinned memory, from " in answer.sentence
            and answer.sentence.endswith(" from pageable."))
    assert (answer.borrowed is None and answer.machine == "NVIDIA H200 + Intel Xeon Platinum 8480+"
            and not answer.missing)


def test_four_numbers_each_with_its_interval_and_what_was_compared(versus):
    numbers = answer_of(versus, None).numbers
    assert [number.value[-1] for number in numbers] == ["×", "×", numbers[2].value[-1], "J"]
    assert (numbers[0].value == "35×" and numbers[0].detail.startswith("[")
            and "cuBLAS against MKL, 16 cores" in numbers[0].detail)
    assert "pageable" in numbers[1].detail and numbers[2].value.startswith("N = ")
    assert (numbers[3].detail.endswith("the CPU's cannot be read here")
            and "card alone" in numbers[3].label)
    assert [number.anchor for number in numbers] == ["speedup", "transfers", "speedup", "energy"]


def test_badges_name_host_card_scope_cache_and_date(versus):
    badges = dict(answer_of(versus, None).badges)
    assert list(badges) == ["Product", "Host", "Card", "Scope", "Cache", "Load", "Date"]
    assert (badges["Card"] == "NVIDIA H200" and badges["Date"] == "2026-11-22"
            and badges["Cache"] == "cold")
    assert ("16 cores" in badges["Host"]
            and badges["Scope"] == "kernel and end to end (pinned, pageable)")


def test_the_readers_questions_are_answered_with_numbers(versus):
    sizes = told_in(versus, "speedup")
    assert ("Best against best, the GPU wins by its kernel without the launch from N = " in sizes
            and "A plain kernel against plain loops on all cores wins by" in sizes)
    moved = told_in(versus, "transfers")
    assert (moved.startswith("Yes, with transfers from pinned memory from N = ")
            and "Products with the same A and B, their launches counted, pay from" in moved)
    library = told_in(versus, "gflops")
    assert (library.startswith("CPU library: MKL, 16 cores, the fastest of ")
            and "OpenBLAS 1.2.3" in library and "oneDNN 1.2.3" in library)
    assert ("600 W" in told_in(versus, "energy")
            and "cannot be read here" in told_in(versus, "energy"))


def test_ladder_and_block_are_answered_from_their_own_experiments():
    exhibits = {one.name: one for one in summary_of(loaded(REFERENCE), None)}
    assert ("From naive to pipelined 256×128: 9.33 times at 4096"
            in exhibits["steps-gpu"].sentences[0])
    assert ("From serial to packed: 60.3 times at 1000 (3 samples); the largest step is ikj (×5.38; "
            "3 samples" in exhibits["steps-cpu"].sentences[0].replace("With AVX-512, from", "From"))
    assert "A 32×32 tile is 1.11 times as fast as 16×16" in exhibits["block-size"].sentences[0]
    assert "Why is a 4×4 tile slower than naive?" in exhibits["block-size"].sentences[1]
    assert (exhibits["steps-gpu"].more == "gpu_ladder"
            and exhibits["block-size"].more == "block_size")


def test_a_machine_without_a_gpu_tells_of_its_cpu_first_and_behind_it_of_the_reference(tmp_path,
                                                                                       versus):
    own = loaded(make_versus.write(tmp_path, gpu=False))
    answer = answer_of(own, versus)
    assert answer.sentence.startswith("At 8192 MKL on 8 cores reaches 727 GFLOP/s; at 1024 "
                                      "MKL is 367 times as fast as three plain loops; 8 cores make "
                                      "MKL 6.4 times as fast as one.")
    assert (answer.sentence.endswith(" No GPU was measured here.")
            and answer.machine == "AMD Ryzen 7 5800U")
    assert [number.anchor for number in answer.numbers] == ["gflops", "steps-cpu",
                                                            "threads"], "its own numbers alone"
    assert dict(answer.badges)["This machine"] == "AMD Ryzen 7 5800U, 8 cores"
    behind = answer.borrowed
    assert behind.sentence.startswith("On the reference machine (NVIDIA H200 + Intel Xeon Platinum "
                                      "8480+), on 4096×4096")
    assert (behind.numbers == answer_of(versus, None).numbers
            and dict(behind.badges)["Card"] == "NVIDIA H200")


def test_anchors_lead_to_exhibits_that_there_are(tmp_path, versus):
    for results, reference in ((versus, None),
                               (loaded(make_versus.write(tmp_path, gpu=False)), versus)):
        answer, there = answer_of(results, reference), {one.name
                                                        for one in summary_of(results, reference)}
        numbers = [*answer.numbers, *(answer.borrowed.numbers if answer.borrowed else ())]
        assert numbers and {number.anchor for number in numbers} <= there


@pytest.mark.parametrize(("fault", "told"), [
    ({"pinned": False, "threads_actual": 16}, "(MKL, threads not bound to cores)"),
    ({"throttled": True}, "(MKL, the clock was held down on one side)")])
def test_a_headline_says_what_is_unsound_about_its_baseline(versus, fault, told):
    contest = contest_of(versus)
    unsound = tuple(replace(case, **fault) if case.device == "cpu" else case
                    for case in contest.cases)
    for cases, there in ((contest.cases, False), (unsound, True)):
        one = replace(contest, cases=cases)
        headline = headline_of(one)
        assert ((told in clause(headline)) is there
                and (told[6:-1] in numbers(headline)[0].detail) is there)


def test_a_machine_without_a_gpu_tells_of_the_reference_what_its_own_report_tells():
    other = ROOT / "data" / "results" / "amd-epyc-avx512"
    theirs, own = (answer_of(loaded(other), load_reference(REFERENCE, other)).borrowed,
                   answer_of(loaded(REFERENCE), None))
    assert (theirs.numbers == own.numbers
            and own.sentence[0].lower() + own.sentence[1:] in theirs.sentence)


def test_cores_are_worth_what_they_were_to_the_point_s_own_run(versus):
    """Of the committed host one run saw 8 cores' worth, the other 10."""
    one = headline_of(contest_of(loaded(REFERENCE)))
    own = {cores_of(case) for case in one.contest.cases
           if case.device == "cpu" and len(set(case.cores)) == 16}
    assert own == {"16 threads (8 cores' worth)", "16 threads (10 cores' worth)"}
    assert "on 16 threads (8 to 14 cores' worth, by run)" in clause(one), "over the range's points"
    assert "against packed, 16 threads (8 cores' worth)" in numbers(one)[0].detail
    base = replace(one.best["kernel"].cpu, processors=Processors(16, 8.0, True, ()))
    assert cores_of(base, replace(base, processors=Processors(16, 10.0))) == (
        "16 threads (8 to 10 cores' worth, by run)")


def test_a_plain_kernel_s_gain_is_told_over_the_sizes_around():
    """The committed records: loops collapse at 1024, and 895 times is that one size's."""
    one = headline_of(contest_of(loaded(REFERENCE)))
    span, sizes, less = one.plain_span
    gains = {match.shape[0]: match.ratio.value for match in matches_of(PLAIN, one.contest)
             if is_square(match.shape)}
    assert (span.low == min(gains[size] for size in sizes)
            and span.high == max(gains[size] for size in sizes) > 3 * gains[725])
    assert f"A plain kernel is {span} times as fast as plain loops on 16" in over_loops(one)
    assert (less.shape[0] == 64 and less.ratio.value == min(gains.values())
            and "; 3.2 at 64; " in over_loops(one))


def test_plain_loops_that_are_slower_at_powers_of_two_say_so():
    """The committed records; and without the sizes between, which alone tell it."""
    contest = contest_of(loaded(REFERENCE))
    assert over_loops(headline_of(contest)).endswith(
        "the loops reach 7.02 to 20.3 GFLOP/s at powers of two, 26.5 to 27.1 between).")
    powers = tuple(case for case in contest.cases if case.shape[0] & (case.shape[0] - 1) == 0)
    assert "powers of two" not in over_loops(headline_of(replace(contest, cases=powers)))


def test_two_hosts_of_one_folder_are_never_mixed_into_an_answer():
    cases = [make_case("cpu.ikj", host="a", run_id="a"),
             make_case("gpu.naive", samples=(1.0,) * 7, host="b", run_id="b")]
    results = Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "a", "host": {"id": "a"}},
                                                              {"run_id": "b", "host": {"id": "b"}}],
                                             cases)], [])
    answer = answer_of(results, None)
    assert "./gemmlab run cpu_vs_gpu" in answer.sentence and not answer.numbers and answer.missing


def test_where_the_cpu_wins_the_gpu_is_not_said_to(make):
    cases = [make(name, samples=(seconds,) * 7, size=size) for size in (64, 128)
             for name, seconds in (("cpu.ikj", 1.0), ("gpu.naive", 2.0))]
    results = Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "r"}], cases)], [])
    answer = answer_of(results, None)
    assert "2.0 times slower than the best on 1 core (ikj)" in answer.sentence
    assert (answer.numbers[1].value == "never"
            and "at no size up to N = 128" in told_in(results, "speedup"))


def test_a_tie_is_told_as_one(make):
    near = (1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99, 1.0)
    cases = [make("cpu.ikj", samples=near), make("gpu.naive", samples=near[::-1])]
    answer = answer_of(
        Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "r"}], cases)], []), None)
    assert "level with" in answer.sentence and answer.numbers[0].value == "level"


def test_what_is_not_resolved_is_called_so_in_its_box(make):
    wide = (0.7, 0.8, 0.9, 0.9, 1.2, 1.3, 1.4)
    answer = answer_of(Results(Path("r"), [Experiment("e", Path("r"), [{"run_id": "r"}], [
        make("cpu.openblas", samples=(1.0,) * 7), make("gpu.pipelined", samples=wide)])], []), None)
    assert "×" in answer.numbers[0].value and "not resolved" in answer.numbers[0].detail


@pytest.mark.parametrize("results", [Results(Path("r"), [], []),
                                     Results(Path("r"), [Experiment("e", Path("e"))], [])])
def test_records_of_nothing_say_what_to_run(results):
    answer = answer_of(results, None)
    assert "./gemmlab run cpu_vs_gpu" in answer.sentence and not answer.numbers
    assert summary_of(results, None) == []


@pytest.mark.parametrize("machine", ["workstation", "laptop", "bench"])
def test_the_lines_of_a_terminal_are_short_and_plain(machine, versus):
    for lines in (answer_of(read(machine), versus).lines, answer_of(versus, None).lines):
        assert 1 <= len(lines) <= 3
        assert all(line.isascii() and 0 < len(line) <= WIDTH for line in lines), lines


def test_a_name_beyond_ascii_breaks_no_terminal(make):
    cases = [make("cpu.größe", samples=(2.0,) * 7), make("gpu.naive", samples=(1.0,) * 7)]
    lines = answer_of(
        Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "r"}], cases)], []), None).lines
    assert "gr??e" in lines[0] and all(line.isascii() for line in lines)


def test_a_report_ends_with_the_answer_in_the_terminal(tmp_path, capsys):
    assert main(["build", str(make_versus.write(tmp_path / "versus")), "--output",
                 str(tmp_path / "report"), "--no-pdf"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("N = 4096: cuBLAS on the GPU is 35 times as fast as MKL, 16 cores")
    assert (told[1].startswith("The GPU wins from: kernel N = ")
            and told[2].startswith("Energy at 8192: card "))
    assert told[3] == f"Report: {tmp_path / 'report' / 'report.html'}"
    for name in ("versus", "break_even", "reuse", "energy"):
        assert (tmp_path / "report" / "tables" / f"cpu_vs_gpu-{name}.csv").is_file(), name
    for name in ("answer-gpu_over_cpu", "summary-energy"):
        assert (tmp_path / "report" / "figures" / f"{name}.svg").is_file(), name
    assert not (tmp_path / "report" / "figures"
                / "cpu_vs_gpu-energy.svg").exists(), "a figure of the summary is drawn once"


def test_versus_has_a_row_a_pairing_and_size_and_names_both_sides(versus):
    made = table(versus, "versus")
    rows = cells(made)
    assert made.columns == ("kernel", "call", "end to end (pinned)", "end to end (pageable)")
    best = rows["4096", "best against best", "MKL, 16 cores", "cuBLAS"]
    assert (best["kernel"][1] == pytest.approx(34.6, rel=0.02)
            and best["end to end (pageable)"][1] < best["end to end (pinned)"][1])
    assert any(heads[1] == "best at FP32's accuracy against the GPU's matrix units"
               for heads in rows)
    assert not any(heads[:2] == ("4096", "plain loops, one core")
                   for heads in rows), "the serial loop was skipped there"
    assert "CPU libraries compared:" in made.caption and "MKL" in made.caption


def test_break_even_gives_the_bracket_of_measured_sizes(versus):
    rows = cells(table(versus, "break_even"))
    pinned = rows["best against best", "end to end (pinned)"]
    assert pinned["largest size not won"][1] == 256 and pinned["won from there on"][1] == 512
    assert 256 < pinned["GPU wins from N"][1] < 512
    always = rows["plain loops, all cores", "kernel"]
    assert (always["GPU wins from N"][0] == "all sizes (from 64)"
            and always["largest size not won"][0] == "–")


def test_reuse_falls_with_size_and_is_never_where_the_kernel_loses(versus):
    rows = {heads[0]: one for heads, one in cells(table(versus, "reuse")).items()}
    assert rows["64"]["end to end (pinned)"][0] == "never"
    assert (rows["128"]["end to end (pinned)"][1] >= rows["256"]["end to end (pinned)"][1] >= 1
            == rows["4096"]["end to end (pinned)"][1])
    assert rows["256"]["end to end (pageable)"][1] > rows["256"]["end to end (pinned)"][1]


def test_energy_is_joules_and_gflop_per_joule_with_its_source(metered, versus):
    rows = dict(cells(table(metered, "energy", "energy")).items())
    heads, one = next((heads, one) for heads, one in rows.items() if heads[:2] == ("8192", "cuBLAS")
                      and heads[2] == "kernel")
    assert (one["W"][1] == pytest.approx(600, rel=1e-3)
            and heads[3] == "the card's energy counter (NVML)")
    assert one["GFLOP/s per watt"][1] == pytest.approx(2e-9 * 8192**3 / one["J per product"][1])
    cpu = next(one for heads, one in rows.items() if heads[:2] == ("8192", "OpenBLAS, 16 cores"))
    assert cpu["W"][1] == pytest.approx(250, rel=1e-3)
    without = table(versus, "energy", "energy")
    assert make_versus.REASON in without.caption and not any("cores" in row.heads[1]
                                                             for row in without.rows)
    assert "the card alone" in without.caption


def test_energy_that_its_samples_told_is_power_over_the_median():
    case = make_case("gpu.naive", energy_j_per_call=6.0, energy_source="integrated power")
    assert (Spent(case).watts == 3.0
            and Spent(case).gflop_per_joule == pytest.approx(2e-9 * 64**3 / 6))


def test_a_longer_reading_of_the_same_kernel_stands_beside_the_energy(metered):
    contest = contest_of(metered)
    plain_one = headline_of(contest)
    own = plain_one.thriftiest("gpu").case
    longer = replace(own, host="another", energy_s=9.0, energy_calls=9, energy_j_per_call=77.0)
    unlike = replace(longer, distribution="zeros", energy_s=99.0)
    told = [numbers(headline_of(replace(contest, beside=beside)))[3].detail
            for beside in ((own,), (own, longer, unlike))]
    assert "another" not in told[0] and "77.0 J over 9.00 s on host another" in told[1]


def test_where_another_kernel_takes_less_is_told_beside_the_kernel_of_the_number(metered):
    """Planted: at 2048 cuBLAS takes less than the kernel that is thriftiest at 4096."""
    contest = contest_of(metered)
    one = headline_of(contest)
    told = one.thriftiest("gpu")
    own, other = (replace(case, case_id=f"{case.case_id}2", dims=dict.fromkeys("mnk", 2048),
                          energy_j_per_call=joules)
                  for case, joules in ((told.case, 2.0), (next(
                      spent.case for spent in one.spent if spent.case.scope == "kernel"
                      and spent.case.precision == "fp32" and spent.case.device == "gpu"
                      and spent.case.implementation != told.case.implementation), 1.5)))
    planted = headline_of(replace(contest, cases=(*contest.cases, own, other)))
    assert f"; at 2048 2.00 J, {other.name_parts[0]} 1.50; " in numbers(planted)[3].detail
    assert "at 2048" not in numbers(one)[3].detail
    assert "; at 4096 1.77 J, cuBLAS 1.76; " in numbers(
        headline_of(contest_of(loaded(REFERENCE))))[3].detail


def test_no_energy_of_a_point_that_is_not_shown_or_was_disturbed():
    told = {"energy_j_per_call": 6.0, "energy_source": "nvml counter"}
    assert spent_of([make_case("gpu.naive", **told, status="incorrect"),
                     make_case("gpu.tiled", **told, steal_s=9.0)]) == []
    assert cpu_unreadable({"host": {"rapl_unavailable": "no permission"}},
                          []) == "cannot be read here: no permission"
    assert cpu_unreadable({}, []) == "was not read"


def test_the_figures_title_is_the_finding(versus, metered):
    view = views(versus.experiments[0], {"kind": "gpu_over_cpu", "group": "pairs"}, None)[0]
    assert versus_finding(view).startswith("At 4096 the GPU is 35 times as fast as the CPU's best; "
                                           "with transfers, allocation not counted, it pays from "
                                           "N = ")
    energy = views(metered.experiments[0], {"kind": "energy", "group": "energy"}, None)[0]
    assert energy_finding(energy).startswith("At 8192 cuBLAS takes 12.9 J per product, OpenBLAS on "
                                             "16 cores ")


def test_the_figure_draws_best_and_plain_by_scope_and_no_disturbed_point(versus):
    view = views(versus.experiments[0], {"kind": "gpu_over_cpu", "group": "pairs"}, None)[0]
    curves = curves_of(contest_in(view))
    assert [(curve.plain, curve.way) for curve in curves] == [
        (plain, way) for plain in (False, True) for way in ("kernel", "pinned", "pageable")]
    calm = curves[0].points
    disturbed = tuple(replace(case, steal_s=9.0) if case.m == 1024 else case for case in view.cases)
    assert ([size for size, _ in curves_of(contest_in(replace(view, cases=disturbed)))[0].points]
            == [size for size, _ in calm if size != 1024])
    count = sum(case.m == 1024 and case.shown for case in view.cases)
    assert (left_out_text(replace(view, cases=disturbed)) == f"{count} disturbed points are not "
            "used." and not left_out_text(view))


def test_a_view_without_both_devices_says_so():
    view = View("e", "versus", "A title", (make_case("cpu.ikj"),), {})
    for kind in ("versus", "break_even", "reuse"):
        assert "nothing can be compared" in make(replace(view, kind=kind)).caption
    assert list(csv.reader(io.StringIO(csv_text(make(view)))))


def test_a_chinese_answer_is_chinese_where_there_is_chinese(versus, tmp_path):
    with using("zh"):
        for answer in (answer_of(versus, None),
                       answer_of(loaded(make_versus.write(tmp_path, gpu=False)), versus)):
            told = [answer.sentence, *answer.lines,
                    *(part for number in answer.numbers for part in (number.label, number.detail))]
            assert english_in("\n".join(told)) == set()


@pytest.mark.parametrize("disturbed", ["all", "few"])
def test_a_machine_that_was_busy_throughout_has_an_answer_all_the_same_and_says_so(tmp_path,
                                                                                   disturbed):
    lines = [json.loads(line) for line in gzip.decompress((DATA / "quick_cpu.jsonl.gz")
                                                          .read_bytes()).decode().splitlines()]
    for line in lines:
        if (line["kind"] == "case" and line["status"] == "ok"
                and (disturbed == "all" or line["implementation"] == "cpu.openblas")):
            line["steal_s"] = 1e3
    (tmp_path / "quick.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines),
                                          encoding="utf-8")
    results = loaded(tmp_path)
    answer = answer_of(results, loaded(REFERENCE))
    tables = {stem: table for exhibit in summary_of(results, None)
              for stem, table in exhibit.tables}
    notes = {cell.note for row in tables["gflops-cpu"].rows
             for cell in row.cells if cell.value is not None and cell.unit == "GFLOP/s"}
    if disturbed == "all":
        assert ("GFLOP/s" in answer.sentence and "--fresh measures again" in answer.missing[0]
                and notes == {1})
    else:
        assert "OpenBLAS" not in answer.sentence and not answer.missing and notes == {0}
