"""What is passed on, to whom, and with which exit code."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

COMMANDS = ["list", "info", "check", "run", "slurm", "merge", "submit", "assignment", "explain", "tune", "report", "course", "compare", "doctor",
            "bundle", "verify-bundle", "export", "profile", "peers", "test"]


@pytest.mark.parametrize("flag", ["--help", "-h", "help"])
def test_help_shows_each_command_on_one_line_and_an_example(gemmlab, flag):
    done = gemmlab(flag)
    assert done.returncode == 0
    for command in COMMANDS:
        assert sum(line.split()[:1] == [command] for line in done.stdout.splitlines()) == 1, command
    assert "Example: ./gemmlab run quick" in done.stdout
    assert gemmlab.log.read_text() == ""  # nothing was installed or built for it


def test_no_command_shows_the_commands_and_is_a_usage_error(gemmlab):
    done = gemmlab()
    assert (done.returncode, done.stdout) == (2, "")
    assert "compare" in done.stderr


def test_unknown_command_is_refused_in_one_line(gemmlab):
    done = gemmlab("mesure")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"gemmlab: there is no command 'mesure'; there are {' '.join(COMMANDS)} (see gemmlab --help)\n"
    assert gemmlab.log.read_text() == ""


@pytest.mark.parametrize("typed,meant", [("rnu", "run"), ("Run", "run"), ("comp", "compare"), ("quick", "run quick"),
                                         ("my sweep.toml", "run my sweep.toml"), ("kernel.cu", "submit kernel.cu")])
def test_what_was_probably_meant_is_named(gemmlab, typed, meant):
    (gemmlab.root / "experiments").mkdir(exist_ok=True)
    (gemmlab.root / "experiments" / "quick.toml").touch()
    done = gemmlab(typed)
    assert done.returncode == 2 and done.stderr.startswith(f"gemmlab: there is no command '{typed}', did you mean {meant}?; ")


def test_the_internal_worker_is_no_command(gemmlab):
    assert gemmlab("worker", "1", "2", "3").returncode == 2


def test_arguments_reach_the_program_as_they_are(gemmlab):
    done = gemmlab("list", "--help", "two words", "", "*")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:5] == [f"argument <{a}>" for a in ["list", "--help", "two words", "", "*"]]


def test_standard_output_is_the_programs_alone(gemmlab):
    assert gemmlab("list", "--json").stdout.startswith("argument <list>")


@pytest.mark.parametrize("code", [0, 1, 2, 130])
def test_the_programs_exit_code_is_passed_on(gemmlab, code):
    assert gemmlab("check", FAKE_EXIT=str(code)).returncode == code


def test_works_through_a_symlink_from_another_folder(gemmlab, tmp_path):
    link = tmp_path / "link to it"
    link.symlink_to(gemmlab.root / "gemmlab")
    done = gemmlab("info", via=link, cwd=tmp_path)
    assert done.returncode == 0
    assert f"root <{gemmlab.root}>" in done.stdout
    assert f"folder <{tmp_path}>" in done.stdout  # relative paths of the user stay right


def test_test_help_runs_nothing(gemmlab):
    done = gemmlab("test", "--help")
    assert done.returncode == 0 and "Example: gemmlab test" in done.stdout
    assert gemmlab.log.read_text() == ""


@pytest.mark.parametrize(("status", "code"), [(0, 0), (8, 1)])
def test_test_runs_ctest_with_the_arguments_and_fails_with_1(gemmlab, status, code):
    gemmlab.fake("ctest", f'#!/bin/bash\nprintf "<%s>" "$@"\nexit {status}\n')
    build = gemmlab.finished_build()
    done = gemmlab("test", "-R", "a b", GEMMLAB_BUILD=str(build))
    beside = min(len(list(Path("/sys/devices/system/cpu").glob("cpu[0-9]*"))), 4)
    assert done.stdout == f"<--test-dir><{build}><--output-on-failure><-j><{beside}><-R><a b>"
    assert done.returncode == code


def test_interrupt_while_building_ends_with_130(gemmlab):
    with gemmlab.start("list", FAKE_BUILD_SECONDS="300") as process:
        while not gemmlab.calls("cmake --build"):
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
