"""The HTML page in headless Chromium: keyboard, both schemes, a phone's width, tables sorted and
saved, nothing asked for."""

from __future__ import annotations

import itertools
import shutil

import chromium
import pytest
from chromium import CONTRASTS, DESK, PHONE


@pytest.fixture(scope="module", name="page_file")
def _page_file(built):
    return built / "report.html"


@pytest.fixture(scope="module", name="browser")
def _browser():
    yield from chromium.started()


@pytest.fixture(name="open_page")
def _open_page(browser):
    yield from chromium.opener(browser)


def test_no_request_leaves_the_page(open_page, page_file):
    page = open_page(page_file)
    assert [url for url in page.asked if not url.startswith("data:")] == [page_file.as_uri()]
    assert page.problems == []


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def _times_at(page, size):
    """A column of the table of times: (its heading, its cells)."""
    unfold(page)
    table = page.locator("#table-quick-time table")
    heads = table.locator("thead th").all_inner_texts()
    place = next(number for number, head in enumerate(heads, 1) if head.startswith(size))
    return table.locator(f"thead th:nth-child({place})"), table.locator("tbody tr > "
                                                                        f":nth-child({place})")


@pytest.mark.parametrize("how", ["click", "Enter", " "])
@pytest.mark.parametrize(("size", "units", "dashes"),
                         [("256", {"µs", "ms"}, 0), ("1024", {"ms"}, 1)])
def test_a_heading_sorts_by_the_number_whatever_its_unit(open_page, page_file, size,
                                                         units, dashes, how):
    head, cells = _times_at(open_page(page_file), size)
    values = [float(value) for cell in cells.all() if (value := cell.get_attribute("data-v"))]
    assert {text.split()[1] for text in cells.all_inner_texts() if text[0].isdigit()} == units
    for expected, said in ((sorted(values), "ascending"),
                           (sorted(values, reverse=True), "descending")):
        button = head.locator("button")
        button.click() if how == "click" else button.press(how)
        shown = cells.all()
        assert [float(cell.get_attribute("data-v")) for cell in shown[:len(values)]] == expected
        assert head.get_attribute("aria-sort") == said
        # last in either order
        assert [cell.inner_text()[0] for cell in shown[len(values):]] == ["–"] * dashes


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_all_text_can_be_read_in_both_schemes_and_on_a_phone(open_page, page_file, scheme, size):
    page = open_page(page_file, size, scheme)
    unfold(page)
    found = page.evaluate(CONTRASTS)
    assert len(found) > 200 and {"text", "td", "th", "a", "figcaption",
                                 "summary"} <= {tag for tag, _, _ in found}
    assert [one for one in found if one[2] < 4.5] == []
    sizes = page.evaluate("[...document.querySelectorAll('figure svg')].filter((one) => "
                          "one.checkVisibility()).map((one) => one.getBoundingClientRect().height)")
    assert len(sizes) > 3 and min(sizes) > 100
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page.evaluate(
        "getComputedStyle(document.querySelector('figure svg path')).fill") == ground
    assert (ground == "rgb(255, 255, 255)") is (scheme == "light")


def test_the_test_of_contrast_finds_grey_on_grey(open_page, page_file):
    page = open_page(page_file)
    page.add_style_tag(content=".caption { color: #999 } figure svg text { fill: #aaa !important }")
    assert {"p", "text"} <= {tag for tag, _, contrast in page.evaluate(CONTRASTS) if contrast < 4.5}


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_the_page_never_scrolls_sideways(open_page, page_file, width):
    page = open_page(page_file, (width, 844))
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.body.scrollWidth") <= width


def test_the_first_column_of_a_wide_table_stays_in_sight(open_page, page_file):
    page = open_page(page_file, PHONE)
    unfold(page)
    box = page.locator("#table-quick-time .scroll")
    head, cell = box.locator("tbody th").first, box.locator("tbody td").last
    before, moved = head.bounding_box()["x"], cell.bounding_box()["x"]
    box.evaluate("(one) => { one.scrollLeft = 200; }")
    assert (head.bounding_box()["x"] == pytest.approx(before, abs=1.5)
            and cell.bounding_box()["x"] < moved - 50)


