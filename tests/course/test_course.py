"""The course: chapters as data, numbers from records alone, code from the sources as they stand,
both languages."""

from __future__ import annotations

import itertools
import json
import math
import re
import shlex
from html import unescape

import pytest
from msgspec.structs import replace
from sample_records import ROOT, implementations

from analysis.ladder.ladder import factor_text
from analysis.memory.hierarchy import latency_levels, told_cycles
from commands.launch.meant import commands
from course import chapter as chapter_file
from course.chapter import Cut, chapters
from course.code import NotFound, cut
from course.figures import bars_of
from course.measures import Measures, Missing, amount, compared, numbers_of, whole
from course.pages import ROWS, chapter_page, lesson_of, pages
from language import LANGUAGES, using
from records.cases.experiment import Results
from records.cases.ratios import speedup
from records.loading import find_files, load
from records.names.numbers import DASH
from report.__main__ import main
from report.summary.steps import ladder_of
from report.untranslated import entries

RECORDS = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
HOLE = re.compile(r"\{(\w+)\}")
COALESCING = next(one for one in chapters() if one.name.endswith("coalescing"))
# What only a record can tell: a decimal, a factor, a share. Constants of the hardware (32 banks)
# and of the code are none.
MEASURED = re.compile(r"\d+\.\d|\b\d+(?:\.\d+)? times\b|\d ?%|GFLOP/s \d|\b\d+ (?:ns|ms|µs)\b")


@pytest.fixture(scope="module", name="reference")
def _reference():
    return load(RECORDS, find_files(RECORDS))


@pytest.fixture(scope="module", name="made")
def _made(reference):
    """By language: file name -> page."""
    made = {}
    for name in LANGUAGES:
        with using(name):
            made[name] = pages(None, reference)
    return made


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_chapter_is_built_and_nothing_is_left_unfilled(made, name):
    written = made[name]
    assert {"index.html", "glossary.html", "style.css",
            *(one.page for one in chapters())} == set(written)
    for page, text in written.items():
        if page.endswith(".html"):
            prose = re.sub(r"<pre.*?</pre>|<svg.*?</svg>", "", text, flags=re.DOTALL)
            assert not HOLE.search(prose), page
            assert "nan" not in re.findall(r"\w+", prose.lower()), page


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_pages_load_nothing_and_lead_nowhere_else(made, name):
    written = made[name]
    for page, text in written.items():
        assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', ""), page
        assert "<script" not in text and "@import" not in text and "url(" not in text, page
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            assert target in written, (page, target)


def test_the_whole_course_stays_small(made):
    for written in made.values():
        assert sum(len(text.encode()) for text in written.values()) < 270_000


@pytest.mark.parametrize("one", chapters(), ids=lambda one: one.name)
def test_texts_and_numbers_name_each_other(one):
    asked = {hole for text in one.texts for hole in HOLE.findall(text)}
    assert asked == set(one.numbers)
    for text in one.texts:
        chinese = entries("zh").get(text, text)
        assert set(HOLE.findall(chinese)) == set(HOLE.findall(text)), text


@pytest.mark.parametrize("one", chapters(), ids=lambda one: one.name)
def test_no_measured_number_is_typed(one):
    quoted = {wrong.said for wrong in one.wrong}  # what others say, with their own numbers
    for text in one.texts:
        for said in {text, entries("zh").get(text, text)} if text not in quoted else ():
            assert not MEASURED.search(HOLE.sub("x", said)), said


@pytest.mark.parametrize("one", chapters(), ids=lambda one: one.name)
def test_the_code_is_cut_from_the_sources_with_its_point_marked(one):
    assert one.code
    for wanted in one.code:
        lines = cut(wanted)
        source = (ROOT / wanted.file).read_text(encoding="utf-8").splitlines()
        assert any(line.marked for line in lines)
        assert all(source[line.number - 1].endswith(line.text) for line in lines)


def test_code_that_is_no_longer_there_is_an_error(tmp_path):
    (tmp_path / "kernel.cu").write_text("int a;\nfor (;;) {\n  sum += a;\n}\n", encoding="utf-8")
    wanted = {"file": "kernel.cu", "begin": "^for", "end": "^}", "mark": ["sum"], "said": ""}
    assert [line.text for line in cut(Cut(**wanted), tmp_path)] == ["for (;;) {",
                                                                    "  sum += a;", "}"]
    for change in ({"begin": "^while"}, {"end": "^]"}, {"mark": ["product"]}, {"within": "main"},
                   {"file": "gone.cu"}):
        with pytest.raises(NotFound):
            cut(Cut(**wanted | change), tmp_path)


