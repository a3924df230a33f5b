"""Advice, page, the judge's call and the command, from canned counts of a kernel with three
faults."""

from __future__ import annotations

import json
import re
import stat
import sys
from html import unescape

import pytest
from sample_records import ROOT

from emulator.counts.work import Product, Site
from emulator.explain.advice import advice_of, lane_step
from emulator.explain.command import project_file
from emulator.explain.drawing import bars
from emulator.explain.findings import finding, short_answer
from emulator.explain.neighbours import in_columns, neighbours
from emulator.explain.page import page
from emulator.explain.submission import explained as for_the_judge
from emulator.model.explanation import ARITHMETIC, explained, line_shares
from language import using
from report.__main__ import main

SOURCE = """__global__ void multiply(const float* A, const float* B, float* C, int n) {
  __shared__ float As[32][32];
  for (int k0 = 0; k0 < n; k0 += 32) {
    As[threadIdx.x][threadIdx.y] = A[<b>threadIdx.x * n + k0];
    __syncthreads();
    sum += As[threadIdx.y][k] * B[k * n + col];
  }
}
"""
BLOCKS, STEPS = 1024, 32
WARPS = 32
REQUESTS = BLOCKS * WARPS * STEPS


def site(line, space, operation, array, requests, addresses, **more):
    return {"line": line, "file": "", "space": space, "operation": operation,
            "array": array, "bytes": 4, "requests": requests, "lanes": 32 * requests,
            "example": {"block": [0, 0, 0], "warp": 0, "addresses": addresses}} | more


def launch():
    down = [4096 * lane for lane in range(32)]
    along = [4 * lane for lane in range(32)]
    sites = [site(4, "global", "load", "A", REQUESTS, down, sectors=32 * REQUESTS,
                  least_sectors=4 * REQUESTS, lines=32 * REQUESTS, l1_miss_sectors=4 * REQUESTS),
             site(4, "shared", "store", "As", REQUESTS, [128 * lane for lane in range(32)],
                  wavefronts=32 * REQUESTS, least_wavefronts=REQUESTS, degree_worst=32),
             site(6, "shared", "load", "As", 32 * REQUESTS, [0] * 32,
                  wavefronts=32 * REQUESTS, least_wavefronts=32 * REQUESTS),
             site(6, "global", "load", "B", 32 * REQUESTS, along, sectors=128 * REQUESTS,
                  least_sectors=128 * REQUESTS, lines=32 * REQUESTS)]
    return {"kernel": "multiply", "line": 12, "grid": [32, 32, 1], "block": [32, 32, 1],
            "static_shared_bytes": 4096, "blocks": BLOCKS, "blocks_run": BLOCKS,
            "warps_per_block": WARPS, "barriers": BLOCKS * WARPS * STEPS,
            "sites": sites, "arrays": [{"name": "A", "space": "global", "bytes": 4194304},
                                       {"name": "As", "space": "shared", "dims": [32, 32]}],
            "timeline": [{"warp": 0, "stretches": [64, 64, 32]}], "l2_bytes": 256 * REQUESTS,
            "dram_read_bytes": 12_000_000, "dram_write_bytes": 4_000_000}


def counts():
    return {"shape": {"M": 1024, "N": 1024, "K": 1024}, "launches": [launch()]}


@pytest.fixture(name="explanation")
def _explanation():
    return explained(counts(), Product(1024, 1024, 1024), {"multiply(float const*)": 40})


def test_each_fault_has_its_sentence_with_line_numbers_and_a_remedy(explanation):
    texts = [one.text for one in advice_of(explanation)]
    assert any(re.match(r"line 4: each warp's load of A touches 32 sectors; 4 would do: its lanes "
                        r"are 4,096 bytes apart; let threadIdx.x run along the row",
                        text) for text in texts)
    assert any(re.match(r"line 4: each warp's store of As takes 32 passes over the banks; 1 would "
                        r"do: a spare column, As\[32\]\[33\],", text) for text in texts)
    assert all(0 < one.saves < 1 for one in advice_of(explanation))
    assert [one.saves for one in advice_of(explanation)] == sorted(
        (one.saves for one in advice_of(explanation)), reverse=True)


