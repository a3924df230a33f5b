"""The explorer in headless Chromium: what is chosen is drawn, told, saved and kept in the address,
and it is the records'."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import chromium
import pytest
from chromium import CONTRASTS, DESK, PHONE
from explorer_pages import (  # noqa: F401
    MOST_LINES,
    READY,
    _browser,
    _files,
    _open_page,
    all_rows_of,
    case_of,
    cases_of,
    change,
    choose,
    rows_of,
    saved,
)
from PIL import Image, ImageChops, ImageStat
from sample_records import DATA

from records.names.numbers import with_interval


def test_no_request_leaves_the_page_and_nothing_fails(open_page, files):
    page = open_page()
    choose(page, y="time", e="gpu_ladder")
    assert {url for url in page.asked
            if not url.startswith("blob:")} <= {files["workstation"].as_uri()}
    assert page.problems == [] and page.locator(".x-problem").is_hidden()


def test_it_starts_when_the_reader_comes_to_it_and_not_before(browser, files):
    for opened in chromium.opener(browser):
        page = opened(files["laptop"])
        # at the head of this page it is in view at once
        page.wait_for_selector(READY, state="attached")
        assert page.evaluate("location.hash") == ""  # which is kept only when something is chosen


@pytest.mark.parametrize("state", ["e=quick&x=size", "e=quick&x=shape",
                                   "e=gpu_ladder&x=implementation&g=2048", "e=thread_scaling"])
def test_the_csv_holds_what_is_shown_with_the_records_numbers(open_page, state):
    page = open_page(state)
    assert f"{len(rows_of(page))} points" in page.locator(".x-note").inner_text()
    rows = all_rows_of(page)
    cases = cases_of("workstation", re.search("e=(\\w+)", state)[1])
    assert len(rows) > 5
    if "shape" in state:
        assert len(rows) == len(cases)  # each case once
    for row in rows:
        case = case_of(cases, row)
        assert float(row["rate"]) == pytest.approx(case.rate, rel=1e-5)
        assert (float(row["rate_low"]),
                float(row["rate_high"])) == pytest.approx(case.rate_ci95, rel=2e-5)
        assert float(row["median_s"]) == pytest.approx(case.median_s, rel=1e-5)
        assert int(row["sample_count"]) == case.sample_count


def test_what_the_pointer_tells_is_the_records(open_page):
    page = open_page("e=quick&x=size")
    rows = {(row["line"], row["x"]): row for row in rows_of(page)}
    cases, told = cases_of("workstation", "quick"), 0
    page.focus(".x-chart")
    for _ in range(3):
        for _ in range(3):
            page.keyboard.press("ArrowRight")
            lines = page.locator(".x-tip b, .x-tip div").all_inner_texts()
            case = case_of(cases, rows[lines[0], lines[1].split()[-1]])
            assert lines[2] == f"{with_interval(case.rate, *case.rate_ci95)} GFLOP/s"
            assert f"{case.sample_count} samples" in lines and any("host" in line for line in lines)
            told += 1
        for _ in range(2):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    assert told == 9


def test_pointer_and_keys_tell_the_same(open_page):
    page = open_page("e=quick&x=size")
    page.focus(".x-chart")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said, box = page.locator(".x-tip").inner_text(), page.locator(".x-dot").bounding_box()
    assert page.locator(".x-said").inner_text().startswith(said.splitlines()[0])
    page.keyboard.press("Escape")
    assert page.locator(".x-tip").is_hidden()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator(".x-tip").inner_text() == said


def test_a_name_in_the_list_hides_its_line_and_brings_it_back(open_page):
    page = open_page("e=quick&x=size")
    before = {row["line"] for row in rows_of(page)}
    entry = page.locator(".x-lines label", has=page.locator(":checked")).first
    name = entry.inner_text()
    change(page, entry.click)
    assert {row["line"] for row in rows_of(page)} == before - {name}
    hidden = page.locator(".x-lines label", has_text=name).locator("input:not(:checked)").first
    change(page, lambda: hidden.press("Space"))  # the keyboard will do
    assert {row["line"] for row in rows_of(page)} == before


def test_a_ninth_line_takes_the_place_of_the_one_chosen_first(open_page):
    page = open_page("e=quick&x=size")
    ticked = page.locator(".x-lines input:checked")
    assert ticked.count() == MOST_LINES
    for act in (ticked.first.click, page.locator(".x-lines input:not(:checked)").first.click):
        change(page, act)
    first = re.search(r"show=(\w+)", page.evaluate("location.hash"))[1]
    ninth = page.locator(".x-lines input:not(:checked)").first.get_attribute("value")
    change(page, lambda: page.check(f".x-lines [value='{ninth}']"))
    assert ticked.count() == MOST_LINES == len({row["line"] for row in rows_of(page)})
    assert page.is_checked(f".x-lines [value='{ninth}']")
    assert not page.is_checked(f".x-lines [value='{first}']")


def test_the_list_can_be_searched_and_is_no_longer_than_the_chart(open_page):
    page = open_page("e=gpu_ladder&x=size")
    page.fill("[type=search]", "TILED 8")
    names = page.locator(".x-lines label:visible").all_inner_texts()
    assert names and all("tiled" in name and "8" in name for name in names)
    page.fill("[type=search]", "")
    assert page.locator(".x-lines label:visible").count() > len(names)
    beside, chart = (page.locator(one).bounding_box()["height"] for one in (".x-side", ".x-stage"))
    assert beside <= chart + 1


def test_the_address_brings_the_same_picture(open_page):
    page = open_page("e=quick&x=size")
    choose(page, e="gpu_ladder", x="size", y="time")
    change(page, lambda: page.locator(".x-lines input:checked").first.click())
    change(page, lambda: page.locator("[name=ly]").uncheck())
    address, rows = page.evaluate("location.hash"), rows_of(page)
    again = open_page(address.removeprefix("#explorer:"))
    assert rows_of(again) == rows and again.evaluate("location.hash") == address
    assert (again.locator("[name=e]").input_value() == "gpu_ladder"
            and not again.locator("[name=ly]").is_checked())


def test_a_state_that_these_records_do_not_have_falls_back_to_one_that_they_have(open_page):
    page = open_page("e=nothing&x=p.none&y=energy&s=moon&h=zz&b=qq&p=x-y")
    assert page.problems == [] and len(rows_of(page)) > 0 and page.locator(".x-problem").is_hidden()


def test_every_experiment_opens_with_points_whatever_is_asked_of_it(open_page):
    page = open_page("e=quick")
    for name in page.locator("[name=e] option").all():
        choose(page, e=name.get_attribute("value"))
        for kind in page.locator("[name=y] option:not([disabled])").all():
            if kind.get_attribute("value") != page.input_value("[name=y]"):
                choose(page, y=kind.get_attribute("value"))
            assert len(rows_of(page)) > 0, (page.input_value("[name=e]"),
                                            page.input_value("[name=y]"))
    assert page.problems == [] and page.locator(".x-problem").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_saved_looks_like_the_screen(open_page, tmp_path, scheme):
    page = open_page("e=quick&x=size", scheme=scheme)
    names = {row["line"] for row in rows_of(page)}
    for kind in ("png", "svg", "csv"):
        saved(page, kind).save_as(tmp_path / f"a.{kind}")
    with Image.open(tmp_path / "a.png") as image:
        png = image.convert("RGB")
    screen = Image.open(io.BytesIO(page.locator(".x-chart canvas").screenshot())).convert("RGB")
    assert png.width > 1600 and len(png.getcolors(2**20)) > 20
    apart = ImageStat.Stat(ImageChops.difference(png.resize(screen.size), screen)).mean
    assert max(apart) < 3, "of 255: only what is drawn with twice as many pixels differs"
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    said = {text.strip() for text in root.itertext() if text.strip()}
    assert root.tag.endswith("svg") and names <= said and any("GFLOP/s" in one for one in said)
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").startswith("line,x,rate,")


def test_a_click_shows_the_samples_of_a_point(open_page):
    page = open_page("e=quick&x=size")
    page.focus(".x-chart")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    box = page.locator(".x-dot").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".x-spread svg")
    name = page.locator(".x-tip b").inner_text()
    assert name in page.locator(".x-spread h3").inner_text()
    size = page.locator(".x-tip div").first.inner_text().split()[-1]
    [row] = [row for row in rows_of(page) if (row["line"], row["x"]) == (name, size)]
    case = case_of(cases_of("workstation", "quick"), row)
    said = page.locator(".x-spread p").inner_text()
    assert f"All {len(case.samples_s)} samples" in said
    least = float(re.search(r" 0 %: ([\d.e+-]+)", said)[1])
    assert any(least * unit == pytest.approx(min(case.samples_s), rel=1e-3)
               for unit in (1, 1e-3, 1e-6, 1e-9))
    assert "p=" in page.evaluate("location.hash")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_it_can_be_read_in_both_schemes_and_on_a_phone(open_page, scheme, size):
    page = open_page("e=quick&x=size", size=size, scheme=scheme)
    page.click(".x-table summary")
    page.wait_for_selector(".x-table table")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert [found for found in page.evaluate(CONTRASTS) if found[2] < 4.5] == []
    assert page.locator(".x-chart canvas").bounding_box()["width"] <= size[0]
    assert page.locator(".x-table caption").count() == 1
    assert page.locator(".x-table th[scope=col]").count() == MOST_LINES + 1


def test_without_scripts_the_reader_is_told(browser, files):
    for opened in chromium.opener(browser):
        page = opened(files["laptop"], scripts=False)
        assert ("needs JavaScript" in page.locator("noscript").inner_text()
                and page.locator(".x-controls").is_hidden())


def test_the_whole_report_holds_it(browser, tmp_path):
    from report.__main__ import main

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plots.FORMATS", ("svg",))
        patch.setattr("report.pages.html.FORMS", ("html",))
        assert main(["build", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output",
                     str(tmp_path)]) == 0
    for opened in chromium.opener(browser):
        page = opened(tmp_path / "report.html")
        page.locator("#explorer").scroll_into_view_if_needed()
        page.wait_for_selector(READY, state="attached")
        assert page.problems == [] and page.locator(".x-chart canvas").count() == 1
