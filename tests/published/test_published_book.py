"""The book of what others published is whole, no claim goes past the map, and the chapters set it
beside our records."""

import csv
import re
import shutil
import tomllib
from array import array
from dataclasses import replace
from fnmatch import fnmatch
from itertools import accumulate, product, repeat, takewhile
from operator import mul

import pytest
from make_data import listed
from sample_records import ROOT, implementations
from test_published import OURS, REFERENCE, case, results, run_on

from files.reading import InputError
from language import LANGUAGES, using
from published import blocks
from published.book import FOLDER, Figure, Ours, book, read
from published.judge import NOT_JUDGED, VERDICTS
from published.points import OWN, Points, shape_of
from published.tables import Beside, point_of
from records.loading import find_files, load


@pytest.mark.parametrize("name, old, new, words", [
    ("claims.csv", "tile4-loses-to-naive", "tile4-wins",
     "'tile4-loses-to-naive' does not stand in it and in claims.csv"),
    ("claims.csv", "v1-to-v2", "v1-to-v3", "'v1-to-v2' does not stand"),
    ("claims.toml", 'rule = "near"', 'rule = "nearly"',
     "'rule' is 'nearly'; allowed: above, below, near, equal, within"),
    ("claims.toml", 'under = { name = "naive" }', 'under = { implementation = "gpu.naive" }',
     "tables with a name that map.csv has a row for"),
    ("claims.toml", 'under = { name = "naive" }', 'under = { name = "plain" }',
     "a name that map.csv has a row for in cuda-experiment-report"),
    ("claims.toml", "range = [1, 2]", "", "from and to with 'within'"),
    ("claims.toml", "over = {", "ovr = {", "unknown key 'ovr'"),
    ("claims.csv", "FLOP/byte,0.25", "FLOP/byte,little", "a number with 'equal'"),
    ("claims.toml", "why = ", "why_zh_2 = ", "unknown key 'why_zh_2'"),
    ("claims.toml", "\nzh = ", "\n# zh = ", "a text in zh"),
    ("map.csv", "course-notes,,naive,", "course-notes,,tiled,", "'tiled' a second time"),
    ("map.csv", "parallel-matmul-paper,,serial,cpu.serial,", "parallel-matmul-paper,,serial,,",
     "neither an id nor a note"),
    ("map.csv", "source,table", "src,table", "its columns are src,table"),
    ("t4-notebook.csv", "0.591", "fast", "line 2: could not convert")])
