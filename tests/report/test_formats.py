"""In which formats figures are drawn: all of them of few points, of many SVG and what report.pdf is
made of, until more is asked for."""

from __future__ import annotations

import re

import pytest
from sample_records import DATA

import plots
from report.__main__ import main

FEW = DATA / "workstation" / "thread_scaling.jsonl"


@pytest.fixture(name="many")
def _many(monkeypatch):
    """From here on the sample records are many."""
    monkeypatch.setattr(plots, "MOST_IN_ALL", 3)


def suffixes(folder):
    return {path.suffix for path in (folder / "figures").iterdir()}


def links(folder):
    """Of figures, in the page and in Markdown."""
    text = ((folder / "report.html").read_text(encoding="utf-8")
            + (folder / "report.md").read_text(encoding="utf-8"))
    return {f".{one}" for one in re.findall(r"figures/[\w-]+\.(\w+)", text)}


@pytest.mark.parametrize(("options", "drawn"),
                         [(["--no-pdf"], {".svg"}), ([], {".svg", ".pdf"}),
                          (["--no-pdf", "--figures", "png"], {".svg", ".png"}),
                          (["--no-pdf", "--figures", "png,pdf"], {".svg", ".png", ".pdf"})])
def test_of_many_points_a_format_is_drawn_where_something_asks_for_it(tmp_path, many,
                                                                      options, drawn):
    assert main(["build", str(FEW), "--output", str(tmp_path), *options]) == 0
    assert suffixes(tmp_path) == drawn == links(tmp_path)
    tex = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert ("includegraphics" in tex) == (".pdf" in drawn)


def test_of_few_points_all_are_drawn_but_what_is_not_asked_for(tmp_path):
    assert main(["build", str(FEW), "--output", str(tmp_path), "--no-pdf"]) == 0
    assert suffixes(tmp_path) == {".svg", ".png", ".pdf"} == links(tmp_path)


def test_an_unknown_format_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["build", str(FEW), "--output", str(tmp_path), "--figures", "gif"])
    assert "'gif' is not a format of figures; allowed: svg, png, pdf" in capsys.readouterr().err


def test_a_bundle_of_many_points_is_found_untouched_here_and_on_another_system(
        tmp_path, monkeypatch, many, capsys):
    packed = tmp_path / "b.zip"
    assert main(["bundle", str(FEW), "--output", str(packed)]) == 0
    assert main(["verify-bundle", str(packed)]) == 0
    monkeypatch.setattr("report.bundle.check.said_by_maker",
                        lambda: {"report_sources_sha256": "x", "python": {}, "system": {}})
    main(["verify-bundle", str(packed)])
    told = capsys.readouterr().out
    assert ".html: not what" not in told and "figures" not in told.split("Not verified")[0], told
