"""Both catalogues say the same things; a Chinese report is Chinese, and no letter of it is missing from the fonts."""

from __future__ import annotations

import ast
import re
import string
import tomllib
import warnings
from pathlib import Path

import pytest
from conftest import DATA, ROOT

from plots import style
from report import language, registry
from report.__main__ import main
from report.course.chapter import chapters, glossary
from report.language import RECORDS, catalogue, many, recorded, say, translations, using
from report.numbers import counted, joined

# Keys that are put together where they are used: the tables whose names a record or a loop gives.
MADE_UP = ("count.", "phase.", "cost.", "evidence.", "counter.", "stall.", "fact.", "page.runs_", "page.method_",
           "parameter.best", "parameter.tied", "sentence.over_", "published.")
needs_font = pytest.mark.skipif(style.chinese_font() is None, reason="no Chinese font: apt install fonts-noto-cjk")


def braces(text):
    forms = text if isinstance(text, list) else [text]
    return [{name for _, name, _, _ in string.Formatter().parse(form) if name is not None} for form in forms]


def test_both_catalogues_have_the_same_keys_and_braces():
    english, chinese = catalogue("en"), catalogue("zh")
    assert english.keys() == chinese.keys()
    for key in english.keys() - {RECORDS}:
        assert type(english[key]) is type(chinese[key]), key
        assert sorted(map(sorted, braces(english[key]))) == sorted(map(sorted, braces(chinese[key]))), key
        assert key == "number.space" or (english[key] and chinese[key]), key


def test_every_key_that_is_asked_for_is_there_and_every_key_is_asked_for():
    sources = [path for folder in ("report", "plots") for path in (ROOT / folder).rglob("*")
               if path.suffix in (".py", ".j2") and "published" not in path.relative_to(ROOT).parts]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    asked = set(re.findall(r"""["']([a-z]+\.[a-z_]+)["']""", text))
    known = catalogue("en").keys() - {RECORDS}
    tables = {key.partition(".")[0] for key in known}
    files = {f"{stem}.{suffix}" for stem in ("report", "page") for suffix in ("html", "md", "tex", "pdf", "css")}
    assert {key for key in asked if key.partition(".")[0] in tables} - files <= known
    assert sorted(key for key in known - asked if not key.startswith(MADE_UP)) == []


def sources(*suffixes):
    """The files that say something, but those of report/published, which have texts of their own."""
    return [path for folder in ("report", "plots") for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in suffixes and "published" not in path.relative_to(ROOT / folder).parts]


