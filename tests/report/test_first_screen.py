"""The first screen of the committed records in headless Chromium: the answer is on it, and each question one click away."""

from __future__ import annotations

import re

import chromium
import pytest
from chromium import CONTRASTS, DESK, PHONE, within
from conftest import ROOT

from report.__main__ import main

MACHINES = ("intel-xeon-nvidia-h200", "amd-epyc-avx512")
# What readers ask: words of the question, and what its answer must hold.
ASKED = {"How much faster is the GPU at N": r"\d[^;]* times as fast",
         "From which size": r"N = \d+|never|Only one",
         "pay with transfers": r"\b(Yes|No)\b.*N = \d|not measured",
         "Which CPU library": r"OpenBLAS|BLIS|Eigen|MKL|oneDNN",
         "card draw": r"\d W\b|not read",
         "block size": r"\d+×\d+ tile is .* times as fast.*Why",
         "each step buy": r"→.*\d×"}


@pytest.fixture(scope="module", params=MACHINES, name="page_file")
def _page_file(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plots.FORMATS", ("svg",))
        patch.setattr("report.pages.FORMS", ("html",))
        assert main(["build", str(ROOT / "data" / "results" / request.param), "--output", str(folder)]) == 0
    return folder / "report.html"


@pytest.fixture(scope="module", name="browser")
def _browser():
    yield from chromium.started()


@pytest.fixture(name="open_page")
def _open_page(browser):
    yield from chromium.opener(browser)


def test_the_page_is_small_enough_for_a_mail(page_file):
    assert page_file.stat().st_size < 5e6


@pytest.mark.parametrize("question", ASKED)
def test_a_reader_finds_the_answer_with_one_click(open_page, page_file, question):
    page = open_page(page_file)
    asked = page.locator(".questions a", has_text=re.compile(question))
    assert asked.count() == 1 and within(page, asked)
    asked.click()
    answer = page.locator(f"{asked.get_attribute('href')} dd")
    assert re.search(ASKED[question], answer.inner_text()), answer.inner_text()
    assert within(page, answer)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_desk_shows_the_answer_whole(open_page, page_file, scheme):
    page = open_page(page_file, DESK, scheme)
    assert within(page, page.locator("h1")) and page.locator("h1").inner_text().strip()
    for what, least in ((".badges li", 3), (".numbers li", 1), (".pictures svg:visible", 1), (".questions a", len(ASKED))):
        found = page.locator(what).all()
        assert len(found) >= least and all(within(page, one) for one in found), what
    assert page.locator(".numbers li").count() <= 4
    assert [one for one in page.evaluate(CONTRASTS) if one[2] < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_sentence_numbers_and_the_first_figure(open_page, page_file, scheme):
    page = open_page(page_file, PHONE, scheme)
    for one in (page.locator("h1"), *page.locator(".numbers li").all(), page.locator(".pictures svg:visible").first):
        assert within(page, one)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_width_scrolls_the_page_sideways(open_page, page_file, width):
    page = open_page(page_file, (width, 844))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_asked_of_the_network_and_no_script_fails(open_page, page_file):
    page = open_page(page_file)
    page.wait_for_timeout(300)
    assert [url for url in page.asked if not url.startswith(("data:", "blob:"))] == [page_file.as_uri()]
    assert page.problems == []
