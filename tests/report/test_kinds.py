"""A kind of table or figure is one file: report, program and documentation take it from there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from sample_records import DATA, ROOT

import plots
from report import kinds
from report.__main__ import main
from report.asked import registry

TABLE = '''"""A row per line."""

from analysis.tables.kind import TableKind
from analysis.tables.tables import Cell, Row, Table


def _table(view):
    return Table(view.kind, view.full_title, "Counted.", ("Line",), ("points",),
                 [Row((label,), (Cell("1", 1),)) for label in sorted({case.label for case in view.shown})])


KIND = TableKind(
    title="how many points",
    about="points counted",
    table=_table)
'''
FIGURE = '''"""A dot."""

from matplotlib.figure import Figure
from analysis.tables.kind import FigureKind


def _figure(view):
    made = Figure(figsize=(2, 1))
    made.subplots().plot([1], [len(view.shown)], "o")
    return made


KIND = FigureKind(
    title="one dot",
    about="a dot",
    figure=_figure)
'''


@pytest.fixture(name="added")
def _added(tmp_path, monkeypatch):
    """A table kind and a figure kind, each as one file of a folder beside the others."""
    for package, name, text in ((kinds, "head_count", TABLE), (plots, "one_dot", FIGURE)):
        folder = tmp_path / package.__name__
        folder.mkdir()
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    return tmp_path


def test_a_kind_that_is_added_as_one_file_is_in_the_report(added, monkeypatch, tmp_path):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("report.pages.html.FORMS", ("html", "md"))
    lines = [json.loads(line)
             for line in (DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["kind"] == "run":
            line["definition"] |= {"tables": [{"kind": "head_count"}],
                                   "figures": [{"kind": "one_dot"}]}
    records = tmp_path / "records" / "quick.jsonl"
    records.parent.mkdir()
    records.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    out = tmp_path / "report"
    assert main(["build", str(records), "--output", str(out)]) == 0
    page = (out / "report.md").read_text(encoding="utf-8")
    assert "how many points" in page and "one dot" in page
    assert ((out / "tables" / "quick-head_count.csv").is_file()
            and (out / "figures" / "quick-one_dot.svg").is_file())


def test_a_kind_that_is_gone_is_known_no_more(added):
    assert "head_count" in registry.tables() and "one_dot" in registry.figures()
    del kinds.__path__[-1], plots.__path__[-1]
    assert "head_count" not in registry.tables() and "one_dot" not in registry.figures()


def test_a_command_lists_the_kinds_there_are_with_what_they_show(capsys):
    assert main(["build", "--kinds"]) == 0
    of_tables, of_figures = capsys.readouterr().out.split("\n\n")
    for text, known in ((of_tables, registry.tables()), (of_figures, registry.figures())):
        told = [re.split(r"  +", line.strip(), maxsplit=1) for line in text.splitlines()[1:]]
        assert told == [[name, kind.about + ("; needs a baseline" if kind.needs_baseline else "")]
                        for name, kind in known.items()]


def _program_s(folder, root):
    """What cmake/WriteKinds.cmake tells the program: (tables, figures) by name, with whether each
    needs a baseline."""
    header = folder / "kinds.h"
    subprocess.run(["cmake", f"-DROOT={root}", f"-DOUTPUT={header}", "-P",
                    ROOT / "cmake" / "WriteKinds.cmake"], check=True)
    found = re.findall(r"k(Tables|Figures)\[\] = \{\n((?: .*\n)*)\}",
                       header.read_text(encoding="utf-8"))
    return [{name: needs == "true" for name, needs in re.findall(r'\{"(\w+)", (true|false)\}',
                                                                 body)} for _, body in found]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
def test_the_program_reads_the_same_kinds(tmp_path):
    assert _program_s(tmp_path,
                      ROOT) == [{name: kind.needs_baseline for name, kind in known.items()}
                                for known in (registry.tables(), registry.figures())]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
def test_the_program_reads_a_kind_that_is_added(tmp_path):
    for folder, name, text in (("report/kinds", "head_count", TABLE),
                               ("plots/with_baseline", "one_dot", FIGURE)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / f"{name}.py").write_text(text, encoding="utf-8")
        (tmp_path / folder / "_shared.py").write_text("KINDS = ()\n", encoding="utf-8")
    assert _program_s(tmp_path, tmp_path) == [{"head_count": False}, {"one_dot": True}]


def test_a_table_and_a_figure_of_one_name_are_about_the_same():
    for name in registry.tables().keys() & registry.figures().keys():
        assert len({(kind.title, kind.explains) for kind in registry.named(name)}) == 1, name


def test_kinds_are_looked_up_once_whatever_the_number_of_points(monkeypatch):
    asked = []
    monkeypatch.setattr("report.asked.registry.named", lambda name: asked.append(name) or [])
    assert registry.has("predicted", [object()] * 1000) and len(asked) == 1
