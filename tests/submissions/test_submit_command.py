"""The manners of `gemmlab submit`: mistakes, odd files, signals, consent."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from judged import COLLECTION, start, submit, verdict_of

from submissions.driver.program import HandIn, JudgeBroke

CPU = COLLECTION / "cpu"


@pytest.mark.parametrize(("arguments", "said"), [
    (["nothing.cpp"], "nothing.cpp"),
    (["notes.txt"], ".cpp"),
    (["empty"], "no submissions"),
    (["a.cpp", "--rule", "bad.toml"], "bad.toml"),
    (["a.cpp", "--seed", "minus"], "seed"),
    (["a.cpp", "--seeed", "3"], "there is no option --seeed"),
    (["a.cpp", "--like", "2D blocktilng"], "did you mean '2D blocktiling'?"),
    (["a.cpp", "--like", "tiling"], "ambiguous"),
    (["a.cpp", "b.cpp", "--json"], "--json"),
    (["a.cpp", "./a.cpp"], "two submissions"),
])
def test_bad_usage_is_one_line_and_exits_with_2(tmp_path: Path, arguments: list[str],
                                                said: str) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    for name in ("a.cpp", "b.cpp"):
        (tmp_path / name).write_text("int x;\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.toml").write_text("rounds = -1\n", encoding="utf-8")
    finished = submit(*arguments, cwd=tmp_path)
    assert finished.returncode == 2
    assert said in finished.stderr and finished.stderr.count("\n") == 1


def odd_files(folder: Path, ending: str) -> list[Path]:
    """Files that cannot be read as ordinary ones: they hang, never end or lead nowhere."""
    os.mkfifo(folder / f"fifo{ending}")
    (folder / f"zero{ending}").symlink_to("/dev/zero")
    (folder / f"loop{ending}").symlink_to(f"loop{ending}")
    (folder / f"folder{ending}").mkdir()
    return [folder / f"{name}{ending}" for name in ("fifo", "zero", "loop", "folder")]


def test_a_rule_is_an_ordinary_file(tmp_path: Path) -> None:
    (tmp_path / "kernel.cpp").write_text("int x;\n", encoding="utf-8")
    for rule in odd_files(tmp_path, ".toml"):
        refused = submit(tmp_path / "kernel.cpp", "--rule", rule, cwd=tmp_path, limit_s=30)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert rule.name in refused.stderr


def test_a_submission_is_an_ordinary_file_and_a_folder_passes_over_what_is_none(
        tmp_path: Path) -> None:
    fifo, zero, loop, folder = odd_files(tmp_path, ".cpp")
    for file in (fifo, folder):
        refused = submit(file, "--no-timing", cwd=tmp_path, limit_s=30)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    zero.unlink()
    loop.unlink()
    refused = submit(tmp_path, "--no-timing", cwd=tmp_path, limit_s=30)
    assert ((refused.returncode, refused.stderr.count("\n")) == (2, 1)
            and "no submissions in it" in refused.stderr)


@pytest.mark.parametrize("before", [[], ["--rule"], ["--seed"], ["--"]])
@pytest.mark.parametrize("argument", ["x" * 100_000 + "\x1b[2J\n", "\x1b[2J\n" + "x" * 100_000])
def test_what_is_said_of_an_argument_is_short_and_obeyed_by_no_terminal(
        tmp_path: Path, before: list[str], argument: str) -> None:
    refused = submit(*before, argument, cwd=tmp_path, limit_s=30)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert len(refused.stderr) < 5000 and "\x1b" not in refused.stderr


def test_help_shows_an_example_and_needs_no_program(tmp_path: Path,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMMLAB_JUDGE")
    shown = submit("--help", cwd=tmp_path, limit_s=30)
    assert shown.returncode == 0 and "Example: gemmlab submit my_kernel.cu" in shown.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_judge_and_leaves_no_process_and_no_scratch_folder(
        tmp_path: Path, rule: Path, number: int) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with start(CPU / "infinite_loop.cpp", "--rule", rule, "--output", tmp_path / "out",
               TMPDIR=str(scratch)) as running:
        limit = time.monotonic() + 60
        while not list(scratch.glob("gemmlab-*/submission-*/submission.so")):
            assert running.poll() is None and time.monotonic() < limit
            time.sleep(0.05)
        running.send_signal(number)
        running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert not list(scratch.iterdir())


def test_the_judge_ends_with_the_driver(tmp_path: Path, rule: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with start(CPU / "infinite_loop.cpp", "--rule", rule, "--output", tmp_path / "out",
               TMPDIR=str(scratch)) as running:
        limit = time.monotonic() + 60
        while not list(scratch.glob("gemmlab-*/submission-*/submission.so")):
            assert running.poll() is None and time.monotonic() < limit
            time.sleep(0.05)
        running.kill()  # it cannot tell the judge any more
        running.communicate(timeout=60)
    limit = time.monotonic() + 20
    while list(scratch.iterdir()):
        assert time.monotonic() < limit, "its scratch folder is still there"
        time.sleep(0.05)


def test_a_judge_that_breaks_is_no_verdict(tmp_path: Path, rule: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "judge"
    broken.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("GEMMLAB_JUDGE", str(broken))
    finished = submit(CPU / "right.cpp", "--rule", rule, "--output", tmp_path / "out")
    assert (finished.returncode == 3
            and "gemmlab-judge facts ended without an answer (exit code 7)" in finished.stderr)


def test_without_bubblewrap_it_takes_a_word_of_consent(tmp_path: Path, rule: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    broken = tmp_path / "bin" / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\n"
                      "exit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    command = (CPU / "right.cpp", "--rule", rule, "--no-timing", "--output", tmp_path / "out")
    refused = submit(*command, consent=())
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert ("No permissions to create new namespace" in refused.stderr
            and "--without-isolation" in refused.stderr)
    assert not (tmp_path / "out" / "right.cpp").exists()
    assert submit(*command, consent=("--without-isolation",)).returncode == 0
    missing = verdict_of(tmp_path / "out", "right.cpp")["isolation"]["missing"]
    assert (any("--without-isolation" in one for one in missing)
            and any("a file system of its own" in one for one in missing))


def test_a_judge_that_is_gone_when_it_is_asked_breaks_no_pipe_of_ours(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "judge"
    broken.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("GEMMLAB_JUDGE", str(broken))
    judge = HandIn({})
    with pytest.raises(JudgeBroke, match="exit code 7"):
        judge.compiled()
    judge.ask({"limits": None})
    judge.end()  # a BrokenPipeError here would pass for `| head`, and end the command with 0
