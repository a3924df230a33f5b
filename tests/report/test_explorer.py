"""The explorer's records are those of the files, to six digits, and nothing else; the same records
give the same bytes."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re

import pytest
from sample_records import ROOT, read

from language import using
from records.cases.where import short_host
from records.loading import Experiment, Results, find_files, load
from records.names.naming import colour_of, display_name
from report import explorer
from report.explorer import NoLibrary, explorer_html, payload, spread, texts
from report.untranslated import entries

H200 = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


def unpacked(block, name):
    """What lies in the page under `explorer-<name>`."""
    found = re.search(rf'id="explorer-{name}">([^<]*)<', str(block))
    return gzip.decompress(base64.b64decode(found[1]))


def points(made):
    """The payload's points as dictionaries, their books looked up."""
    columns = made["columns"]
    for place in range(len(columns["median"])):
        point = {name: column[place] for name, column in columns.items()}
        for book in payload.BOOKS:
            point[book[:-1]] = made[book][point[book[:-1]]]
        yield point


def results_of(*cases, name="e"):
    return Results(ROOT, [Experiment(name, ROOT, [], list(cases))], [])


def shown_of(results):
    return [case for experiment in results.experiments for case in experiment.cases if case.shown]


@pytest.mark.parametrize("machine", ["workstation", "laptop"])
def test_every_shown_point_is_there_with_its_numbers_and_no_other(machine):
    results = read(machine)
    cases, found = shown_of(results), list(points(payload.payload_of(results)))
    assert len(found) == len(cases) > 10
    for point, case in zip(found, cases):
        for column, field in payload.NUMBERS.items():
            value = getattr(case, field)
            assert point[column] == (value if value is None
                                     else pytest.approx(value, rel=1e-5)), (column, case.case_id)
        low, high = case.ci95_s or (None, None)
        assert (point["low"], point["high"]) == (low and pytest.approx(low, rel=1e-5),
                                                 high and pytest.approx(high, rel=1e-5))
        assert (point["variant"]["implementation"],
                point["variant"]["parameters"]) == (case.implementation, case.parameters)
        shape = point["shape"]
        assert (tuple(shape["dims"].values()), shape["unit"]) == (case.shape, case.rate_unit)
        assert point["variant"]["name"] == display_name(case)
        assert point["variant"]["colour"][0] == colour_of(case)
        assert point["host"]["id"] == short_host(case.host) and point["run"]["id"] == case.run_id
        assert (point["regime"]["scope"] == case.scope
                and point["experiment"]["name"] == case.experiment)


def test_a_wrong_result_is_counted_with_its_reason_and_has_no_number(make):
    made = payload.payload_of(results_of(make(), make("cpu.serial", status="incorrect",
                                                      verdicts=("incorrect",)),
                                         make("cpu.openmp", verdicts=())))
    assert [point["variant"]["implementation"] for point in points(made)] == ["cpu.ikj"]
    assert (sum(made["experiments"][0]["left_out"].values()) == 2
            and made["experiments"][0]["left_out"]["incorrect"] == 1)
    assert not {"cpu.serial", "cpu.openmp"} & {one["implementation"] for one in made["variants"]}


def test_a_twin_is_nobodys_point(make):
    results = results_of(make())
    results.experiments[0].twins.append(make("cpu.ikj", twin_of="x"))
    assert len(payload.payload_of(results)["columns"]["median"]) == 1


def test_two_hosts_stay_two_and_the_reference_is_marked(make):
    own, theirs = results_of(make(host="aaaa"), make(host="bbbb")), results_of(make(host="cccc"))
    hosts = payload.payload_of(own, theirs)["hosts"]
    assert [(one["id"], one.get("reference", False))
            for one in hosts] == [("aaaa", False), ("bbbb", False), ("cccc", True)]


def test_a_name_without_a_parameter_is_there_for_a_line_over_it(make):
    [variant] = payload.payload_of(results_of(make("gpu.tiled",
                                                   parameters={"block": 16})))["variants"]
    assert (variant["name"], variant["without"]) == ("tiled 16", {"block": "tiled"})


def spread_of(made, place):
    kept, steps = made["samples"]["kept"], made["samples"]["steps"]
    start, total, values = sum(kept[:place]), 0, []
    for step in steps[start:start + kept[place]]:
        total += step
        values.append(total / made["samples"]["unit"] * made["columns"]["median"][place])
    return values


def test_few_samples_are_all_kept_and_many_as_quantiles(make):
    random_of = random.Random(1)
    few, many = ([random_of.gauss(1, 0.1) for _ in range(count)] for count in (100, 1000))
    made = payload.payload_of(results_of(make(samples=tuple(few)),
                                         make("cpu.serial", samples=tuple(many))))
    assert spread_of(made, 0) == pytest.approx(sorted(few), rel=1e-4)
    numpy = pytest.importorskip("numpy")
    assert spread_of(made,
                     1) == pytest.approx(numpy.quantile(many, numpy.linspace(0, 1, 101)), rel=1e-4)


def test_with_very_many_points_each_keeps_fewer_quantiles_the_ends_among_them(make, monkeypatch):
    monkeypatch.setattr(spread, "MOST_NUMBERS", 60)
    made = payload.payload_of(results_of(*(make(samples=tuple(range(1, 102)), size=64 + place)
                                           for place in range(3))))
    assert made["samples"]["kept"] == [11] * 3
    assert spread_of(made, 2)[::5] == pytest.approx([1, 51, 101], abs=51e-4)


def test_the_same_records_give_the_same_bytes():
    first, second = (explorer_html(read("workstation"), read("laptop")) for _ in range(2))
    assert first == second
    assert json.loads(unpacked(first, "records"))["version"] == payload.VERSION


def test_library_and_records_of_the_largest_committed_machine_are_small():
    block = explorer_html(load(H200, find_files(H200)))
    assert len(str(block).encode()) < 1.6e6
    assert b"vegaEmbed" in unpacked(block, "library")


def test_nothing_of_the_block_ends_its_scripts_or_asks_the_network(make):
    hostile = '</script><img src="http://x.example/y">'
    case = make("cpu.ikj", scope=hostile, group=hostile, parameters={hostile: hostile})
    block = str(explorer_html(results_of(case, name=hostile)))
    assert block.count("<script") == block.count("</script>") == 4
    assert "x.example" not in block and not re.search(r'(src|href)="http', block)


def test_without_the_library_a_sentence_says_so():
    def missing():
        raise NoLibrary("vl-convert-python")

    block = explorer_html(read("laptop"), library=missing)
    assert "vl-convert-python" in block and "<script" not in block


def test_records_without_a_number_have_no_explorer(make):
    assert explorer_html(results_of(make(status="skipped"))) == ""


def test_every_text_of_the_script_is_known_and_every_text_is_used():
    asked = set(re.findall(r"\btext\.(\w+)", explorer.script()))
    by_value = {*payload.REGIME, *explorer_axes(), "replica", "handicap", "disturbed", "throttled",
                "crowded", "remeasured"}
    assert asked <= texts().keys()
    loose = texts().keys() - asked - by_value
    assert sorted(key for key in loose if not key.startswith(("bound_", "source_"))) == ["old"]


def explorer_axes():
    """Names that the script looks up by what is chosen."""
    return {"size", "implementation", "shape", "time", "speedup", "share", "energy", "efficiency",
            "eta", "cpu", "gpu"}


def test_what_has_chinese_is_said_in_chinese():
    with using("zh"):
        chinese = texts()
    known = entries("zh")
    assert {key: known.get(text, text) for key, text in texts().items()} == chinese
