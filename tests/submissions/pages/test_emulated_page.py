"""Pages of GPU submissions that were judged without a GPU."""

import make_verdicts as make

from submissions.pages.command import write_all
from submissions.verdicts.marks import mark_of
from submissions.verdicts.verdict import load

FINDING = {"kind": "race", "kernel": "multiply<16>", "line": 31, "other_line": 33,
           "array": "As", "times": 17, "fatal": False, "shape": make.sides((33, 24, 65)),
           "explanation": "Thread (1, 0, 0) reads As[0] at line 31 <b>and</b> another writes it."}


def emulated(**more):
    made = make.right("tiled.cu", "gpu", emulated=True, performance=[], place=[], first_call=None,
                      resources=[], advice=[], counters={}, counters_at=None, findings=[],
                      counts=None, explanation=None)
    made["machine"]["gpu"] = None
    return made | more


def pages_of(folder, verdict):
    make.write(folder, {"one": verdict})
    write_all(folder / "one")
    return tuple((folder / "one" / name).read_text(encoding="utf-8")
                 for name in ("page.html", "page.md"))


def test_each_page_says_that_it_was_emulated_and_has_no_times(tmp_path):
    for page in pages_of(tmp_path, emulated()):
        assert "GPU code, checked by emulation, without a GPU" in page
        assert "by emulation on a CPU, without a GPU: no times" in page
        assert "How fast" not in page and "GFLOP/s" not in page
    for page in pages_of(tmp_path, make.right("tiled.cu", "gpu")):
        assert "emulation" not in page and "emulator" not in page


def test_findings_are_listed_with_line_and_shape_and_cannot_write_into_the_page(tmp_path):
    html, markdown = pages_of(tmp_path, emulated(verdict="incorrect", failures=[make.failure()],
                                                 findings=[FINDING]))
    assert "<b>race in multiply&lt;16&gt;, line 31</b>" in html and "&lt;b&gt;and&lt;/b&gt;" in html
    for page in (html, markdown):
        assert ("What the emulator found" in page
                and "first at M = 33, N = 24, K = 65, 17 times in all" in page)


def test_a_prediction_is_called_one_and_its_page_is_linked(tmp_path):
    counts = {"shape": make.sides((256, 256, 256)), "launches": []}
    told = {"facts": [["Time on an H200", "14 µs to 20 µs"]], "page": "../../explain.html"}
    html, markdown = pages_of(tmp_path, emulated(counts=counts, explanation=told))
    for page in (html, markdown):
        assert "Predicted from counted accesses, not measured" in page and "14 µs to 20 µs" in page
        assert "M = N = K = 256" in page
    assert ('<a href="explain.html">' in html
            and "](explain.html)" in markdown), "a page beside this one, and no other"


def test_the_rungs_beside_it_are_a_table_with_their_counts(tmp_path):
    counts = {"shape": make.sides((256, 256, 256)), "launches": []}
    rows = [{"name": "tiled 16", "own": False, "cells": ["4.00", "1,379"]},
            {"name": "<i>mine</i>", "own": True, "cells": ["32.00", "900"]}]
    told = {"facts": [], "page": "",
            "ladder": {"shape": "256×256×256",
                       "heads": ["sectors per request of A", "GFLOP/s, predicted"], "rows": rows}}
    html, markdown = pages_of(tmp_path, emulated(counts=counts, explanation=told))
    assert "<b>&lt;i&gt;mine&lt;/i&gt;</b>" in html and '<td class="number">32.00</td>' in html
    assert ("| kernel | sectors per request of A | GFLOP/s, predicted |\n|---|---:|---:|\n"
            "| tiled 16 | 4.00 | 1,379 |\n" in markdown)


def test_speed_earns_no_points_without_a_gpu_and_the_mark_says_why(tmp_path):
    make.write(tmp_path, {"one": emulated()})
    mark = mark_of(load(tmp_path / "one"), make.grading())
    assert mark.value == 60
    assert all("no times without a GPU" in step.what for step in mark.steps[1:])


def test_the_ranking_names_those_that_were_emulated(tmp_path):
    make.write(tmp_path, {"one": emulated(), "two": make.right("fast.cu", "gpu", 21000.0)})
    write_all(tmp_path, None, ranking=True)
    for name in ("ranking.html", "ranking.md"):
        assert ("1 submission checked by emulation, without a GPU: no times."
                in (tmp_path / name).read_text(encoding="utf-8"))