def test_a_mistake_in_the_book_is_named(tmp_path, name, old, new, words):
    shutil.copytree(FOLDER, tmp_path / "published")
    path = tmp_path / "published" / name
    whole = path.read_text(encoding="utf-8")
    start = whole.index("\n[claim.") if name == "claims.toml" else 0
    assert old in whole[start:]
    path.write_text(whole[:start] + whole[start:].replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read(path.parent)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_every_published_row_meets_an_implementation_of_ours_or_a_reason():
    ids, experiments = (implementations() | {"torch.matmul"},
                        {path.stem for path in (ROOT / "experiments").glob("*.toml")})
    for figure in book().figures:
        assert book().ours(figure.source, figure.table, figure.implementation) is not None, figure
    for key, ours in book().names.items():
        assert (ours.note if not ours.id else ours.id in ids and ours.experiments
                and set(ours.experiments) <= experiments), key
        assert bool(ours.note) == bool(ours.note_zh), key


def _runs(name):
    """What an experiment runs: tables [[group.run]] with what stands above them."""
    definition = tomllib.loads((ROOT / "experiments" / f"{name}.toml").read_text(encoding="utf-8"))
    return [definition.get("settings", {}) | group | run for group in definition["group"]
            for run in group["run"]]


def _values(axis):
    if isinstance(axis, dict):
        return list(takewhile(lambda size: size <= axis["to"],
                              accumulate(repeat(axis["factor"]), mul, initial=axis["from"])))
    return [value for one in axis for value in _values(one)] if isinstance(axis, list) else [axis]


_DIMENSIONS = {
    "chase": (("bytes",), {}), "access": (("n",), {"offset": 0, "passes": "one", "stride": 1}),
    "chain": (("steps",), {}), "lanes": (("warps", "loads"), {"degree": 1, "pattern": "conflict"})}


def _shapes(run):
    if run.get("operation", "gemm") != "gemm":
        dims, usual = _DIMENSIONS.get(run["operation"], ((), {}))
        axes = [*(_values(run.get(name, [])) for name in dims),
                *(_values(run.get(name, value)) for name, value in usual.items())]
        return {shape_of({"dims": values[:len(dims)], "options": {
            name: value for (name, default), value in zip(usual.items(), values[len(dims):])
            if value != default}}) for values in product(*axes)}
    return ({(run["m"], run["n"], run["k"])} if "m" in run
            else {(size,) * 3 for size in _values(run["size"])})


def _is_run(found, run):
    """Does the experiment's run measure the point? What it names a list of, or all of, it runs each
    of."""
    named = any(fnmatch(found["implementation"], one) for one in listed(run["implementation"]))
    if not named or shape_of(found) not in _shapes(run):
        return False
    usual = {"scope": "kernel", "module_loading": "lazy", "cache": "cold",
             "blocks_per_sm": 0, "path": "l1"}
    wanted = {"scope": "kernel"} | {
        key: value for key, value in found.items() if key not in OWN or key in (
            "scope", "cache", "host_memory", "allocation", "module_loading")}
    asked = {key: listed(run.get(key, usual.get(key, value))) for key, value in wanted.items()}
    return all(str(value) in map(str, asked[key]) or asked[key] == ["all"]
               for key, value in wanted.items())


def _points():
    for one in book().claims:
        for sides in (*one.parts, *(pair for _, pair in one.beside)):
            yield from ((one.claim, found) for side in sides
                        for found in side if found.get("implementation") and shape_of(found))


def test_every_point_of_the_map_is_run_by_an_experiment_that_it_names():
    """Else the report would say for ever "not yet measured", and name an experiment that does not
    measure it."""
    asked = list(_points())
    asked += [(figure.table, point_of(ours, figure)) for figure in book().figures
              if (ours := book().ours(figure.source, figure.table, figure.implementation)).id]
    missing = [
        (where, found) for where, found in asked if found["implementation"] != "torch.matmul"
        and not any(_is_run(found, run) for name in found["experiments"] for run in _runs(name))]
    assert len(asked) > 200 and missing == []


def _described_only(named):
    """Those for which a kernel of ours stands that its own file calls a reading of a description."""
    said = {f"{path.parts[-3]}.{path.stem}" for path in (ROOT / "gpu" / "gemm").rglob("*.cu")
            if "described, not printed" in " ".join(path.read_text(encoding="utf-8").split())}
    assert said
    return [name for name, ours in named.items() if ours.id in said]


def test_no_kernel_stands_for_one_that_its_source_describes_without_printing_it():
    named = book().names
    planted = named | {("s", "", "shared memory"): replace(next(iter(named.values())),
                                                           id="gpu.tiled_cumulative")}
    assert _described_only(planted) == [("s", "", "shared memory")] and not _described_only(named)


def test_no_claim_goes_past_the_map_and_its_texts_fill_in_the_same():
    """Tables and verdicts once disagreed on which kernel is "coalesced"."""
    whole = (FOLDER / "claims.toml").read_text(encoding="utf-8")
    assert not [line for line in whole[whole.index("\n[claim."):].splitlines()
                if re.match(r"(over|under|at|beside)\b.*\b(cpu|gpu)\.\w", line)]
    for one in book().claims:
        for english, chinese in ((one.why, one.why_zh), (one.missing, one.missing_zh)):
            assert set(re.findall(r"\{([\w.]+)\}", english)) == set(re.findall(r"\{([\w.]+)\}",
                                                                               chinese)), one.claim


def _without_figure(claims):
    """Claims of one ratio of times that their source's own tables have, which give no figure."""
    timed = {(one.source, book().ours(one.source, one.table, one.implementation))
             for one in book().figures if one.metric in ("time", "throughput")}
    return [one.claim for one in claims
            if one.of == "time" and len(one.parts) == 1 and not one.published
            and all((one.source, side[0].get("ours")) in timed for side in one.parts[0])]


def _leave_sizes_out(claims):
    """Claims of all sizes that leave some out."""
    return [one.claim for one in claims
            if re.search(r"(every|all) sizes?\b", one.statement) and not one.idle]


def _leave_sizes_of_a_pair_out(claims):
    """Claims whose reason quotes a number of a pair beside them, without its size, that was not
    measured at each of their own sizes, or at others."""
    found = []
    for one in claims:
        own = {shape_of(side[0]) for sides in one.parts for side in sides if side}
        found += [one.claim for name, (over, _) in one.beside
                  if re.search(rf"\{{{name}\.(over|under)\.(time|gflops|latency)\}}",
                               one.why + one.missing)
                  and own != {shape_of(over[0])}
                  and not re.search(rf"\{{{name}\.\w+\.shape\}}", one.why + one.missing)]
    return found


def _one_core(size):
    """At 1024 alone, what one core gives stood for a claim from 512 on, where it gives 1.30."""
    point = book().ours("parallel-matmul-paper", "", "serial").point({"size": size})
    return (("one_core", ((point,), (point,))),)


@pytest.mark.parametrize("check, name, fault", [
    (_leave_sizes_of_a_pair_out, "openmp-does-not-scale",
     {"beside": _one_core(1024), "why": "As one core: {one_core.over.gflops}."}),
    (_leave_sizes_of_a_pair_out, "openmp-barely-helps",
     {"beside": _one_core(1024), "why": "As one core: {one_core.over.time}."}),
    (_without_figure, "blocked-beats-plain", {"published": ""}),
    (_leave_sizes_out, "naive-flat-in-size", {"statement": "It keeps its rate at every size"}),
    (_leave_sizes_out, "tile-law-at-all-sizes", {"idle": False})])
def test_a_claim_is_judged_by_all_that_its_source_says(check, name, fault):
    """A gain of 398 times once was "reproduced" for want of the source's own 2.26, and a claim of
    every size was judged without one of them."""
    assert check(book().claims) == []
    planted = [replace(one, **fault) if one.claim == name else one for one in book().claims]
    assert check(planted) == [name]


def figure(implementation="naive", metric="time", value=2.0, unit="ms", **more):
    return replace(
        Figure("s", "1", "a card", implementation, 64, 64, 64, "", "", metric, value, unit), **more)


def beside(*cases, names=None, **more):
    named = {"naive": Ours("gpu.naive", "", ("e",), ""),
             "tiled": Ours("gpu.tiled", "block={block}", ("e",), ""),
             "base": Ours("cpu.serial", "", ("e",), "")}
    found = book().names | {("s", "", name): ours for name, ours in (named | (names or {})).items()}
    return Beside(replace(book(), names=found, **more), Points(results(*cases)))


def cells(made, *figures):
    table = made.table("s", "1", list(figures), "here")
    return [row.cells[1:] for row in table.rows], table.notes


def test_published_figures_stand_beside_ours_in_their_own_units():
    cases = case("gpu.naive", 1e-3), case("cpu.serial", 4e-3), case("gpu.tiled", 5e-3,
                                                                    parameters={"block": 4})
    rows, _ = cells(beside(*cases), figure(), figure(metric="throughput", unit="GFLOP/s"),
                    figure(metric="speedup over base", unit="x"),
                    figure(metric="share of base throughput", unit="%"),
                    figure("tiled", metric="added time over base", block="4"))
    assert [ours.value for ours, _ in rows] == pytest.approx(
        [1.0, 2 * 64**3 / 1e-3 / 1e9, 4.0, 400.0, 1.0], rel=0.01)
    assert (rows[0][1].value == pytest.approx(0.5)
            and all(ours.low <= ours.value <= ours.high for ours, _ in rows))
    first = case("gpu.naive", 0.5, scope="first-call", samples_s=array("d", (0.5, 0.4, 0.39, 0.38)),
                 rounds=array("q", range(4)))
    rows, _ = cells(beside(first,
                           names={"naive": Ours("gpu.naive", "scope=first-call", ("e",), "")}),
                    *(figure(metric=f"time, run {run}") for run in (1, 3, 5)))
    assert [ours.value for ours, _ in rows] == [pytest.approx(500), pytest.approx(390),
                                                None], "runs are processes, not calls within one"


def test_what_a_source_leaves_empty_is_as_the_map_has_it_whatever_was_measured_last():
    """Empty cells took the place of the map's threads=8 and block=32, and any record would do."""
    cases = [case("cpu.openmp", seconds, parameters={"threads": threads}, threads_actual=threads,
                  pinned=False)
             for threads, seconds in ((64, 2e-3), (8, 8e-3), (256, 1e-3))]
    for order in (cases, cases[::-1]):
        rows, notes = cells(beside(*order, case("gpu.naive", 1e-3),
                                   names={"eight": Ours("cpu.openmp", "threads=8", ("e",), "")}),
                            figure(metric="speedup over eight", unit="x"))
        assert rows[0][0].value == pytest.approx(8.0, rel=0.01)
        assert "threads not bound to cores" in notes[0] and "cold cache; bursts" in notes[0]


def test_a_speedup_over_another_block_is_over_that_block_and_never_over_itself():
    cases = [case("gpu.tiled", seconds, parameters={"block": block})
             for block, seconds in ((4, 8e-3), (8, 4e-3))]
    rows, _ = cells(beside(*cases),
                    figure("tiled", metric="speedup over block 4", unit="x", block="8", value=2.9))
    assert rows[0][0].value == pytest.approx(2.0, rel=0.01)
    rows, notes = cells(beside(*cases),
                        figure("tiled", metric="speedup over tiled", unit="x", block="8"))
    assert rows[0][0].value is None and "set against itself" in notes[0]


def test_what_has_no_counterpart_or_no_number_says_why():
    rows, notes = cells(beside(names={"naive": Ours("", "", (), "we scale by nothing")}), figure(),
                        figure("tiled", block="4"), figure("unheard of"))
    assert ([ours.note for ours, _ in rows] == [1, 2, 3]
            and all(ours.value is None for ours, _ in rows))
    assert (notes[0] == "we scale by nothing" and "gemmlab run e" in notes[1]
            and "map.csv" in notes[2])
    parameters = point_of(Ours("gpu.tiled", "block={block} threads={threads} allocation='host "
                               "memory too'", ("e",), ""), figure(block="16"))
    assert ((parameters["block"], parameters["allocation"]) == ("16", "host memory too")
            and "threads" not in parameters)


def test_every_claim_and_every_table_is_in_the_chapters_of_the_reference_machine_in_both_languages(
        tmp_path):
    for language in LANGUAGES:
        with using(language):
            made = blocks(load(REFERENCE, find_files(REFERENCE)), tmp_path / language)
        assert {one.name for one in made} == {"published",
                                              *(f"published-{source}" for source in book().titles)}
        claims = [row.heads for one in made[1:] for stem, table in one.tables
                  if stem.endswith("-claims") for row in table.rows]
        assert len(claims) == len(book().claims) == sum(
            cell.value for row in made[0].tables[0][1].rows for cell in row.cells)
        for heads in claims:
            assert len(heads) == 5 and all(heads) and not any("{" in head for head in heads), heads
            assert any("\u4e00" <= letter <= "\u9fff"
                       for letter in heads[4]) == (language == "zh"), heads
        assert sum(len(table.rows) for one in made[1:] for _, table in one.tables
                   if table.kind == "published") == len(book().figures)
    english, chinese = ((tmp_path / language / "verdicts.csv").read_text(encoding="utf-8")
                        for language in LANGUAGES)
    assert english == chinese
    for row in csv.DictReader(english.splitlines()):
        assert (row["verdict"] in VERDICTS and row["unit"] and (row["verdict"] == NOT_JUDGED)
                == (not row["measured"]) == (not row["host"])), row
        assert (not row["measured"]
                or float(row["low"]) <= float(row["measured"]) <= float(row["high"])), row


def test_what_is_still_to_be_measured_is_a_sentence_with_its_commands_and_no_table_of_dashes(
        tmp_path):
    serial, openmp = (case(f"cpu.{name}", seconds, parameters={"threads": threads},
                           size=2048, experiment="cpu_loops")
                      for name, seconds, threads in (("serial", 1.0, 1), ("openmp", 0.2, 8)))
    made = blocks(results(serial, openmp, runs=[run_on(1, gpus=[])], name="cpu_loops"), tmp_path)
    (claims,) = (table for one in made[1:] for stem, table in one.tables
                 if stem.endswith("paper-claims"))
    assert re.match(r"\d+ of its \d+ claims are still to be measured here: `\./gemmlab run [\w "
                    r"]+`\. \d+ of its \d+ claims need a GPU\.", claims.caption)
    assert claims.rows and not any("gemmlab run" in row.heads[4] or "with one" in row.heads[4]
                                   for row in claims.rows)
    assert blocks(results(case("cpu.ikj", 1.0), runs=[run_on(1, gpus=[])]), tmp_path / "none") == []
    with (tmp_path / "none" / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        assert {row["verdict"] for row in csv.DictReader(file) if row["why"]} == {NOT_JUDGED}


def test_pytorch_is_read_from_the_timer_s_table(tmp_path):
    (tmp_path / "independent_timer.csv").write_text(
        "M,K,N,ours_s,torch_s,torch_low_s,torch_high_s\n64,64,64,1,2.0,1.99,2.01\n16,32,8,1,7,,\n"
        "bad,1,2,3,4,5,6\n")
    known = Points(results(case("gpu.cublas", 1.0, experiment="timer_check"), folder=tmp_path,
                           name="timer_check"))
    (torch,) = known.find({"implementation": "torch.matmul", "size": 64,
                           "experiments": ("timer_check",), "ours": OURS})
    assert torch.median_s == 2.0 and torch.host == "host2", "the host that it stood beside"
