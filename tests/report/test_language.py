"""What is translated is right, and what is not is English and listed; fonts have all letters.

Nothing here asks that a new text be translated.
"""

from __future__ import annotations

import ast
import re
import tomllib
import warnings
from pathlib import Path

import pytest
from conftest import DATA, ROOT
from english_left import english_in

import language
from language import (
    RECORDS,
    many,
    own_catalogue,
    recorded,
    say,
    say_or,
    translations,
    using,
)
from plots.drawing import style
from records.names.numbers import counted, joined
from report.__main__ import main
from report.untranslated.__main__ import main as main_of_language
from report.untranslated.untranslated import (
    braces,
    english_texts,
    lacking,
    said_in,
    sources,
    unlike,
    unsaid,
)

# Keys that are put together where they are used: the tables whose names a record or a loop gives.
MADE_UP = ("count.", "phase.", "cost.", "evidence.", "counter.", "stall.", "fact.", "page.runs_", "page.method_",
           "parameter.best", "parameter.tied", "sentence.over_", "published.")
needs_font = pytest.mark.skipif(style.chinese_font() is None, reason="no Chinese font: apt install fonts-noto-cjk")


def test_every_key_that_is_asked_for_is_there_and_every_key_is_asked_for():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources(".py", ".j2"))
    asked = set(re.findall(r"""["']([a-z]+\.[a-z_]+)["']""", text))
    known = own_catalogue("en").keys() - {RECORDS}
    tables = {key.partition(".")[0] for key in known}
    files = {f"{stem}.{suffix}" for stem in ("report", "page") for suffix in ("html", "md", "tex", "pdf", "css")}
    assert {key for key in asked if key.partition(".")[0] in tables} - files <= known
    assert sorted(key for key in known - asked if not key.startswith(MADE_UP)) == []


def test_a_translation_fills_in_what_its_english_text_fills_in():
    assert unlike("zh") == []
    lines = [line for path in sorted((ROOT / "language/zh").glob("*.toml")) for line in tomllib.loads(path.read_text("utf-8")).items()]
    assert sorted({text for text, own in lines
                   if any(text == other and own != theirs for other, theirs in lines)}) == []


def test_what_has_no_translation_is_shown_in_english(monkeypatch):
    english = own_catalogue("en") | {
        "page.planted": "Planted: {what}", "count.planted": ["{count} planted", "{count} are planted"]}
    own = {"en": english, "zh": own_catalogue("zh")}
    monkeypatch.setattr(language, "own_catalogue", own.get)
    monkeypatch.setattr(language, "catalogue", language.catalogue.__wrapped__)
    with using("zh"):
        assert say("page.planted", what="x") == "Planted: x"
        assert say("Planted, too: {what}", what="x") == "Planted, too: x"
        assert many(2, "planted") == "2 are planted"
        assert say_or("page", "planted") == "Planted: {what}"
        assert recorded("planted, as well") == "planted, as well" and say("page.why") == "原因分析"


def test_the_script_finds_what_lacks_a_translation_and_what_is_said_no_longer(monkeypatch, capsys):
    said = english_texts()
    assert {"GPU wins from N", "tiled {block}", "{gpus} cards"} & translations("zh").keys() <= said
    assert "Planted: {what}" in lacking("zh", said | {"Planted: {what}"})
    assert "ikj" not in lacking("zh", said)
    monkeypatch.setitem(own_catalogue("en"), "page.planted", "Planted")
    assert "page.planted" in lacking("zh", said)
    monkeypatch.setitem(translations("zh"), "said no longer {x}", "{y}")
    assert "said no longer {x}" in unsaid("zh", said) and "said no longer {x}" in unlike("zh")
    main_of_language()
    told = capsys.readouterr().out
    assert "\n    page.planted\n" in told and told.count("    said no longer {x}\n") == 2


def test_the_script_reads_every_form_of_a_text_that_is_said():
    code = "say('a {what}' if wrong else 'b', what=1); language.say('c'); other('d')"
    assert said_in(ast.parse(code)) == {"a {what}", "b", "c"}
    assert braces("{a} and {b}") != braces("{a} und {c}")


def test_no_blank_stands_beside_a_chinese_bracket():
    with using("zh"):
        name = say("said.marked", name="ikj", mark=say("said.disturbed"))
        assert say("sentence.over_tie", shape="64", name=name, baseline="serial") == "在 64，ikj（受干扰）与 serial 平局"


def test_a_language_holds_within_its_block_only():
    assert many(1, "point") == "1 point" and counted(2, "submission") == "2 submissions" and joined(["a", "b"]) == "a and b"
    with pytest.raises(ZeroDivisionError), using("zh"):
        assert say("page.why") == "原因分析" and counted(2, "thread") == "2 线程" and recorded("skipped") == "已跳过"
        raise ZeroDivisionError
    assert language.current() == "en" and say("page.why") == "Why" and recorded("skipped") == "skipped"


@pytest.fixture(scope="module", name="chinese")
def _chinese(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zh")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of a letter that no font has
        patch.setattr("os.sched_getaffinity", lambda _: {0})  # drawn here, where the warning is seen
        patch.setattr("plots.FORMATS", ("svg", "pdf"))
        patch.setattr("report.pages.html.FORMS", ("html", "md", "tex", "pdf"))
        assert main(["build", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output", str(folder),
                     "--language", "zh", "--edition", "full"]) == 0
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
    path = next(path for folder in style.CHINESE_FOLDERS for path in sorted(Path(folder).glob("NotoSansCJK-Regular.ttc")))
    chinese = next(font for font in TTCollection(path).fonts if font["name"].getDebugName(1) == style.CHINESE).getBestCmap()
    text = "".join(one.read_text(encoding="utf-8") for one in sorted((ROOT / "language").rglob("*.toml")) if one.stem != "en")
    assert {letter for letter in text if letter > " " and ord(letter) not in latin and ord(letter) not in chinese} == set()


@needs_font
def test_the_chinese_pdf_embeds_the_letters_that_it_shows(chinese):
    pypdf = pytest.importorskip("pypdf")
    if not (chinese / "report.pdf").is_file():
        pytest.skip("WeasyPrint or Pango is missing")
    pages = pypdf.PdfReader(chinese / "report.pdf").pages
    text = "".join(page.extract_text() for page in pages)
    for words in ("GFLOP/s", "机器与方法", "有效性威胁", "如何重复实验", "线程数"):
        assert words in text, words
    fonts = {font.get_object()["/BaseFont"] for page in pages for font in page["/Resources"]["/Font"].values()
             if "/BaseFont" in font.get_object()}
    assert any("Noto" in name and "CJK" in name for name in fonts)


def test_a_missing_font_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("plots.drawing.style.chinese_font", lambda: None)
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("plots.kinds", dict)
    assert main(["build", str(DATA / "laptop"), "--output", str(tmp_path), "--language", "zh"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "fonts-noto-cjk" in line]
    assert len(said) == 1
