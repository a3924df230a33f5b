"""How commands end: their exit codes, one line where they are stopped, and no process left
behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sample_records import DATA, ROOT

from report.__main__ import COMMANDS, main

# The report, whose figures take ten minutes each, on as many cores as it asks for.
SLOW = """
import os, runpy, sys, time, plots
os.sched_getaffinity = lambda pid: range(4)
plots.draw = lambda *_: time.sleep(600)
sys.argv[0] = "report"
runpy.run_module("report", run_name="__main__", alter_sys=True)
"""


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def there(pid: int) -> bool:
    """Runs, and is not a zombie that nobody has asked for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(what, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def outcome(process: subprocess.Popen) -> str:
    """What it said. Where it does not end, nothing of it is left either."""
    try:
        return process.communicate(timeout=30)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def lines_of(err: str) -> list[str]:
    """All but the sample records' own warning, of a torn line, and how far a slow machine was."""
    return [line for line in err.splitlines()
            if "skipped, not a whole record" not in line and ": tables of " not in line]


def start(*arguments: str, script: str = SLOW) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", script, *arguments], cwd=ROOT,
                            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT)},
                            preexec_fn=heed_signals)


def heed_signals() -> None:
    """Background jobs ignore SIGINT, and what nohup starts SIGHUP; both hand that on."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("command", ["build", "bundle"])
@pytest.mark.parametrize(("number", "code", "said"), [
    (signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM"),
    (signal.SIGHUP, 129, "ended by SIGHUP"), (signal.SIGKILL, -9, None)])
def test_a_signal_leaves_no_drawing_process_and_no_scratch_folder(tmp_path, monkeypatch, command,
                                                                  number, code, said):
    scratch, output = tmp_path / "scratch", tmp_path / "output.zip"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    with start(command, str(DATA / "workstation"), "--output", str(output)) as process:
        until(lambda: len(children(process.pid)) >= 4 or process.poll() is not None)
        # and, until it is packed, the one for the explorer's library
        drawing = children(process.pid)
        assert len(drawing) in (4, 5)
        process.send_signal(number)
        err = outcome(process)
    assert process.returncode == code
    until(lambda: not any(there(pid) for pid in drawing), 10)
    if said is not None:
        name = {"build": "report"}.get(command, command)
        assert lines_of(err) == [f"gemmlab {name}: {said}"]
        assert list(scratch.iterdir()) == []
    assert not output.is_file()


def test_ctrl_c_at_the_terminal_reaches_all_and_is_told_once(tmp_path):
    with start("build", str(DATA / "workstation"), "--output", str(tmp_path)) as process:
        until(lambda: len(children(process.pid)) >= 4 or process.poll() is not None)
        os.killpg(process.pid, signal.SIGINT)
        err = outcome(process)
    assert (process.returncode, lines_of(err)) == (130, ["gemmlab report: interrupted"])


def test_ctrl_c_while_modules_are_loaded_shows_no_traceback(tmp_path):
    (tmp_path / "orjson.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    script = f"import sys, runpy\nsys.path.insert(0, {str(tmp_path)!r})\n" \
             "runpy.run_module('report', run_name='__main__', alter_sys=True)"
    with start("build", script=script) as process:
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "gemmlab: interrupted\n")


def test_a_signal_that_the_caller_has_us_ignore_stays_ignored(tmp_path):
    script = ("import os, signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
              "from commands import stop_signals\nstop_signals.leave_at_once()\nstop_signals.raise_stopped()\n"
              "os.kill(os.getpid(), signal.SIGHUP)\nprint('went on')")
    with start(script=script) as process:
        assert process.communicate(timeout=60) == ("went on\n", "")


def test_a_signal_that_comes_while_a_finalizer_runs_is_not_lost():
    script = """if 1:
        import os, signal, time
        from commands import exits, stop_signals
        class Last:
            def __del__(self): os.kill(os.getpid(), signal.SIGTERM)
        def command():
            Last()
            time.sleep(600)
        stop_signals.raise_stopped()
        raise SystemExit(exits.code_of("here", command))"""
    with start(script=script) as process:
        err = outcome(process)
    assert (process.returncode, err) == (143, "here: ended by SIGTERM\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_crash_has_a_code_that_no_finding_has(monkeypatch, capsys, name):
    def crash(arguments):
        raise KeyError("first_call_context_s")

    monkeypatch.setitem(COMMANDS, name, (COMMANDS[name][0], crash))
    assert main([name]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Traceback")
    assert (lines[-1] == f"{COMMANDS[name][0]}: crashed, which is a fault of gemmlab: KeyError: "
            "'first_call_context_s'")


def test_a_full_disk_is_told_with_the_folder(monkeypatch, tmp_path, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("report.build.write_pages", full)
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    assert main(["build", str(DATA / "laptop"), "--output", str(tmp_path / "out"), "--no-pdf"]) == 2
    assert (capsys.readouterr().err == f"gemmlab report: error: {tmp_path / 'out'}: No space left "
            "on device\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
@pytest.mark.parametrize("command", [["compare", str(DATA / "workstation"), str(DATA / "laptop")],
                                     ["doctor", str(DATA / "workstation")],
                                     ["slurm", "quick", "--tasks", "2", "--gpus-per-task", "0"]],
                         ids=lambda command: command[0])
def test_output_is_utf_8_whatever_the_locale_lacks(tmp_path, command, encoding):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding,
                                "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-m", "report", *command], cwd=tmp_path, env=environment,
                          capture_output=True, timeout=300, check=False)
    said = done.stderr.decode("utf-8")
    assert done.returncode in (0, 1, 2) and "Traceback" not in said and "codec" not in said, said
    assert command[0] == "slurm" or done.stdout.decode("utf-8")
