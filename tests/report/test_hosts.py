"""A folder of one model's records may come from several hosts: nothing mixes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from make_data import case_line, run_line

from analysis.compared.compare import compare
from analysis.tables.costs import ceilings_table, clocks_table
from analysis.tables.kind import Section
from records.baselines import Baselines
from records.cases.ceilings import best_ceilings, every_ceiling, with_best_ceilings
from records.cases.hosts import host_of, hosts_of, tell_apart
from records.cases.where import short_host
from records.loading import Experiment, Results, load
from records.noise import noise_text
from report.asked.wanted import views
from report.build import build
from report.findings.section import every_sentence
from report.machine.host_table import hosts_table
from report.machine.machine_facts import machine_facts
from report.pages.table_text import make as make_table
from report.sections import section

HOST = {"cpu": "a CPU", "cores": 16, "memory": 1 << 37}
DEFINITION = {"name": "sweep", "title": "A sweep", "tables": [{"kind": "time"}], "figures": [],
              "lines": ["OpenMP", "packed"]}


def run(run_id: str = "r", uuid: str = "GPU-a", one: float = 250.0, every: float | None = 3600.0,
        **host) -> dict:
    ceilings = [{"device": "cpu", "what": "fma", "level": "avx512", "threads": 1, "value": one,
                 "unit": "GFLOP/s", "how": "loop"}]
    ceilings += [ceilings[0] | {"threads": 16, "value": every}] if every else []
    return {"run_id": run_id, "experiment": "e", "host": HOST | host,
            "gpus": [{"name": "a GPU", "uuid": uuid}], "ceilings": ceilings}


def hosts(*runs: dict) -> list[list[str]]:
    tell_apart(runs)
    return [[one["run_id"] for one in of] for of in hosts_of(runs).values()]


def test_a_run_that_names_its_host_is_believed():
    assert host_of(run(id="0123abcd")) == "0123abcd"


@pytest.mark.parametrize("other", [{"uuid": "GPU-b"}, {"cores": 8}, {"memory": 1 << 36},
                                   {"cpu": "another CPU"}])
def test_an_older_run_is_told_by_cards_model_cores_and_memory(other):
    assert host_of(run()) == host_of(run("s", one=249.0)) != host_of(run(**other))
    assert len(host_of(run())) == 8 and host_of({}) == "" == host_of({"gpus": [], "host": {}})


def test_one_id_with_unlike_cores_is_two_hosts():
    assert hosts(run("a", one=250.0), run("b", one=160.0, every=1200.0),
                 run("c", one=235.0)) == [["a", "c"], ["b"]]
    runs = [run("a", one=250.0, id="0123") | {"gpus": []},
            run("b", one=160.0, every=1200.0, id="0123") | {"gpus": []}]
    tell_apart(runs)
    assert [short_host(host_of(one)) for one in runs] == ["0123.2", "0123.1"], "the slowest first"


def test_a_named_host_with_a_card_is_one_however_busy_it_was():
    assert hosts(run("a", one=250.0, id="0123"),
                 run("b", one=160.0, every=1200.0, id="0123")) == [["a", "b"]]


@pytest.mark.parametrize("other", [{"one": 235.0}, {"one": 160.0, "every": 3700.0}])
def test_runs_that_differ_little_or_on_one_core_only_are_one_host(other):
    assert hosts(run("a"), run("b", **other)) == [["a", "b"]]


def test_a_rate_that_is_not_trusted_tells_nothing_apart():
    doubtful = run("b", one=160.0, every=1200.0)
    doubtful["ceilings"][0]["trusted"] = False
    assert hosts(run("a"), doubtful) == [["a", "b"]]
    assert (hosts(run("a"), run("b", one=160.0, every=None))
            == [["a"], ["b"]]), "one core alone, where no other was measured"


def twin(case: dict, slower: float) -> dict:
    """The case's A/A twin, measured so much slower."""
    scaled = {key: case[key] * slower for key in ("median_s", "min_s") if case.get(key)}
    return case | scaled | {"case_id": case["case_id"] + "t", "twin_of": case["case_id"],
                            "samples_s": [sample * slower for sample in case["samples_s"]],
                            "ci95_s": [end * slower for end in case["ci95_s"]],
                            "gflop_per_s": case["gflop_per_s"] / slower}


