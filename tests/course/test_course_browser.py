"""The course in headless Chromium: nothing is cut off, on a desk, a phone and paper; both schemes
can be read."""

from __future__ import annotations

import chromium
import pytest
from chromium import CONTRASTS, DESK, PHONE
from sample_records import ROOT

from course.chapter import chapters
from course.pages import write
from language import LANGUAGES, using
from records.loading import find_files, load

RECORDS = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
PAPER = (700, 1000)
# What is wider than its box: the page and code wherever they are, all else where no box scrolls.
TOO_WIDE = """() => {
  const wide = (one) => one.scrollWidth > one.clientWidth + 1;
  const found = wide(document.documentElement) ? ["page"] : [];
  for (const one of document.querySelectorAll("main *:not(svg *)")) {
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
    if (!one.clientWidth || !wide(one) || (scrolls && one.tagName !== "PRE")) continue;
    found.push(one.tagName + ": " + one.textContent.trim().slice(0, 60));
  }
  return found;
}"""


@pytest.fixture(scope="module", name="courses")
def _courses(tmp_path_factory):
    """language -> the folder of the course of the reference machine's records."""
    reference = load(RECORDS, find_files(RECORDS))
    folders = {}
    for language in LANGUAGES:
        folders[language] = tmp_path_factory.mktemp(language)
        with using(language):
            write(folders[language], None, reference)
    return folders


@pytest.fixture(scope="module", name="browser")
def _browser():
    yield from chromium.started()


@pytest.fixture(name="open_page")
def _open_page(browser):
    yield from chromium.opener(browser)


def unfolded(page):
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_is_wider_than_its_box_and_no_code_is_cut_off(open_page, courses, language, size):
    files = sorted(courses[language].glob("*.html"))
    assert len(files) == len(chapters()) + 2
    page = open_page(files[0], size)
    for file in files:
        page.goto(file.as_uri())
        assert unfolded(page).evaluate(TOO_WIDE) == [], file.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_paper_nothing_is_cut_off(open_page, courses, language):
    page = open_page(courses[language] / "index.html", PAPER)
    page.emulate_media(media="print")
    for chapter in chapters():
        page.goto((courses[language] / chapter.page).as_uri())
        assert page.evaluate(TOO_WIDE) == [], chapter.page


def test_code_that_does_not_wrap_is_found(open_page, courses):
    page = open_page(courses["en"] / "03-tiling.html", PHONE)
    page.add_style_tag(content=".cut { white-space: pre; }")
    assert any("PRE: 26" in found for found in page.evaluate(TOO_WIDE))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_in_both_schemes(open_page, courses, scheme):
    page = open_page(courses["en"] / "index.html", DESK, scheme)
    for chapter in chapters():
        page.goto((courses["en"] / chapter.page).as_uri())
        found = unfolded(page).evaluate(CONTRASTS)
        assert [one for one in found if one[2] < 4.5] == [], chapter.page


def test_a_soft_number_on_a_marked_line_is_found(open_page, courses):
    page = open_page(courses["en"] / "03-tiling.html", DESK)
    page.add_style_tag(content=".cut .marked i { color: var(--soft); }")
    assert {"i"} == {tag for tag, _, contrast in page.evaluate(CONTRASTS) if contrast < 4.5}


def test_a_phone_shows_bars_whole(open_page, courses):
    page = open_page(courses["en"] / "15-cpu-packing.html", PHONE)
    drawn = page.locator("figure .narrow svg")
    assert drawn.is_visible() and not page.locator("figure .wide svg").is_visible()

    def right_of(one):
        box = one.bounding_box()
        return box["x"] + box["width"]

    assert right_of(drawn) <= PHONE[0]
    assert all(right_of(one) <= right_of(drawn) for one in drawn.locator("text").all())


def test_one_can_walk_from_the_first_chapter_to_the_last_and_back(open_page, courses):
    page = open_page(courses["en"] / chapters()[0].page)
    assert page.locator("a[rel=prev]").count() == 0
    for chapter in chapters()[1:]:
        page.locator("a[rel=next]").first.click()
        assert page.url.endswith(chapter.page)
    assert page.locator("a[rel=next]").count() == 0
    for chapter in reversed(chapters()[:-1]):
        page.locator("a[rel=prev]").last.click()
        assert page.url.endswith(chapter.page)
