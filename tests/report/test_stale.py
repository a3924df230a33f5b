"""Whether today's tree would measure an experiment again: each fault is planted in records of a
tree of their own."""

import json
from hashlib import sha256

import pytest
from doctor_records import change, healthy_case, healthy_cases, healthy_run, of, results_of
from sample_records import DATA, read

from language import using
from report.__main__ import main
from report.doctor import findings
from report.machine import stale

TREE = """# Comments are nobody's.
title = "A sweep"
question = "Which is the fastest?"
[[group]]
name = "squares"
size = 1024
[[table]]
kind = "gflops"
"""
DEFINITION = {"name": "sweep", "title": "A sweep", "question": "Which is the fastest?",
              "source": "", "tables": [{"kind": "gflops"}], "figures": [], "lines": [],
              "left_out": []}
# Answers as `gemmlab fingerprints` does, whatever the builds: those of made.json; writes down what
# it was asked.
PROGRAM = """#!/bin/bash
printf '%s\\n' "$@" >"${0%/*}/asked"
[[ $1 == fingerprints ]] || exit 9
cat "${0%/*}/made.json"
"""


@pytest.fixture(name="tree")
def _tree(tmp_path, monkeypatch):
    """A tree that defines `sweep` as the records have it."""
    folder = tmp_path / "experiments"
    folder.mkdir()
    (folder / "sweep.toml").write_text(TREE)
    monkeypatch.setattr(stale, "EXPERIMENTS", folder)
    return folder


@pytest.fixture(name="program")
def _program(tmp_path):
    """A program whose sources would give each implementation of the records the fingerprint
    "now"."""
    path = tmp_path / "program"
    path.write_text(PROGRAM)
    path.chmod(0o755)
    names = {case["implementation"] for case in healthy_cases(healthy_run())}
    (tmp_path / "made.json").write_text(json.dumps([dict.fromkeys(names, "now")]))
    return str(path)


def judged(tmp_path, program="", plant=lambda run, cases: None):
    """The experiment as judged, after `plant(run, cases)`; lines that it returns stand beside the
    others."""
    run = healthy_run()
    run |= {"definition": dict(DEFINITION), "definition_sha256": sha256(TREE.encode()).hexdigest()}
    cases = healthy_cases(run)
    change(cases, fingerprint="now")
    more = plant(run, cases) or []
    results = results_of(tmp_path, run, *cases, *more)
    stale.judge(results, program)
    return results, results.experiments[0]


def rules(results):
    return [finding.rule for finding in findings(results)]


def test_the_same_tree_measures_nothing_again(tree, tmp_path, program):
    results, one = judged(tmp_path, program)
    assert (one.stale.changed, one.stale.again, one.stale.points) == ((), 0, 30)
    assert stale.stale_text(one) == "Today's tree would measure none of its points again."
    assert stale.summary_text(results) == "" and rules(results) == []


@pytest.mark.parametrize("text,differs", [
    (TREE.replace("# Comments are nobody's.\n", "# Other words.\n\n"), ("text",)),
    (TREE.replace("size = 1024", "size = [1024,\n  2048]  # twice"), ("text",)),
    (TREE.replace("A sweep", "A wider sweep"), ("title",)),
    (TREE.replace("gflops", "time") + '[[figure]]\nkind = "gflops_vs_size"\n',
     ("tables", "figures")),
    (TREE.replace("squares", "cubes"), ("groups",)), ("title = ", ())])
def test_a_definition_differs_in_what_it_says_and_not_in_how(tree, tmp_path, text, differs):
    (tree / "sweep.toml").write_text(text)
    results, one = judged(tmp_path)
    assert one.stale.changed == differs
    assert rules(results) == ["definition-changed"] * (bool(differs) and differs != ("text",))
    assert bool(stale.stale_text(one)) == bool(differs)
    assert ("The text of 1 experiment has changed since: comments, or what groups measure."
            in stale.summary_text(results)) == (differs == ("text",))
    assert ("; which sources have changed since, ./gemmlab doctor says."
            in stale.summary_text(results)), "no program was built"


