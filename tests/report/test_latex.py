"""report.tex compiles where it lies, whatever letters the records hold."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from sample_records import DATA

from analysis.tables.tables import Cell, Row, Table
from analysis.tables.widths import shares_of
from plots.drawing import style
from report.__main__ import main
from report.pages.latex import WIDTH, escape, table_text
from report.pages.table_text import csv_text, markdown

# of the Chinese letter in the figure's title
pytestmark = pytest.mark.filterwarnings("ignore:Glyph")
PDFLATEX, XELATEX = shutil.which("pdflatex"), shutil.which("xelatex")
ODD = r"50 % of a_b & {c} #1 ~ ^ \x $2 <µ> é → 矩 \u0007"


def compiled(engine, folder):
    """The log; fails where the engine does."""
    done = subprocess.run([engine, "-interaction=nonstopmode", "-halt-on-error", "report.tex"],
                          cwd=folder, capture_output=True, timeout=60, check=False)
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0 and "LaTeX Error" not in log, log[-2000:]
    assert (folder / "report.pdf").stat().st_size > 10_000
    return log


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    """The report of records whose labels and reasons hold what LaTeX takes amiss."""
    monkeypatch.setattr("report.pages.html.FORMS", ("tex",))
    monkeypatch.setattr("plots.FORMATS", ("pdf",))
    lines = [json.loads(line) for line in (DATA / "workstation" / "thread_scaling.jsonl")
             .read_text(encoding="utf-8").splitlines()]
    for line in lines[1:4]:
        line |= {"status": "skipped", "reason": ODD}
    lines[0]["definition"]["title"] = ODD
    (tmp_path / "thread_scaling.jsonl").write_text("\n".join(map(json.dumps, lines)),
                                                   encoding="utf-8")
    assert main(["build", str(tmp_path)]) == 0
    return tmp_path / "report"


def test_every_file_that_it_sets_is_there(folder):
    text = (folder / "report.tex").read_text(encoding="utf-8")
    files = re.findall(r"\\(?:input|includegraphics)(?:\[[^]]*\])?\{([^}]*)\}", text)
    assert len(files) >= 4 and all((folder / name).is_file() for name in files)


@pytest.mark.skipif(PDFLATEX is None,
                    reason="there is no pdflatex: apt install texlive-latex-recommended lmodern")
def test_it_compiles_without_an_error(folder):
    compiled(PDFLATEX, folder)


@pytest.mark.skipif(
    XELATEX is None or style.chinese_font() is None,
    reason="no xelatex or no Chinese font: apt install texlive-xetex fonts-noto-cjk")
def test_in_chinese_it_compiles_with_every_letter(tmp_path, monkeypatch):
    monkeypatch.setattr("report.pages.html.FORMS", ("tex",))
    monkeypatch.setattr("plots.FORMATS", ("pdf",))
    assert main(["build", str(DATA / "workstation" / "thread_scaling.jsonl"),
                 "--output", str(tmp_path),
                 "--language", "zh"]) == 0
    compiled(XELATEX, tmp_path)
    assert "Missing character" not in (tmp_path / "report.log").read_text(encoding="utf-8",
                                                                          errors="replace")


def test_letters_that_the_fonts_lack_are_replaced():
    assert (escape("5 % a_b é") == r"5 \% a\_b é" and escape("ạ矩") == "a?"
            and escape("→") == r"$\rightarrow$")


@pytest.mark.parametrize("label", ["[v1] ikj", "[", "]", "* ikj", "[1em] [2em]*"])
@pytest.mark.parametrize("of_a_float", [True, False])
def test_a_label_that_begins_as_an_option_is_set_and_not_read(tmp_path, label, of_a_float):
    """After a line's end LaTeX would take it for a length, or for a star."""
    cells = (Cell("1", 1.0), Cell("2", 2.0))
    text = table_text(Table("t", label, label, (label,), (f"{label} {label}", label),
                            [Row((label,), cells), Row((label,), cells)], [label],
                            label="x" if of_a_float else ""))
    assert not re.search(r"\\(\s|\n)*[\[*]|rule\s*[\[*]", text)
    if PDFLATEX is None:
        pytest.skip("there is no pdflatex: apt install texlive-latex-recommended lmodern")
    (tmp_path / "report.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs,longtable,graphicx}\begin{document}" + "\n"
        + text + r"\end{document}", encoding="utf-8")
    assert "Missing number" not in compiled(PDFLATEX, tmp_path)


def test_a_wide_table_goes_on_in_a_second_one():
    cells = tuple(Cell("1,234 [1,230, 1,240] µs", 1.0, note=1) for _ in range(12))
    text = table_text(Table("t", "T", "C", ("Name",), tuple(map(str, range(12))),
                            [Row(("a",), cells)], ["why"]))
    assert (text.count(r"\begin{longtable}") > 1 and "(continued)" in text
            and text.count("1,234") == 12)
    assert text.count(r"\toprule") == text.count(r"\bottomrule") and "1. why" in text


def test_a_table_of_words_alone_is_written_in_every_form():
    words = Table("claims", "Claims", "A caption.", ("Claim", "Why"), (),
                  [Row(("It pays, mostly", "A long reason. " * 20), ())])
    assert (csv_text(words).splitlines()[0] == "Claim,Why"
            and csv_text(words).splitlines()[1].startswith('"It pays, mostly",A long'))
    assert "| It pays, mostly | A long reason." in markdown(words)
    shares = shares_of(words, 100)
    assert (sum(shares) == pytest.approx(100)
            and shares[1] > 1.5 * shares[0]), "the longer text has more room"
    widths = [float(one) for one in re.findall(r"p\{([0-9.]+)em\}", table_text(words))]
    assert len(widths) == 2 and sum(widths) == pytest.approx(0.42 * WIDTH, rel=0.01)
