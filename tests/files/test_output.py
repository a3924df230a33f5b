"""Where commands write: whole or not at all, nothing outside, and never over what gemmlab has not
made."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sample_records import DATA, ROOT, needs_command

from files import output, placing
from files.output import new_file, new_folder
from files.reading import InputError
from files.safe import is_file_name, record_name
from report.__main__ import main

LAPTOP = DATA / "laptop"


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def page(folder: Path, text: str = "", **others: str) -> None:
    """A page of ours, and what lies beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(output.MARK + text)
    for name, content in others.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def no_exchange(monkeypatch, number: int = errno.EINVAL) -> None:
    monkeypatch.setattr(placing, "rename", lambda *_: False)


@pytest.mark.parametrize("name", ["../../escaped", "/etc/passwd", "a\0b", "..", "", "a/b",
                                  "x" * 300, "a\nb", "\u202egnp", "C:x", "ends."])
def test_a_record_names_no_file_outside_and_none_that_some_system_lacks(name):
    made = record_name(name)
    assert is_file_name(made) and not is_file_name(name) and len(made.encode()) < 200
    assert record_name(made) == made


@pytest.mark.parametrize("name", ["quick", "gpu ladder", "größe", "x.shard-0-of-2"])
def test_a_name_that_is_one_stays(name):
    assert record_name(name) == name


@pytest.mark.parametrize("name", ["../../escaped", "ABSOLUTE/escaped", "a\0b", "../x", "."])
def test_merge_writes_into_its_output_alone_and_loses_nothing(tmp_path, name):
    needs_command("merge")
    name = name.replace("ABSOLUTE", str(tmp_path))
    folder = tmp_path / "deep" / "records"
    folder.mkdir(parents=True)
    run = {"kind": "run", "run_id": "r1", "started_utc": "2026-11-23T00:00:00Z", "experiment": name}
    case = {"kind": "case", "run_id": "r1", "experiment": name, "case_id": "a", "status": "ok"}
    (folder / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (run, case)))
    before = files(tmp_path)
    for _ in range(2):
        assert main(["merge", str(folder)]) == 0
    new = files(tmp_path).keys() - before.keys()
    assert [path.rpartition("/")[0] for path in new] == ["deep/records"]
    assert (tmp_path / new.pop()).read_bytes() == before["deep/records/t.jsonl"]


@pytest.mark.parametrize("command", ["bundle", "explain", "counts", "bundle-by-link"])
def test_records_are_never_written_over(tmp_path, capsys, monkeypatch, command):
    needs_command("explain" if command == "counts" else command.partition("-")[0])
    records = tmp_path / "quick.jsonl"
    shutil.copy(LAPTOP / "quick.jsonl", records)
    target = records
    if command == "bundle-by-link":
        target = tmp_path / "report.zip"
        target.symlink_to(records)
    monkeypatch.setenv("GEMMLAB_PROGRAM", "/bin/false")  # is not even asked
    asked = {"explain": ["explain", "gpu.tiled", "--output", str(target)],
             "counts": ["explain", "gpu.tiled", "--counts", str(target)]}
    assert main(asked.get(command, ["bundle", str(tmp_path), "--output", str(target)])) == 2
    said = capsys.readouterr().err
    assert "a name of records" in said and str(target) in said and said.count("\n") == 1
    assert records.read_bytes() == (LAPTOP / "quick.jsonl").read_bytes()


@pytest.mark.parametrize("arguments,name", [
    (["build", LAPTOP, "--no-pdf"], "report.html"), (["build", LAPTOP, "--markdown"], "report.md"),
    (["build", LAPTOP, "--markdown"], "tables/costs.csv"), (["export", LAPTOP], "cases.csv"),
    (["export", LAPTOP, "--format", "google-benchmark"], "quick.json"),
    (["compare", LAPTOP, LAPTOP], "compare.html"), (["compare", LAPTOP, LAPTOP], "compare.md"),
    (["compare", LAPTOP, LAPTOP], "compare.csv"), (["course"], "index.html"),
    (["course"], "style.css")])
def test_somebody_elses_file_stays_and_nothing_comes_beside_it(tmp_path, capsys, monkeypatch,
                                                               arguments, name):
    needs_command(arguments[0])
    monkeypatch.setattr("report.build.build", lambda results, theirs, made,
                        *_: (page(made, tables__costs_dot_csv="", report_dot_md=""), ((), []))[1])
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("my own notes on gemmlab")
    assert main([*map(str, arguments), "--output", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"{path}: gemmlab has not made this file" in said
    assert files(tmp_path) == {name: b"my own notes on gemmlab"}


def test_a_file_with_a_satellites_mark_is_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_MARKS", {ending: set(some)
                                           for ending, some in output._MARKS.items()})
    page, packed = tmp_path / "planted.html", tmp_path / "planted.zip"
    page.write_text('<p class="planted">')
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("planted.toml", "x")
    assert not output.is_ours(page) and not output.is_ours(packed)
    output.know({".html": ('class="planted"',), ".zip": ("planted.toml",)})
    assert output.is_ours(page) and output.is_ours(packed)


@pytest.mark.parametrize("name", ["thesis.zip", "notes.txt"])
def test_a_zip_of_somebody_else_stays(tmp_path, capsys, name):
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("thesis.tex", "x")
    before = files(tmp_path)
    assert main(["bundle", str(LAPTOP), "--output", str(tmp_path / name)]) == 2
    assert "gemmlab has not made this file" in capsys.readouterr().err and files(tmp_path) == before


