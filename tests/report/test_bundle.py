"""A bundle holds what one hands in, and its check finds what was changed, whether or not the
checksums were too."""

from __future__ import annotations

import errno
import io
import json
import re
import warnings
import zipfile
from pathlib import Path

import pytest
from sample_records import DATA, standing_in

import plots
from files.safe import record_name
from report.__main__ import main
from report.bundle.layout import SUMS, safe_path, sums_text
from report.bundle.unpack import unpacked

TABLE = "report/tables/thread_scaling-thread_scaling.csv"
FIGURE = "report/figures/summary-threads"
RECORDS = "records/workstation/thread_scaling.jsonl"


def _bundled(path):
    assert main(["bundle", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output",
                 str(path)]) == 0
    return path


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory):
    return _bundled(tmp_path_factory.mktemp("bundle") / "mine.zip")


@pytest.fixture(scope="module", name="referring")
def _referring(tmp_path_factory):
    """One with the records of the machine that stands in."""
    with plots.only(("svg",)), standing_in():
        return _bundled(tmp_path_factory.mktemp("bundle") / "mine.zip")


@pytest.fixture(scope="module", name="small")
def _small(tmp_path_factory):
    with plots.only(("svg",)):
        return _bundled(tmp_path_factory.mktemp("bundle") / "mine.zip")


@pytest.fixture(name="packed")
def _packed(small):
    """A bundle whose figures are SVG alone, and are made anew as SVG alone: a third of the time."""
    with plots.only(("svg",)):
        yield small


def forged(packed, path, **changes):
    """The bundle with other contents (None: without them) under the names, and SHA256SUMS that says
    so too."""
    files = {name: data for name, data in (_files(packed) | changes).items() if data is not None}
    files[SUMS] = sums_text({name: data for name, data in files.items() if name != SUMS}).encode()
    return _written(path, files)


def about_of(packed, **changes):
    return (json.dumps(json.loads(_files(packed)["bundle.json"]) | changes, ensure_ascii=False,
                       indent=2) + "\n").encode()


