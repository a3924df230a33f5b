"""The explorer of sample records in headless Chromium: how tests open it, choose in it and read
what it saves."""

from __future__ import annotations

import csv
import io
import re

import chromium
import pytest
from sample_records import read

from report.explorer import explorer_html
from report.pages import html as pages

MOST_LINES = 8
READY = "#explorer[data-state=ready]"

# The CSV that the button makes, without a download: Chromium takes clicks that follow one another
# quickly for a page that downloads by itself, and then refuses every eleventh without a word (10 of
# 150 in a trial).
CSV = """() => new Promise((done) => {
  const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (blob) => { blob.text().then(done); return ""; };
  HTMLAnchorElement.prototype.click = () => {};
  document.querySelector("[data-save=csv]").click();
  URL.createObjectURL = make;
  HTMLAnchorElement.prototype.click = click;
})"""


def page_of(results, path, reference=None):
    """A page that holds the explorer alone, in the style of the report."""
    style = pages.stylesheet(*pages.PAGE_STYLES)
    path.write_text(
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
        f"content='width=device-width'><style>{style}</style></head><body class='report'>"
        "<main><section "
        f"class='wide'>{explorer_html(results, reference)}</section></main></body></html>",
        encoding="utf-8")
    return path


@pytest.fixture(scope="module", name="files")
def _files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    return {name: page_of(read(name), folder / f"{name}.html")
            for name in ("workstation", "laptop")}


@pytest.fixture(scope="module", name="browser")
def _browser():
    yield from chromium.started()


@pytest.fixture(name="open_page")
def _open_page(browser, files):
    """Opens the explorer of a machine with a state in the address, and waits until it is drawn."""
    for opened in chromium.opener(browser):
        def ready(state="e=quick&x=size", machine="workstation", **more):
            page = opened(files[machine], **more)
            page.goto(f"{files[machine].as_uri()}#explorer:{state}")
            page.reload()
            page.wait_for_selector(READY, state="attached")
            return page

        yield ready


def change(page, act):
    """Does it, and waits for the drawing that follows."""
    before = page.get_attribute("#explorer", "data-drawn")
    act()
    page.wait_for_function(f"document.getElementById('explorer').dataset.drawn !== '{before}'")


def choose(page, **choices):
    for name, value in choices.items():
        change(page, lambda: page.select_option(f".x-controls [name={name}]", value))


def saved(page, kind):
    with page.expect_download() as waiting:
        page.click(f"[data-save={kind}]")
    return waiting.value


def rows_of(page):
    """What is shown, as its CSV says."""
    return list(csv.DictReader(io.StringIO(page.evaluate(CSV))))


def all_rows_of(page):
    """Of every line of the list, as many at once as can be."""
    lines = page.locator(".x-lines input").evaluate_all("all => all.map(one => one.value)")
    address, found = re.sub(r"&show=[^&]*", "", page.evaluate("location.hash")), []
    for start in range(0, len(lines), MOST_LINES):
        shown = f"{address}&show={'.'.join(lines[start:start + MOST_LINES])}"
        change(page, lambda: page.evaluate(f"location.hash = '{shown}'"))
        found += rows_of(page)
    return found


def cases_of(machine, experiment):
    return [case for one in read(machine).experiments if one.name == experiment
            for case in one.cases if case.shown]


def case_of(cases, row):
    """The record that a row of the CSV tells of."""
    [found] = [
        case for case in cases if case.implementation == row["implementation"] and case.run_id
        == row["run_id"] and list(map(str, case.shape)) == [row["m"], row["n"], row["k"]]
        and all(str(value) == row[f"parameter_{name}"] for name, value in case.parameters.items())]
    return found
