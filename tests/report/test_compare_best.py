"""What a comparison opens with: the best of each machine at one size, then what differs most."""

from __future__ import annotations

import json
from pathlib import Path

import chromium
import pytest
from sample_records import DATA

from analysis.compared.compare_many import compare_all
from records.loading import Experiment, Results, find_files, load
from report.__main__ import main
from report.compare.page import MOST_EACH_WAY, best_table, bests, missing, most_table, page_of

# How far the first column of each table stands from its box's left edge when that is scrolled.
STUCK = """() => [...document.querySelectorAll(".scroll")]
  .map((box) => [box, box.querySelector("tbody th")]).filter(([, head]) => head)
  .map(([box, head]) => {
    box.scrollLeft = 10000;
    return head.getBoundingClientRect().left - box.getBoundingClientRect().left;
  })"""


def results(*cases):
    return Results(DATA, [Experiment("e", DATA, [], list(cases))], [])


def best_of(*sides):
    return {one.what: one for one in bests(*sides, "B")}


def test_the_best_of_each_stand_against_each_other_whatever_they_are(make):
    first = results(
        make("cpu.packed", samples=(1.0,) * 9),
        make("cpu.serial", samples=(3.0,) * 9),
        make("gpu.naive", samples=(0.2,) * 9),
    )
    second = results(
        make("cpu.serial", samples=(2.0,) * 9),
        make("gpu.tiled", samples=(0.1,) * 9, parameters={"block": 32}),
    )
    found = best_of(first, second)
    assert list(found) == ["GPU", "CPU", "CPU, one core"]
    assert (found["CPU"].pair.first.implementation, found["CPU"].pair.second.implementation) == (
        "cpu.packed",
        "cpu.serial",
    )
    assert (
        found["GPU"].sentence("A")
        == "GPU at 64: B's best (tiled 32) is 2.0 times as fast as A's (naive)."
    )
    assert found["CPU"].pair.ratio.value == pytest.approx(0.5)


def test_the_size_is_4096_else_the_largest_square_that_both_measured(make):
    sizes = (64, 4096, 8192)
    both = results(*(make(size=size) for size in sizes))
    assert best_of(both, both)["CPU"].size == "4096"
    assert best_of(both, results(*(make(size=size) for size in (64, 128))))["CPU"].size == "64"


@pytest.mark.parametrize(
    "more",
    [
        {"precision": "tf32", "verdicts": ("reduced-precision",)},
        {"status": "incorrect", "verdicts": ("incorrect",)},
        {"scope": "end-to-end"},
        {"cache": "warm"},
        {"steal_s": 50.0},
        {"handicap": 0.03},
        {"load": "sustained"},
    ],
)
def test_what_is_not_alike_is_nobodys_best(make, more):
    slow, fast = make(samples=(2.0,) * 9), make("cpu.other", samples=(1.0,) * 9, **more)
    assert best_of(results(slow, fast), results(slow))["CPU"].pair.first is slow


def test_a_side_that_one_machine_lacks_is_named(make):
    assert missing(results(make(), make("gpu.naive")), results(make()), ("A", "B")) == [
        "GPU: no plain FP32 product on B."
    ]


def test_what_differs_most_is_planted_and_found(make):
    names = [f"cpu.{letter}" for letter in "abcdefghijklmn"]
    first = results(*(make(name, samples=(1.0,) * 9, label=name) for name in names))
    second = results(
        *(
            make(name, samples=(1.0 + 0.1 * place,) * 9, label=name, run_id="s")
            for place, name in enumerate(names)
        ),
        make("cpu.only_here"),
    )
    rows = most_table(compare_all(first, [second])).rows
    assert [row.heads[0] for row in rows] == names[
        -MOST_EACH_WAY:
    ]  # the slowest last; a tie and what one side has alone are not there
    quicker = results(
        *(
            make(name, samples=(0.5 if name == "cpu.c" else 1.0,) * 9, label=name, run_id="s")
            for name in names
        )
    )
    [row] = most_table(compare_all(first, [quicker])).rows
    assert row.heads[0] == "cpu.c" and row.cells[-1].value == 2.0


