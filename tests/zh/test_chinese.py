"""A Chinese report of the committed records is Chinese where there is Chinese.

A new text may stay English.
"""

from __future__ import annotations

import pytest
from english_left import english_in
from sample_records import ROOT, needs

from language import recorded, using
from plots.drawing.drawn import Drawn
from report.__main__ import main

RECORDS = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


@pytest.fixture(scope="module", name="page")
def _page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zh")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("report.pages.html.FORMS", ("md",))
        patch.setattr("plots.FORMATS", ("svg",))
        patch.setattr("plots.draw", lambda view, folder, stem: Drawn(stem, view.full_title, ""))
        assert main(["build", str(RECORDS), "--output", str(folder), "--language", "zh"]) == 0
    return (folder / "report.md").read_text(encoding="utf-8")


def test_nothing_that_has_chinese_words_is_left_in_english(page):
    needs("published")  # whose texts tell what is a name
    assert english_in(page) == set()


def test_an_english_sentence_would_be_found(page):
    needs("published")
    planted = (
        "At 64 the GPU and the CPU's best are not told apart",
        "A result is shown only when it was checked against a double-precision reference and "
        "found right; everything else is listed with its reason.",
        "one column through gemm",
    )
    for text in planted:
        assert english_in(f"{page}\n{text}"), text
    assert (
        english_in(
            f"{page}\n`the GPU and the CPU's best are not told apart`, and what is new"
        )
        == set()
    )


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("ikj, all cores, 3 % slower", "ikj，全部核心，慢 3 %"),
        ("v7 double buffered, two barriers", "v7 双缓冲，两次屏障"),
        (
            "predicted to take 12.5 s a call, over the limit of 4 s a point",
            "预计每次调用需 12.5 s，超过每点 4 s 的上限",
        ),
        ("no answer within the time limit (warm-up)", "在时限内没有结果（预热）"),
        ("a text that nobody knows", "a text that nobody knows"),
        ("variant loads", "variant loads"),
        ("past the L1, 8 threads", "绕过 L1，8 线程"),
        ("8 threads are all cores here, or more", "8 线程已是本机的全部核心或更多"),
    ],
)
def test_what_a_record_says_is_put_into_chinese_with_its_numbers(english, chinese):
    with using("zh"):
        assert recorded(english) == chinese
    assert recorded(english) == english
