"""The check of the sources' layout finds what it is for, in files that git tracks."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(not shutil.which("clang-format-14"),
                                reason="clang-format 14 is missing")


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "a repository"
    (folder / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/format", folder / ".ci/format")
    shutil.copy(ROOT / ".clang-format", folder / ".clang-format")
    (folder / "good.cpp").write_text("int one() {\n  return 1;\n}\n")
    (folder / "untracked.cpp").write_text("int   one( ){return 1 ;}\n")
    subprocess.run(["git", "init", "-q", folder], check=True)
    subprocess.run(["git", "-C", folder, "add", "good.cpp"], check=True)
    return folder


def check(repository, *arguments):
    return subprocess.run([repository / ".ci/format", *arguments], cwd=repository.parent,
                          capture_output=True, text=True)


def test_tracked_files_in_good_layout_pass(repository):
    done = check(repository)
    assert (done.returncode, done.stdout) == (0, "format: 1 files as they should be\n")


@pytest.mark.parametrize("name", ["bad.h", "bad.cpp", "bad.cu", "bad.cuh", "deep/bad.cpp"])
def test_a_bad_line_is_named_and_then_repaired(repository, name):
    bad = repository / name
    bad.parent.mkdir(exist_ok=True)
    bad.write_text("int one = 1;\nint   two=2 ;\n")
    subprocess.run(["git", "-C", repository, "add", name], check=True)
    done = check(repository)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == f"{name}:2"
    assert check(repository, "--fix").returncode == 0
    assert bad.read_text() == "int one = 1;\nint two = 2;\n"
    assert check(repository).returncode == 0