def measured(folder: Path, *more: dict) -> Results:
    """OpenMP and packed on an old host at two sizes; then packed again at one size on a new and
    faster one."""
    old, new = (run_line("m", HOST | {"id": name}, False, "sweep",
                         DEFINITION, name, f"2026-11-2{day}T10:00:00Z")
                for name, day in (("oldhost00", 0), ("newhost00", 1)))
    new["ceilings"] = [entry | {"value": entry["value"] * 2} for entry in new["ceilings"]]
    shapes = ((256,) * 3, (512,) * 3)
    lines = [case_line(of, "g", f"cpu.{name.lower()}", {"threads": 16}, name, shape, rate)
             for of, name, shape, rate in (
                 (old, "OpenMP", shapes[0], 20), (old, "OpenMP", shapes[1], 20),
                 (old, "packed", shapes[0], 200), (new, "packed", shapes[1], 900))]
    lines += [twin(lines[0], 1.01), twin(lines[3], 1.03)]
    path = folder / "sweep.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (old, new, *lines, *more)),
                    encoding="utf-8")
    return load(folder, [path])


def test_each_host_has_its_own_tables_the_latest_first(tmp_path):
    (found,) = measured(tmp_path).experiments
    made = [make_table(view) for view in views(found, {"kind": "time"}, None)]
    assert ["Host newhost0" in table.caption for table in made] == [True, False]
    assert made[1].caption.endswith("Host oldhost0, 16 of 16 CPU processors; scope kernel; cold "
                                    "cache; bursts.")
    shown = [{row.heads[0]: [cell.text for cell in row.cells] for row in table.rows}
             for table in made]
    assert list(shown[0]) == ["packed"] and set(shown[1]) == {"OpenMP", "packed"}


def test_no_ratio_is_formed_with_a_point_of_another_host(tmp_path):
    (found,) = measured(tmp_path).experiments
    baseline = {"implementation": "cpu.openmp"}
    new, old = views(found, {"kind": "speedup", "baseline": baseline, "labels": ["packed"]}, None)
    assert Baselines(new).problem and not Baselines(old).problem
    assert not new.beside and all(case.host == "oldhost00" for case in (*old.cases, *old.beside))
    (case,) = old.shown
    assert Baselines(old).speedup(case).value == pytest.approx(10, rel=0.1)


def test_no_ranking_mixes_hosts(tmp_path):
    (found,) = measured(tmp_path).experiments
    texts = [" ".join(every_sentence(Section(view=view, wanted=[{"kind": "time"}])))
             for view in views(found, {"kind": "summary"}, None)]
    assert "packed is the only one ranked at 512" in texts[0] and "OpenMP" not in texts[0]
    assert "packed is fastest at 256" in texts[1] and "900" not in texts[1]


def test_a_section_says_which_host_each_sentence_is_of(tmp_path):
    results = measured(tmp_path)
    made, _ = section(results.experiments[0], None, tmp_path, tmp_path / "report", several=True)
    assert [part.mark for part in made.parts] == ["host newhost0", "host oldhost0"]
    assert all(part.opening.startswith(f"Host {name}, 16 of 16 CPU processors;")
               for part, name in zip(made.parts, ("newhost0", "oldhost0")))


def test_noise_floors_are_a_hosts_own(tmp_path):
    (found,) = measured(tmp_path).experiments
    floors = {host: round(noise.of(1.0), 3) for (host, _), noise in found.noise.items()}
    assert floors == {"newhost00": 0.029, "oldhost00": 0.01}
    assert {(case.host, round(case.noise, 3)) for case in found.cases} == {("oldhost00", 0.01),
                                                                           ("newhost00", 0.029)}
    assert ("2.9 % (CPU, host newhost0)" in noise_text(found)
            and "0.99 % (CPU, host oldhost0)" in noise_text(found))


def test_ceilings_are_a_hosts_own(tmp_path):
    results = measured(tmp_path)
    (found,) = results.experiments
    best = {host: max(entry["value"] for entry in with_best_ceilings(found.runs, host)["ceilings"])
            for host in ("oldhost00", "newhost00")}
    assert best == {"oldhost00": 960.0, "newhost00": 1920.0}
    assert len(every_ceiling(results.runs)) == 2 * len(best_ceilings(results.runs[:1]))
    table = ceilings_table(results.runs)
    assert ({row.heads[0] for row in table.rows} == {"oldhost0", "newhost0"}
            and "Host" in table.heads)
    assert not any(" to " in row.cells[0].text
                   for row in table.rows), "no range runs over two hosts"


