"""The explorer's ready-made views: found by what the points can show, with the report's numbers."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import parse_qs
from xml.etree import ElementTree

import chromium
import pytest
from explorer_pages import (  # noqa: F401
    MOST_LINES,
    READY,
    _browser,
    _files,
    _open_page,
    change,
    choose,
    page_of,
    rows_of,
    saved,
)
from sample_records import ROOT, read

from analysis.answer.headline import headline_shape
from analysis.answer.pairs import BEST, match_of
from analysis.answer.points import contest_of
from records.loading import Experiment, Results, find_files, load
from report.explorer.presets import presets_of

H200 = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
LABEL_GAP = 13  # pixels between two names at lines' ends


def results_of(**experiments):
    return Results(
        ROOT, [Experiment(name, ROOT, [], list(cases)) for name, cases in experiments.items()], []
    )


def states(results, *more):
    """Name -> what is chosen."""
    return {
        one["name"]: {key: value for key, [value] in parse_qs(one["state"]).items()}
        for one in presets_of(results, *more)
    }


def blocks(make, **more):
    """tiled 4 to 32 at two sizes: each block is twice as fast as the one before."""
    return [
        make(
            "gpu.tiled",
            samples=(32.0 / block * size,) * 7,
            size=size,
            parameters={"block": block},
            **more,
        )
        for block in (4, 8, 16, 32)
        for size in (256, 512)
    ]


def threads(make):
    return [
        make("cpu.openmp", samples=(8.0 / count,) * 7, size=1000, parameters={"threads": count})
        for count in (1, 2, 4)
    ]


def test_each_view_is_of_the_experiment_whose_points_are_about_it(make):
    found = states(
        results_of(
            ladder=[*blocks(make), make("gpu.naive", size=256)],
            sizes=blocks(make),
            scaling=threads(make),
        )
    )
    assert (found["Block size"]["e"], found["Threads: T₁/Tₙ"]["e"]) == ("sizes", "scaling")
    assert found["What a GPU rung buys"]["e"] == "ladder"


def test_what_no_record_can_show_has_no_view(make):
    assert list(states(results_of(e=[make("cpu.serial")]))) == ["GFLOP/s by size"]
    assert (
        states(results_of(e=[make("cpu.serial", status="incorrect", verdicts=("incorrect",))]))
        == {}
    )


def test_the_machine_that_stands_in_shows_what_the_own_one_cannot_and_says_so(make):
    found = states(
        results_of(scaling=threads(make)), results_of(scaling=threads(make), sizes=blocks(make))
    )
    assert next(iter(found)) == "GFLOP/s by size", "its own first"
    assert (
        "h" not in found["Threads: T₁/Tₙ"]
        and found["Block size (reference machine)"]["h"] == "reference"
    )


def test_a_type_is_held_against_fp32(make):
    found = states(
        results_of(
            e=[
                make("gpu.cublas"),
                make("gpu.cublas_fp16", precision="fp16", verdicts=("reduced-precision",)),
            ]
        )
    )
    assert found["What a type buys"]["b"] == "fp32"


@pytest.fixture(name="opened_of")
def _opened_of(browser, tmp_path):
    """Opens the explorer of some results with a state in the address."""
    for opened in chromium.opener(browser):

        def of(results, state="", **more):
            file = page_of(results, tmp_path / "page.html")
            page = opened(file, **more)
            if state:
                page.goto(f"{file.as_uri()}#explorer:{state}")
                page.reload()
            page.wait_for_selector(READY, state="attached")
            return page

        yield of


def test_it_opens_with_the_first_view(open_page):
    page = open_page("")
    assert page.locator("[data-preset]").first.get_attribute("aria-pressed") == "true"


def names_at_ends(svg):
    """{(name, x, y)} of the names at the ends of lines, each of which stands on its halo."""
    found = Counter()

    def walk(node, left, top):
        place = re.match(r"translate\(([-\d.]+),\s*([-\d.]+)\)", node.get("transform") or "")
        left, top = (left + float(place[1]), top + float(place[2])) if place else (left, top)
        if node.tag.endswith("text") and node.text:
            found[node.text, left, top] += 1
        for child in node:
            walk(child, left, top)

    walk(ElementTree.fromstring(svg), 0.0, 0.0)
    return {one for one, times in found.items() if times == 2}


@pytest.mark.parametrize("size", [chromium.DESK, chromium.PHONE])
def test_every_view_draws_few_named_lines_of_one_scope_and_its_address_brings_it_again(
    opened_of, tmp_path, size
):
    page = opened_of(load(H200, find_files(H200)), size=size)
    for button in page.locator("[data-preset]").all():
        change(page, button.click)
        rows = rows_of(page)
        lines = {row["line"] for row in rows}
        assert (
            0 < len(lines) <= MOST_LINES
            and len({row["scope"] for row in rows}) == 1
            and button.get_attribute("aria-pressed") == "true"
        )
        assert page.evaluate("location.hash") == "#explorer:" + button.get_attribute("data-preset")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        saved(page, "svg").save_as(tmp_path / "view.svg")
        names = names_at_ends((tmp_path / "view.svg").read_text(encoding="utf-8"))
        if "x=implementation" not in button.get_attribute("data-preset"):
            assert len(names - {one for one in names if one[0] == "ideal"}) == len(lines)
            near = [
                (one, other)
                for one in names
                for other in names
                if one[0] < other[0]
                and abs(one[1] - other[1]) < 60
                and abs(one[2] - other[2]) < LABEL_GAP
            ]
            assert near == []
    assert page.problems == [] and page.locator(".x-problem").is_hidden()


def test_the_first_view_has_the_headlines_baseline(open_page):
    page, contest = open_page(""), contest_of(read("workstation"))
    match = match_of(BEST, contest, headline_shape(contest))
    [row] = [
        row
        for row in rows_of(page)
        if row["x"] == str(match.shape[0])
        and row["implementation"] == match.gpu.implementation
        and all(
            row[f"parameter_{name}"] == str(value) for name, value in match.gpu.parameters.items()
        )
    ]
    assert float(row["speedup"]) == pytest.approx(match.cpu.median_s / match.gpu.median_s, rel=2e-5)


def test_speedup_by_block_is_over_the_smallest_block(opened_of, make):
    page = opened_of(results_of(sizes=blocks(make)), "e=sizes&x=p.block&y=speedup&g=512")
    assert [float(row["speedup"]) for row in rows_of(page)] == [1, 2, 4, 8]
    choose(page, x="size")
    found = {(row["parameter_block"], row["m"]): float(row["speedup"]) for row in rows_of(page)}
    assert found == {
        (str(block), str(size)): block / 4 for block in (4, 8, 16, 32) for size in (256, 512)
    }
    assert page.locator(".x-best").inner_text() == "Highest median: tiled 32 (256 to 512)."


def test_threads_are_shown_over_one_thread_beside_the_ideal(opened_of, make, tmp_path):
    page = opened_of(results_of(scaling=threads(make)))
    change(page, page.get_by_role("button", name="Threads: T₁/Tₙ").click)
    assert {row["x"]: float(row["speedup"]) for row in rows_of(page)} == {"1": 1, "2": 2, "4": 4}
    saved(page, "svg").save_as(tmp_path / "a.svg")
    assert "ideal" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_implementations_across_stand_with_their_fastest_parameters(opened_of, make):
    page = opened_of(
        results_of(ladder=[*blocks(make), make("gpu.naive", samples=(4096.0,) * 7, size=512)]),
        "e=ladder&x=implementation&y=speedup&b=gpu.naive&g=512",
    )
    assert {row["x"]: float(row["speedup"]) for row in rows_of(page)} == {"naive": 1, "tiled 32": 8}


def test_scopes_never_share_a_picture(opened_of, make):
    cases = [
        make("gpu.naive", size=size, scope=scope)
        for size in (64, 128)
        for scope in ("kernel", "end-to-end")
    ]
    page = opened_of(results_of(e=cases), "e=e&x=size&s=all")
    assert page.locator("[name=s] option").all_inner_texts() == ["end-to-end", "kernel"]
    assert {row["scope"] for row in rows_of(page)} == {"kernel"}


def test_other_operations_are_there_with_their_own_sizes_and_units(opened_of, make):
    dots = [
        make(
            "cpu.dot",
            size=0,
            operation="dot",
            dims={"n": n},
            rates={"gbyte_per_s": n / 1e3},
            m=0,
            n=0,
            k=0,
        )
        for n in (1000, 2000)
    ]
    loads = [
        make(
            "gpu.chase",
            size=0,
            operation="chase",
            dims={"bytes": n},
            rates={"ns_per_load": 5.0},
            m=0,
            n=0,
            k=0,
        )
        for n in (1024, 2048)
    ]
    page = opened_of(results_of(e=[*dots, *loads]), "e=e&x=size&w=dot")
    assert [
        (row["operation"], row["n"], float(row["rate"]), row["rate_unit"]) for row in rows_of(page)
    ] == [("dot", "1000", 1.0, "GB/s"), ("dot", "2000", 2.0, "GB/s")]
    assert page.locator("[name=y] option:checked").inner_text() == "GB/s"
    choose(page, w="chase")
    assert {row["rate_unit"] for row in rows_of(page)} == {"ns per load"} and page.locator(
        "[name=y] option:checked"
    ).inner_text() == "ns per load"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_print_stands_what_was_drawn_on_white(open_page, scheme):
    page = open_page("e=quick&x=size", scheme=scheme)
    page.emulate_media(media="print", color_scheme=scheme)
    assert page.locator(".x-chart canvas").is_visible() == (scheme == "light")
    assert not any(
        page.locator(one).is_visible() for one in (".x-presets", ".x-side", ".x-buttons")
    )
