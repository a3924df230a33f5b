"""The edition to hand in: six to ten pages, all its parts, whatever the records hold."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sample_records import DATA, ROOT, needs, standing_in
from test_paper import needs_weasyprint

from analysis.answer.model import Answer
from language import say, using
from plots import has_chinese_font
from records.cases.experiment import Experiment, Results
from report.__main__ import main
from report.doctor.rules.finding import problem
from report.handin import parts
from report.handin.parts import Material
from report.handin.wishes import Wishes
from report.limits import limits
from report.pages import paper
from report.pages.document import Document, Shown

RECORDS = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
# what has a figure in it
SHOWN = "cpu_vs_gpu,block_size,thread_scaling,gpu_ladder,cpu_ladder,quick"
HEADS = ("Question", "Machine", "Method", "Speedup", "GFLOP/s", "Threads",
         "Block size", "Steps on the GPU", "Steps on the CPU", "Published claims",
         "Limits and threats to validity", "Discussion")


# Without the font's letters no text can be read back from a PDF.
needs_chinese_font = pytest.mark.skipif(not has_chinese_font(),
                                        reason="no Chinese font: apt install fonts-noto-cjk")
LANGUAGES = ["en", pytest.param("zh", marks=needs_chinese_font)]


@contextmanager
def _paper_only(formats=("pdf",)):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("report.pages.html.FORMS", formats)
        patch.setattr("plots.FORMATS", ("pdf",))
        yield


def _built(folder, records, *arguments):
    with _paper_only():
        assert main(["build", str(records), "--output", str(folder), *arguments]) == 0
    return folder / paper.NAME


def _texts(path):
    from pypdf import PdfReader

    return [page.extract_text() for page in PdfReader(path).pages]


def _squeezed(text):
    """Without blanks: Chinese text comes out of a PDF with some between its letters."""
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module", name="english")
def _english(tmp_path_factory):
    return _built(tmp_path_factory.mktemp("en"), RECORDS, "--author", "Ada Lovelace", "--course",
                  "Parallel computing", "--student-number", "1815", "--title", "My measurements",
                  "--experiments", SHOWN)


@pytest.fixture(scope="module", name="chinese")
def _chinese(tmp_path_factory):
    return _built(tmp_path_factory.mktemp("zh"), RECORDS, "--language", "zh",
                  "--experiments", SHOWN)


@needs_weasyprint
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_six_to_ten_pages_with_every_part_and_none_is_empty(english, chinese, language):
    needs("published")
    texts = _texts(english if language == "en" else chinese)
    assert 6 <= len(texts) <= 10 and min(len(_squeezed(text)) for text in texts) > 40
    with using(language):
        heads = [_squeezed(say(head)) for head in HEADS]
    # a heading has a line of its own
    whole = "\n".join(_squeezed(line) for text in texts for line in text.splitlines())
    places = [re.search(rf"^\d+{re.escape(head)}$", whole, re.MULTILINE) for head in heads]
    assert None not in places and [one.start() for one in places] == sorted(one.start()
                                                                            for one in places)


@needs_weasyprint
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_ends_with_a_heading(english, chinese, language):
    with using(language):
        heads = {_squeezed(say(head)) for head in HEADS}
    for text in _texts(english if language == "en" else chinese):
        lines = [_squeezed(line) for line in text.splitlines() if line.strip()]
        body = [line for line in lines if not re.fullmatch(r"\d+/\d+", line)]
        assert not body or re.sub(r"^\d+", "", body[-1]) not in heads


@needs_weasyprint
@needs_chinese_font
def test_its_head_names_who_hands_it_in(english, chinese):
    first = _texts(english)[0]
    for words in ("My measurements", "Ada Lovelace", "Parallel computing", "1815", "2026-"):
        assert words in first
    assert "学号" in _texts(chinese)[0]


@needs_weasyprint
def test_it_shows_its_figures_as_vectors_and_its_tables_with_reasons(english):
    needs("published")
    whole = " ".join(_texts(english))
    assert ("threads" in whole and "GFLOP/s" in whole and "instructions ÷" in whole
            and "not reproduced" in whole)


@needs_weasyprint
def test_the_same_records_give_the_same_bytes(tmp_path):
    one, two = (_built(tmp_path / name, DATA / "workstation" / "thread_scaling.jsonl")
                for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes() and b"/CreationDate" not in one.read_bytes()


@needs_weasyprint
def test_without_a_gpu_the_reference_machines_numbers_stand_in_and_are_marked(tmp_path):
    with standing_in():
        texts = _texts(_built(tmp_path, DATA / "laptop" / "quick.jsonl"))
    whole = re.sub(r"\s+", " ", " ".join(texts))
    assert (len(texts) <= 10 and "Ryzen" in texts[0]
            and "On the reference machine, NVIDIA H200" in whole)
    assert ("Speedup of the GPU over the CPU" in whole
            and whole.index("GFLOP/s on the CPU") < whole.index("Speedup of the GPU"))


@needs_weasyprint
def test_a_discussion_and_the_appendices_stand_where_they_were_asked_for(tmp_path):
    (tmp_path / "mine.md").write_text("# Why\n\nIt *pays* <script>alert(1)</script> "
                                      "![x](http://y/z.png)\n\n| a | b |\n|--|--|\n| 1 | 2 |\n")
    path = _built(tmp_path / "out", DATA / "workstation" / "thread_scaling.jsonl", "--discussion",
                  str(tmp_path / "mine.md"), "--appendix", "commands,machine")
    whole = " ".join(_texts(path))
    assert ("It pays" in whole and "<script>" in whole
            and "Which result did you not expect" not in whole)
    assert (whole.index("Appendix: machine") < whole.index("Appendix: commands")
            and "gemmlab report data/results" in whole)


@needs_weasyprint
def test_the_full_edition_is_all_of_the_report(tmp_path):
    whole = " ".join(_texts(_built(tmp_path, DATA / "workstation" / "thread_scaling.jsonl",
                                   "--edition", "full")))
    assert "Appendix: every experiment" in whole and "How to repeat it" in whole


def test_its_sentences_are_bounded_and_whole_and_its_own_numbers_come_before_the_reference_machines():
    shown = [Shown("speedup", "Speedup", "?", ["A sentence of the reference's. " * 40],
                   [], [], reference="H200"),
             Shown("threads", "Threads", "?", ["One.", "Two." + 122 * " Two.", "Three."], [], [])]
    made = parts.parts(Material(document(shown), Wishes()))
    assert [one.name for one in made] == ["question", "machine", "method", "threads",
                                          "speedup", "limits"]
    assert made[3].sentences == ["One.", "Two." + 122 * " Two."], "a part has room for so much in all"
    assert (made[4].sentences[0].startswith("On the reference machine, H200")
            and len(made[4].sentences[1]) <= parts.MOST_LETTERS)
    assert made[4].sentences[1].endswith("reference's.")


def document(shown):
    return Document("t", "", "", "", [], [], [], [], [], [], Answer("Answer."), shown)


def test_limits_tell_medians_of_clocks_from_readings_and_whom_the_doctor_warns_of(make):
    """The range of the medians was called the GPU's, which had readings far below."""
    timed = make("gpu.naive", clock_mhz=1980.0, clock_low_mhz=945.0)
    found = limits(Results(ROOT, [Experiment("e", ROOT, [], [timed])], []),
                   [replace(problem("rule", "Too fast.", "Wait."), experiment="e")], "", [])
    assert any("median clocks on the GPU are 1,980 to 1,980 MHz, the lowest reading 945" in text
               for text in found)
    assert "The doctor warns of e: Too fast." in found


def test_limits_say_what_was_disturbed_and_what_was_not_measured(make):
    calm, shared = make("cpu.ikj"), make("cpu.serial", size=128, run_queue_delay_s=100.0,
                                         threads_actual=1)
    found = limits(Results(ROOT, [Experiment("e", ROOT, [{"gpus": [{"name": "a"}]}],
                                             [calm, shared])], []), [], "2 points.", [])
    assert any("Not measured here: thread_scaling, block_size" in text for text in found)
    assert any("1 of 2 points were measured" in text for text in found) and "2 points." in found
