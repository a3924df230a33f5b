"""The book of what others published is whole, and no claim goes past the map."""

import csv
import re
import shutil
import tomllib
from dataclasses import replace
from fnmatch import fnmatch
from itertools import accumulate, product, repeat, takewhile
from operator import mul

import pytest
from conftest import ROOT
from make_data import listed
from test_published import CPU_RUN, GPU_RUN, case, counters, results

from report.published import chapters
from report.published.book import FOLDER, book, read
from report.published.judge import NOT_HERE, NOT_REPRODUCED, REPRODUCED, judge
from report.published.points import OWN, Points, shape_of
from report.published.tables import point_of
from report.published.texts import LANGUAGES, say
from report.published.why import why
from report.records import Experiment, InputError, Results


def test_the_book_judges_every_claim_of_the_sources_and_no_other():
    said = set()
    for name in ("claims.csv", "claims-2.csv"):
        with (FOLDER / name).open(encoding="utf-8", newline="") as file:
            said |= {tuple(row.values()) for row in csv.DictReader(file)}
    assert len(said) == len(book().claims) and {(one.source, one.claim, one.statement, one.figure, one.published) for one in book().claims} == said
    assert {one.source for one in book().claims} == set(book().titles)


@pytest.mark.parametrize("name, old, new, words", [
    ("claims.csv", "tile4-loses-to-naive", "tile4-wins", "claim 'tile4-wins' of cuda-experiment-report is not as in"),
    ("claims.toml", 'published = "2541"', 'published = "2542"', "claim 'gpu-beats-openmp'"),
    ("claims-2.csv", "tile-4-to-8", "tile-4-to-9", "claim 'tile-4-to-9' of cuda-experiment-report is not as in"),
    ("claims.toml", 'holds = "above"', 'holds = "beyond"', "'holds' is 'beyond'; allowed: above, below, near, equal, within"),
    ("claims.toml", 'name = "naive", size = 1024', 'implementation = "gpu.naive", size = 1024', "allowed: a table with name"),
    ("claims.toml", 'name = "naive", size = 1024', 'name = "naive", implementation = "gpu.tiled", size = 1024',
     "'implementation' stands in map.csv"),
    ("claims.toml", 'name = "naive", size = 1024', 'name = "naive", experiments = "x", size = 1024', "'experiments' stands in map.csv"),
    ("claims.toml", 'name = "naive", size = 1024', 'name = "plain", size = 1024', "a name that map.csv has a row for"),
    ("claims.toml", "least = 400", 'least = "400"', "'least' is '400'; allowed: a number"),
    ("claims.toml", "range = [1, 2]", "range = [1]", "allowed: two numbers, from and to"),
    ("claims.toml", 'published = "32"\nholds = "equal"', 'published = "many"\nholds = "equal"',
     "'published' is 'many'; allowed: a number, as 'holds' is 'equal'"),
    ("claims.toml", "range = [1, 2]", "",
     "'range' is []; allowed: two numbers, from and to, as 'holds' is 'within'"),
    ("claims.toml", 'table = "ladder A"', 'table = "ladder C"', "panel 6: nothing of it is published"),
    ("claims.toml", 'title = "The kernels of the same steps alone"', "",
     "chain 2 (transposition-kernel): a key is missing"),
    ("map.csv", "course-notes,,naive,", "course-notes,,tiled,", "'tiled' a second time"),
    ("claims.toml", "over = {", "ovr = {", "unknown key 'ovr'"),
    ("map.csv", "parallel-matmul-paper,,serial,cpu.serial,", "parallel-matmul-paper,,serial,,", "neither an id nor a note"),
    ("map.csv", "block={block}", "block={width}", "allowed in braces: threads, block"),
    ("map.csv", "source,table", "src,table", "its columns are src,table"),
    ("t4-notebook.csv", "0.591", "fast", "line 2: could not convert")])
def test_a_mistake_in_the_book_is_named(tmp_path, name, old, new, words):
    shutil.copytree(FOLDER, tmp_path / "published")
    path = tmp_path / "published" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read(path.parent)
    assert words in str(error.value) and "\n" not in str(error.value)


def _of_the_machine(found, seconds, parameters):
    """A case of an operation other than gemm, at the point's dimensions."""
    return case(found["implementation"], seconds, experiment="memory", parameters=parameters, operation="chase",
                dims=dict(enumerate(found["dims"])),
                options=dict(sorted(found.get("options", {}).items())), rates={"ns_per_load": 20.0},
                cache=found.get("cache", "cold"), chosen={"cycles_per_load": 30.0, "cycles_per_step": 4.0})