def test_the_titles_numbers_are_those_of_the_records(reference):
    """Held against the records by code of their own: recompute.py."""
    from recompute import Records

    records = Records("intel-xeon-nvidia-h200")
    before, after = ({"implementation": name, "shape": 4096}
                     for name in ("gpu.naive_uncoalesced", "gpu.naive"))
    numbers = numbers_of(Measures(reference, COALESCING), COALESCING)
    assert numbers["times"].split(" [")[0] == f'{records.speedup("gpu_ladder", before, after):.1f}'
    tiling = next(one for one in chapters() if one.name.endswith("tiling"))
    small = records.speedup("gpu_ladder", {"implementation": "gpu.naive", "shape": 4096},
                            {"implementation": "gpu.tiled", "shape": 4096, "block": 4})
    times = numbers_of(Measures(reference, tiling), tiling)["small_times"]
    assert times.split(" [")[0] == f"{small:.3f}"


def test_cycles_are_those_of_the_memory_hierarchy_s_table_and_what_that_drops_is_missing(reference):
    """684 cycles once stood beside a table that drops its own count, and verdicts that are not
    judged for want of it."""
    memory = next(one for one in chapters() if "shared_cycles" in one.numbers)
    known = Measures(reference, memory)
    levels = latency_levels(known.memory, "gpu")
    shared, dram = (levels[level].case for level in ("shared memory", "DRAM"))
    assert (numbers_of(known, memory)["shared_cycles"] == f"{told_cycles(shared):.0f}"
            and told_cycles(dram) is None)
    with pytest.raises(Missing, match="no cycles of DRAM"):
        known.cycles("DRAM")


def test_a_page_says_where_and_how_each_experiment_of_it_was_measured(reference):
    cores = next(one for one in chapters() if one.name == "10-tensor-cores")
    source = lesson_of(cores, None, reference).source
    for place in ("gpu_ladder, 4096: Intel Xeon Processor, host 2937928b;",
                  "Of different builds in accuracy and gpu_ladder, so that the kernels may "
                  "differ: tensor.",
                  "accuracy, 1024, 4096: Intel Xeon Processor, host c2cf8f77;",
                  "normal and uniform inputs", "cold cache", "samples per point"):
        assert place in source
    threads = lesson_of(next(one for one in chapters() if one.name == "16-cpu-threads"),
                        None, reference)
    assert ("threads not bound to cores" in threads.numbers["crowded"]
            and "3 samples" in threads.numbers["openmp_times"])


_PROCESSORS = re.compile(r"\b(\d+|all|the|than) cores\b")


def test_processors_that_share_cores_are_not_called_cores(made, reference):
    """The 16 of d4c3dbee are worth 8 cores: "more than 8 cores" was said of them."""
    assert _PROCESSORS.search("Not where there are more than 8 cores: at {claim_size}")
    assert not [text for one in chapters() for text in one.texts if _PROCESSORS.search(text)]
    threads = lesson_of(next(one for one in chapters() if one.name == "16-cpu-threads"),
                        None, reference)
    assert threads.numbers["claim_processors"] == "16 threads (8 cores' worth)"
    page = made["en"]["16-cpu-threads.html"]
    assert ">11 processors</text>" in page and ">11 cores<" not in page, "the line of the figure"
    case = threads.measures.cases["claim_many"]
    processors, case.processors = case.processors, None
    with pytest.raises(Missing):
        threads.measures.all_processors("claim_many")
    case.processors = processors


def _of_several(one, reference):
    """Pairs of experiments of which a chapter tells speeds of the same two kernels, though the
    first has them all."""
    cases, there, found = Measures(reference, one, partly=True).cases, {}, []
    for experiment in reference.experiments:
        there[experiment.name] = {(case.implementation, case.shape, case.distribution)
                                  for case in experiment.cases if case.shown}
    told = {}
    for pair in (text.split()[1:] for text in one.numbers.values() if text.startswith("faster ")):
        kernels = tuple(one.points[point].implementation for point in pair)
        for point in pair if set(pair) <= set(cases) else ():
            told.setdefault(kernels, {}).setdefault(one.points[point].experiment, set()).add((
                cases[point].implementation, cases[point].shape, cases[point].distribution))
    for places in told.values():
        found += [(whole, part) for whole, part in itertools.permutations(places, 2)
                  if places[whole] | places[part] <= there[whole]]
    return found


