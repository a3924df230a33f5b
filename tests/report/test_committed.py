"""Every Python command over all records that are committed: none may stumble over what we publish."""

import json

import pytest
from conftest import ROOT

from report.__main__ import main

MACHINES = sorted({path.parent for path in (ROOT / "data" / "results").glob("*/*.jsonl")})
SMALLEST = min(MACHINES, key=lambda folder: sum(path.stat().st_size for path in folder.glob("*.jsonl")))


def silent(capsys, *arguments, codes=(0,)):
    """Asserts that the command ends so, and says nothing of skipped lines or of parts that it left out."""
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
    assert "shared points" in silent(capsys, "compare", machine, machine, "--fail-on-regression", 0, "--output", tmp_path)
    silent(capsys, "doctor", machine, codes=(0, 1))


def experiments_of(machine):
    return sorted(path.stem for path in machine.glob("*.jsonl"))


@pytest.mark.parametrize("machine,experiment", [(machine, experiment) for machine in MACHINES
                                                for experiment in experiments_of(machine)],
                         ids=lambda value: getattr(value, "name", value))
def test_each_experiment_has_its_part_of_the_report(tmp_path, capsys, monkeypatch, machine, experiment):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    silent(capsys, "build", machine, "--no-pdf", "--experiments", experiment, "--output", tmp_path)
    assert f'id="experiment-{experiment}"' in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_smallest_machines_report_and_bundle_are_whole(tmp_path, capsys):
    silent(capsys, "build", SMALLEST, "--no-pdf", "--output", tmp_path / "report")
    bundle = tmp_path / "bundle.zip"
    silent(capsys, "bundle", SMALLEST, "--output", bundle)
    silent(capsys, "verify-bundle", bundle)
