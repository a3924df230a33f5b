"""A bundle holds what one hands in, and its check finds what was changed, whether or not the checksums were too."""

from __future__ import annotations

import json
import re
import zipfile

import pytest

from conftest import DATA
from report.__main__ import main
from report.bundle.layout import SUMS, sums_text

TABLE = "report/tables/thread_scaling-thread_scaling.csv"
RECORDS = "records/workstation/thread_scaling.jsonl"


@pytest.fixture(scope="module", name="packed")
def _packed(tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "mine.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plots.FORMATS", ("svg",))
        assert main(["bundle", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output", str(path)]) == 0
    return path


def _files(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _written(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_it_holds_report_tables_figures_records_definition_versions_and_sums(packed):
    files = _files(packed)
    assert {"report/report.html", "report/report.md", "report/report.tex", TABLE, RECORDS,
            "report/figures/thread_scaling-thread_scaling.svg", "definitions/thread_scaling.json", SUMS} <= set(files)
    about = json.loads(files["bundle.json"])
    assert about["programs"][0]["version"] == "0.1.0" and "matplotlib" in about["python"]
    assert files[SUMS].decode() == sums_text({name: data for name, data in files.items() if name != SUMS})


def test_the_same_records_give_the_same_bytes(packed, tmp_path, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    assert main(["bundle", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output", str(tmp_path / "b.zip")]) == 0
    assert (tmp_path / "b.zip").read_bytes() == packed.read_bytes()


def test_what_was_measured_beside_the_records_is_packed_with_them(tmp_path, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "quick.jsonl").write_bytes((DATA / "laptop" / "quick.jsonl").read_bytes())
    (tmp_path / "mine" / "independent_timer.csv").write_text("library,m,n,k\n")
    assert main(["bundle", str(tmp_path / "mine"), "--output", str(tmp_path / "b.zip"), "--language", "zh"]) == 0
    assert "records/mine/independent_timer.csv" in _files(tmp_path / "b.zip")
    assert main(["verify-bundle", str(tmp_path / "b.zip")]) == 0


def test_an_untouched_bundle_is_found_to_be_so(packed, capsys):
    assert main(["verify-bundle", str(packed)]) == 0
    assert "nothing was changed" in capsys.readouterr().out


@pytest.mark.parametrize("name", [TABLE, "report/report.md"])
@pytest.mark.parametrize("sums_too", [False, True])
def test_a_changed_number_is_found_even_where_the_sums_were_changed_with_it(packed, tmp_path, capsys, name, sums_too):
    files = _files(packed)
    digit = next(place for place, byte in enumerate(files[name]) if byte in b"12345678" and place > 200)
    files[name] = files[name][:digit] + bytes([files[name][digit] + 1]) + files[name][digit + 1:]
    if sums_too:
        files[SUMS] = sums_text({one: data for one, data in files.items() if one != SUMS}).encode()
    assert main(["verify-bundle", str(_written(tmp_path / "b.zip", files))]) == 1
    said = capsys.readouterr().out
    assert f"{name}: not what the records yield" in said
    assert (f"{name}: changed since it was packed" in said) is not sums_too


def test_a_changed_record_is_found_in_what_it_yields(packed, tmp_path, capsys):
    files = _files(packed)
    lines = files[RECORDS].decode().splitlines()
    line = json.loads(lines[1])
    line["median_s"] *= 0.5
    files[RECORDS] = "\n".join([lines[0], json.dumps(line), *lines[2:]]).encode()
    files[SUMS] = sums_text({name: data for name, data in files.items() if name != SUMS}).encode()
    assert main(["verify-bundle", str(_written(tmp_path / "b.zip", files))]) == 1
    said = capsys.readouterr().out
    assert f"{TABLE}: not what the records yield" in said
    assert "not as packed" not in said and re.search(r"made anew from the records: \d+ files are not what the records yield\.", said)


def test_a_file_too_few_or_too_many_is_found(packed, tmp_path, capsys):
    files = _files(packed)
    del files["report/figures/thread_scaling-thread_scaling.svg"]
    files["report/tables/mine.csv"] = b"1"
    assert main(["verify-bundle", str(_written(tmp_path / "b.zip", files))]) == 1
    said = capsys.readouterr().out
    assert "thread_scaling.svg: missing" in said and "mine.csv: no record yields it" in said


@pytest.mark.parametrize(("files", "message"), [
    (None, "not a whole zip"), ({"a": b""}, "not a bundle"), ({"../a": b""}, "leads out of the bundle"),
    ({"bundle.json": b'{"format": 9, "language": "en", "records": "x"}', SUMS: b""}, "format is 9; this version reads 1"),
    ({"bundle.json": b'{"format": 1, "language": "tlh", "records": "x"}', SUMS: b""}, "allowed: en, zh"),
    ({"bundle.json": b'{"format": 1, "language": "en", "records": "x"}', SUMS: b""}, "no records under records/x")])
def test_what_is_no_bundle_is_told_in_one_line(tmp_path, capsys, files, message):
    path = tmp_path / "b.zip"
    path.write_bytes(b"no zip") if files is None else _written(path, files)
    assert main(["verify-bundle", str(path)]) == 2
    said = capsys.readouterr().err.strip()
    assert message in said and "\n" not in said
