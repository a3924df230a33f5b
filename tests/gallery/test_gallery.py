"""`gemmlab gallery`: a row for each machine, with the numbers of its own report."""

from __future__ import annotations

import csv
import re
import shutil
import zipfile

import chromium
import pytest
from chromium import CONTRASTS, DESK, PHONE
from sample_records import DATA, read

from report.__main__ import main
from report.summary.answer import answer_of

MACHINES = ("laptop", "workstation", "workstation2")
TOO_WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"


def _without_reports(*_, **__):
    """They have tests of their own."""
    return (), []


@pytest.fixture(scope="module", name="places")
def _places(tmp_path_factory):
    place = tmp_path_factory.mktemp("class")
    for name in MACHINES:
        shutil.copytree(DATA / name, place / name, ignore=shutil.ignore_patterns("report*"))
    (place / "empty").mkdir()
    return place


@pytest.fixture(scope="module", name="site")
def _site(places, tmp_path_factory):
    site = tmp_path_factory.mktemp("public") / "site"
    assert main(["gallery", str(places), "--output", str(site)]) == 0
    return site


def _gained(site):
    """machine -> how many times as fast its card is, 0 where it has none; in the table's order."""
    with open(site / "gallery.csv", encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    found = dict.fromkeys((row["Machine"] for row in rows), 0.0)
    return found | {row["Machine"]: float(row["value"]) for row in rows
                    if row["column"] == "card over CPU" and row["value"]}


def test_each_machine_has_a_row_a_report_and_its_points_in_the_explorer(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    assert sorted(_gained(site)) == sorted(MACHINES)
    for name in MACHINES:
        assert f'<a href="{name}/report.html">{name}</a>' in page
        assert (site / name / "report.html").is_file()
        assert not (site / name / "report.pdf").exists()
    assert page.count('id="explorer"') == 1


def test_its_numbers_are_those_of_each_reports_first_screen(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    for name in MACHINES:
        row = re.search(rf'<tr><th scope=row><a href="{name}/.*?</tr>', page, re.DOTALL)[0]
        cells = re.sub(r"<sup>\d+</sup>", "", row)
        told = [number.value for number in answer_of(read(name), None).numbers
                if "GPU over CPU" in number.label or "wins" in number.label]
        for value in told:
            assert f">{value}<" in cells, (name, value)
    assert any(answer_of(read(name), None).numbers for name in MACHINES)


def test_those_whose_card_gains_most_come_first(site):
    gained = [*_gained(site).values()]
    assert gained == sorted(gained, reverse=True) and gained[0] > 1 and gained[-1] == 0


def test_the_same_records_give_the_same_bytes(places, site, tmp_path, monkeypatch):
    monkeypatch.setattr("gallery.site.build", _without_reports)
    assert main(["gallery", str(places), "--output", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again/index.html").read_bytes() == (site / "index.html").read_bytes()


def test_what_was_contributed_is_read_from_its_zip(tmp_path, capsys, monkeypatch):
    (tmp_path / "zips").mkdir()
    packed = tmp_path / "zips" / "one.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in (DATA / "laptop").glob("*.jsonl"):
            archive.write(path, f"records/laptop/{path.name}")
    monkeypatch.setattr("gallery.site.build", _without_reports)
    assert main(["gallery", str(tmp_path / "zips"), "--output", str(tmp_path / "site")]) == 0
    assert list(_gained(tmp_path / "site")) == ["laptop"]
    shutil.copytree(DATA / "laptop", tmp_path / "zips" / "laptop")
    assert main(["gallery", str(tmp_path / "zips"), "--output", str(tmp_path / "site")]) == 2
    assert "two machines are called laptop" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["nowhere", "without"])
def test_a_place_without_machines_is_one_clear_line(tmp_path, capsys, place):
    (tmp_path / "without").mkdir()
    assert main(["gallery", str(tmp_path / place)]) == 2
    line, = capsys.readouterr().err.splitlines()
    assert str(tmp_path / place) in line and "allowed: " in line


def test_records_are_not_written_over(places, capsys):
    assert main(["gallery", str(places), "--output", str(places)]) == 2
    assert "name another folder" in capsys.readouterr().err


@pytest.fixture(scope="module", name="browser")
def _browser():
    yield from chromium.started()


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_page_can_be_read_and_a_click_sorts(browser, site, size):
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    assert not page.evaluate(TOO_WIDE)
    low = [one for one in page.evaluate(CONTRASTS) if one[2] < 4.5]
    assert not low
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    page.get_by_role("button", name="Machine").first.click()
    shown = page.locator("table.sortable tbody th a").all_text_contents()
    assert shown == sorted(MACHINES)
    page.locator("table.sortable tbody th a").first.click()
    page.wait_for_url("**/laptop/report.html")