def test_speeds_of_a_kernel_are_of_one_experiment_where_one_has_them_all(reference):
    """A kernel was told with a loss that its older build had in another experiment."""
    assert not [one.name for one in chapters() if _of_several(one, reference)]
    cores = next(one for one in chapters() if one.name == "10-tensor-cores")
    older = {name: replace(cores.points[name], experiment="gpu_ladder", group="")
             for name in ("other_small_before", "other_small_after")}
    assert _of_several(replace(cores, points=cores.points | older),
                       reference) == [("accuracy", "gpu_ladder")]


def _factors(one, reference, *names):
    """What the numbers of these names come to together."""
    cases = Measures(reference, one)
    return math.prod(cases.ratio(*one.numbers[name].split()[1:]).value for name in names)


def test_the_factors_of_packing_are_each_over_the_rung_before(reference):
    """A factor over an earlier rung held what the rung between them brings."""
    one = next(one for one in chapters() if one.name == "15-cpu-packing")
    steps = ("registers_times", "edges_times", "packing_times")
    whole_climb = pytest.approx(_factors(one, reference, "times"), rel=0.02)
    assert _factors(one, reference, *steps) == whole_climb
    skipping = replace(one, numbers=one.numbers | {"packing_times": "faster registers after"})
    assert _factors(skipping, reference, *steps) != whole_climb


@pytest.mark.parametrize("one", [one for one in chapters() if "after" in one.points],
                         ids=lambda one: one.name)
def test_what_was_timed_has_its_interval_or_says_that_it_has_none(reference, one):
    timed = {name for name, measure in one.numbers.items()
             if measure.split()[0] in ("faster", "rate", "time", "latency")}
    lesson = lesson_of(one, None, reference)
    if lesson.absent:
        pytest.skip(f"the records lack {', '.join(lesson.absent)}")
    numbers = lesson.numbers
    assert timed and all(re.search(r" \[.+\]", numbers[name]) for name in timed)


def test_a_tie_is_said_beside_its_interval(make):
    pairs = [make("cpu.ikj", samples=(1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 1.0, 1.0)),
             make("cpu.blocked", samples=(1.01, 1.0, 1.0, 0.99, 1.01, 1.0, 0.99, 1.0))]
    assert re.fullmatch(r"1\.\d+ \[0\.9\d+, 1\.0\d+, a tie\]", compared(speedup(*pairs)))
    few = [make(samples=samples, implementation="cpu.ikj") for samples in ((4.0, 4.0), (1.0, 1.0))]
    assert compared(speedup(*few)) == "4.00 [no interval, 2 samples]"
    assert compared(speedup(*few), over=True) == "0.250 [no interval, 2 samples]"


def test_what_is_to_be_known_of_a_bars_factor_stands_below_the_bars(make):
    few = [make("cpu.ikj", samples=(4.0, 4.0)), make("cpu.blocked", samples=(1.0, 1.0)),
           make("cpu.packed", samples=(0.5, 0.5))]
    wide = str(bars_of(few)).split('class="narrow"', maxsplit=1)[0]
    assert "(× 4.00)*<" in wide and "(× 8.00)*<" in wide
    assert wide.count("* 2 samples") == 1 and wide.count("2 samples") == 1


def test_a_rungs_factor_is_that_of_the_reports_ladder(reference):
    """The report's first screen tells every rung; so does the chapter that teaches it."""
    ladder = ladder_of(reference, "gpu")[1]
    steps = {rung.name: factor_text(rung.ratio) for rung in ladder.rungs[1:]}
    found = set()
    for chapter in chapters()[1:9]:
        line = lesson_of(chapter, None, reference).rungs
        assert line == "" or " at 4096" in line
        for name, factor in re.findall(r"→ ([^→;]+?) (×[\d.]+[0-9])", line):
            assert steps[name] == factor, name
            found.add(name)
    assert found == set(steps)


def test_a_rung_without_parameters_is_the_fastest_as_on_the_reports_ladder(reference):
    tuned = next(one for one in chapters() if one.name.endswith("pipelined"))
    ladder = ladder_of(reference, "gpu")[1]
    assert Measures(reference, tuned).cases["after"] is ladder.best.case


