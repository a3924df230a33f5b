"""The library as others meet it: installed, found by CMake from C, and called from Python."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LISTS = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(gemmlab 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE gemmlab::gemmlab)
"""
PROGRAM = """#include <gemmlab/functions.h>
#include <stdio.h>
int main(void) {
  const float A[2] = {1, 2}, B[2] = {3, 4};
  float C[1];
  if (gemmlab_cpu_ikj(A, B, C, 1, 1, 2) != GEMMLAB_OK) return 1;
  printf("%s %g\\n", gemmlab_version(), C[0]);
  return 0;
}
"""


def ran(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def library() -> ctypes.CDLL:
    path = os.environ.get("GEMMLAB_LIBRARY")
    if not path:
        pytest.skip("GEMMLAB_LIBRARY is not set: ctest sets it")
    return ctypes.CDLL(path)


def test_an_installed_package_is_found_by_cmake_and_links_from_c(tmp_path: Path) -> None:
    built = os.environ.get("GEMMLAB_BUILT")
    if not built:
        pytest.skip("GEMMLAB_BUILT is not set: ctest sets it")
    ran("cmake", "--install", built, "--component", "api", "--prefix", tmp_path / "installed")
    (tmp_path / "CMakeLists.txt").write_text(LISTS, encoding="utf-8")
    (tmp_path / "user.c").write_text(PROGRAM, encoding="utf-8")
    ran("cmake", "-S", tmp_path, "-B", tmp_path / "b",
        f"-DCMAKE_PREFIX_PATH={tmp_path / 'installed'}")
    ran("cmake", "--build", tmp_path / "b")
    assert ran(tmp_path / "b" / "user").split()[1] == "11"
    licences = [file.read_bytes() for file in (tmp_path / "installed").rglob("LICENSE")]
    assert licences == [(ROOT / "LICENSE").read_bytes()]


def test_only_the_interface_is_exported(library: ctypes.CDLL) -> None:
    names = [line.split()[-1] for line in ran("nm", "-D", "--defined-only",
                                              os.environ["GEMMLAB_LIBRARY"]).splitlines()]
    assert names and not [name for name in names
                          if name != "solve" and not name.startswith("gemmlab_")]


def test_python_calls_it(library: ctypes.CDLL) -> None:
    matrix = ctypes.c_float * 4
    a, b, c = matrix(1, 2, 3, 4), matrix(5, 6, 7, 8), matrix()
    sides = [ctypes.c_int64(2)] * 3
    assert library.gemmlab_cpu_serial(a, b, c, *sides) == 0
    assert list(c) == [19, 22, 43, 50]


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed")
def test_the_example_says_what_it_lacks() -> None:
    done = subprocess.run([sys.executable, ROOT / "api" / "example_torch.py"], capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 2 and "PyTorch" in done.stderr and len(done.stderr.splitlines()) == 1
