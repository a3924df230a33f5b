"""Every Python command over all records that are committed: none may stumble over what we
publish."""

import json

import pytest
from sample_records import MACHINES, needs

from report import committed
from report.__main__ import main

SMALLEST = min(MACHINES,
               key=lambda folder: sum(path.stat().st_size for path in folder.glob("*.jsonl")))


def silent(capsys, *arguments, codes=(0,)):
    """Asserts that the command ends so, and says nothing of skipped lines or of parts that it left
    out."""
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert code in codes and "skipped" not in said.err and "left out:" not in said.err, said.err
    return said.out


@pytest.mark.parametrize("machine", MACHINES, ids=lambda folder: folder.name)
def test_export_compare_and_doctor_take_all_records(tmp_path, capsys, machine):
    silent(capsys, "export", machine, "--output", tmp_path)
    silent(capsys, "export", machine, "--output", tmp_path, "--format", "google-benchmark")
    for path in tmp_path.glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["context"]["executable"] == "gemmlab"
    assert "shared points" in silent(capsys, "compare", machine, machine, "--fail-on-regression", 0,
                                     "--output", tmp_path)
    silent(capsys, "doctor", machine, codes=(0, 1))


def test_each_experiment_has_its_part_of_the_report(reports):
    for machine in MACHINES:
        page = (reports / machine.name / "report" / "report.html").read_text(encoding="utf-8")
        assert [path.stem for path in machine.glob("*.jsonl")
                if f'id="experiment-{path.stem}"' not in page] == []


@pytest.mark.parametrize("machine", committed.folders(), ids=lambda folder: folder.name)
def test_what_is_committed_of_reports_is_what_the_records_give(tmp_path, machine):
    """Where this fails: `python -m report.committed --write`, and look at what has changed."""
    needs("published")
    needs("emulator")
    assert committed.make(machine, tmp_path, committed.forms_of(machine)) == []
    assert committed.different(tmp_path, machine / "report") == []


def test_a_planted_difference_from_the_records_is_found(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder / "figures").mkdir(parents=True)
        (tmp_path / folder / "report.md").write_text("same")
        (tmp_path / folder / "report.pdf").write_text(folder)
    assert committed.different(tmp_path / "a", tmp_path / "b") == []
    (tmp_path / "a" / "figures" / "one.svg").write_text("new")
    (tmp_path / "b" / "report.md").write_text("other")
    assert committed.different(tmp_path / "a", tmp_path / "b") == ["figures/one.svg", "report.md"]


def test_the_smallest_machines_bundle_is_whole(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))  # the others are test_bundle.py's
    bundle = tmp_path / "bundle.zip"
    silent(capsys, "bundle", SMALLEST, "--output", bundle)
    silent(capsys, "verify-bundle", bundle)