def test_nothing_is_said_of_what_is_as_it_should_be():
    good = launch()
    good["sites"] = good["sites"][2:]
    found = advice_of(explained({"launches": [good]}, Product(1024, 1024, 1024), {}))
    assert not [one for one in found if "would do" in one.text]


def test_the_line_that_costs_is_named_and_shares_are_whole(explanation):
    shares = line_shares(explanation.work, explanation.prediction, explanation.card)
    assert (sum(shares.values()) == pytest.approx(1) and shares["", 6] > 0 < shares["", 4]
            and ARITHMETIC in shares)
    assert re.search(r"line [46] takes \d+ % of the time", finding(explanation, "multiply"))
    assert "no measurement" in short_answer(explanation, "multiply")[1]


def test_the_step_between_lanes_is_that_of_most():
    def of(addresses):
        return lane_step(Site(1, "", "global", "load", "A", 4, 1, 32,
                              example={"addresses": addresses}))

    assert of([4 * lane for lane in range(32)]) == 4
    assert of([1024 * (lane % 16) + 4 * (lane // 16) for lane in range(32)]) == 1024
    assert of([0, -1, 8, 9, 40]) is None and of([]) is None


def test_the_page_shows_source_patterns_and_barriers_and_no_script(explanation):
    text = page(explanation, "my.cu", SOURCE, neighbours(explanation, "my.cu", "h200"))
    assert text.index("<h1>") < text.index("What to change") < text.index("The source, by cost")
    assert "<script" not in text and "A[&lt;b&gt;threadIdx" in text
    assert "32 (4)" in text and "32 (1)" in text
    assert (text.count("<svg") == 1 + 4 + 1 and "32 sectors of 32 bytes: 128 of 1024 bytes" in text
            and "at most 32" in text)
    assert ("as the compiler says" in text and "Beside the ladder" in text
            and text.count('<tr class="own"><td>my.cu</td>') == 1)


def test_long_stretches_without_an_access_are_left_out_of_the_source(explanation):
    far = launch()
    far["sites"][2]["line"] = far["sites"][3]["line"] = 40
    source = "\n".join(f"text of line {number}" for number in range(1, 60))
    text = page(explained({"launches": [far]}, Product(1024, 1024, 1024), {}), "my.cu",
                source, file="my.cu")
    assert re.findall(r"text of line (\d+)<",
                      text) == [str(number) for number in (*range(1, 8), *range(37, 44))]
    assert text.count('<td class="code">…</td>') == 1 and "The source, by cost: my.cu" in text


def test_the_page_is_chinese_where_the_language_is(explanation):
    with using("zh"):
        text = page(explanation, "my.cu", SOURCE)
    assert "按代价显示的源码" in text and "What to change" not in text


def test_its_rungs_stand_beside_it_with_their_counts(explanation):
    found = neighbours(explanation, "my.cu", "h200")
    rates = [row.gflop_per_s for row in found.rows]
    own = next(row for row in found.rows if row.own)
    assert rates == sorted(rates) and len(rates) > 3 and found.shape == "1024×1024×1024"
    assert (own.sectors_a, own.sectors_b, own.passes) == (32, 4, (32 + 32) / (1 + 32))
    assert own.multiply_adds == pytest.approx(1024**3 / (32 * (32 + 128) * REQUESTS))
    lines = in_columns(found.as_table)
    assert len(lines) == 2 + len(rates) and next(
        line for line in lines if line.startswith("* ")).split()[1:4] == ["my.cu", "32.00", "4.00"]
    assert "tiled 16" not in [row.name for row in neighbours(explanation, "tiled 16", "h200").rows
                              if not row.own]


def conflicting():
    """The same kernel where its only loads are of Bs, each lane in one bank."""
    made = launch()
    made["sites"] = [site(6, "shared", "load", "Bs", 32 * REQUESTS,
                          [128 * lane for lane in range(32)], wavefronts=32 * 32 * REQUESTS,
                          least_wavefronts=32 * REQUESTS, degree_worst=32)]
    return made


def test_bank_conflicts_and_scattered_addresses_are_named_in_the_title():
    product = Product(1024, 1024, 1024)
    assert finding(explained({"launches": [conflicting()]}, product, {}), "my.cu").startswith(
        "my.cu: bank conflicts are the limit: 32 passes over shared memory per request where 1 "
        "would do; line 6 takes")
    scattered = launch()
    scattered["sites"] = scattered["sites"][:1]
    assert finding(explained({"launches": [scattered]}, product, {}), "my.cu").startswith(
        "my.cu: scattered addresses are the limit: 32 sectors per request where 4 would do; line 4 "
        "takes")
    right = conflicting()
    right["sites"][0]["wavefronts"] = right["sites"][0]["least_wavefronts"]
    assert "conflicts" not in finding(explained({"launches": [right]}, product, {}), "my.cu")


def test_the_judge_gets_advice_facts_and_a_page(tmp_path):
    source = tmp_path / "my.cu"
    source.write_text(SOURCE, encoding="utf-8")
    found = for_the_judge(counts(), [{"name": "multiply", "registers": 40}], source,
                          tmp_path / "out")
    assert (tmp_path / "out" / found["page"]).read_text(encoding="utf-8").startswith("<!doctype "
                                                                                     "html>")
    assert [row["own"] for row in found["ladder"]["rows"]].count(True) == 1
    assert ({"title", "text"} == set(found["advice"][0])
            and all(isinstance(what, str) and value for what, value in found["facts"]))


# for each multiply-add a load from global and one from shared memory, for each barrier a copy
SASS = """
		Function : _Z8multiplyPKfS0_Pfi
        /*0000*/                   LDG.E R2, desc[UR4][R2.64] ;
        /*0010*/                   STS [R3], R2 ;
        /*0020*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0030*/                   LDS R4, [R0] ;
        /*0040*/                   LDG.E R5, desc[UR4][R6.64] ;
        /*0050*/                   FFMA R1, R4, R5, R1 ;
        /*0060*/              @!P0 BRA 0x30 ;
        /*0070*/               @P1 BRA 0x0 ;
        /*0080*/                   EXIT ;
"""


@pytest.mark.parametrize("sass, said", [
    (SASS, "4.13 (as nvcc compiled it)"), (SASS.replace("STS", "STL"), "4.13 (as nvcc compiled it"),
    (SASS.replace("LDS", "LDG"), "estimated from its accesses"),
    (SASS.replace("FFMA", "DFMA"), "4.13 (as nvcc compiled it)"),
    (SASS.replace("FFMA", "HFMA2"), "estimated from its accesses"),
    ("", "estimated from its accesses")])
def test_a_hand_ins_instructions_are_nvccs_where_its_loads_are_those_that_were_counted(
        tmp_path, sass, said):
    code = {"kernels": [{"name": "multiply", "registers": 48}], "sass": sass}
    given = counts() | {"card_code": code}
    for_the_judge(given, [{"name": "multiply", "registers": 40}], tmp_path / "my.cu", tmp_path)
    text = (tmp_path / "explain.html").read_text(encoding="utf-8")
    assert said in text and "48 (as the compiler says)" in text
    assert "card_code" not in given  # a verdict holds the launches alone


def test_the_judge_has_the_rungs_shape_in_the_order_of_solve(tmp_path):
    # nearest to it are the counts of 8192×4096×6144 in the suite's order: rows, columns, inner
    shape = {"M": 8192, "N": 6144, "K": 4096}
    found = for_the_judge(counts() | {"shape": shape}, [], tmp_path / "my.cu", tmp_path)
    assert found["ladder"]["shape"] == shape
    text = (tmp_path / found["page"]).read_text(encoding="utf-8")
    assert "at 8192×6144×4096 (rows × inner × columns)" in text and "8192×4096×6144" not in text


@pytest.mark.parametrize("spoilt", [None, {}, {"launches": []}, {"shape": {}, "launches": [{}]}, {
    "shape": {"M": 1, "N": 1, "K": 1}, "launches": [{}]},
    {"shape": {"M": 0, "N": 1, "K": "x"}, "launches": [{"grid": [0]}]},
    {"shape": {"M": 8, "N": 8, "K": 8}, "launches": [{"grid": [1], "block": [0], "sites": [{}]}]}])
def test_the_judge_never_fails_over_counts(tmp_path, spoilt):
    assert {"advice", "facts", "page",
            "ladder"} == set(for_the_judge(spoilt, [], tmp_path / "my.cu", tmp_path))


def planted_program(tmp_path, monkeypatch, answer):
    """A program whose hidden command prints that, and writes down what it was asked."""
    path = tmp_path / "gemmlab"
    path.write_text(f"#!{sys.executable}\nimport sys\nopen({str(tmp_path / 'asked')!r}, "
                    f"'w').write(' '.join(sys.argv[1:]))\nprint({json.dumps(answer)!r})\n",
                    encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("GEMMLAB_PROGRAM", str(path))
    return path


def answered(*launches, block=32):
    return {"implementation": "gpu.tiled", "meaning": "", "parameters": {"block": block},
            "name_parts": ["tiled {block}"], "launches": list(launches), "findings": [],
            "error": None}


@pytest.fixture(name="program")
def _program(tmp_path, monkeypatch):
    return planted_program(tmp_path, monkeypatch, answered(launch()))


def test_the_command_answers_in_lines_and_writes_the_page(program, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["explain", "gpu.tiled", "--block", "32", "--size", "1024", "--card", "a100",
                 "--output", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Predicted for 1024×1024×1024 on NVIDIA A100 40 GB" in said and "tiled 32" in said
    assert "line 4" in said and str(out) in said
    assert '--parameters {"block": 32} ' in (tmp_path / "asked").read_text() and out.is_file()


def test_what_others_call_it_is_told_as_the_program_means_it(tmp_path, monkeypatch, capsys):
    meant = answered(launch()) | {"meaning": "'kernel 3' is gpu.tiled, block 32"}
    planted_program(tmp_path, monkeypatch, meant)
    assert main(["explain", "kernel 3", "--output", str(tmp_path / "page.html")]) == 0
    assert "'kernel 3' is gpu.tiled, block 32\n" in capsys.readouterr().out
    assert "--implementation kernel 3 --parameters {} " in (tmp_path / "asked").read_text()


@pytest.mark.parametrize("arguments,told", [(["gpu.tiled", "--size", "0"],
                                             "'0' is not allowed: a whole number from 1"),
                                            (["gpu.tiled", "--card", "h100"], "invalid choice"),
                                            (["gpu.tiled", "16"], "are not parameters")])
def test_the_command_refuses_in_one_line(program, capsys, arguments, told):
    try:
        assert main(["explain", *arguments]) == 2
    except SystemExit as ended:
        assert ended.code == 2
    assert told in capsys.readouterr().err


TILED = "gpu/gemm/tiled.cu"
LINES = (ROOT / TILED).read_text(encoding="utf-8").splitlines()
LOADS = next(number for number, line in enumerate(LINES, 1) if "As[ty][tx] =" in line)


def explained_page(tmp_path, monkeypatch, file, arguments=("--size", "256"), block=16):
    """The page of counts whose sites lie in `file`, on a line that tiled.cu loads in."""
    one = launch()
    for site_ in one["sites"]:
        site_ |= {"file": file, "line": LOADS}
    planted_program(tmp_path, monkeypatch, answered(one, block=block))
    out = tmp_path / "page.html"
    command = ["explain", "gpu.tiled", "--block", str(block), *arguments, "--output", str(out)]
    assert main(command) == 0
    return unescape(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize("prefix", [
    "", "/tmp/a clone/build/cpu/", "/opt/gemmlab/build/image/", "emulator/rows/mirror/", "./",
    "/elsewhere/build/x/emulator/rows/mirror/", "/build/cpu/../emulator/rows/mirror/"])
def test_the_source_is_shown_wherever_the_emulated_copy_was_compiled(tmp_path, monkeypatch, prefix):
    page_text = explained_page(tmp_path, monkeypatch, prefix + TILED)
    assert "The source, by cost: tiled.cu" in page_text and "As[ty][tx] = row < M" in page_text
    assert "cannot be shown" not in page_text and "Accesses in other files" not in page_text


def test_a_header_that_costs_is_shown_too_the_costliest_first(tmp_path, monkeypatch):
    header = "gpu/gemm/register_tile.h"
    one = launch()
    one["sites"][0] |= {"file": f"/b/{TILED}", "line": LOADS}
    for site_ in one["sites"][1:]:
        site_ |= {"file": f"/b/{header}", "line": 20}
    planted_program(tmp_path, monkeypatch, answered(one, block=16))
    out = tmp_path / "page.html"
    assert main(["explain", "gpu.tiled", "--size", "256", "--output", str(out)]) == 0
    text = unescape(out.read_text(encoding="utf-8"))
    first, second = re.findall(r"The source, by cost: (\S+) \((\d+) %\)", text)
    assert (first[0], second[0]) == ("register_tile.h", "tiled.cu")
    assert int(first[1]) > int(second[1])
    assert (ROOT / header).read_text(encoding="utf-8").splitlines()[19].strip() in text
    assert "Accesses in other files" not in text


def test_a_source_that_is_not_in_this_copy_is_said_to_be_missing(tmp_path, monkeypatch):
    page_text = explained_page(tmp_path, monkeypatch, "/build/gpu/gemm/gone.cu")
    told = "The source by cost cannot be shown: gone.cu is not in this copy of the suite"
    assert told in page_text
    assert "The source, by cost: " not in page_text


def test_of_a_build_within_the_project_the_source_is_named_and_not_its_rewritten_copy(tmp_path):
    copy = "build/cpu/emulator/rows/mirror/gpu/gemm/tiled.cu"
    for file in (TILED, copy):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert project_file(f"{tmp_path}/{copy}", tmp_path) == project_file(copy, tmp_path) == TILED
    for unknown in ("/a/gpu/gemm/other.cu", ""):
        assert project_file(unknown, tmp_path) == unknown


def test_the_measurement_stands_beside_the_prediction(tmp_path, monkeypatch, capsys):
    """The counts are of a slower kernel than the one that was measured: the range misses it."""
    page_text = explained_page(tmp_path, monkeypatch, TILED)
    for text in (page_text, capsys.readouterr().out):
        assert re.search(r"Measured on the reference machine's NVIDIA H200: 12\.4 \[12\.4, 12\.4\] "
                         r"µs, outside the range \(\d+ % less than predicted; experiment "
                         r"block_size\)\.", text)
    assert "measured: 12.4 µs" in page_text
    page_text = explained_page(tmp_path, monkeypatch, TILED, ("--size", "300"))
    assert "only at other sizes; the nearest is 256: 12.4" in page_text
    assert "measured: 12.4 µs" not in page_text
    page_text = explained_page(tmp_path, monkeypatch, TILED, ("--size", "256", "--card", "a100"))
    assert "No measurement of it on this card is committed." in page_text


def test_marks_of_prediction_and_measurement_keep_apart():
    def words(measured):
        drawn = bars([("waiting", 0.9)], 1.0, "waiting", "times", measured)
        found = re.findall(r'<text x="[\d.]+" y="([\d.]+)"[^>]*>([^<]+)', drawn)
        return [(said, float(y)) for y, said in found][2:]

    assert [said for said, _ in words(None)] == ["predicted: 1.00 s"]
    for measured, order in ((0.97, ["measured: 970 ms", "predicted: 1.00 s"]),
                            (1.03, ["predicted: 1.00 s", "measured: 1.03 s"])):
        (first, high), (second, low) = words(measured)
        assert [first, second] == order and low - high >= 12
