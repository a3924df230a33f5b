"""What is translated is right, and what is not is English and listed; fonts have all letters.

Nothing here asks that a new text be translated.
"""

from __future__ import annotations

import ast
import warnings
from copy import deepcopy
from pathlib import Path

import pytest
from english_left import english_in
from sample_records import DATA

import language
from language import LANGUAGES, catalogue, recorded, say, using
from plots.drawing import style
from records.names.numbers import counted, joined
from report.__main__ import main
from report.untranslated import braces, english_texts, entries, lacking, said_in, unlike
from report.untranslated import main as main_of_language

pytestmark = [pytest.mark.skipif("zh" not in LANGUAGES, reason="zh is not there"),
              pytest.mark.usefixtures("quick_forms")]
needs_font = pytest.mark.skipif(style.chinese_font() is None,
                                reason="no Chinese font: apt install fonts-noto-cjk")


def test_a_translation_fills_in_what_its_english_text_fills_in():
    assert unlike("zh") == []


def test_what_has_no_translation_is_shown_in_english():
    with using("zh"):
        assert say("Planted, too: {what}", what="x") == "Planted, too: x"
        assert counted(2, "planted thing") == "2 planted things"
        assert say("Why", context="planted") == say("Why") == "原因分析" and say("") == ""
        assert recorded("planted, as well") == "planted, as well" and recorded("") == ""


def test_a_context_tells_two_meanings_of_one_text():
    with using("zh"):
        assert say("block", context="glossary") == "线程块" and say("block") == "块"
    assert say("block", context="glossary") == "block"


def test_the_script_finds_what_lacks_a_translation_and_what_is_translated_wrongly(monkeypatch,
                                                                                  capsys):
    said = english_texts("")
    assert {"GPU wins from N", "{count} thread"} <= said
    assert "Planted: {what}" in lacking("zh", said | {"Planted: {what}"})
    assert "ikj" not in lacking("zh", said)
    planted = deepcopy(catalogue("zh"))
    planted.add("planted {x}", "{y}")
    monkeypatch.setattr("report.untranslated.catalogue", lambda _: planted)
    monkeypatch.delenv("GEMMLAB_PROGRAM", raising=False)
    assert "planted {x}" in unlike("zh")
    main_of_language()
    told = capsys.readouterr().out
    assert "what it says is left out" in told and told.count("    planted {x}\n") == 1


def test_the_script_reads_every_form_of_a_text_that_is_said():
    code = "say('a {what}' if wrong else 'b', what=1); language.say('c'); other('d')" \
           "; counted(2, 'e')"
    assert said_in(ast.parse(code)) == {"a {what}", "b", "c", "{count} e"}
    assert braces("{a} and {b}") != braces("{a} und {c}")


def test_no_blank_stands_beside_a_chinese_bracket():
    with using("zh"):
        name = say("{name} ({mark})", name="ikj", mark=say("disturbed"))
        assert say("At {shape}, {name} ties with {baseline}", shape="64", name=name,
                   baseline="serial") == "在 64，ikj（受干扰）与 serial 平局"


def test_a_language_holds_within_its_block_only():
    assert (counted(1, "point") == "1 point" and counted(2, "submission") == "2 submissions"
            and joined(["a", "b"]) == "a and b")
    with pytest.raises(ZeroDivisionError), using("zh"):
        assert (say("Why") == "原因分析" and counted(2, "thread") == "2 线程"
                and recorded("skipped") == "已跳过")
        raise ZeroDivisionError
    assert language.current() == "en" and say("Why") == "Why" and recorded("skipped") == "skipped"


@pytest.fixture(scope="module", name="chinese")
def _chinese(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zh")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of a letter that no font has
        # drawn here, where the warning is seen
        patch.setattr("os.sched_getaffinity", lambda _: {0})
        patch.setattr("plots.FORMATS", ("svg", "pdf"))
        patch.setattr("report.pages.html.FORMS", ("html", "md", "tex", "pdf"))
        assert main(["build", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output",
                     str(folder), "--language", "zh", "--edition", "full"]) == 0
    return folder


@needs_font
def test_the_chinese_report_of_sample_records_is_chinese(chinese):
    page = (chinese / "report.md").read_text(encoding="utf-8")
    assert "gemmlab 实验报告" in page and "有效性威胁" in page and "线程" in page
    assert '<html lang="zh">' in (chinese / "report.html").read_text(encoding="utf-8")
    assert english_in(page) == set()


@needs_font
def test_every_letter_of_the_catalogue_is_in_a_font_of_the_report():
    from fontTools.ttLib import TTCollection, TTFont
    from matplotlib import get_data_path

    latin = TTFont(Path(get_data_path()) / "fonts/ttf/DejaVuSans.ttf").getBestCmap()
    path = next(path for folder in style.CHINESE_FOLDERS
                for path in sorted(Path(folder).glob("NotoSansCJK-Regular.ttc")))
    chinese = next(font for font in TTCollection(path).fonts
                   if font["name"].getDebugName(1) == style.CHINESE).getBestCmap()
    text = "".join(entries("zh").values())
    assert {letter for letter in text if letter > " " and ord(letter) not in latin
            and ord(letter) not in chinese} == set()


@needs_font
def test_the_chinese_pdf_embeds_the_letters_that_it_shows(chinese):
    pypdf = pytest.importorskip("pypdf")
    if not (chinese / "report.pdf").is_file():
        pytest.skip("WeasyPrint or Pango is missing")
    pages = pypdf.PdfReader(chinese / "report.pdf").pages
    text = "".join(page.extract_text() for page in pages)
    for words in ("GFLOP/s", "机器与方法", "有效性威胁", "如何重复实验", "线程数"):
        assert words in text, words
    fonts = {font.get_object()["/BaseFont"] for page in pages
             for font in page["/Resources"]["/Font"].values() if "/BaseFont" in font.get_object()}
    assert any("Noto" in name and "CJK" in name for name in fonts)


def test_a_missing_font_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("plots.drawing.style.chinese_font", lambda: None)
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("plots.kinds", dict)
    assert main(["build", str(DATA / "laptop"), "--output", str(tmp_path), "--language", "zh"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "fonts-noto-cjk" in line]
    assert len(said) == 1
