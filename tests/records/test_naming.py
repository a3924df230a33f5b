"""One name and one look an implementation: the same in all figures of all machines, and no two
alike in one panel."""

import re
from collections import defaultdict
from itertools import combinations

import pytest
from sample_records import ROOT, needs

from language import using
from plots.drawing.layout import panels_of
from plots.drawing.looks import apart, looks_in
from plots.drawing.svg import DARK
from records.cases.series import series_of
from records.loading import find_files, load
from records.names.naming import bare_name, colour_of, display_name, look_of
from records.names.palette import SHADES
from report.asked.wanted import specs, views

MACHINES = sorted({path.parent for path in (ROOT / "data/results").glob("*/*.jsonl")})


@pytest.mark.parametrize(
    "implementation,parameters,name",
    [
        ("gpu.naive", {}, "naive"),
        ("gpu.tiled", {"block": 32}, "tiled 32"),
        ("gpu.tiled", {}, "tiled"),
        ("gpu.register_tiled", {"tile": "8x8"}, "register-tiled 8×8"),
        ("gpu.pipelined", {"tile": "auto"}, "pipelined"),
        ("gpu.pipelined", {"tile": "128x64"}, "pipelined 128×64"),
        ("gpu.cublas", {"math": "default"}, "cuBLAS"),
        ("gpu.tensor", {"instruction": "widest", "products": 8}, "tensor, 8 products"),
        ("gpu.multi", {"gpus": 4, "operands": "sharded", "chunks": 4}, "multi, 4 cards, sharded"),
        ("cpu.openblas", {"threads": 8, "kernel": "Haswell"}, "OpenBLAS"),
        ("cpu.packed", {"isa": "avx2"}, "packed"),
        ("cpu.blocked", {"block": 64}, "blocked"),
        ("cpu.blocked", {"block": 32}, "blocked 32"),
        ("gpu.my_own", {"block": 16, "threads": 4}, "my own, block 16"),
        ("student", {}, "student"),
    ],
)
def test_the_name_of_an_implementation_of_older_records(make, implementation, parameters, name):
    assert display_name(make(implementation, parameters=parameters)) == name


def test_a_record_says_the_name_of_its_implementation_and_its_colour(make):
    told = {
        "parameters": {"block": 8, "layout": "row_4x4"},
        "name_parts": ("mine {block}, too", ", {layout}"),
        "family": "tiles",
    }
    case = make("gpu.tiled", **told)
    assert (
        display_name(case) == "mine 8, too, row 4×4"
        and display_name(case, ("layout",)) == "mine 8, too"
    )
    assert display_name(case, ("block",)) == "mine, too, row 4×4" and bare_name(case) == "mine, too"
    assert colour_of(make("gpu.my_own", **told)) in SHADES["tiles"][0]
    assert (
        colour_of(make("gpu.my_own", **told | {"family": "no such family"})) in SHADES["other"][0]
    )


def test_a_value_at_the_start_of_a_part_takes_the_part_with_it(make):
    case = make("gpu.access", parameters={"width": 16}, name_parts=("access, {width} bytes",))
    assert display_name(case) == "access, 16 bytes" and bare_name(case) == "access"


def test_a_hostile_record_reaches_nothing_through_the_braces_of_a_name(make):
    case = make(
        parameters={"block": 8},
        name_parts=("{block.__class__} {block!r} {block:>9999999999}, {block}",),
    )
    assert display_name(case) == "{block.__class__} {block!r} {block:>9999999999}, 8"


@pytest.mark.parametrize(
    "implementation,parameters,label,name",
    [
        ("gpu.tiled", {"block": 32}, "tiled, block 32", "tiled 32"),
        ("gpu.tiled", {"block": 32}, "block 32", "tiled 32"),
        ("gpu.tiled", {"block": 32}, "launch and wait", "launch and wait"),
        ("gpu.tiled", {"block": 32}, "kernel", "kernel"),
        ("cpu.packed", {"isa": "avx512", "threads": 8}, "packed, isa avx512", "packed, AVX-512"),
        ("cpu.openmp", {"isa": "avx2", "threads": 8}, "OpenMP, 8 threads", "OpenMP, 8 threads"),
        ("cpu.openmp", {"isa": "avx2", "threads": 8}, "OpenMP, all cores", "OpenMP, all cores"),
        ("cpu.openmp", {"isa": "avx2", "threads": 1}, "openmp", "OpenMP"),
        ("gpu.tiled_cumulative", {"block": 16, "step": "coalesced"}, "coalesced", "coalesced"),
        ("gpu.mine", {"block": 16}, "Ann's kernel", "Ann's kernel"),
        ("gpu.mine", {}, "gpu.mine", "mine"),
    ],
)
def test_a_label_is_the_text_where_it_says_more_than_the_name(
    make, implementation, parameters, label, name
):
    assert make(implementation, parameters=parameters, label=label).name == name


