"""The first screen of the committed records in headless Chromium: the answer is on it, and each
question one click away."""

from __future__ import annotations

import re

import chromium
import pytest
from chromium import CONTRASTS, DESK, PHONE, within
from sample_records import ROOT, standing_in

from report.__main__ import main

MACHINES = ("intel-xeon-nvidia-h200", "amd-epyc-avx512")
# What readers ask: the anchor that answers it, one click away, and what stands there.
ASKED = {"How much faster is the GPU at 2048?": ("speedup", r"\n2048\s+\d"),
         "From which size does it pay with transfers?": (
             "speedup", r"pinned memory (from N = \d|at every size|at no size)"),
         "How many GFLOP/s, by which library and which version?": ("gflops",
                                                                   r"Eigen \d|MKL \d|OpenBLAS \d"),
         "How sure is that?": ("gflops", r"± is the .* 95 % interval"),
         "What do threads bring?": ("threads", r"T₁/Tₙ"),
         "Which block is best, and why?": ("block-size",
                                           r"\d+×\d+ tile is [\d.]+ times as fast[\s\S]*counters"),
         "Why is a 4×4 tile slower than none?": ("block-size",
                                                 r"Why is a 4×4 tile slower than naive\? At \d+"),
         "What does each step buy?": ("steps-gpu", r"times the\s+rung\s+before"),
         "What of its time is transfer?": ("transfers", r"transfers take \d+ %"),
         "What does the card draw?": ("energy", r"\d W\b"),
         "Where are PNG and CSV?": ("speedup", r"Save as CSV[\s\S]*PNG"),
         "What does my laptop do?": ("yours", r"\./gemmlab run quick"),
         "And my own kernel?": ("yours", r"\./gemmlab submit my_kernel\.cu"),
}


@pytest.fixture(scope="module", params=MACHINES, name="page_file")
def _page_file(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch, standing_in():
        patch.setattr("plots.UNWRITTEN", ("png", "pdf"))
        patch.setattr("report.pages.html.FORMS", ("html",))
        assert main(["build", str(ROOT / "data" / "results" / request.param), "--output",
                     str(folder)]) == 0
    return folder / "report.html"


@pytest.fixture(scope="module", name="browser")
def _browser():
    yield from chromium.started()


@pytest.fixture(name="open_page")
def _open_page(browser):
    yield from chromium.opener(browser)


def test_the_page_is_small_enough_for_a_mail(page_file):
    assert page_file.stat().st_size < 6e6


@pytest.mark.parametrize("question", ASKED)
def test_a_reader_finds_the_answer_with_one_click(open_page, page_file, question):
    """Where the machine has no GPU, those of a GPU stand one scroll below one link, under the
    reference machine's name."""
    anchor, pattern = ASKED[question]
    page = open_page(page_file)
    links = page.locator(f".questions a[href='#{anchor}'], .questions a[href='#gpu']")
    assert links.count() >= 1 and within(page, links.first)
    links.first.click()
    place = page.locator(f"#{anchor}").locator("xpath=ancestor::section[1] | "
                                               "following-sibling::*[position() < 3]")
    assert re.search(pattern, "\n".join(place.all_inner_texts())), place.all_inner_texts()
    if links.first.get_attribute("href") == f"#{anchor}":
        assert page.locator(f"#{anchor}").bounding_box()["y"] < 100


def test_all_of_it_but_the_appendix_is_at_most_25_screens(open_page, page_file):
    page = open_page(page_file)
    assert page.locator("#results").bounding_box()["y"] < 25 * DESK[1]


def test_a_machine_without_a_gpu_comes_before_what_another_machine_would_bring(open_page,
                                                                               page_file):
    page = open_page(page_file)
    borrowed = page.locator("#gpu")
    if "No GPU was measured here" not in page.locator("h1").inner_text():
        assert borrowed.count() == 0 and "GPU" in page.locator(".exhibit h2").first.inner_text()
        return
    own = page.locator(".exhibit h2").first
    assert (own.inner_text() == "How many GFLOP/s does each implementation reach?"
            and within(page, own))
    assert (own.bounding_box()["y"] < borrowed.bounding_box()["y"]
            and "On the reference machine" in page.locator(".borrowed").inner_text())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_desk_shows_the_answer_whole(open_page, page_file, scheme):
    page = open_page(page_file, DESK, scheme)
    assert within(page, page.locator("h1")) and page.locator("h1").inner_text().strip()
    for what, least in ((".first .badges li", 3), (".first .numbers li", 1), (".questions a", 6),
                        (".exhibit h2 >> nth=0", 1)):
        found = page.locator(what).all()
        assert len(found) >= least and all(within(page, one) for one in found), what
    assert page.locator(".first .numbers li").count() <= 4
    assert [one for one in page.evaluate(CONTRASTS) if one[2] < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_sentence_numbers_and_the_first_question(open_page, page_file, scheme):
    page = open_page(page_file, PHONE, scheme)
    for one in (page.locator("h1"), *page.locator(".first .numbers li").all(),
                page.locator(".exhibit h2").first):
        assert within(page, one)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_width_scrolls_the_page_sideways(open_page, page_file, width):
    page = open_page(page_file, (width, 844))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_asked_of_the_network_and_no_script_fails(open_page, page_file):
    page = open_page(page_file)
    page.wait_for_timeout(300)
    assert [url for url in page.asked
            if not url.startswith(("data:", "blob:"))] == [page_file.as_uri()]
    assert page.problems == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
