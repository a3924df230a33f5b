"""report.pdf: the same bytes twice, vectors, numbers and contents; one line where it cannot be
made."""

from __future__ import annotations

import sys

import pytest
from sample_records import DATA

from analysis.tables import widths
from analysis.tables.tables import Cell, Row, Table
from report.__main__ import main
from report.pages import paper


def _available() -> bool:
    try:
        paper._weasyprint()
    except paper.NoPaper:
        return False
    return True


needs_weasyprint = pytest.mark.skipif(not _available(), reason="WeasyPrint or Pango is missing: "
                                      "pip install -r requirements.txt, apt install libpango-1.0-0 "
                                      "libpangoft2-1.0-0")


@pytest.fixture(scope="module", name="folders")
def _folders(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("report.pages.html.FORMS", ("pdf",))
        patch.setattr("plots.FORMATS", ("pdf",))
        made = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
        for folder in made:
            assert main(["build", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output",
                         str(folder), "--edition", "full"]) == 0
    return made


@needs_weasyprint
def test_the_same_records_give_the_same_bytes(folders):
    first, second = ((folder / paper.NAME).read_bytes() for folder in folders)
    assert first == second and b"/CreationDate" not in first


@needs_weasyprint
def test_the_page_is_a4_with_contents_numbers_and_every_figure(folders):
    from pypdf import PdfReader

    pages = PdfReader(folders[0] / paper.NAME).pages
    assert [round(float(side)) for side in pages[0].mediabox[2:]] == [595, 842]
    text = "\n".join(page.extract_text() for page in pages)
    assert "Machine and method" in text and f"1 / {len(pages)}" in text
    drawn = len([path for path in (folders[0] / "figures").glob("*.pdf")
                 if not path.stem.endswith("-phone")])
    assert (drawn and all(f"Figure {number}." in text for number in range(1, drawn + 1))
            and "Table 1." in text)
    laid_in = [page for page in pages if "times as fast as 1 thread" in page.extract_text()]
    # an axis's label: the figure lies in the page as text and lines, not as a picture
    assert laid_in


def test_without_weasyprint_one_line_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    monkeypatch.setattr("report.pages.html.FORMS", ("html", "pdf"))
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    (tmp_path / paper.NAME).write_text("of other records")
    assert main(["build", str(DATA / "laptop"), "--output", str(tmp_path)]) == 0
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "report.pdf is left out" in said[0] and "libpango" in said[0]
    assert (tmp_path / "report.html").is_file() and not (tmp_path / paper.NAME).exists()


def _wide(columns: int) -> Table:
    cells = tuple(Cell("1,234 [1,230, 1,240] µs", 1.0) for _ in range(columns))
    return Table("t", "T", "C", ("Implementation",), tuple(f"column {n}" for n in range(columns)),
                 [Row(("a name",), cells)])


def test_a_wide_table_is_cut_between_columns_and_loses_none():
    parts = widths.parts_of(_wide(20), 100)
    assert len(parts) > 1 and [name for part in parts
                               for name in part.columns] == list(_wide(20).columns)
    for part in parts:
        assert sum(widths.head_widths(part)) + sum(widths.column_widths(part)) <= 100
        assert part.rows[0].heads == ("a name",) and len(part.rows[0].cells) == len(part.columns)
    assert widths.parts_of(_wide(2), 100)[0].columns == _wide(2).columns
    assert abs(sum(widths.shares_of(parts[0], 100)) - 100) < 1e-9


def test_a_long_explanation_yields_to_short_columns_that_cannot_be_broken():
    row = Row(("pageable", "many words " * 20), (Cell("66,052 GFLOP/s", 1.0),))
    table = Table("t", "T", "C", ("Level", "How"), ("value",), [row])
    level, how, value = widths.shares_of(table, 60)
    assert (level * 60 / 100 >= widths.GAP + len("pageable")
            and value * 60 / 100 >= widths.GAP + len("66,052 GFLOP/s") - 1)
    assert how == max(level, how, value)


def test_in_a_table_too_wide_the_column_of_words_gives_way_not_the_narrow_ones():
    words = "twice the work took two times the time " * 3
    table = Table("t", "T", "C", ("Device", "Threads", "How", "Trusted"), ("value",),
                  [Row(("CPU", "1", words, "yes"), (Cell("1,413 GFLOP/s", 1413.0),))])
    wanted = [*widths.head_widths(table, widths.MOST_WORDS), *widths.column_widths(table)]
    room = sum(wanted) - 20
    got = [share * room / 100 for share in widths.shares_of(table, room)]
    assert [round(own, 6) for own in got] == [*wanted[:2], wanted[2] - 20, *wanted[3:]]


def test_a_chinese_letter_is_as_wide_as_two():
    assert (widths.text_width("矩阵 ab"), widths.text_width("matrix")) == (7, 6)
