"""Several hosts of one model: none of their records is lost, how far they lie apart, which is the
odd one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from make_data import GPU, WORKSTATION, case_line, run_line, timed

from analysis.compared.side_by_side import Apart, apart
from analysis.compared.side_by_side_table import side_by_side_table, spread_texts
from records.loading import Results, load
from report.chapters import threats
from report.doctor import findings

DEFINITION = {"name": "sweep", "title": "A sweep", "tables": [{"kind": "time"}], "figures": [],
              "lines": ["tiled"]}
SHAPES = ((256,) * 3, (512,) * 3, (1024,) * 3)

SHARD = {"count": 2, "plan": "p", "points": 3}


def run_of(host: str, day: int = 1, **more) -> dict:
    run = run_line("m", WORKSTATION | {"id": host}, True, "sweep", DEFINITION, f"run-{host}-{day}",
                   f"2026-11-{day:02}T10:00:00Z")
    return run | {"gpus": [GPU | {"uuid": f"GPU-{host}"}]} | more


def cases_of(run: dict, rate: float, shapes=SHAPES, **more) -> list[dict]:
    """Each with eleven equal samples, so that a host's speed is its rate."""
    lines = [case_line(run, "g", "gpu.tiled", {"block": 16}, "tiled", shape, rate, fingerprint="f",
                       **more) for shape in shapes]
    return [timed(line, [2.0 * line["m"] ** 3 / (rate * 1e9)] * 11) for line in lines]


def loaded(folder: Path, **files: list[dict]) -> Results:
    paths = []
    for name, lines in files.items():
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return load(folder, paths)


def fleet(folder: Path, rates: dict[str, float]) -> Results:
    return loaded(folder, sweep=[line for host, rate in rates.items()
                                 for line in (run_of(host), *cases_of(run_of(host), rate))])


def test_no_hosts_record_is_lost_and_one_hosts_stand_in_the_tables(tmp_path):
    (found,) = fleet(tmp_path, {"aaaa": 9000, "bbbb": 9100, "cccc": 9200}).experiments
    assert [case.host for case in found.cases] == ["cccc"] * 3
    assert sorted(case.host for case in found.elsewhere) == ["aaaa"] * 3 + ["bbbb"] * 3


def test_the_host_with_most_points_stands_in_the_tables_whatever_the_order(tmp_path):
    most, few = run_of("most"), run_of("few", day=2)
    lines = [most, *cases_of(most, 9000), few, *cases_of(few, 9100, SHAPES[:1])]
    (found,) = loaded(tmp_path, sweep=lines).experiments
    assert ({case.host for case in found.cases} == {"most"}
            and [case.host for case in found.elsewhere] == ["few"])


def test_another_programs_record_is_not_set_against_the_latest(tmp_path):
    old, new = run_of("old"), run_of("new", day=2)
    lines = [old, *cases_of(old, 5000), new,
             *[line | {"fingerprint": "g"} for line in cases_of(new, 9000, SHAPES[:1])]]
    (found,) = loaded(tmp_path, sweep=lines).experiments
    assert [case.host
            for case in sorted(found.cases, key=lambda case: case.shape)] == ["new", "old", "old"]
    assert found.elsewhere == []


def test_of_one_host_the_later_run_counts_in_whichever_file_it_stands(tmp_path):
    early, late = run_of("aaaa"), run_of("aaaa", day=2)
    (found,) = loaded(tmp_path, a_late=[late, *cases_of(late, 9000)],
                      b_early=[early, *cases_of(early, 5000)]).experiments
    assert ({case.run_id for case in found.cases} == {"run-aaaa-2"} and len(found.cases) == 3
            and not found.elsewhere)


def test_a_merged_file_beside_its_shards_doubles_nothing(tmp_path):
    run = run_of("aaaa")
    lines = [run, *cases_of(run, 9000)]
    (found,) = loaded(tmp_path, **{"sweep": lines, "sweep.shard-0-of-2": lines[:2],
                                   "sweep.shard-1-of-2": [run, *lines[2:]]}).experiments
    assert len(found.cases) == 3 and len(found.runs) == 1


def points(results: Results) -> Apart:
    return next(one for one in apart(results) if one.device == "gpu" and not one.unit)