def _files(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _written(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_it_holds_report_tables_figures_records_definition_versions_and_sums(whole):
    files = _files(whole)
    assert {"report/report.html", "report/report.md", "report/report.tex", TABLE, RECORDS,
            "report/figures/summary-threads.svg", "definitions/thread_scaling.json",
            SUMS} <= set(files)
    about = json.loads(files["bundle.json"])
    assert about["programs"][0]["version"] == "0.1.0" and "matplotlib" in about["python"]
    assert files[SUMS].decode() == sums_text({name: data for name, data in files.items()
                                              if name != SUMS})


def test_the_same_records_give_the_same_bytes(whole, tmp_path):
    assert main(["bundle", str(DATA / "workstation" / "thread_scaling.jsonl"), "--output",
                 str(tmp_path / "b.zip")]) == 0
    assert (tmp_path / "b.zip").read_bytes() == whole.read_bytes()


def test_what_was_measured_beside_the_records_is_packed_with_them(tmp_path, monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "quick.jsonl").write_bytes((DATA / "laptop" / "quick.jsonl").read_bytes())
    (tmp_path / "mine" / "independent_timer.csv").write_text("library,m,n,k\n")
    assert main(["bundle", str(tmp_path / "mine"), "--output", str(tmp_path / "b.zip"),
                 "--language", "zh"]) == 0
    assert "records/mine/independent_timer.csv" in _files(tmp_path / "b.zip")
    assert main(["verify-bundle", str(tmp_path / "b.zip")]) == 0


def test_an_untouched_bundle_is_found_to_be_so(referring, capsys):
    with plots.only(("svg",)):
        assert main(["verify-bundle", str(referring)]) == 0
    said = capsys.readouterr().out
    count = len(_files(referring))
    records = [name for name in _files(referring) if name.startswith(("records/", "reference/"))]
    assert said.endswith(f"{referring}: of {count} files, {count - len(records) - 1} were made anew "
                         f"from the records and came out the same; {len(records)} files are not "
                         "verified (named above). Nothing that can be checked was changed.\n")
    assert said.startswith("Not verified, since the records are taken as they are")
    assert all(f"\n  {name}\n" in said for name in records) and RECORDS in records


@pytest.mark.parametrize("name", [TABLE, "report/report.md"])
@pytest.mark.parametrize("sums_too", [False, True])
def test_a_changed_number_is_found_even_where_the_sums_were_changed_with_it(packed, tmp_path,
                                                                            capsys, name, sums_too):
    files = _files(packed)
    digit = next(place for place, byte in enumerate(files[name]) if byte in b"12345678"
                 and place > 200)
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
    assert "not as packed" not in said and re.search(
        r"the same; \d+ files are not what the records yield and 1 file is not verified", said)
    assert "Nothing that can be checked" not in said


def test_a_file_too_few_or_too_many_is_found(packed, tmp_path, capsys):
    files = _files(packed)
    del files["report/figures/summary-threads.svg"]
    files["report/tables/mine.csv"] = b"1"
    assert main(["verify-bundle", str(_written(tmp_path / "b.zip", files))]) == 1
    said = capsys.readouterr().out
    assert "summary-threads.svg: missing" in said and "mine.csv: no record yields it" in said


@pytest.mark.parametrize(("files", "message"), [
    (None, "not a whole zip"), ({"a": b""}, "not a bundle"),
    ({"../a": b""}, "leads out of the bundle"),
    ({"bundle.json": b'{"format": 9, "language": "en", "records": "x"}', SUMS: b""},
     "format is 9; this version reads 3"),
    ({"bundle.json": b'{"format": 3, "language": "tlh", "records": "x"}', SUMS: b""},
     "allowed: en, zh"),
    ({"bundle.json": b'{"format": 3, "language": "en", "records": ".."}', SUMS: b""},
     "'..' is not the name of a folder"),
    ({"bundle.json": b'{"format": 3, "language": "en", "records": "x", "report": {"colour": '
      b'"red"}}', SUMS: b""}, "'report': unknown key 'colour'; allowed: edition, title, author"),
    ({"bundle.json": b'{"format": 3, "language": "en", "records": "x"}', SUMS: b""},
     "no records under records/x")])
def test_what_is_no_bundle_is_told_in_one_line(tmp_path, capsys, files, message):
    path = tmp_path / "b.zip"
    path.write_bytes(b"no zip") if files is None else _written(path, files)
    assert main(["verify-bundle", str(path)]) == 2
    said = capsys.readouterr().err.strip()
    assert message in said and "\n" not in said


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_a_replaced_png_or_pdf_is_found_on_the_system_that_it_was_made_on(whole, tmp_path,
                                                                          capsys, suffix):
    other = _files(whole)[FIGURE + suffix] + b"\n"
    assert main(["verify-bundle",
                 str(forged(whole, tmp_path / "b.zip", **{FIGURE + suffix: other}))]) == 1
    said = capsys.readouterr().out
    assert (f"{FIGURE + suffix}: not what the records yield" in said
            and "Nothing that can" not in said)


def test_png_and_pdf_of_another_system_are_named_as_not_verified(whole, tmp_path, capsys):
    changes = {"bundle.json": about_of(whole, system={"machine": "riscv64"}),
               f"{FIGURE}.png": b"anything", "report/report.pdf": b"anything"}
    assert main(["verify-bundle", str(forged(whole, tmp_path / "b.zip", **changes))]) == 0
    said = capsys.readouterr().out
    for name in (f"{FIGURE}.png", f"{FIGURE}.pdf", "report/report.pdf", "bundle.json", RECORDS):
        assert f"\n  {name}\n" in said
    assert f"  {FIGURE}.svg" not in said and f"  {TABLE}" not in said


@pytest.mark.parametrize("name", ["report/second.html", "notes.txt", "definitions/mine.json",
                                  "records/other/mine.jsonl",
                                  "records/workstation/below/mine.jsonl"])
def test_what_was_added_is_found(packed, tmp_path, capsys, name):
    assert main(["verify-bundle", str(forged(packed, tmp_path / "b.zip", **{name: b"{}"}))]) == 1
    assert f"{name}: no record yields it" in capsys.readouterr().out


def test_a_figure_that_was_added_is_found(whole, tmp_path, capsys):
    name = "report/figures/mine.png"
    assert main(["verify-bundle", str(forged(whole, tmp_path / "b.zip", **{name: b"{}"}))]) == 1
    assert f"{name}: no record yields it" in capsys.readouterr().out


def test_a_falsified_definition_or_fact_of_the_program_is_found(packed, tmp_path, capsys):
    definition = json.loads(_files(packed)["definitions/thread_scaling.json"])
    changes = {"definitions/thread_scaling.json": json.dumps(definition | {"question": "?"},
                                                             indent=2).encode() + b"\n",
               "definitions/thread_scaling.toml": b"title = 'other'\n",
               "bundle.json": about_of(packed, programs=[{"version": "9.9", "dirty": False}])}
    assert main(["verify-bundle", str(forged(packed, tmp_path / "b.zip", **changes))]) == 1
    said = capsys.readouterr().out
    assert "definitions/thread_scaling.json: not what the records yield" in said
    assert "definitions/thread_scaling.toml: not the file whose SHA-256 the records hold" in said
    assert "bundle.json: not what the records yield" in said


def test_a_fact_said_twice_is_found(packed, tmp_path, capsys):
    twice = _files(packed)["bundle.json"].replace(b'"format": 3,',
                                                  b'"programs": [],\n  "format": 3,')
    assert main(["verify-bundle",
                 str(forged(packed, tmp_path / "b.zip", **{"bundle.json": twice}))]) == 1
    assert "bundle.json: not what the records yield" in capsys.readouterr().out


def test_sums_with_a_line_too_many_are_found(packed, tmp_path, capsys):
    files = _files(packed)
    files[SUMS] += files[SUMS].splitlines(keepends=True)[0]
    assert main(["verify-bundle", str(_written(tmp_path / "b.zip", files))]) == 1
    assert f"{SUMS}: not one line per file" in capsys.readouterr().out


@pytest.mark.parametrize("name",
                         ["..\\x", "C:/x", "/x", "a//b", "report/./x", "report/x.", "con\x07"])
def test_a_name_that_leads_elsewhere_on_some_system_is_refused(packed, tmp_path, capsys, name):
    assert main(["verify-bundle", str(forged(packed, tmp_path / "b.zip", **{name: b""}))]) == 2
    assert ("leads out of the bundle, or to another file on another system"
            in capsys.readouterr().err)


@pytest.mark.parametrize("name", [TABLE, TABLE.upper()])
def test_an_entry_twice_is_refused(packed, tmp_path, capsys, name):
    path = forged(packed, tmp_path / "b.zip")
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(name, b"other")
    assert main(["verify-bundle", str(path)]) == 2
    assert f"{name} is in it twice" in capsys.readouterr().err


def test_a_link_and_what_stands_beside_the_files_are_refused(packed, tmp_path, capsys):
    link = zipfile.ZipInfo("report/link")
    link.external_attr = 0o120777 << 16
    linked, noted = forged(packed, tmp_path / "a.zip"), forged(packed, tmp_path / "b.zip")
    with zipfile.ZipFile(linked, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with zipfile.ZipFile(noted, "a") as archive:
        archive.comment = b"the best marks"
    before = tmp_path / "c.zip"
    before.write_bytes(b"#!/bin/sh\n" + packed.read_bytes())
    for path, says in ((linked, "report/link is not a plain file"),
                       (noted, "something in it beside its files"),
                       (before, "something in it beside its files")):
        assert main(["verify-bundle", str(path)]) == 2
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("behind", [b"\0", b"<script>alert(1)</script>", b"PK\x05\x06" + b"\0" * 17,
                                    bytes(70_000)])
def test_bytes_behind_the_end_are_refused(packed, tmp_path, capsys, behind):
    path = tmp_path / "b.zip"
    path.write_bytes(packed.read_bytes() + behind)
    assert main(["verify-bundle", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"gemmlab verify-bundle: error: {path}: ") and said.count("\n") == 1


def test_bytes_between_the_files_and_their_list_are_refused(packed, tmp_path, capsys):
    data = packed.read_bytes()
    end = data.rindex(b"PK\x05\x06")
    begin = int.from_bytes(data[end + 16:end + 20], "little")
    path = tmp_path / "b.zip"
    path.write_bytes(data[:begin] + b"hidden" + data[begin:end + 16]
                     + (begin + 6).to_bytes(4, "little") + data[end + 20:])
    assert zipfile.ZipFile(path).testzip() is None
    assert main(["verify-bundle", str(path)]) == 2
    assert "something in it beside its files" in capsys.readouterr().err


def test_a_zip_that_was_written_as_a_stream_has_nothing_beside_its_files(packed, tmp_path):
    made = io.BytesIO()

    class Stream(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            return made.write(bytes(data))

    with zipfile.ZipFile(Stream(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _files(packed).items():
            archive.writestr(name, data)
    path = tmp_path / "b.zip"
    path.write_bytes(made.getvalue())
    assert unpacked(path) == _files(packed)


def test_a_record_that_names_its_experiment_as_a_path_is_packed_inside_the_bundle(tmp_path,
                                                                                  monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    lines = (DATA / "laptop" / "quick.jsonl").read_text().replace('"experiment": "quick"',
                                                                  '"experiment": "../../quick"')
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "quick.jsonl").write_text(lines)
    assert main(["bundle", str(tmp_path / "mine"), "--output", str(tmp_path / "b.zip")]) == 0
    assert all(map(safe_path, _files(tmp_path / "b.zip")))
    assert f"definitions/{record_name('../../quick')}.json" in _files(tmp_path / "b.zip")
    assert main(["verify-bundle", str(tmp_path / "b.zip")]) == 0


def test_a_folder_whose_name_cannot_be_unpacked_everywhere_is_refused(tmp_path, capsys):
    (tmp_path / "C:mine").mkdir()
    (tmp_path / "C:mine" / "quick.jsonl").write_bytes(
        (DATA / "laptop" / "quick.jsonl").read_bytes())
    assert main(["bundle", str(tmp_path / "C:mine"), "--output", str(tmp_path / "b.zip")]) == 2
    assert ("C:mine/quick.jsonl: this name cannot be unpacked on every system"
            in capsys.readouterr().err)


def test_a_full_disk_leaves_the_earlier_zip_and_is_told_with_the_file_name(tmp_path,
                                                                           monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("report.bundle.make.build", lambda *_, **__: ([], []))
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w") as earlier:
        earlier.writestr("bundle.json", "{}")
    before = path.read_bytes()
    monkeypatch.setattr("zipfile.ZipFile.writestr", full)
    assert main(["bundle", str(DATA / "laptop"), "--output", str(path)]) == 2
    assert capsys.readouterr().err == f"gemmlab bundle: error: {path}: No space left on device\n"
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("started", ["2999-12-31T23:59:59Z", "1066-10-14T09:00:00Z", "yesterday"])
def test_a_date_that_no_zip_can_hold_is_the_nearest_that_it_can(tmp_path, monkeypatch, started):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    folder = tmp_path / "future"
    folder.mkdir()
    text = (DATA / "workstation" / "thread_scaling.jsonl").read_text(encoding="utf-8")
    (folder / "thread_scaling.jsonl").write_text(
        re.sub(r'"started_utc": ?"[^"]*"', f'"started_utc": "{started}"', text), encoding="utf-8")
    path = tmp_path / "b.zip"
    assert main(["bundle", str(folder), "--output", str(path)]) == 0
    with zipfile.ZipFile(path) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} <= {1980, 2107}


def test_what_never_ends_or_leads_to_itself_is_no_bundle(tmp_path, capsys):
    itself = tmp_path / "itself.zip"
    itself.symlink_to(itself)
    for path, why in ((Path("/dev/zero"), "not a regular file"),
                      (itself, "Too many levels of symbolic links"),
                      (tmp_path, "not a regular file")):
        assert main(["verify-bundle", str(path)]) == 2
        assert capsys.readouterr().err == f"gemmlab verify-bundle: error: {path}: {why}\n"