def literals(node):
    """The texts that an argument may be."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    return [text for part in (node.body, node.orelse) for text in literals(part)] if isinstance(node, ast.IfExp) else []


def said_in(tree):
    """Every text that is given to say() as a literal."""
    return {text for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args
            and getattr(node.func, "id", getattr(node.func, "attr", "")) == "say" for text in literals(node.args[0])}


def english_texts():
    """Those that are their own key: of the sources, of the templates, and the titles of kinds."""
    said = {text for path in sources(".py") for text in said_in(ast.parse(path.read_text(encoding="utf-8")))}
    said |= {text for path in sources(".j2") for text in re.findall(r'\bsay\("([^"]*)"', path.read_text(encoding="utf-8"))}
    said |= {kind.title for of in (registry.tables(), registry.figures()) for kind in of.values()}
    said |= {text for one in chapters() for text in (one.short, *one.texts)} | {text for pair in glossary().items() for text in pair}
    return said - catalogue("en").keys()


def test_every_english_text_has_its_chinese_with_the_same_braces():
    chinese = translations("zh")
    assert sorted(english_texts() - chinese.keys()) == []
    assert [text for text, own in chinese.items() if braces(text) != braces(own) or not own] == []


def test_every_chinese_line_is_used_and_stands_in_one_file():
    texts = {node.value for path in sources(".py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(node, ast.Constant) and isinstance(node.value, str)} | english_texts()
    texts |= {re.sub(r" ?\{\w+\}", "", text) for text in texts}  # a name whose parameter varies goes without it: naming.py
    assert sorted(translations("zh").keys() - texts) == []
    lines = [line for path in sorted((ROOT / "report/language/zh").glob("*.toml")) for line in tomllib.loads(path.read_text("utf-8")).items()]
    twice = {text for text, own in lines if any(text == other and own != theirs for other, theirs in lines)}
    assert sorted(twice) == []


def test_a_text_without_its_chinese_is_found():
    tree = ast.parse("say('Planted: {what}' if wrong else 'Planted, too', what=1)")
    assert said_in(tree) == {"Planted: {what}", "Planted, too"} and not said_in(tree) & translations("zh").keys()
    assert braces("{a} and {b}") != braces("{a} und {c}")


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda path: path.stem)
def test_a_definition_is_known_in_chinese_as_a_whole_or_not_at_all(path):
    """A new experiment is one file: it stays English until its words are added. Half of it would be a mistake."""
    definition = tomllib.loads(path.read_text(encoding="utf-8"))
    words = {definition[name] for name in ("title", "question") if definition.get(name)}
    words |= {spec["title"] for what in ("tables", "figures") for spec in definition.get(what, ()) if spec.get("title")}
    known = {word for word in words if word in catalogue("zh")[RECORDS]}
    assert definition["title"] not in known or known == words, "add the others to [records] of report/language/zh.toml"


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
        patch.setattr("report.pages.FORMS", ("html", "md", "tex", "pdf"))
        assert main(["build", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output", str(folder),
                     "--language", "zh", "--edition", "full"]) == 0
    return folder


@needs_font
def test_a_chinese_report_has_no_english_sentence_of_ours(chinese):
    page = (chinese / "report.md").read_text(encoding="utf-8")
    assert "gemmlab 实验报告" in page and "有效性威胁" in page and "线程" in page
    sentences = [text for key, text in catalogue("en").items() if isinstance(text, str) and len(text) > 40
                 and "{" not in text and text != catalogue("zh")[key]]
    assert len(sentences) > 20 and [text for text in sentences if text in page] == []
    assert '<html lang="zh">' in (chinese / "report.html").read_text(encoding="utf-8")


@needs_font
def test_every_letter_of_the_catalogue_is_in_a_font_of_the_report():
    from fontTools.ttLib import TTCollection, TTFont
    from matplotlib import get_data_path

    latin = TTFont(Path(get_data_path()) / "fonts/ttf/DejaVuSans.ttf").getBestCmap()
    path = next(path for folder in style.CHINESE_FOLDERS for path in sorted(Path(folder).glob("NotoSansCJK-Regular.ttc")))
    chinese = next(font for font in TTCollection(path).fonts if font["name"].getDebugName(1) == style.CHINESE).getBestCmap()
    text = "".join(one.read_text(encoding="utf-8") for one in sorted((ROOT / "report/language").rglob("*.toml")) if one.stem != "en")
    assert {letter for letter in text if letter > " " and ord(letter) not in latin and ord(letter) not in chinese} == set()


@needs_font
def test_the_chinese_pdf_embeds_the_letters_that_it_shows(chinese):
    pypdf = pytest.importorskip("pypdf")
    if not (chinese / "report.pdf").is_file():
        pytest.skip("WeasyPrint or Pango is missing")
    pages = pypdf.PdfReader(chinese / "report.pdf").pages
    text = "".join(page.extract_text() for page in pages)
    for words in ("目录", "机器与方法", "有效性威胁", "如何重复实验", "线程数"):
        assert words in text, words
    fonts = {font.get_object()["/BaseFont"] for page in pages for font in page["/Resources"]["/Font"].values()
             if "/BaseFont" in font.get_object()}
    assert any("Noto" in name and "CJK" in name for name in fonts)


def test_a_missing_font_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("plots.style.chinese_font", lambda: None)
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("plots.kinds", dict)
    assert main(["build", str(DATA / "laptop"), "--output", str(tmp_path), "--language", "zh"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "fonts-noto-cjk" in line]
    assert len(said) == 1