def test_costs_of_clocks_are_a_hosts_own():
    cost = {"device": "cpu", "what": "clock", "unit": "s", "how": "loop"}
    runs = [run("a") | {"costs": [cost | {"value": 2e-8}]},
            run("b", uuid="GPU-b") | {"costs": [cost | {"value": 3e-8}]}]
    assert [row.cells[0].text for row in clocks_table(runs).rows] == ["20.0 ns", "30.0 ns"]
    assert [row.heads[0]
            for row in clocks_table(runs[:1]).rows] == ["CPU"], "one host needs no column"


def test_the_table_of_hosts_lists_what_ran_on_each():
    runs = [run("a", "GPU-aaaaaaaa-00") | {"experiment": "one"},
            run("b", "GPU-bbbbbbbb-00", one=160.0, cores=4) | {"experiment": "two"},
            run("c", "GPU-aaaaaaaa-00", one=249.0) | {"experiment": "three"}]
    table = hosts_table(runs)
    assert [(*row.heads[1:], row.cells[0].text) for row in table.rows] == [
        ("a CPU, 16 cores, 128 GiB, GPU-aaaaaaaa", "one and three", "249 to 250"),
        ("a CPU, 4 processors, 128 GiB, GPU-bbbbbbbb", "two", "160")]
    assert table.caption.count("2 hosts:") == 1 and "hosts:" not in hosts_table(runs[:1]).caption
    assert (hosts_table([{}]) is None
            and dict(machine_facts(runs))["CPU"] == "a CPU, 4 to 16 usable processors on 2 hosts")


def test_rates_of_a_host_are_of_its_widest_instructions_and_no_run_s_memory_or_cards_stand_for_all():
    """230 of plain x86-64 stood beside 165 of AVX-512; 252 GiB and two cards for hosts with 126 and
    one."""
    narrow = {"device": "cpu", "what": "fma", "level": "baseline", "threads": 16, "value": 230.0,
              "unit": "GFLOP/s", "how": "loop"}
    runs = [run("a", "GPU-aaaaaaaa-00", one=165.0, id="first"),
            run("b", "GPU-bbbbbbbb-00", memory=1 << 38)]
    runs[0]["ceilings"][1]["trusted"] = False
    runs[0]["ceilings"].append(narrow)
    runs[1]["gpus"] *= 2
    table = hosts_table(runs)
    assert [cell.text for cell in table.rows[0].cells] == ["165", "–"]
    facts = dict(machine_facts(runs))
    assert facts["Memory"] == "128 GiB to 256 GiB" and facts["GPU"].startswith("1 to 2 × a GPU")
    more = run("c", "GPU-aaaaaaaa-00", cores=5, id="first")
    assert "5 to 16 processors, by run" in hosts_table([runs[0], more]).rows[0].heads[1]


def test_a_run_of_several_experiments_is_listed_with_each(tmp_path):
    runs = {name: run("a", "GPU-aaaaaaaa-00") | {"experiment": name, "started_utc": "2026"}
            for name in ("one", "two")}
    results = Results(tmp_path,
                      [Experiment(name, tmp_path, [one]) for name, one in runs.items()], [])
    assert [row.heads[2] for row in hosts_table(results.runs_by_experiment).rows] == ["one and two"]
    assert len(results.runs) == 1, "a run of its own for all that counts runs"


def test_the_ceilings_of_several_hosts_do_not_stand_before_the_results(tmp_path, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    build(measured(tmp_path), None, tmp_path / "report", {"pdf", "tex", "html"})
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    places = [page.index(words)
              for words in (". Hosts**", "## Appendix: every experiment",
                            "## Appendix: Threats to validity", "Measured ceilings**")]
    assert places == sorted(places)


def test_a_comparison_names_the_hosts_of_each_point(tmp_path):
    (tmp_path / "a").mkdir()
    results = measured(tmp_path / "a")
    rows = {row.heads[1:]: row for row in compare(results, results).table.rows}
    assert {heads[-1] for heads in rows} == {"oldhost0 / oldhost0", "newhost0 / newhost0"}
    (found,) = results.experiments
    alone = Results(tmp_path, [Experiment("sweep", tmp_path, found.runs[:1], [
        one for one in found.cases if one.host == "oldhost00"])], [])
    assert "Hosts" not in compare(alone, alone).table.heads


def test_points_whose_run_is_lost_stand_apart(tmp_path):
    stray = case_line({"run_id": "gone", "experiment": "sweep"}, "g", "cpu.eigen", {"threads": 16},
                      "Eigen", (256,) * 3, 300)
    (found,) = measured(tmp_path, stray).experiments
    assert [view.host for view in views(found, {"kind": "time"}, None)] == ["newhost00",
                                                                            "oldhost00", ""]
