"""`run quick` in a fresh clone: a small part of the program first, the Python packages beside it,
and the rest when it is needed."""

from __future__ import annotations

import pytest

# Makes an environment whose pip installs nothing and, asked for packages, does as $FAKE_PIP says.
PYTHON = """#!/bin/bash
echo "${0##*/} $*" >>"$FAKE_LOG"
case "$*" in
  '-m venv --clear '*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
  '-m pip install '*) eval "${FAKE_PIP-}" ;;
  '-c import sys, importlib'*) exit 1 ;;
esac
"""
FIRST = "compiling what 'run quick' needs (9 steps)"
REST = ("compiling what 'run quick' did without: other instruction sets, implementations and "
        "operations (9 steps)")


@pytest.fixture(name="fresh")
def _fresh(gemmlab, tmp_path):
    shadow = tmp_path / "shadow"  # the real system's Python makes no environment
    shadow.mkdir()
    (shadow / "venv.py").write_text("raise ImportError\n")
    gemmlab.environment["PYTHONPATH"] = str(shadow)
    gemmlab.fake("python3", PYTHON)
    return gemmlab


def ran(done) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout.split("program <")[1].split(">")[0]


def test_quick_runs_the_part_that_it_needs_and_another_command_builds_the_rest_and_says_so(fresh):
    first = fresh("run", "quick")
    assert (ran(first), FIRST in first.stderr) == ("gemmlab-quick", True)
    again = fresh("run", "quick")
    assert (ran(again), again.stderr) == ("gemmlab-quick",
                                          "gemmlab: compiling what 'run quick' needs (9 steps)\n")
    assert ["GEMMLAB_ONLY" in call for call in fresh.calls("cmake") if "--preset" in call] == [True]
    rest = fresh("check")
    assert (ran(rest), REST in rest.stderr) == ("gemmlab", True)
    assert "GEMMLAB_ONLY" not in fresh.calls("cmake -S")[-1]
    assert ran(fresh("run", "quick")) == "gemmlab"
    assert len(fresh.calls("cmake -S")) == 2


@pytest.mark.parametrize(("arguments", "program"), [
    ((), "gemmlab-quick"), (("--no-report",), "gemmlab-quick"),
    (("--dry-run", "--machine", "mine"), "gemmlab-quick"),
    (("--output", "results"), "gemmlab-quick"), (("--output=results",), "gemmlab-quick"),
    (("cpu_loops",), "gemmlab"), (("--verbose", "cpu_loops"), "gemmlab"),
    (("--from-trace", "trace"), "gemmlab")])
def test_the_part_serves_quick_alone(fresh, arguments, program):
    assert ran(fresh("run", "quick", *arguments)) == program


@pytest.mark.parametrize("command", [("run", "cpu_loops"), ("run", "quick", "--all"), ("list",), ("check",), ("info",),
                                     ("test",), ("run",)])
def test_every_other_command_builds_all(fresh, command):
    fresh.fake("ctest", "#!/bin/bash\n")
    assert fresh(*command).returncode == 0
    assert "GEMMLAB_ONLY" not in fresh.calls("cmake -S")[0]


QUICK = """
[[group]]
size = 64
  [[group.run]]
  implementation  =  [  # in any format
    'cpu.serial', "gpu.naive",
    "cpu.blocked"]
"""


@pytest.mark.parametrize(("old", "new", "rows"), [
    ("", "", "serial;blocked"), ("size", "operation = 'gemv'\nsize", ""),
    ("gpu.naive", "cpu.*", ""), ("gpu.naive", "cpu.no_such", ""), ("gpu.naive", "cpu.serial", "serial;blocked"),
    ("size", "isa='avx2'\nsize", ""), ("size = 64", "size = ", "")])
def test_the_part_is_what_the_definition_names_in_any_format_and_else_all(fresh, old, new, rows):
    (fresh.root / "experiments/quick.toml").write_text(QUICK.replace(old, new, 1))
    assert ran(fresh("run", "quick")) == ("gemmlab-quick" if rows else "gemmlab")
    configured, = fresh.calls("cmake -S")
    assert configured.partition("-DGEMMLAB_ONLY=")[2] == rows


