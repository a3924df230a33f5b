"""The check of the Python side and of the shell scripts finds what it is for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

TOOLS = ROOT / "build/lint"
pytestmark = pytest.mark.skipif(
    not (TOOLS / "requirements-dev.txt").exists() or not shutil.which("shellcheck"),
    reason="ruff and mypy, which .ci/lint fetches, or shellcheck are missing")

FOLDERS = re.search("^files = (.*)$", (ROOT / "mypy.ini").read_text(encoding="utf-8"),
                    re.MULTILINE)[1].split(", ")
GOOD = '''"""The rate of a point, where there is one."""


def rate(known: dict[str, float], name: str) -> float | None:
    return known.get(name)
'''
OF_NONE = GOOD + '''

def double(known: dict[str, float]) -> float:
    return 2 * rate(known, "x")
'''
WITHOUT_TYPES = "def of(number):\n    return number + [].missing\n"
WORD = "NAME: str = 1\n"
NEEDLESS = "NAME = 1  # type: ignore[misc]\n"
UNQUOTED = "#!/usr/bin/env bash\necho $1\n"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "a repository"
    for name in (".ci", "build", *FOLDERS):
        (folder / name).mkdir(parents=True)
    for name in (".ci/lint", "ruff.toml", "mypy.ini", "requirements-dev.txt"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "build/lint").symlink_to(TOOLS)
    (folder / ".gitignore").write_text("/build/\n")
    for name in FOLDERS:
        (folder / name / f"good_in_{Path(name).name}.py").write_text(GOOD)
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def lint(repository, **environment):
    subprocess.run(["git", "-C", repository, "add", "."], check=True)
    return subprocess.run(
        [repository / ".ci/lint"], cwd=repository.parent, capture_output=True, text=True,
        env=os.environ | {"GEMMLAB_PYTHON": sys.executable} | environment)


def test_good_files_pass(repository):
    done = lint(repository)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "lint: ruff, mypy, and shellcheck of 1 scripts found nothing\n"


@pytest.mark.parametrize(("name", "text", "words"), [
    ("report/bad.py", "import os\n", "F401"), ("report/bad.py", OF_NONE, "[operator]"),
    ("plots/bad.py", WITHOUT_TYPES, "[attr-defined]"), ("submissions/bad.py", WORD, "[assignment]"),
    ("cluster/bad.py", WORD, "[assignment]"),
    ("api/python/gemmlab/bad.py", NEEDLESS, "[unused-ignore]"),
    ("tool", UNQUOTED, "SC2086"),
    ("tool.sh", UNQUOTED.replace("usr/bin/env ba", "bin/"), "SC2086")])
def test_what_is_wrong_is_named(repository, name, text, words):
    (repository / name).write_text(text)
    done = lint(repository)
    assert done.returncode == 1 and words in done.stdout and Path(name).name in done.stdout


def test_without_its_tools_it_says_so(repository):
    (repository / "build/lint").unlink()
    (repository / "requirements-dev.txt").write_text("no-such-package-of-gemmlab==1\n")
    done = lint(repository, PIP_NO_INDEX="1")
    assert done.returncode == 2 and "lint: ruff and mypy cannot be fetched" in done.stderr
