"""What is passed on, to whom, and with which exit code."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

COMMANDS = ["list", "info", "check", "run", "slurm", "merge", "submit", "assignment", "explain",
            "tune", "report", "course", "compare", "doctor", "bundle", "verify-bundle", "gallery",
            "contribute", "export", "profile", "peers", "library", "test"]


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
    assert (done.stderr == f"gemmlab: there is no command 'mesure'; there are {' '.join(COMMANDS)} "
            "(see gemmlab --help)\n")
    assert gemmlab.log.read_text() == ""


@pytest.mark.parametrize("typed,meant", [
    ("rnu", "run"), ("Run", "run"), ("comp", "compare"), ("quick", "run quick"),
    ("runn", "run"), ("lst", "list"), ("submt", "submit"), ("copmare", "compare"),
    ("--hlep", "--help"), ("--verison", "--version"), ("verify-bundel", "verify-bundle"),
    ("my sweep.toml", "run my sweep.toml"), ("kernel.cu", "submit kernel.cu")])
def test_what_was_probably_meant_is_named(gemmlab, typed, meant):
    (gemmlab.root / "experiments").mkdir(exist_ok=True)
    (gemmlab.root / "experiments" / "quick.toml").touch()
    done = gemmlab(typed)
    assert done.returncode == 2 and done.stderr.startswith("gemmlab: there is no command "
                                                           f"'{typed}', did you mean {meant}?; ")


def test_a_satellite_that_is_not_here_takes_its_lines_along(gemmlab):
    whole = gemmlab("--help").stdout
    shutil.rmtree(gemmlab.root / "cluster")
    assert gemmlab("--help").stdout == re.sub("  (slurm|merge) .*\n", "", whole)
    for command, told in (("slurm", "slurm is a satellite's command, whose folder is not here\n"),
                          ("slrum", "there is no command 'slrum'; there are list"),
                          ("--fresh", "there is no command '--fresh'; there are list")):
        done = gemmlab(command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"gemmlab: {told}")


def test_the_internal_worker_is_no_command(gemmlab):
    assert gemmlab("worker", "1", "2", "3").returncode == 2


def test_arguments_reach_the_program_as_they_are(gemmlab):
    done = gemmlab("list", "--helpless", "two words", "a --help b", "*")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:5] == [
        f"argument <{a}>" for a in ["list", "--helpless", "two words", "a --help b", "*"]]


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


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_runs_nothing_and_waits_for_nobody(gemmlab, command, flag):
    """In a fresh clone, while another gemmlab holds the lock, and of a user who may not write
    there."""
    state = gemmlab.root / "build/launcher"
    state.mkdir(parents=True)
    with (state / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = gemmlab(command, "something", flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"gemmlab {command}" in done.stdout
    assert gemmlab.log.read_text() == ""


def test_help_of_a_part_of_a_command_is_its_own(gemmlab):
    assert "gemmlab assignment pack" in gemmlab("assignment", "pack", "--help").stdout
    assert gemmlab("assignment", "../../packages", "--help").stdout == gemmlab("assignment",
                                                                               "--help").stdout


@pytest.mark.parametrize(("typed", "command"),
                         [("--hlep", "run"), ("--hepl", "report"), ("--halp", "submit")])
def test_a_misspelt_help_costs_no_build(gemmlab, typed, command):
    done = gemmlab(command, typed)
    assert (done.returncode, done.stderr) == (
        2, f"gemmlab: {command}: there is no option {typed}, did you mean --help?\n")
    assert gemmlab.log.read_text() == ""


@pytest.mark.parametrize(("arguments", "where"),
                         [(("report", ""), ""), (("merge", "a", ""), ""), (("submit", ""), ""),
                          (("run", "quick", "--output", ""), " (after --output)")])
def test_an_empty_argument_is_refused(gemmlab, arguments, where):
    done = gemmlab(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert (done.stderr == f"gemmlab: {arguments[0]}: an argument is empty{where}: leave it out, "
            "or give it a value\n")
    assert gemmlab.log.read_text() == ""


@pytest.mark.parametrize("arguments", [("list", "--json"), ("info", "--json"), ("doctor", "--json"),
                                       ("lst", "--json"), ("doctor", "", "--json")])
def test_who_asks_for_json_gets_it_where_nothing_can_be_started(gemmlab, arguments):
    done = gemmlab(*arguments, FAKE_BUILD_FAILS="yes", GEMMLAB_CUDA="a \"b\\")
    assert done.returncode == 2 and done.stderr.startswith("gemmlab: ")
    assert list(json.loads(done.stdout)) == ["error"]


def test_a_refusal_in_json_is_the_one_of_standard_error(gemmlab):
    done = gemmlab("li\"s\\t\x1b", "--json")
    assert f"gemmlab: {json.loads(done.stdout)['error']}\n" == done.stderr


@pytest.mark.parametrize("typed", ["a\x1b[31mb", "a\u009b31mb", "a\u202eb", "a\nb", "a\u2066b"])
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_nothing_that_a_terminal_obeys_is_repeated(gemmlab, typed, locale):
    done = gemmlab(typed, LC_ALL=locale)
    assert (done.returncode == 2 and len(done.stderr.splitlines()) == 1
            and done.stderr.rstrip("\n").isprintable())
    assert gemmlab("矩阵", LC_ALL="C").stderr.startswith("gemmlab: there is no command '矩阵'; ")


def test_library_prints_where_it_is_and_nothing_else(gemmlab):
    done = gemmlab("library")
    assert (done.returncode,
            done.stdout) == (0, f"{gemmlab.root}/build/cpu/api/blas/libgemmlab_blas.so\n")
    assert gemmlab.calls("cmake --build")[-1].endswith("--target gemmlab_blas")
    assert (gemmlab.root / "build/cpu/api/blas/libgemmlab_blas.so").is_file()


def test_library_of_a_finished_build_is_that_or_refused(gemmlab):
    build = gemmlab.finished_build()
    done = gemmlab("library", GEMMLAB_BUILD=str(build))
    assert (done.returncode == 2
            and f"there is no program {build}/api/blas/libgemmlab_blas.so" in done.stderr)
    assert gemmlab("library", "more").returncode == 2


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
