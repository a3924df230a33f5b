"""Shapes are rows × inner × columns wherever the judge writes them, and each page says so once."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import make_verdicts as make
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shape_order import shapes_in, strays, strays_in_folder

from submissions.driver.terminal import in_words, speed_line
from submissions.formats import gradescope, junit
from submissions.pages.command import write_all
from submissions.verdicts.verdict import Shape, ladder_of, load, order_text

ROOT = Path(__file__).resolve().parents[3]
EMULATED = {"shape": {"M": 256, "N": 384, "K": 512}, "launches": []}
LADDER = {"shape": {"M": 8192, "N": 6144, "K": 4096}, "heads": ["GFLOP/s, predicted"],
          "rows": [{"name": "tiled 16", "own": False, "cells": ["8000"]},
                   {"name": "mine.cu", "own": True, "cells": ["7000"]}]}
EXPLAINED = {"facts": [["Time", "1 ms"]], "page": "explain.html", "ladder": LADDER}


def write_class(folder: Path) -> Path:
    """A class of all kinds, with an emulated hand-in beside the ladder at a shape that differs."""
    emulated = make.right("mine.cu", "gpu", emulated=True, performance=[], place=[],
                          counts=EMULATED, explanation=EXPLAINED)
    make.write(folder, make.everything() | {"ida": emulated})
    write_all(folder, make.grading(), ranking=True)
    for made in (gradescope, junit):
        made.write(folder, sorted(folder.glob("*/")), make.grading())
    return folder


def test_every_shape_of_pages_ranking_and_results_is_in_the_order_of_the_verdicts(tmp_path):
    assert not strays_in_folder(write_class(tmp_path))


def test_every_shape_of_the_terminal_is_in_the_order_of_the_verdicts():
    more = {"findings": [], "counters_missing": "", "emulated": False}
    for one in (made | more for made in make.everything().values()):
        for row in one["performance"]:
            row["label"] = row["implementation"]
        text = f"{in_words(one, False, False)}\n{speed_line(one)}"
        assert not strays(text, shapes_in(one))
        named = one["performance"] or any(lost["shape"] for lost in one["failures"])
        assert text.count("rows x inner x columns") == bool(named)


@pytest.mark.parametrize(("planted", "shown"), [
    ("short", "8192×4096×6144"), ("words", "M = 8192, N = 4096, K = 6144"),
    ("key", "8192x4096x6144")])
def test_a_shape_that_is_written_in_the_suites_order_is_found(
        tmp_path, monkeypatch, planted, shown):
    written = Shape.__dict__[planted].fget
    swapped = property(lambda shape: written(Shape(shape.M, shape.K, shape.N)))
    monkeypatch.setattr(Shape, planted, swapped)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})  # pages are written by this process
    assert shown in " ".join(strays_in_folder(write_class(tmp_path)))


def test_matrices_that_do_not_fit_each_other_are_found():
    shape = {(3, 5, 7)}
    assert strays("A is M×N = 3×5, B is N×K = 5×7, C is M×K = 3×7", shape) == []
    assert len(strays("A is M×N = 3×7, B is N×K = 7×5, C is M×K = 3×5", shape)) == 1
    assert len(strays("A is M×N = 3×5, B is N×K = 7×5, C is M×K = 3×7", shape)) == 1


def test_each_page_says_once_what_the_order_is(tmp_path):
    folder = write_class(tmp_path)
    said = re.compile(r"Shapes are rows × inner × columns, which solve calls M×N×K")
    for file in (*folder.glob("*/page.*"), *folder.glob("ranking.??*")):
        if file.suffix in (".html", ".md"):
            names_some = "emil" not in file.parts  # could not be built: no shape on its page
            assert len(said.findall(file.read_text(encoding="utf-8"))) == names_some, file


def test_the_sentence_on_the_order_gives_the_suites_names_of_a_shape_that_differs():
    told = order_text([Shape(64, 64, 64), Shape(8192, 6144, 4096)])
    assert told.endswith("inner dimension K: 8192×6144×4096 is M = 8192, N = 4096, K = 6144 there.")
    told = order_text([Shape(64, 64, 64)])
    assert told.endswith("the inner dimension K: A is M×K, B is K×N, C is M×N there.")
    assert order_text([]) == ""


def test_the_ladders_shape_of_the_first_schema_is_read_in_the_suites_order(tmp_path):
    new = make.right("mine.cu", "gpu", explanation=EXPLAINED)
    ladder = LADDER | {"shape": "8192×4096×6144"}
    old = new | {"schema": 1, "explanation": EXPLAINED | {"ladder": ladder}}
    make.write(tmp_path, {"old": old, "new": new})
    shapes = [ladder_of(load(tmp_path / name).raw)["shape"] for name in ("old", "new")]
    assert shapes == ["M = 8192, N = 6144, K = 4096"] * 2


WORDS = re.compile(r"rows [x×] inner [x×] columns|rows M, inner N, columns K|rows, inner, columns")
WRITTEN_BY_HAND = [
    *ROOT.glob("submissions/*.md"), *ROOT.glob("submissions/rules/*.toml"),
    *ROOT.glob("submissions/assignments/*/assignment.toml"),
    *ROOT.glob("submissions/assignments/*/skeleton.*"),
    *ROOT.glob("submissions/examples/*/starter.*"),
    *(ROOT / name for name in ("submissions/examples/README.md", "api/README.md", "api/gemmlab.h",
                               "api/python/lab.ipynb"))]


@pytest.mark.parametrize("file", WRITTEN_BY_HAND, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_students_and_teachers_read_says_the_order_in_words_and_how_blas_has_it(file):
    text = file.read_text(encoding="utf-8")
    assert WORDS.search(text)
    assert "BLAS" in text or "K the inner" in re.sub(r"\s*\n \*", "", text)