def test_the_spread_runs_from_the_slowest_to_the_fastest_host(tmp_path):
    results = fleet(tmp_path, {"a": 9000, "b": 9100, "c": 9200, "d": 9050, "e": 9150})
    found = points(results)
    assert (found.points == 3 and found.spread == pytest.approx(200 / 9100, rel=1e-3)
            and found.odd == [])
    assert ("Same card (NVIDIA H200), 5 hosts: spread 0.00 % (FMA) to 2.2 % (3 points of gemm)."
            in spread_texts(apart(results)))


def test_a_ceiling_that_its_own_run_contradicts_is_not_set_beside_measured_ones(tmp_path):
    """16.0 times one processor's stood there as the fastest host's, where 1,090 were measured."""
    def fma(threads: int, value: float) -> dict:
        return {"device": "cpu", "what": "fma", "level": "avx512", "threads": threads,
                "value": value, "unit": "GFLOP/s"}

    cores = WORKSTATION["cores"]
    runs = [run_of(host) for host in "abc"]
    for run, every in zip(runs, (900.0, 950.0, 500.0)):
        run["host"] = run["host"] | {"cores_worth": 9.0 if every > 500 else cores}
        run["ceilings"] = [fma(1, 100.0), fma(cores, every)]
    results = loaded(tmp_path, sweep=[line for run in runs for line in (run, *cases_of(run, 9e3))])
    (one,) = [one for one in apart(results) if one.name == "FMA, all cores"]
    assert one.values == {"a": 900.0, "b": 950.0}


def test_the_odd_one_out_is_named_with_how_much_and_in_what(tmp_path):
    results = fleet(tmp_path, {"a": 9000, "b": 9010, "c": 9020, "d": 9005, "odd": 7740})
    assert points(results).odd == ["odd"]
    table, told = side_by_side_table(results)
    assert table.rows[0].cells[2].text == "odd: 14 % slower"
    assert told[-1] == ("Of the hosts with NVIDIA H200, the odd one out is host odd (14 % slower "
                        "than the median of 5 in 3 points of gemm, most at tiled 16 at 256).")
    (finding,) = [one for one in findings(results) if one.rule == "odd-host"]
    assert finding.severity == "note" and told[-1] in finding.text


@pytest.mark.parametrize("rates", [{"a": 9000, "b": 7000}, {"a": 9000, "b": 9000, "c": 8900},
                                   {"a": 9000, "b": 8500, "c": 8000}])
def test_two_hosts_a_little_difference_and_an_even_spread_have_no_odd_one(tmp_path, rates):
    assert points(fleet(tmp_path, rates)).odd == []


def test_three_of_which_two_agree_have_one(tmp_path):
    assert points(fleet(tmp_path, {"a": 9000, "b": 9010, "c": 8000})).odd == ["c"]


def test_other_cards_and_disturbed_points_are_not_compared(tmp_path):
    one, other = run_of("a"), run_of("b", gpus=[GPU | {"uuid": "GPU-b", "name": "NVIDIA A100"}])
    assert not [found for found in apart(loaded(tmp_path, sweep=[
        one, *cases_of(one, 9000), other, *cases_of(other, 6000)])) if found.device == "gpu"]
    busy = run_of("c")
    lines = [one, *cases_of(one, 9000), busy, *cases_of(busy, 6000, run_queue_delay_s=10.0)]
    assert not [found for found in apart(loaded(tmp_path, sweep=lines)) if not found.unit]


def test_one_host_has_nothing_beside_it(tmp_path):
    results = fleet(tmp_path, {"a": 9000})
    assert (side_by_side_table(results) == (None, [])
            and not [one for one in findings(results) if one.rule == "odd-host"])
    assert not next(block for block in threats(results, {"sweep": ""}, [], []).blocks
                    if block.name == "side-by-side").tables


def test_a_sweep_in_shards_is_a_note_only_where_each_shape_stayed_whole(tmp_path):
    one, other = run_of("a", shard=SHARD | {"index": 0}), run_of("b", shard=SHARD | {"index": 1})
    whole = loaded(tmp_path, sweep=[one, *cases_of(one, 9000, SHAPES[:2]), other,
                                    *cases_of(other, 9000, SHAPES[2:])])
    assert ({"shards-on-hosts"} <= {found.rule for found in findings(whole)}
            and "mixed-hosts" not in {one.rule for one in findings(whole)})
    torn = [line | {"implementation": "gpu.naive", "label": "naive", "case_id": "n"}
            for line in cases_of(other, 9000, SHAPES[:1])]
    mixed = loaded(tmp_path, sweep=[one, *cases_of(one, 9000, SHAPES[:2]), other, *torn])
    assert "mixed-hosts" in {found.rule for found in findings(mixed)}