def _some_records(folder, change):
    """The two kernels' lines of the committed ladder, as `change` leaves each."""
    kept = []
    for line in (RECORDS / "gpu_ladder.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "run" or (record.get("implementation") in (
                "gpu.naive", "gpu.naive_uncoalesced") and record.get("m") == 4096):
            change(record)
            kept.append(json.dumps(record))
    folder.mkdir()
    (folder / "gpu_ladder.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    return folder


def test_another_record_is_another_text_and_what_is_missing_is_the_references(tmp_path):
    def change(record):
        if record["kind"] == "counters" and record["implementation"] == "gpu.naive_uncoalesced":
            record["metrics"]["global_load_sectors_per_request"]["value"] = 9.25
        if record["kind"] == "run":
            record["gpus"][0]["name"] = "A card of one's own"

    own = _some_records(tmp_path / "own", change)
    assert main(["course", str(own), "--output", str(tmp_path / "out")]) == 0
    page = unescape((tmp_path / "out" / COALESCING.page).read_text(encoding="utf-8"))
    assert "instead of 9.25" in page and "16.5" not in page
    assert "A card of one's own" in page and "Reference records" not in page
    tiling = unescape((tmp_path / "out" / "03-tiling.html").read_text(encoding="utf-8"))
    assert "Reference records" in tiling and "A card of one's own" not in tiling


def test_a_chapter_without_a_counter_is_wholly_the_references(tmp_path, reference):
    own = _some_records(tmp_path / "own", lambda record: record.pop("metrics", None))
    lesson = lesson_of(COALESCING, load(own, find_files(own)), reference)
    assert (lesson.reference
            and lesson.measures.cases["after"].run_id in {case.run_id for case in next(
                one for one in reference.experiments if one.name == "gpu_ladder").cases})
    assert "16.5" in chapter_page(lesson, None)


@pytest.mark.parametrize("name", LANGUAGES)
def test_what_no_record_holds_is_a_dash_and_is_said_to_be_missing(reference, name):
    kept = [one for one in reference.experiments if one.name not in ("accuracy", "matrix_ladder")]
    without = Results(reference.folder, kept, [])
    with using(name):
        made = pages(None, without)
        cores = lesson_of(next(one for one in chapters() if one.name == "10-tensor-cores"), None,
                          without)
        counted = numbers_of(cores.measures, cores.chapter, partly=True)["instructions_after"]
    assert set(made) == set(pages(None, reference))
    assert cores.absent == ("accuracy",) and cores.numbers["times"] == DASH != counted
    assert "accuracy" in cores.source and "gpu_ladder" in cores.source
    page = unescape(made["11-fragments.html"])
    assert "matrix_ladder" in page and "GFLOP/s" not in page and "<small>" not in page
    assert "<svg" in page and "<table" not in page


def test_a_measure_that_does_not_exist_and_a_key_that_is_misspelt_are_mistakes(reference, tmp_path,
                                                                               monkeypatch):
    import msgspec

    with pytest.raises(ValueError, match="no measure 'fastest'"):
        numbers_of(Measures(reference, COALESCING),
                   msgspec.structs.replace(COALESCING, numbers={"x": "fastest before"}))
    with pytest.raises(Missing):
        Measures(reference, COALESCING).value("no_counter", "after")
    text = (chapter_file.FOLDER / f"{COALESCING.name}.toml").read_text(encoding="utf-8")
    (tmp_path / "01-x.toml").write_text("titel = 'x'\n" + text, encoding="utf-8")
    with pytest.raises(ValueError, match="01-x.toml: .*titel"):
        chapter_file._read(tmp_path / "01-x.toml")


def test_exercises_are_commands_that_there_are():
    for one in chapters():
        for command in one.exercise.command.split(" && "):
            called, name, *arguments = shlex.split(command)
            assert called == "./gemmlab" and name in commands()
            ids = {argument for argument in arguments if re.match(r"[cg]pu\.", argument)}
            assert ids <= implementations()
            # README's own
            files = {path.stem for path in (ROOT / "experiments").glob("*.toml")} | {"blocks.toml"}
            assert name != "run" or set(arguments) <= files


def test_rows_are_known():
    assert {row for one in chapters() for row in one.counters.rows} <= set(ROWS)


@pytest.mark.parametrize("value,unit,text", [
    (16.5, "sector", "16.5"), (4, "sector", "4"), (4.264e9, "byte", "4.26 GB"),
    (0.2424, "share", "24 %"), (14136901632, "count", "14,137 million"), (0, "count", "0")])
def test_amounts_are_read_at_a_glance(value, unit, text):
    assert amount(value, unit) == text


def test_whole_numbers_have_no_zeros_behind_the_point():
    assert [whole(value) for value in (32.0, 2.5, 0.01, 1234.0, 10.0)] == ["32", "2.5", "0.01",
                                                                           "1,234", "10"]
