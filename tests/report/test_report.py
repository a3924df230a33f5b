import json
import re
import shutil

import pytest
from sample_records import DATA, ROOT, experiment, read

from analysis.ladder.parameter_sentences import by_parameter
from records.cases.series import series_of
from records.view import View
from report.__main__ import main
from report.chapters import DASH, command_of
from report.findings.folded import over_baseline
from report.findings.standing import fastest


@pytest.mark.parametrize("given,shown", [
    (["run", "quick", "--no-report", "--machine", "a b"], "./gemmlab run quick --machine 'a b'"),
    (["run", "quick", "--output", "somewhere", "--fresh"], "./gemmlab run quick --fresh"),
    (["run", "quick", "--output=somewhere"], "./gemmlab run quick"), ([], DASH)])
def test_how_to_repeat_a_run_leaves_out_what_was_for_that_machine_alone(given, shown):
    assert command_of({"arguments": given}) == shown


def test_the_layout_of_what_is_written(built):
    names = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    assert {"report.html", "report.md", "figures/quick-gflops_vs_size.svg",
            "tables/quick-time.csv", "figures/quick-speedup_bars-reference.pdf",
            "tables/quick-speedup-reference.tex"} <= names


def test_the_html_page_needs_nothing_from_outside(built):
    page = (built / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|srcset|@import|url\()\s*=?\s*["\']?https?:', page)
    assert "<script src" not in page and "<link rel=\"stylesheet" not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_the_pages_say_whose_numbers_they_are(built):
    for name in ("report.html", "report.md"):
        page = (built / name).read_text(encoding="utf-8")
        assert "AMD Ryzen 7 5800U" in page and "NVIDIA H200" in page
        assert "no ratio mixes the two machines" in page
        assert ("2026-11-21 09:00 UTC" in page
                and "What do threads, tiling and a library bring?" in page)
        assert "predicted 43 s" in page and "no CUDA device" in page


def test_the_sections_come_in_their_order_with_numbers_without_a_gap(built):
    page = (built / "report.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [
        "How many GFLOP/s does each implementation reach?", "What do more threads bring?",
        "How much faster is the GPU, and from which size?",
        "How many GFLOP/s does each implementation reach?", "Which block size is best, and why?",
        "What does each step buy on the GPU?", "Does it pay with transfers?",
        "What does a product cost in energy?", "Contents", "Machine and method",
        "Limits and threats to validity", "Appendix: every experiment",
        "Appendix: Threats to validity", "Appendix: How to repeat it"]
    for what in ("Table", "Figure"):
        numbers = list(map(int, re.findall(rf"\*\*{what} (\d+)\.", page)))
        assert len(numbers) > 3 and numbers == list(range(1, len(numbers) + 1))
        assert [int(one) for one in re.findall(
            rf"{what} (\d+)\.", (built / "report.html").read_text(encoding="utf-8"))] == numbers
    assert "./gemmlab run quick" in page and "git checkout 0123456789ab" in page


def test_roofs_and_counters_stand_under_why(tmp_path, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    assert main(["build", str(DATA / "bench"), "--output", str(tmp_path)]) == 0
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    why = page.partition("## Appendix: Why")[2].partition("## Appendix: Published")[0]
    assert ("evidence-roofline.svg" in why and "evidence-counters.csv" in why
            and "evidence-ladder_steps.csv" in why)
    assert "each beside the fastest before it with the 99 % interval" in why
    assert page.count("evidence-roofline.svg") == 1


def test_a_build_without_cuda_borrows_what_it_never_tried(tmp_path, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    lines = (DATA / "workstation" / "gpu_ladder.jsonl").read_text(encoding="utf-8").splitlines()
    run = json.loads(lines[0]) | {"gpus": [], "gpu_unavailable": "built without CUDA"}
    (tmp_path / "gpu_ladder.jsonl").write_text(json.dumps(run) + "\n")
    for arguments, sentence in (
            (["--reference", str(DATA / "workstation")], "no ratio mixes the two machines"),
            (["--reference", str(DATA / "laptop")], "no reference records of this experiment")):
        assert main(["build", str(tmp_path), "--output", str(tmp_path / "out"), *arguments]) == 0
        page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
        assert (sentence in page and "none (built without CUDA)" in page
                and "Nothing to draw" not in page)


def test_a_second_build_gives_the_same_bytes(built, tmp_path):
    main(["build", str(DATA / "laptop"), "--output", str(tmp_path), "--reference",
          str(DATA / "workstation")])
    for path in built.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(built)).read_bytes(), path.name


def files_linked(page):
    """Of a Markdown page, and the places in it."""
    links = re.findall(r"\]\(([^)]+)\)", page)
    return [[link for link in links if link.startswith("#") is inside] for inside in (False, True)]


def test_every_link_of_the_markdown_page_leads_to_a_file(built):
    page = (built / "report.md").read_text(encoding="utf-8")
    files, places = files_linked(page)
    assert files and all((built / link).is_file() for link in files)
    headings = {re.sub(r"[^\w\- ]", "", head.replace("\\", "").lower()).replace(" ", "-")
                for head in re.findall("^#+ (.*)$", page, re.M)}
    assert len(places) > 4 and {place[1:] for place in places} <= headings


def test_markdown_alone_has_figures_as_svg_and_no_link_that_leads_nowhere(tmp_path, capsys):
    assert main(["build", str(DATA / "laptop"), "--output", str(tmp_path), "--reference",
                 str(DATA / "workstation"), "--markdown"]) == 0
    assert capsys.readouterr().out.endswith(f"Report: {tmp_path / 'report.md'}\n")
    assert {path.name for path in tmp_path.glob("report.*")} == {"report.md"}
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".svg"}
    files, _ = files_linked((tmp_path / "report.md").read_text(encoding="utf-8"))
    assert files and all((tmp_path / link).is_file() for link in files)


@pytest.mark.parametrize("page", sorted((ROOT / "data" / "results").glob("*/report/report.md")),
                         ids=lambda page: page.parts[-3])
def test_committed_pages_link_to_what_is_there(page):
    files, _ = files_linked(page.read_text(encoding="utf-8"))
    assert files and [link for link in files if not (page.parent / link).is_file()] == []


def test_the_markdown_page_opens_with_the_answer(built):
    page = (built / "report.md").read_text(encoding="utf-8")
    head, _, _ = page.partition("## Contents")
    assert (re.match(r"# .*\d", head) and "| --" not in head and "|---|" in head
            and "](figures/" in head)
    assert re.search(r"\n\n\|[^\n]+\|\n\|---", head)  # a blank line, or it is no table
    first, second = head.index("|---|"), head.index("](figures/")
    assert head.index("# ") < first < second


def test_a_missing_reference_is_said_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("report.command.DATA", tmp_path)
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    assert main(["build", str(DATA / "laptop" / "quick.jsonl"), "--output",
                 str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "no reference records of this experiment" in page and "H200" not in page


def test_the_reference_is_found_by_its_pointer(tmp_path, monkeypatch):
    monkeypatch.setattr("report.command.DATA", tmp_path)
    monkeypatch.setattr("report.command.OWN_RESULTS", tmp_path / "results")
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    for machine in ("laptop", "workstation"):
        shutil.copytree(DATA / machine, tmp_path / "results" / machine)
    (tmp_path / "reference.json").write_text('{"machine": "workstation"}')
    assert main(["build", "--experiments", "quick"]) == 0
    assert "H200" in (
        tmp_path / "results" / "laptop" / "report" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "results" / "workstation" / "report" / "report.html").is_file()


def test_sentences_name_the_fastest_its_lead_and_ties(make):
    cases = [make("cpu.a", label="a", samples=(1.0,) * 7),
             make("cpu.b", label="b", samples=(2.0,) * 7),
             make("cpu.a", label="a", size=128, samples=(1.0,) * 7),
             make("cpu.b", label="b", size=128, samples=(1.01, 0.99) * 3 + (1.0,))]
    second, first = fastest(series_of(cases))
    assert (first.startswith("a is fastest at 64, with 0.0005")
            and "2.00 times [2.00, 2.00] the rate of the next, b" in first)
    assert second.startswith("At 128, a and b tie for the fastest")


def test_a_lead_over_the_next_library_is_told_over_the_folders_fastest_too(make):
    ours, slow, fast = (make(name, label=name, samples=(seconds,) * 7, host="h", experiment=of,
                             library=name == "gpu.cublas")
                        for name, seconds, of in (("gpu.pipelined", 1.0, "e"),
                                                  ("gpu.cublas", 1.2, "e"),
                                                  ("gpu.cublas", 0.9, "other")))
    series = series_of([ours, slow])
    assert "the rate of the next, cuBLAS; 0.900 times cuBLAS in other, " in fastest(
        series, [ours, slow, fast])[0]
    assert fastest(series)[0].endswith("the rate of the next, cuBLAS.")


def test_sentences_never_rank_what_declares_less_than_fp32(make):
    cases = (make("gpu.naive", label="naive"), make("gpu.tiled", label="tiled", samples=(1.0,) * 7),
             make("gpu.half", label="half", samples=(0.1,) * 7, precision="fp16"))
    text = over_baseline(View("e", "", "T", cases, {}, {"implementation": "gpu.naive"}))
    assert text == ["At 64, tiled is 2.00 times [2.00, 2.00] as fast as naive."]


def test_compare_sets_two_runs_side_by_side(tmp_path, capsys):
    assert main(["compare", str(DATA / "workstation" / "quick.jsonl"), str(DATA / "workstation2"),
                 "--output", str(tmp_path)]) == 0
    page = capsys.readouterr().out
    assert "Of 37 shared points" in page and "slower at 0" in page
    row = r"\| OpenBLAS \| 256 \| quick \| 10\d .* µs \| 9\d\.\d .* µs \| 1\.1\d \["
    assert re.search(row, page)
    assert (tmp_path / "compare.md").read_text(encoding="utf-8") == page
    assert (tmp_path / "compare.csv").is_file() and (tmp_path / "compare.tex").is_file()


def test_a_run_compared_with_itself_is_all_ties(capsys):
    assert main(["compare", str(DATA / "laptop"), str(DATA / "laptop")]) == 0
    assert ("Of 15 shared points, laptop (second) is faster at 0, slower at 0, and 15 tie."
            in capsys.readouterr().out)


@pytest.mark.parametrize("arguments,message", [
    (["build", "/nonexistent"], "/nonexistent: no such file or folder"),
    (["build", str(DATA / "laptop"), "--experiments", "slow"],
     "no experiment slow in it; there are quick"),
    (["build", str(DATA)], "no .jsonl file in this folder"),
    (["compare", str(DATA / "laptop"), "/nonexistent"], "/nonexistent: no such file or folder"),
    (["build", str(DATA / "laptop"), "--output", "/dev/null/x"], "/dev/null"),
    (["what"], "usage")])
def test_bad_input_is_one_clear_line_and_exit_2(capsys, arguments, message):
    assert main(arguments) == 2
    error = capsys.readouterr().err.strip()
    assert message in error and "\n" not in error


@pytest.mark.parametrize("arguments", [["compare", "one"], ["build", "--colour"]])
def test_wrong_usage_exits_2(arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


@pytest.mark.parametrize("command", ["build", "compare"])
def test_help_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0 and "example: gemmlab" in capsys.readouterr().out


def test_the_sample_records_are_what_their_script_writes(tmp_path, monkeypatch):
    import make_data

    monkeypatch.setattr(make_data, "DATA", tmp_path)
    make_data.main()
    for path in DATA.rglob("*.jsonl"):
        assert path.read_bytes() == (tmp_path / path.relative_to(DATA)).read_bytes(), path
    assert experiment("laptop", "quick").cases and read("workstation2")


def test_the_fewest_threads_that_tie_with_the_fastest_are_named(make):
    cases = tuple(make("cpu.openmp", label=f"OpenMP, {count} threads",
                       parameters={"threads": count}, samples=samples) for count, samples in (
                           (1, (8.0,) * 7), (2, (4.0,) * 7), (4, (3.9, 4.1) * 3 + (3.99,))))
    assert by_parameter(View("e", "", "T", cases, {}), "threads") == [
        ("OpenMP: 2 threads are the fastest at 64 (more threads tie with them), 2.00 times [2.00, "
         "2.00] as fast as 1 thread (efficiency 100 %).")]


def test_one_without_a_rival_is_not_called_the_fastest(make):
    alone, = fastest(series_of([make("cpu.a", samples=(1.0,) * 7),
                                make("cpu.a", samples=(2.0,) * 7, size=128)]))
    assert alone.startswith("a is the only one ranked at 64, 128, with ") and "fastest" not in alone
    both = fastest(series_of([make("cpu.a", samples=(1.0,) * 7), make("cpu.b", samples=(3.0,) * 7),
                              make("cpu.a", samples=(2.0,) * 7, size=128)]))
    assert ["fastest" in text for text in both] == [False, True]


def test_a_lead_of_less_than_a_percent_is_not_said_as_1_00_times(make):
    text, = fastest(series_of([make("cpu.a", samples=(1.0,) * 9),
                               make("cpu.b", samples=(1.003,) * 9)]))
    assert "1.003 times [1.003, 1.003]" in text


def test_of_a_tie_the_sentence_says_whose_rate_it_gives_and_commas_in_names_are_quoted(make):
    close = tuple(1 + 0.01 * (n % 3) for n in range(9))
    text, = fastest(series_of([make("cpu.a", samples=close, label="a, 1 thread"),
                               make("cpu.b", samples=close[::-1])]))
    assert ("“a, 1 thread” and b tie" in text
            and "the highest median is that of “a, 1 thread”, " in text)
