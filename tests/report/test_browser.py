"""The HTML page in headless Chromium: it sorts, both schemes can be read, a phone's width is enough, nothing is asked for."""

from __future__ import annotations

import shutil

import pytest

from conftest import DATA
from report.__main__ import main

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = (390, 1200)


@pytest.fixture(scope="module", name="page_file")
def _page_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    assert main(["build", str(DATA / "laptop"), "--output", str(folder), "--reference", str(DATA / "workstation")]) == 0
    return folder / "report.html"


@pytest.fixture(scope="module", name="chromium")
def _chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install -r "
                                     "tests/report/requirements-browser.txt")
    if BROWSER is None:
        pytest.skip("there is no chromium: apt install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(name="open_page")
def _open_page(chromium, page_file):
    """Opens the page in a window; `page.asked` lists what it requests, `page.problems` what its script complains of."""
    contexts = []

    def opened(width=1200, scheme="light"):
        contexts.append(chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.asked, page.problems = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.goto(page_file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def test_no_request_leaves_the_page(open_page, page_file):
    page = open_page()
    assert [url for url in page.asked if not url.startswith("data:")] == [page_file.as_uri()]
    assert page.problems == []


def _times_at(page, size):
    """A column of the table of times: (its heading, its cells)."""
    table = page.locator("#table-quick-time + div table")
    heads = table.locator("thead th").all_inner_texts()
    place = next(number for number, head in enumerate(heads, 1) if head.startswith(size))
    return table.locator(f"thead th:nth-child({place})"), table.locator(f"tbody td:nth-child({place})")


@pytest.mark.parametrize(("size", "units", "dashes"), [("256", {"µs", "ms"}, 0), ("1024", {"ms"}, 1)])
def test_a_click_on_a_heading_sorts_by_the_number_whatever_its_unit(open_page, size, units, dashes):
    head, cells = _times_at(open_page(), size)
    values = [float(value) for cell in cells.all() if (value := cell.get_attribute("data-v"))]
    assert {text.split()[1] for text in cells.all_inner_texts() if text[0].isdigit()} == units
    for expected, said in ((sorted(values), "ascending"), (sorted(values, reverse=True), "descending")):
        head.locator("button").click()
        shown = cells.all()
        assert [float(cell.get_attribute("data-v")) for cell in shown[:len(values)]] == expected
        assert head.get_attribute("aria-sort") == said
        assert [cell.inner_text()[0] for cell in shown[len(values):]] == ["–"] * dashes  # last in either order


def _contrast(first, second):
    """Of WCAG: 4.5 is enough for running text."""
    def light(colour):
        parts = [int(part) / 255 for part in colour.strip("rgb()").split(",")[:3]]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_text_and_figures_can_be_read_in_both_schemes_and_on_a_phone(open_page, scheme, width):
    page = open_page(width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    style = "(what) => { const style = getComputedStyle(document.querySelector(what)); return [style.color, style.fill]; }"
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert _contrast(ground, "rgb(255, 255, 255)") < 1.2 if scheme == "light" else _contrast(ground, "rgb(0, 0, 0)") < 1.3
    for what in ("body", ".soft", "figcaption", "td", "th", "a"):
        assert _contrast(page.evaluate(style, what)[0], ground) >= 4.5, (what, scheme)
    assert _contrast(page.evaluate(style, "figure svg")[1], ground) >= 4.5  # the figures' text
    sizes = page.evaluate("[...document.querySelectorAll('figure svg')].map(one => one.getBoundingClientRect().height)")
    assert len(sizes) > 3 and min(sizes) > 100
    back = page.evaluate("getComputedStyle(document.querySelector('figure svg #' + "
                         "document.querySelector('figure svg [id$=patch_1]').id + ' path')).fill")
    assert back == ground  # a figure stands on the page's own colour