def test_what_differs_is_named(tree, tmp_path):
    (tree / "sweep.toml").write_text(TREE.replace("Which", "What").replace("gflops", "time"))
    results, one = judged(tmp_path)
    assert stale.stale_text(one) == ("Today's tree defines it otherwise than it was measured; what "
                                     "differs: the question and the tables.")
    assert stale.summary_text(results).startswith("Today's tree defines sweep otherwise than when "
                                                  "that was measured. Measured 2026-")
    with using("zh"):
        assert stale.stale_text(one) == "当前源码树中的定义与测量时不同；不同之处：问题和表。"


def ended(run, cases):
    return [{"kind": "cost", "run_id": run["run_id"], "experiment": "sweep", "wall_s": 1.0}]


@pytest.mark.parametrize("plant,differs", [
    (ended, ("groups",)), (lambda run, cases: None, ("text",)),
    (lambda run, cases: run["definition"].update(left_out=[
        {"implementation": "gpu.*", "reason": "no CUDA"}]) or ended(run, cases), ("text",)),
    (lambda run, cases: run.update(shard={"index": 0, "count": 2, "plan": "p", "points": 3})
     or ended(run, cases), ("text",))])
def test_a_new_group_is_told_only_of_a_run_that_would_have_measured_it(tree, tmp_path,
                                                                       plant, differs):
    (tree / "sweep.toml").write_text(TREE.replace("[[table]]",
                                                  '[[group]]\nname = "loop"\n[[table]]'))
    assert judged(tmp_path, plant=plant)[1].stale.changed == differs


def test_the_implementation_whose_sources_changed_is_named(tree, tmp_path, program):
    results, one = judged(tmp_path, program,
                          lambda run, cases: change(of(cases, "gpu.tiled"), fingerprint="then"))
    assert (one.stale.again, one.stale.implementations,
            one.stale.measuring) == (5, ("gpu.tiled",), False)
    text = ("Today's tree would measure 5 of its 30 points again: the sources of gpu.tiled changed "
            "after they were measured.")
    assert stale.stale_text(one) == text
    (found,) = findings(results)
    assert (found.severity, found.rule, found.experiment, found.text) == ("note", "sources-changed",
                                                                          "sweep", text)
    assert stale.summary_text(results) == ("Today's tree would measure 5 of 30 points again: what "
                                           "measures, or their sources, changed.")


def test_where_no_point_of_a_device_is_as_it_was_it_may_be_what_measures(tree, tmp_path, program):
    gpu = ("gpu.tiled", "gpu.register_tiled")
    _, one = judged(tmp_path, program, lambda run,
                    cases: [change(of(cases, name), fingerprint="then") for name in gpu] and [])
    assert (one.stale.again, one.stale.measuring) == (10, True)
    assert ("what measures, or the sources of gpu.register_tiled and gpu.tiled, changed"
            in stale.stale_text(one))
    _, one = judged(tmp_path, program, lambda run, cases: change(cases, fingerprint="then"))
    assert stale.stale_text(one).startswith("Today's tree would measure all of its points again: "
                                            "what measures, or ")


def test_the_program_is_asked_with_the_builds_of_the_runs(tree, tmp_path, program):
    built = {"compiler": "GNU 1.0", "flags": "Release: it's", "sanitize": ""}
    judged(tmp_path, program, lambda run, cases: run.update(build=built))
    name, asked = (tmp_path / "asked").read_text().splitlines()
    assert name == "fingerprints" and json.loads(asked) == [built]


def test_records_without_a_fingerprint_are_not_known(tree, tmp_path, program):
    results, one = judged(tmp_path, program, lambda run, cases: change(cases, fingerprint=None))
    assert (one.stale.again, one.stale.points, one.stale.unknown) == (0, 0, 30)
    assert ("is not known" in stale.stale_text(one) and rules(results) == []
            and stale.summary_text(results) == "")
    _, one = judged(tmp_path, program,
                    lambda run, cases: change(of(cases, "gpu.tiled"), fingerprint=None))
    assert stale.stale_text(one) == ("Today's tree would measure none of its points again. Of 5 "
                                     "more points it is not known whether their sources have "
                                     "changed.")


