"""Which compilers the configuring refuses."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from files.tree import ROOT


def refusal(compiler: str, version: str) -> str:
    """What cmake says of one, in one line; nothing where it goes on."""
    done = subprocess.run(
        ["cmake", "-DCMAKE_CXX_COMPILER=c++", f"-DCMAKE_CXX_COMPILER_ID={compiler}",
         f"-DCMAKE_CXX_COMPILER_VERSION={version}", "-P", ROOT / "cmake/Compiler.cmake"],
        capture_output=True, text=True, check=False)
    assert bool(done.returncode) == bool(done.stderr)
    return " ".join(done.stderr.split())


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
@pytest.mark.parametrize(("compiler", "version"), [("Clang", "16.0.6"), ("GNU", "10.2.1"),
                                                   ("IntelLLVM", "2024.1")])
def test_others_than_gcc_from_11_on_are_refused_with_the_reason(compiler, version):
    assert f"c++ is {compiler} {version}; gemmlab needs g++ 11 or later" in refusal(compiler,
                                                                                    version)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
@pytest.mark.parametrize("version", ["11.0.0", "12.2.0", "14.2.0"])
def test_gcc_from_11_on_is_taken(version):
    assert refusal("GNU", version) == ""


def test_the_project_asks_it_before_anything_is_compiled():
    lists = (ROOT / "CMakeLists.txt").read_text()
    assert lists.index("include(cmake/Compiler.cmake)") < lists.index("find_package(")