def _complete(folder):
    """Records in which every point of every claim has a number, counters and all else that a reason may quote."""
    (folder / "independent_timer.csv").write_text("M,K,N,torch_s,torch_low_s,torch_high_s\n" + "".join(
        f"{size},{size},{size},1.0,0.99,1.01\n" for size in (1024, 4096)))
    run = GPU_RUN | {"gpus": [{"name": "NVIDIA H200", "sm_count": 132, "l2": 6e7}], "ceilings": [
        {"device": "gpu", "what": what, "level": level, "value": 5.0, "unit": "GB/s", "trusted": True} for what, level in
        (("memory_read", "l2"), ("memory_read", "dram"), ("transfer_to_device", "pageable"))]}
    names = {name for one in book().claims for found in _points(one) for name in found["experiments"]} | {"gpu_ladder"}
    made = {name: Experiment(name, folder, [run | {"experiment": name}]) for name in sorted(names - {"timer_check"})}
    metrics = dict.fromkeys(("global_load_requests", "l2_bytes", "instructions", "shared_load_bank_conflicts", "shared_store_bank_conflicts", "dram_read_bytes", "dram_write_bytes"), 1000000000.0)
    metrics |= {"occupancy": 0.5, "fma_pipe": 0.5, "global_load_sectors_per_request": 32.0, "shared_wavefronts": 1e10,
                "time_s": 1.0, "stalled_barrier": 1.0, "warps_per_issue": 10.0}
    for one in book().claims:
        for number, found in enumerate(_points(one)):
            if found["implementation"] in ("", "torch.matmul"):
                continue
            home = made[found["experiments"][0]]
            parameters = {name: value for name, value in found.items() if name not in OWN}
            if "dims" in found:
                home.cases.append(_of_the_machine(found, 1.0 + 0.1 * number, parameters))
                continue
            size = found.get("size", 4096)
            home.counters[f"{one.claim}{number}"] = counters(found["implementation"], metrics, size, **parameters)
            if "counted" in found:
                continue
            if found["implementation"].startswith("cpu."):
                parameters |= {"isa": "avx2"}
            home.cases.append(case(
                found["implementation"], 1.0 + 0.1 * number, size=size, parameters=parameters, experiment=home.name,
                m=found.get("m", size), n=found.get("n", size), k=found.get("k", size), scope=found.get("scope", "kernel"),
                host_memory=found.get("host_memory"), allocation=found.get("allocation"), threads_actual=16, cores=(0, 1),
                module_loading=found.get("module_loading"), chosen={"transpose_s": 0.1}, steady_s=(0.1,) * 9,
                resources={"registers": 64, "blocks_per_sm": 2},
                first_call_s={name: [0.1] * 9 for name in ("context", "prepare", "module", "kernel", "allocation")}))
    return Results(folder, list(made.values()), [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_all_records_every_claim_is_judged_and_explained(tmp_path, language):
    points = Points(_complete(tmp_path))
    fallback = say("machine", language, machine="").split("{")[0][:12]
    for one in book().claims:
        found = judge(one, points)
        if found.verdict == NOT_HERE:  # for want of a measurement that the suite does not have, or of a counterpart
            assert one.measure == "none" or not all(side["implementation"] for side in (*one.over, *one.under)), one.claim
            text = why(found, points, [], language)
            chinese = any("\u4e00" <= letter <= "\u9fff" for letter in text)
            assert len(text) > 20 and (language == "zh" or not chinese), one.claim
            continue
        for verdict in (REPRODUCED, NOT_REPRODUCED):  # either form of the reason, with every clause of it
            form = one.reasons[_reason_key(one, verdict, language)]
            text = why(replace(found, verdict=verdict, failed=None), points, [], language)
            fixed = [part for part in re.split(r"\{\w+\}", form) if part.strip()]
            assert fallback not in text and "{" not in text and all(part in text for part in fixed), (one.claim, text)


def _reason_key(one, verdict, language):
    suffix = "" if language == "en" else f"_{language}"
    return f"why_not{suffix}" if verdict == NOT_REPRODUCED and f"why_not{suffix}" in one.reasons else f"why{suffix}"


def _ids():
    """Every implementation that the suite's lists name."""
    found = {"torch.matmul"}
    for device in ("cpu", "gpu"):
        for rows in (ROOT / device).glob("*/rows.h"):
            found |= {f"{device}.{name}" for name in re.findall(r"ROW\((\w+)\)", rows.read_text(encoding="utf-8"))}
    return found


def _points(one):
    ratios = [*one.also, *one.largest_of, *one.beside.values()]
    return [*one.over, *one.under, *(found for ratio in ratios for side in ("over", "under") for found in ratio[side])]


def test_every_published_row_meets_an_implementation_of_ours_or_a_reason():
    ids, experiments = _ids(), {path.stem for path in (ROOT / "experiments").glob("*.toml")}
    for figure in book().figures:
        ours = book().ours(figure.source, figure.table, figure.implementation)
        assert ours is not None, figure
        assert ours.id in ids and set(ours.experiments) <= experiments if ours.id else ours.note, figure
    for (source, _, name), ours in book().names.items():
        assert ours.note if not ours.id else ours.id in ids and ours.experiments and set(ours.experiments) <= experiments, (source, name)


def _runs(name):
    """What an experiment runs: tables [[group.run]] with what stands above them."""
    definition = tomllib.loads((ROOT / "experiments" / f"{name}.toml").read_text(encoding="utf-8"))
    return [definition.get("settings", {}) | group | run for group in definition["group"] for run in group["run"]]


def _values(axis):
    if isinstance(axis, dict):
        return list(takewhile(lambda size: size <= axis["to"], accumulate(repeat(axis["factor"]), mul, initial=axis["from"])))
    return [value for one in axis for value in _values(one)] if isinstance(axis, list) else [axis]


_OPTIONS = {"chase": ("bytes",), "access": ("n", "offset", "passes", "stride"), "chain": ("steps",)}  # behind its dimension
_DEFAULTS = {"offset": 0, "passes": "one", "stride": 1}


def _shapes(run):
    if run.get("operation", "gemm") != "gemm":
        dimension, *options = _OPTIONS.get(run["operation"], ("",))
        axes = [_values(run.get(dimension, [])), *(_values(run.get(name, _DEFAULTS[name])) for name in options)]
        return {shape_of({"dims": [dim], "options": {name: value for name, value in zip(options, values) if value != _DEFAULTS[name]}})
                for dim, *values in product(*axes)}
    if "m" in run:
        return {(run["m"], run["n"], run["k"])}
    return {(size,) * 3 for size in _values(run["size"])}


def _is_run(found, run):
    """Does the experiment's run measure the point? What it names a list of, or all of, it runs each of."""
    def named(table):
        return any(fnmatch(found["implementation"], one) for one in listed(table["implementation"]))

    if any(map(named, run.get("exclude", ()))) or not named(run) or shape_of(found) not in _shapes(run):
        return False
    usual = {"scope": "kernel", "module_loading": "lazy", "cache": "cold", "blocks_per_sm": 0, "path": "l1"}
    wanted = {"scope": "kernel"} | {key: value for key, value in found.items() if key not in OWN or key in (
        "scope", "cache", "host_memory", "allocation", "module_loading")}
    asked = {key: listed(run.get(key, usual.get(key, value))) for key, value in wanted.items()}
    return all(str(value) in map(str, asked[key]) or asked[key] == ["all"] for key, value in wanted.items())


def test_every_point_of_the_map_is_run_by_an_experiment_that_it_names():
    """Else the report would say for ever "not yet measured", and name an experiment that does not measure it."""
    asked = [(one.claim, found) for one in book().claims for found in _points(one) if "counted" not in found]
    asked += [(chain.name, found) for chain in book().chains for _, found in chain.steps]
    asked += [(figure.table, point_of(ours, figure)) for figure in book().figures
              if (ours := book().ours(figure.source, figure.table, figure.implementation)).id]
    missing = [(where, found) for where, found in asked if found["implementation"] not in ("", "torch.matmul")
               and not any(_is_run(found, run) for name in found["experiments"] for run in _runs(name))]
    assert len(asked) > 200 and missing == []


def test_no_claim_goes_past_the_map():
    """The tables and the verdicts once disagreed on which kernel is "coalesced": a claim's points are those that map.csv has
    for the names, and ids stand in no other file."""
    text = (FOLDER / "claims.toml").read_text(encoding="utf-8")
    expressions = [line for line in text.splitlines() if re.search(r"\bname = |^\s*(over|under|steps)\b", line)]
    assert expressions and not [line for line in expressions if re.search(r"\b(cpu|gpu)\.\w", line)]
    mapped = {(ours.id, ours.experiments) for ours in book().names.values()}
    for one in book().claims:
        for found in _points(one):
            assert (found["implementation"], found["experiments"]) in mapped or "no_counterpart" in found, one.claim
    for table, claim_name in (("coalesced", "coalescing-pays"), ("bank-conflict free", "bank-conflicts-cost")):
        row = next(one for one in book().figures if one.source == "parallel-matmul-paper" and one.implementation == table)
        judged_one = next(one for one in book().claims if one.claim == claim_name)
        of_table = point_of(book().ours(row.source, row.table, row.implementation), row)
        assert {name: judged_one.under[0][name] for name in ("implementation", "step", "block")} == {
            name: of_table[name] for name in ("implementation", "step", "block")}


def test_what_has_no_counterpart_is_not_measurable_and_says_why():
    one = next(one for one in book().claims if one.claim == "v8-second-run")
    found = judge(one, Points(results()))
    assert found.verdict == NOT_HERE
    assert "alpha and beta" in why(found, Points(results()), []) and "alpha" in why(found, Points(results()), [], "zh")


def test_a_reason_has_the_same_braces_in_every_language():
    for one in book().claims:
        key = "missing" if one.measure == "none" else "why"
        assert set(re.findall(r"\{(\w+)\}", one.reasons[key])) == set(re.findall(r"\{(\w+)\}", one.reasons[f"{key}_zh"])), one.claim


def test_without_a_number_of_use_there_is_no_chapter_but_a_verdict_a_claim(tmp_path):
    assert chapters(results(case("cpu.ikj", 1.0), run=CPU_RUN), tmp_path, []) == []
    with (tmp_path / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["claim"] for row in rows] == [one.claim for one in book().claims]
    assert {row["verdict"] for row in rows} == {NOT_HERE} and all(row["why"] and not row["measured"] for row in rows)