def test_names_are_chinese_in_a_chinese_report(make):
    needs("zh")
    with using("zh"):
        assert display_name(make("gpu.tiled", parameters={"block": 32})) == "共享分块 32"
        assert (
            make("gpu.tiled", parameters={"block": 32}, label="tiled, block 32").name
            == "共享分块 32"
        )
        assert display_name(make("gpu.multi", parameters={"gpus": 4})) == "多卡，4 块卡"
        assert display_name(make("cpu.openblas")) == "OpenBLAS"
        assert (
            display_name(
                make("gpu.mine", name_parts=("never translated {block}",), parameters={"block": 4})
            )
            == "never translated 4"
        )


def test_every_family_that_an_implementation_names_has_colours():
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for device in ("cpu", "gpu")
        for path in (ROOT / device).glob("*/*.c*")
    )
    families = set(re.findall(r'\.family = "([^"]*)"', code))
    assert "plain" in families and families <= SHADES.keys() - {"library", "other"}


def _luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_colour_can_be_seen_on_its_page_and_belongs_to_one_family():
    lights = [light for lights, _ in SHADES.values() for light in lights]
    assert len(set(lights)) == len(lights)
    for lights, darks in SHADES.values():
        for light, dark in zip(lights, darks):
            assert _contrast(light, "#ffffff") >= 3 and _contrast(dark, DARK["#ffffff"]) >= 4.5
            assert DARK[light] == dark
        for one, other in combinations(lights, 2):
            assert _contrast(one, other) >= 1.3, (one, other)
    greys = SHADES["library"][0]
    assert all(len({grey[1:3], grey[3:5], grey[5:]}) == 1 for grey in greys)


def test_threads_and_instruction_set_change_no_colour_but_the_block_does(make):
    one, other = (
        make("cpu.packed", parameters={"threads": threads, "isa": isa})
        for threads, isa in ((1, "avx2"), (8, "avx512"))
    )
    assert colour_of(one) == colour_of(other)
    assert (
        len({colour_of(make("gpu.tiled", parameters={"block": block})) for block in (4, 8, 16, 32)})
        == 4
    )
    assert colour_of(make("gpu.unknown")) in SHADES["other"][0]


def test_seven_of_one_look_are_told_apart_in_grey_print(make):
    looks = apart([look_of(make("gpu.tiled", parameters={"block": 32}))] * 7)
    assert len({look.colour for look in looks}) == 1
    for what in ("marker", "line", "hatch"):
        assert len({getattr(look, what) for look in looks}) == 7, what
    own = [look_of(make("gpu.naive")), look_of(make("gpu.pipelined"))]
    assert apart(own) == own


def _panels(machine):
    """(figure, series of a panel) of every figure over the machine's records."""
    for experiment in load(machine, find_files(machine)).experiments:
        for spec in specs(experiment, "figures"):
            for view in views(experiment, spec, None):
                for panel in panels_of(series_of(view.shown)):
                    yield f"{experiment.name}: {spec['kind']}", panel.series


@pytest.mark.parametrize("machine", MACHINES, ids=lambda path: path.name)
def test_no_two_lines_of_a_panel_are_alike(machine):
    for where, series in _panels(machine):
        looks = looks_in(series)
        assert len({look.marker for look in looks}) == len(looks), where
        assert len({str(look.line) for look in looks}) == len(looks), where


def test_an_implementation_has_one_colour_in_all_figures_of_all_machines():
    colours = defaultdict(set)
    for machine in MACHINES:
        for _, series in _panels(machine):
            for one, look in zip(series, looks_in(series)):
                colours[display_name(one.first)].add(look.colour)
    assert len(colours) > 40 and {name: of for name, of in colours.items() if len(of) > 1} == {}