def test_equal_runs_differ_nowhere(make):
    many = compare_all(results(make()), [results(make(run_id="s"))])
    assert not most_table(many).rows and "No difference is confirmed" in most_table(many).caption
    assert (
        best_table(many, bests(results(make()), results(make(run_id="s")), "B"))
        .rows[0]
        .cells[-1]
        .text.endswith("a tie")
    )


def altered(folder, factor):
    """A copy of the workstation's records whose samples take `factor` times as long."""
    folder.mkdir()
    for file in find_files(DATA / "workstation"):
        lines = [
            json.loads(line)
            for line in file.read_text(encoding="utf-8").splitlines()
            if line.endswith("}")
        ]  # one is torn
        for line in lines:
            if line.get("kind") == "case" and line.get("median_s"):
                line |= {
                    "samples_s": [value * factor for value in line["samples_s"]],
                    "median_s": line["median_s"] * factor,
                    "min_s": line["min_s"] * factor,
                    "ci95_s": [value * factor for value in line["ci95_s"] or ()] or None,
                    "gflop_per_s": line["gflop_per_s"] / factor,
                }
        (folder / file.name).write_text(
            "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
        )
    return folder


@pytest.fixture(name="copies", scope="module")
def _copies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies")
    return [str(DATA / "workstation"), str(altered(folder / "slower", 1.25))]


def test_it_opens_with_the_best_and_not_with_a_mean_over_all(copies, capsys):
    assert main(["compare", *copies]) == 0
    page = capsys.readouterr().out
    opening = page.split("\n\n")[1]
    assert "GPU at 1024: slower's best" in opening or "GPU at 2048: slower's best" in opening
    assert (
        "1.25 times slower" in opening and "CPU at" in opening and "geometric mean" not in opening
    )
    order = [
        page.index(f"**{title}**")
        for title in (
            "Best against best",
            "What differs most",
            "By experiment",
            "Every shared point",
        )
    ]
    assert order == sorted(order)


def test_on_a_terminal_every_point_does_not_push_the_answer_away(copies):
    sides = [load(folder, find_files(folder)) for folder in map(Path, copies)]
    many = compare_all(sides[0], sides[1:])
    short, whole = page_of(many, sides, None, short=True), page_of(many, sides, None)
    assert (
        len(short.splitlines()) < 60 < len(whole.splitlines())
        and "rows of every shared point" in short
    )
    assert short.split("**By experiment**")[0] == whole.split("**By experiment**")[0]


@pytest.fixture(scope="module", name="browser")
def _browser():
    yield from chromium.started()


@pytest.mark.parametrize("size", [chromium.DESK, chromium.PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_desk_and_a_phone(browser, copies, tmp_path, size, scheme):
    assert main(["compare", *copies, "--output", str(tmp_path)]) == 0
    for opened in chromium.opener(browser):
        page = opened(tmp_path / "compare.html", size=size, scheme=scheme)
        assert chromium.within(page, page.locator("#compare_best")) and chromium.within(
            page, page.locator("li").first
        )
        page.locator("#explorer").scroll_into_view_if_needed()
        page.wait_for_selector("#explorer[data-state=ready]", state="attached")
        assert (
            page.evaluate("document.documentElement.scrollWidth") <= size[0] and page.problems == []
        )
        assert (
            page.locator("[data-preset][aria-pressed=true]").inner_text()
            == "Each machine over the first"
        )
        assert [found for found in page.evaluate(chromium.CONTRASTS) if found[2] < 4.5] == []
        stuck = page.evaluate(STUCK)
        assert len(stuck) >= 4 and all(-1 <= left <= 2 for left in stuck)