def test_no_device_and_no_folder_is_replaced(tmp_path, capsys):
    for target in ("/dev/null", tmp_path):
        with pytest.raises(InputError), new_file(Path(target)):
            pass
    assert Path("/dev/null").is_char_device()


def test_an_own_output_is_replaced_whole_and_what_else_lies_in_it_stays(tmp_path):
    target = tmp_path / "report"
    page(target, "old", tables__a_dot_csv="old", figures__mine_dot_png="mine", report_dot_pdf="old")
    with new_folder(target, pages=("report.html",), gone=("report.pdf",)) as made:
        assert made.parent == tmp_path  # on the same file system
        page(made, "new", tables__a_dot_csv="new")
        assert (target / "tables" / "a.csv").read_text() == "old"
    assert files(tmp_path) == {"report/report.html": f"{output.MARK}new".encode(),
                               "report/tables/a.csv": b"new", "report/figures/mine.png": b"mine"}


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_with_more_in_it_keeps_that_and_itself(tmp_path, monkeypatch, exchange):
    if not exchange:
        no_exchange(monkeypatch)
    page(tmp_path, "old", tables__a_dot_csv="old", tables__mine_dot_csv="mine",
         thesis_dot_tex="mine")
    before = tmp_path.stat().st_ino
    with new_folder(tmp_path, pages=("report.html",)) as made:
        page(made, "new", tables__a_dot_csv="new")
    assert tmp_path.stat().st_ino == before
    assert files(tmp_path) == {"report.html": f"{output.MARK}new".encode(), "tables/a.csv": b"new",
                               "tables/mine.csv": b"mine", "thesis.tex": b"mine"}


def test_the_folder_in_which_somebody_stands_is_not_taken_from_under_them(tmp_path, monkeypatch):
    page(tmp_path, "old")
    monkeypatch.chdir(tmp_path)
    with new_folder(Path(), pages=("report.html",)) as made:
        page(made, "new")
    assert Path("report.html").read_text().endswith("new")


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_ends_in_the_middle_leaves_what_was_there(tmp_path, there, what):
    if there:
        page(tmp_path / "report", "old")
    before = files(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        if what == "folder":
            with new_folder(tmp_path / "report", pages=("report.html",)) as made:
                page(made, "new")
                raise KeyboardInterrupt
        with new_file(tmp_path / "report" / "report.html") as made:
            made.write_text("half")
            raise KeyboardInterrupt
    assert files(tmp_path) == before


def test_an_error_names_the_output_not_what_is_made_beside_it(tmp_path):
    with pytest.raises(OSError) as caught, new_folder(tmp_path / "out") as made:
        raise OSError(errno.ENOSPC, "No space left on device", str(made / "tables" / "x.csv"))
    assert caught.value.filename == str(tmp_path / "out" / "tables" / "x.csv")


def test_what_a_killed_command_left_goes_with_the_next(tmp_path):
    script = f"""if 1:
        import os, signal
        from pathlib import Path
        from files.output import new_folder
        with new_folder(Path({str(tmp_path / 'out')!r})) as made:
            (made / "half").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert (done.returncode == -signal.SIGKILL and not (tmp_path / "out").exists()
            and len(list(tmp_path.iterdir())) == 1)
    with new_folder(tmp_path / "out") as made:
        (made / "whole").write_text("whole")
    assert files(tmp_path) == {"out/whole": b"whole"}


def test_a_full_disk_leaves_no_trace_of_a_merge(tmp_path, monkeypatch, capsys):
    needs_command("merge")
    (tmp_path / "a").mkdir()
    shutil.copy(LAPTOP / "quick.jsonl", tmp_path / "a")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("cluster.merge.command._copy", full)
    assert main(["merge", str(tmp_path / "a"), "--output", str(tmp_path / "b")]) == 2
    assert (capsys.readouterr().err == f"gemmlab merge: error: {tmp_path / 'b' / 'quick.jsonl'}: "
            "No space left on device\n")
    assert list((tmp_path / "b").iterdir()) == []


def test_records_that_a_run_begins_meanwhile_are_not_replaced(tmp_path, monkeypatch, capsys):
    needs_command("merge")
    (tmp_path / "a").mkdir()
    shutil.copy(LAPTOP / "quick.jsonl", tmp_path / "a")
    begun = tmp_path / "b" / "quick.jsonl"
    monkeypatch.setattr("cluster.merge.command._copy",
                        lambda kept, target: begun.write_text("begun\n"))
    assert main(["merge", str(tmp_path / "a"), "--output", str(tmp_path / "b")]) == 2
    assert files(tmp_path / "b") == {"quick.jsonl": b"begun\n"}


@pytest.mark.parametrize("arguments",
                         [["doctor", LAPTOP], ["compare", LAPTOP, LAPTOP], ["compare", "--help"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_answer_that_reaches_nobody_is_told(arguments, unbuffered):
    command = [sys.executable, "-m", "report", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True,
                              env=environment, check=False)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].endswith(
        "standard output cannot be written to: No space left on device")
    done = subprocess.run(["bash", "-c", 'exec "$@" >&-', "bash", *command], stderr=subprocess.PIPE,
                          text=True, env=environment, check=False)
    assert (done.returncode == 2 and "standard output is closed" in done.stderr
            and done.stderr.count("\n") == 1)
