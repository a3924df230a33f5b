"""The explorer in headless Chromium, of several machines: speedups of one host, a second machine's
report, the reference, records saved."""

from __future__ import annotations

import json
import re

import chromium
import pytest
from explorer_pages import (  # noqa: F401
    READY,
    _browser,
    _files,
    _open_page,
    all_rows_of,
    case_of,
    cases_of,
    change,
    choose,
    page_of,
    rows_of,
    saved,
)
from sample_records import read

from records.cases.ratios import unpaired
from report.explorer import explorer_html, payload


def test_a_speedup_is_the_ratio_of_the_medians_of_one_host(open_page):
    page = open_page("e=quick&x=size&y=speedup&h=all&d=all")
    assert "ratio of two medians" in page.locator(".x-note").inner_text()
    options = page.locator("[name=b] option").all_inner_texts()
    over = next(one for one in options if "OpenMP" in one and "8" in one)
    change(page, lambda: page.select_option("[name=b]", label=over))
    rows, cases = all_rows_of(page), cases_of("workstation", "quick")
    assert len({row["implementation"] for row in rows}) > 3
    for row in rows:
        case = case_of(cases, row)
        [base] = [one for one in cases if one.implementation == "cpu.openmp" and one.shape
                  == case.shape and one.parameters["threads"] == 8 and one.host == case.host]
        ratio = unpaired(base, case)
        assert float(row["speedup"]) == pytest.approx(ratio.value, rel=2e-5)
        if case is not base:
            assert (float(row["speedup_low"]),
                    float(row["speedup_high"])) == pytest.approx((ratio.low, ratio.high), rel=1e-4)


def test_a_second_machine_is_laid_over_and_no_line_mixes_hosts(open_page, files, tmp_path):
    page = open_page("e=quick&x=shape", "laptop")
    alone = all_rows_of(page)
    change(page, lambda: page.set_input_files(".x-file input", files["workstation"]))
    assert "Added" in page.locator(".x-problem").inner_text()
    rows = all_rows_of(page)
    hosts = {}
    for row in rows:
        hosts.setdefault(row["line"], set()).add((row["machine"], row["host"]))
    assert (all(len(of) == 1 for of in hosts.values())
            and len({host for of in hosts.values() for host in of}) == 2)
    assert len(rows) == len(alone) + len(cases_of("workstation", "quick"))
    page.set_input_files(".x-file input", files["workstation"])
    page.wait_for_function("document.querySelector('.x-problem').textContent.startsWith('These "
                           "records are here')")
    assert len(all_rows_of(page)) == len(rows)
    other = tmp_path / "notes.json"
    other.write_text('{"kind": "letter"}', encoding="utf-8")
    page.set_input_files(".x-file input", other)
    page.wait_for_function(
        "document.querySelector('.x-problem').textContent.startsWith('notes.json: neither')")
    assert page.problems == [] and len(all_rows_of(page)) == len(rows)


def test_the_reference_machine_is_beside_and_marked(browser, tmp_path):
    file = page_of(read("laptop"), tmp_path / "both.html", read("workstation"))
    for opened in chromium.opener(browser):
        page = opened(file)
        page.wait_for_selector(READY, state="attached")
        choose(page, e="quick", x="shape")
        hosts = page.locator("[name=h] option").all_inner_texts()
        assert hosts[:3] == ["all", "this machine", "reference machine"] and len(hosts) == 5
        own, theirs = ({case.run_id for case in cases_of(name, "quick")}
                       for name in ("laptop", "workstation"))
        assert {row["run_id"] for row in all_rows_of(page)} <= own, "the reader's own machine first"
        change(page, lambda: page.select_option("[name=h]", "reference"))
        assert {row["run_id"] for row in all_rows_of(page)} <= theirs


def test_of_a_report_with_more_of_the_same_runs_only_the_others_are_added(open_page, browser,
                                                                          files, tmp_path):
    part = read("workstation")
    part.experiments = [one for one in part.experiments if one.name == "quick"]
    file = page_of(part, tmp_path / "part.html")
    for opened in chromium.opener(browser):
        page = opened(file)
        page.wait_for_selector(READY, state="attached")
        change(page, lambda: page.set_input_files(".x-file input", files["workstation"]))
        names = [value.get_attribute("value") for value in page.locator("[name=e] option").all()]
        assert set(names) == {one.name for one in read("workstation").experiments
                              if any(case.shown for case in one.cases)}
        choose(page, e="quick", x="shape")
        assert len(all_rows_of(page)) == len(cases_of("workstation", "quick"))
        choose(page, e="thread_scaling", y="rate")
        page.focus(".x-chart")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        # of its own samples, which follow those that were left out
        page.wait_for_selector(".x-spread svg")
        told = page.locator(".x-tip div").nth(2).inner_text()
        middle = re.search(r"50 %: ([\d.e+-]+)", page.locator(".x-spread p").inner_text())[1]
        assert float(told.split()[0]) == pytest.approx(float(middle), rel=0.02)


def test_the_records_can_be_saved_and_added_elsewhere(open_page, tmp_path):
    file = tmp_path / "records.json"
    saved(open_page(), "json").save_as(file)
    own = payload.payload_of(read("workstation"))
    assert json.loads(file.read_text(encoding="utf-8"))["columns"].keys() == own["columns"].keys()
    page = open_page("e=quick", "laptop")
    change(page, lambda: page.set_input_files(".x-file input", file))
    assert page.locator("[name=h] option").count() == 3  # all, and each machine


def test_a_speedup_over_a_machine_is_the_ratio_of_the_medians_of_both(browser, tmp_path):
    sides = [read("workstation"), read("workstation2")]
    file = tmp_path / "compared.html"
    file.write_text(
        "<!DOCTYPE "
        f"html><html><body>{explorer_html(sides[0], sets=list(zip(('A', 'B'), sides)))}</body></html>",
        encoding="utf-8")
    for opened in chromium.opener(browser):
        page = opened(file)
        page.goto(f"{file.as_uri()}#explorer:e=quick&x=shape&y=speedup")
        page.reload()
        page.wait_for_selector(READY, state="attached")
        over = page.locator("[name=b] option:checked").inner_text()
        assert over == "A", "the first, until the reader chooses"
        rows, mine = all_rows_of(page), cases_of("workstation2", "quick")
        assert len(rows) == len(mine) and page.problems == []
        for row in rows:
            case = case_of(mine, row)
            [base] = [one for one in cases_of("workstation", "quick") if one.shape == case.shape
                      and one.regime == case.regime and (one.implementation, one.parameters)
                      == (case.implementation, case.parameters)]
            assert float(row["speedup"]) == pytest.approx(unpaired(base, case).value, rel=2e-5)
