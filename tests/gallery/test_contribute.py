"""`gemmlab contribute`: what stands against records is named, and nothing is packed then."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest
from sample_records import DATA

from gallery import contribute
from report.__main__ import main


@pytest.fixture(name="records")
def _records(tmp_path, monkeypatch):
    """A folder of records of the tree's own experiments, measured at a commit."""
    folder = tmp_path / "mine"
    shutil.copytree(DATA / "laptop", folder, ignore=shutil.ignore_patterns("report*"))
    known = tmp_path / "experiments"
    known.mkdir()
    for path in folder.glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            if line["kind"] == "run":
                line["program"] = line.get("program", {}) | {"commit": "1" * 40, "dirty": False}
                (known / f"{line['experiment']}.toml").touch()
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    monkeypatch.setattr(contribute, "EXPERIMENTS", known)
    return folder


def _changed(folder, change):
    """The first run of the first file, changed."""
    path = min(folder.glob("*.jsonl"))
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    record = json.loads(first)
    change(record)
    path.write_text(json.dumps(record) + "\n" + "".join(rest), encoding="utf-8")
    return path.name


def _asked(records, tmp_path, capsys):
    capsys.readouterr()
    code = main(["contribute", str(records), "--output", str(tmp_path / "out.zip")])
    return code, capsys.readouterr()


def test_sound_records_are_packed_with_their_report(records, tmp_path, capsys):
    code, said = _asked(records, tmp_path, capsys)
    assert code == 0, said.err
    names = zipfile.ZipFile(tmp_path / "out.zip").namelist()
    assert {f"records/mine/{path.name}" for path in records.glob("*.jsonl")} <= {*names}
    assert "report/report.html" in names


@pytest.mark.parametrize(("key", "value", "told"), [
    ("arguments", ["run", "--output", "/home/alice/results"], "arguments: '/home/alice' is"),
    ("machine", "bob@example.org", "machine: 'bob@example.org' is an address"),
])
def test_nobodys_name_goes_along(records, tmp_path, capsys, key, value, told):
    name = _changed(records, lambda run: run.__setitem__(key, value))
    code, said = _asked(records, tmp_path, capsys)
    assert code == 1 and f"{name}:1: {told}" in said.err
    assert not (tmp_path / "out.zip").exists()


@pytest.mark.parametrize(("change", "told"), [
    (lambda run: run["program"].update(dirty=True), "dirty-sources"),
    (lambda run: run["program"].pop("commit"), "by a program of no commit"),
    (lambda run: run["build"].update(sanitize="address"), "sanitizers"),
])
def test_programs_that_nobody_can_build_again_are_named(records, tmp_path, capsys, change, told):
    _changed(records, change)
    code, said = _asked(records, tmp_path, capsys)
    assert code == 1 and told in said.err and "nothing was packed" in said.err
    assert not (tmp_path / "out.zip").exists()


def test_a_damaged_line_is_named(records, tmp_path, capsys):
    path = min(records.glob("*.jsonl"))
    path.write_text(path.read_text(encoding="utf-8") + '{"kind": "ca', encoding="utf-8")
    code, said = _asked(records, tmp_path, capsys)
    assert code == 1 and path.name in said.err and not (tmp_path / "out.zip").exists()


def test_an_experiment_of_ones_own_is_named(records, tmp_path, capsys):
    min((tmp_path / "experiments").iterdir()).unlink()
    code, said = _asked(records, tmp_path, capsys)
    assert code == 1 and "no experiment of this tree" in said.err
