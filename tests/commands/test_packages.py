"""Packages that are damaged: one line with the remedy and exit code 2, and where .venv is the
launcher's own, a new one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from sample_records import DATA, ROOT

from commands import packages

BROKEN = {"msgspec": "raise ImportError('libpython3.9.so: cannot open shared object file')\n",
          "orjson": "def loads(\n", "babel": "import nowhere_to_be_found\n"}


def started(folder, *arguments, **variables):
    """With the folder's modules in place of those of requirements.txt, as a damaged site-packages
    has them."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("GEMMLAB_")}
    return subprocess.run([sys.executable, "-m", "report", *arguments], cwd=ROOT,
                          capture_output=True, text=True, timeout=120, check=False, env=environment
                          | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"} | variables)


@pytest.fixture(name="damaged", params=BROKEN)
def _damaged(tmp_path, request):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / f"{request.param}.py").write_text(BROKEN[request.param])
    return folder


def test_a_damaged_package_is_told_in_one_line_with_the_remedy(damaged):
    done = started(damaged, "doctor", str(DATA / "laptop"))
    assert done.returncode == 2 and "Traceback" not in done.stderr
    [line] = done.stderr.splitlines()
    assert (line.startswith("gemmlab: the Python packages cannot be loaded (")
            and ("pip install" in line or ".venv" in line))


def test_one_that_is_loaded_later_is_told_likewise(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('cut off')\n")
    done = started(tmp_path, "build", str(DATA / "workstation" / "thread_scaling.jsonl"),
                   "--no-pdf", "--output", str(tmp_path / "out"))
    assert done.returncode == 2 and "Traceback" not in done.stderr and "cut off" in done.stderr


def test_the_launcher_is_asked_for_a_new_one_with_the_same_command_once(damaged, tmp_path):
    launcher = tmp_path / "gemmlab"
    launcher.write_text("#!/bin/bash\nprintf '<%s>' \"$@\" \"again ${GEMMLAB_AGAIN-no}\" "
                        "\"$GEMMLAB_REPAIRED\"\n")
    launcher.chmod(0o755)
    done = started(damaged, "build", "a b", "--no-pdf", GEMMLAB_AGAIN="report",
                   GEMMLAB_ROOT=str(tmp_path))
    assert (done.stdout == "<report><a b><--no-pdf><again no><1>"
            and "making .venv anew" in done.stderr)


def test_the_launchers_mark_says_that_it_is_damaged_and_nobody_elses_environment_gets_one(
        tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(packages.sys, "prefix", str(tmp_path))
    monkeypatch.delenv("GEMMLAB_AGAIN", raising=False)
    assert packages.refused(ImportError("x")) == 2 and list(tmp_path.iterdir()) == []
    (tmp_path / ".gemmlab").write_text("made for\n")
    assert packages.refused(ImportError("x")) == 2
    assert (tmp_path / ".gemmlab").read_text() == "damaged\n"


def test_a_fault_of_ours_is_no_damage():
    assert not packages.damaged(ImportError("x", name="records.loading"))
    assert not packages.damaged(KeyError("x"))
    assert not packages.damaged(SyntaxError("x", (str(ROOT / "report" / "x.py"), 1, 1, "")))
