"""`gemmlab merge`: the last record of each point and host, none lost, none doubled, whatever files
they are in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from report.__main__ import main


def run(run_id: str, host: str = "h1", **more) -> dict:
    return {"kind": "run", "run_id": run_id, "started_utc": f"2026-11-23T00:00:{run_id[-2:]}Z",
            "experiment": "x", "definition_sha256": "d", "host": {"id": host},
            "gpus": [{"name": "g", "uuid": f"GPU-{host}"}], **more}


def case(run_id: str, case_id: str, **more) -> dict:
    return {"kind": "case", "run_id": run_id, "experiment": "x", "case_id": case_id, "status": "ok",
            "twin_of": None, **more}


def write(path: Path, *lines: dict | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n"
                            for line in lines))
    return path


def merged(folder: Path, *more: Path) -> list[dict]:
    assert main(["merge", str(folder), *map(str, more)]) == 0
    return [json.loads(line) for line in (folder / "x.jsonl").read_text().splitlines()]


def cases(lines: list[dict]) -> list[tuple[str, str]]:
    return [(line["run_id"], line["case_id"]) for line in lines if line["kind"] == "case"]


def test_of_two_records_of_a_point_the_later_runs_stays_and_hosts_stay_apart(tmp_path):
    write(tmp_path / "x.shard-0-of-2.jsonl", run("r20"), case("r20", "a"), case("r20", "b"))
    write(tmp_path / "x.shard-1-of-2.jsonl", run("r10"), case("r10", "a"), case("r10", "c"),
          run("r30", "h2"), case("r30", "a"))
    assert cases(merged(tmp_path)) == [("r10", "c"), ("r20", "a"), ("r20", "b"), ("r30", "a")]


def test_merging_again_changes_nothing_and_a_newer_shard_counts(tmp_path):
    shard = write(tmp_path / "x.shard-0-of-1.jsonl", run("r10"),
                  case("r10", "a"), case("r10", "t", twin_of="a"),
                  {"kind": "cost", "run_id": "r10", "experiment": "x"},
                  {"kind": "later", "run_id": "r10", "experiment": "x"})
    first = merged(tmp_path)
    assert len(first) == 5
    before = (tmp_path / "x.jsonl").stat()
    assert (merged(tmp_path) == first
            and (tmp_path / "x.jsonl").stat().st_mtime_ns == before.st_mtime_ns)
    with shard.open("a") as file:
        file.write(json.dumps(run("r11")) + "\n" + json.dumps(case("r11", "a")) + "\n")
    assert cases(merged(tmp_path)) == [("r10", "t"), ("r11", "a")]
    shard.unlink()
    assert cases(merged(tmp_path)) == [("r10", "t"), ("r11", "a")]


@pytest.mark.parametrize("content", [None, "", "\n", "no record\n{\n"])
def test_a_folder_without_records_is_an_error_and_named(tmp_path, capsys, content):
    full, empty = tmp_path / "full", tmp_path / "empty"
    write(full / "x.jsonl", run("r10"), case("r10", "a"))
    empty.mkdir()
    if content is not None:
        (empty / "y.jsonl").write_text(content)
    before = (full / "x.jsonl").read_bytes()
    assert main(["merge", str(full), str(empty)]) == 2
    said = capsys.readouterr()
    assert (said.out == "" and said.err.startswith(f"gemmlab merge: error: {empty}: no ")
            and said.err.count("\n") == 1)
    assert (full / "x.jsonl").read_bytes() == before


def test_folders_are_merged_into_the_first_and_the_others_stay(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    write(a / "x.jsonl", run("r10"), case("r10", "a"))
    other = write(b / "x.jsonl", run("r11", "h2"), case("r11", "a")).read_bytes()
    assert cases(merged(a, b)) == [("r10", "a"), ("r11", "a")]
    assert (b / "x.jsonl").read_bytes() == other
    assert main(["merge", str(a), str(b), "--output", str(tmp_path / "c")]) == 0
    assert (tmp_path / "c" / "x.jsonl").read_bytes() == (a / "x.jsonl").read_bytes()


def test_a_torn_line_is_no_record_and_a_number_that_json_lacks_stays(tmp_path, capsys):
    write(tmp_path / "x.shard-0-of-1.jsonl", run("r10"), json.dumps(case("r10", "a", median_s=1))
          .replace("1}", "NaN}"), '{"kind":"case","run_id":"r1')
    assert main(["merge", str(tmp_path)]) == 0
    assert (tmp_path / "x.jsonl").read_text().count("NaN") == 1
    assert "left out 1 line" in capsys.readouterr().err


def test_what_shards_lack_is_said(tmp_path, capsys):
    shard = {"index": 1, "count": 3, "plan": "p", "points": 4}
    write(tmp_path / "x.shard-1-of-3.jsonl", run("r10", shard=shard), case("r10", "a"),
          case("r10", "t", twin_of="a"))
    merged(tmp_path)
    assert "x: 1 of 4 points are there; never begun of 3 shards: 0, 2" in capsys.readouterr().err
    write(tmp_path / "x.shard-0-of-3.jsonl", run("r11", shard={**shard, "index": 0}),
          *(case("r11", one) for one in "bcd"))
    merged(tmp_path)
    assert "points are there" not in capsys.readouterr().err


def test_a_file_that_grew_meanwhile_is_left_alone(tmp_path, monkeypatch, capsys):
    path = write(tmp_path / "x.jsonl", run("r10"), case("r10", "a"))
    write(tmp_path / "x.shard-0-of-1.jsonl", run("r11"), case("r11", "a"))
    from cluster.merge import lines

    kept = lines.kept

    def grown(*arguments):
        with path.open("a") as file:
            file.write("{}\n")
        return kept(*arguments)

    monkeypatch.setattr(lines, "kept", grown)
    assert main(["merge", str(tmp_path)]) == 2
    assert "a run has written to it meanwhile" in capsys.readouterr().err
    assert path.read_text().endswith("{}\n")


@pytest.mark.parametrize("job", ["7a", "1;ls"])
def test_a_job_that_is_no_number_is_refused(tmp_path, capsys, job):
    write(tmp_path / "x.jsonl", run("r10"), case("r10", "a"))
    assert main(["merge", str(tmp_path), f"--slurm-job={job}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("wrong", [{"host": 3}, {"gpus": [1]},
                                   {"ceilings": [{"value": "x", "device": "cpu"}, 3]},
                                   {"shard": {"index": 0}}, {"schema": 2}])
def test_a_run_that_is_none_or_newer_costs_no_line_of_its_points(tmp_path, wrong):
    write(tmp_path / "x.shard-0-of-2.jsonl", run("r20"), case("r20", "a"))
    write(tmp_path / "x.shard-1-of-2.jsonl", run("r10") | wrong, case("r10", "a"))
    assert cases(merged(tmp_path)) == [("r10", "a"), ("r20", "a")]
    assert cases(merged(tmp_path)) == [("r10", "a"), ("r20", "a")]