def test_the_csv_of_each_table_is_in_the_page(open_page, page_file, tmp_path):
    alone = tmp_path / "mail.html"
    shutil.copy(page_file, alone)
    page = open_page(alone)
    stems = [one.get_attribute("data-csv") for one in page.locator("button.csv").all()]
    files = {path.stem for path in (page_file.parent / "tables").glob("*.csv")}
    assert set(stems) == files and len(stems) == len(files) > 5
    for first in range(0, len(stems), 8):  # Chromium asks before the eleventh file of a page
        page = open_page(alone)
        unfold(page)
        for stem in stems[first:first + 8]:
            with page.expect_download() as waiting:
                page.locator(f"button[data-csv='{stem}']").press("Enter")
            assert waiting.value.suggested_filename == f"{stem}.csv"
            assert waiting.value.path().read_bytes() == (page_file.parent / "tables"
                                                         / f"{stem}.csv").read_bytes()
        assert page.problems == []


def test_everything_can_be_reached_by_the_keyboard_and_is_seen_to_be(open_page, page_file):
    page = open_page(page_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert chromium.within(page, page.locator(".skip"))
    can = page.evaluate("[...document.querySelectorAll('a[href], button, summary, [tabindex], "
                        "input, select')].filter((one) => one.checkVisibility()).length")
    seen = set()
    for _ in range(can + 5):
        place, outline = page.evaluate("""(() => {
          const one = document.activeElement;
          return [[...document.querySelectorAll('*')].indexOf(one), getComputedStyle(one).outlineStyle];
        })()""")
        if place in seen or page.evaluate("document.activeElement === document.body"):
            break
        seen.add(place)
        assert outline != "none", page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        page.keyboard.press("Tab")
    assert len(seen) >= can > 40


def test_a_screen_reader_is_told_what_everything_is(open_page, page_file):
    page = open_page(page_file)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    assert page.locator("main").count() == 1 and page.locator("nav[aria-label]").count() >= 1
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => "
                           "Number(one.tagName[1]))")
    assert (levels[0] == 1 and levels.count(1) == 1
            and all(after <= before + 1 for before, after in itertools.pairwise(levels)))
    nameless = """[...document.querySelectorAll('table')].filter((one) => !one.caption || !one.caption.textContent.trim()
        || [...one.tHead.rows].at(-1).cells.length !== one.tBodies[0].rows[0].cells.length
        || [...one.tHead.querySelectorAll('th')].some((cell) => !cell.scope.startsWith('col'))
        || [...one.tBodies[0].rows].some((row) => row.cells[0].tagName !== 'TH' || row.cells[0].scope !== 'row')).length"""
    assert page.locator("table").count() > 5 and page.evaluate(nameless) == 0
    untold = """[...document.querySelectorAll('figure svg')].filter((one) => one.getAttribute('role') !== 'img'
        || !one.getAttribute('aria-label')
        || !document.getElementById(one.getAttribute('aria-describedby')).textContent.trim()).length"""
    assert page.locator("figure svg").count() > 3 and page.evaluate(untold) == 0


def test_a_phone_gets_the_figures_in_letters_that_can_be_read(open_page, page_file):
    smallest = """Math.min(...[...document.querySelectorAll('.exhibit figure')].flatMap((one) => [...one.querySelectorAll('text')])
        .filter((one) => one.checkVisibility()).map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a
        || Infinity))"""
    assert open_page(page_file, PHONE).evaluate(smallest) >= 7
    assert open_page(page_file, DESK).evaluate(smallest) >= 7


def test_nothing_moves_for_who_asked_for_less_motion(open_page, page_file):
    moving = """(() => { const style = getComputedStyle(document.querySelector('a')); return [style.transitionDuration,
        style.animationName, getComputedStyle(document.documentElement).scrollBehavior]; })()"""
    shaking = "html { scroll-behavior: smooth } a { transition: all 2s; animation: shake 2s }"
    for motion, expected in (("reduce", ["0s", "none", "auto"]),
                             ("no-preference", ["2s", "shake", "smooth"])):
        page = open_page(page_file, reduced_motion=motion)
        page.add_style_tag(content=shaking)
        assert page.evaluate(moving) == expected


def test_without_scripts_sentence_figures_and_tables_are_there(open_page, page_file):
    page = open_page(page_file, scripts=False)
    assert (page.locator("h1").inner_text().strip()
            and page.locator(".exhibit svg").first.is_visible())
    assert (page.locator("figure svg text").first.is_visible()
            and page.locator("div.table td.number").first.is_visible())
    assert page.locator("button:visible").count() == 0  # none that would do nothing
    folded = page.locator("details.table").first
    assert not folded.locator("tbody").is_visible()
    folded.locator("summary").click()
    assert folded.locator("tbody").is_visible()