def test_an_implementation_that_the_tree_has_no_more_is_not_known(tree, tmp_path, program):
    mine = lambda run, cases: [healthy_case(run, "gpu.mine", {}, (64,) * 3, 1.0, fingerprint="now")]  # noqa: E731
    _, one = judged(tmp_path, program, mine)
    assert (one.stale.again, one.stale.points, one.stale.unknown) == (0, 30, 1)


@pytest.mark.parametrize("script", ["exit 2", "echo x"])
def test_a_program_that_cannot_tell_leaves_the_definition_alone_judged(tree, tmp_path,
                                                                       program, script):
    (tmp_path / "program").write_text(f"#!/bin/bash\n{script}\n")
    (tree / "sweep.toml").write_text(TREE.replace("A sweep", "Another"))
    _, one = judged(tmp_path, program, lambda run, cases: change(cases, fingerprint="then"))
    assert (one.stale.again, one.stale.changed) == (None, ("title",))
    assert "again" not in stale.stale_text(one)


def test_an_experiment_that_the_tree_does_not_have_is_not_judged(tree, tmp_path, program):
    (tree / "sweep.toml").rename(tree / "other.toml")
    results, one = judged(tmp_path, program, lambda run, cases: change(cases, fingerprint="then"))
    assert (one.stale is None and stale.stale_text(one) == stale.summary_text(results) == ""
            and rules(results) == [])


@pytest.fixture(name="records")
def _records(tmp_path, tree, program, monkeypatch):
    """Records of `quick`, of which the tree's definition and sources differ; the program is handed
    over."""
    folder = tmp_path / "workstation"
    folder.mkdir()
    lines = [json.loads(line) for line in (DATA / "workstation/quick.jsonl").read_text()
             .splitlines() if line.endswith("}")]
    lines = [line | ({"fingerprint": "then"} if line["kind"] == "case" else {}) for line in lines]
    (folder / "quick.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tree / "quick.toml").write_text(TREE)
    names = {case.implementation for one in read("workstation").experiments for case in one.cases}
    (tmp_path / "made.json").write_text(json.dumps([dict.fromkeys(names, "now")]))
    monkeypatch.setenv("GEMMLAB_PROGRAM", program)
    return folder


def test_every_form_of_the_report_says_it_and_one_for_a_repository_what_records_tell(records,
                                                                                     tmp_path):
    assert main(["build", str(records), "--no-pdf", "--output", str(tmp_path / "a")]) == 0
    for name in ("report.html", "report.md", "report.tex"):
        said = " ".join((tmp_path / "a" / name).read_text().replace("&#39;", "'").split())
        assert ("s tree defines it otherwise than it was measured" in said
                and "s tree defines quick otherwise" in said), name
        assert "s tree would measure all of its points again" in said, name
    assert main(["build", str(records), "--markdown", "--output", str(tmp_path / "b")]) == 0
    said = (tmp_path / "b/report.md").read_text()
    assert "tree defines it otherwise than it was measured" in said and "would measure" not in said


def test_doctor_names_both(records, capsys):
    main(["doctor", str(records)])
    said = capsys.readouterr().out
    assert "note  definition-changed (quick)" in said and "note  sources-changed (quick)" in said


def test_figures_that_older_records_show_by_now_differ_in_nothing(tmp_path, tree):
    """Else putting right a table's baseline would call its points those of another definition."""
    figures = '[[figure]]\nkind = "gflops_vs_size"\n[[figure]]\nkind = "clocks"\n'
    (tree / "gpu_peers.toml").write_text(TREE + figures)
    then = {"name": "gpu_peers", "figures": [{"kind": "gflops_vs_size"}]}
    run = healthy_run() | {"experiment": "gpu_peers", "definition": DEFINITION | then}
    cases = healthy_cases(run)
    change(cases, experiment="gpu_peers")
    (experiment,) = results_of(tmp_path, run, *cases).experiments
    assert (stale.changed(experiment, tree / "gpu_peers.toml")
            in ((), ("text",))), "of what is shown nothing differs"
    experiment.runs[-1]["definition"]["figures"] = [{"kind": "roofline"}]
    assert stale.changed(experiment, tree / "gpu_peers.toml") == ("figures",)