def test_a_part_is_not_taken_for_a_finished_build(fresh):
    fresh("run", "quick")
    done = fresh("check", GEMMLAB_BUILD="build/cpu")
    assert done.returncode == 2 and "there is no program build/cpu/runner/gemmlab" in done.stderr


def test_a_part_is_for_the_processor_that_it_was_configured_on(fresh):
    fresh("run", "quick")
    mark = fresh.root / "build/cpu/.gemmlab"
    mark.write_text("of another processor\n")
    assert ran(fresh("run", "quick")) == "gemmlab-quick"
    assert len(fresh.calls("cmake -S")) == 2


def test_the_packages_are_fetched_beside_the_build(fresh, tmp_path):
    # the build waits for it, and it for the build, a minute at most
    fetched, during = tmp_path / "fetched", tmp_path / "during"
    begun = """for _ in {1..1200}; do grep -q 'cmake --build' "$FAKE_LOG" && break; sleep 0.05; done"""
    unfinished = f"[[ -e '{fresh.root}/build/cpu/runner/gemmlab-quick' ]] || touch '{during}'"
    done = fresh("run", "quick", FAKE_BUILD_UNTIL=str(fetched),
                 FAKE_PIP=f"{begun}; grep -q 'cmake --build' \"$FAKE_LOG\" && "
                 f"{{ {unfinished}; }}; touch '{fetched}'")
    assert during.exists()
    assert f"python <{fresh.root}/.venv/bin/python>" in done.stdout, done.stderr
    assert (fresh.root / ".venv/.gemmlab").exists()


def test_points_are_measured_where_the_packages_cannot_be_fetched(fresh):
    lacking = {"FAKE_PIP": "echo 'no network'; exit 1"}
    done = fresh("run", "quick", **lacking)
    assert ran(done) == "gemmlab-quick"
    assert "python <>" in done.stdout
    assert "no network" in done.stderr and "the points are measured all the same" in done.stderr
    # what the program names: it fetches them, and fails where it cannot
    report = fresh("report", "results", **lacking)
    assert (report.returncode, report.stdout) == (2, "")
    assert fresh("report", "results").returncode == 0
    assert f"python <{fresh.root}/.venv/bin/python>" in fresh("run", "quick").stdout


def test_a_failing_build_ends_it_whatever_becomes_of_the_packages(fresh):
    done = fresh("run", "quick", FAKE_BUILD_FAILS="1")
    assert (done.returncode, done.stdout) == (2, "")


def test_uv_installs_by_the_hashes_and_pip_where_uv_cannot(fresh):
    (fresh.root / "requirements.txt").write_text("one==1 \\\n    --hash=sha256:1\nuv==2 \\\n"
                                                 "    --hash=sha256:2 \\\n    --hash=sha256:3\n"
                                                 "zwei==2 \\\n    --hash=sha256:4\n")
    fresh("report", "results")
    pip = [call for call in fresh.calls("python -m pip") if "--require-hashes" in call]
    # there came no uv with it
    assert [call.rpartition("/")[2] for call in pip] == ["uv.txt", "requirements.txt"]
    assert ((fresh.root / "build/launcher/uv.txt").read_text() == "uv==2 \\\n"
            "    --hash=sha256:2 \\\n    --hash=sha256:3\n")
    for exit_code, pips in ((0, 0), (1, 1)):
        fresh.fake("uv", f'#!/bin/bash\necho "uv $*" >>"$FAKE_LOG"\nexit {exit_code}\n')
        (fresh.root / ".venv/.gemmlab").unlink()
        before = len(fresh.calls("python -m pip install"))
        assert fresh("report", "results").returncode == 0
        assert "--require-hashes" in fresh.calls("uv pip install")[-1]
        assert len(fresh.calls("python -m pip install")) - before == pips
