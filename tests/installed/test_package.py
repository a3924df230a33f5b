"""The Python package, with the suite inside as in the wheel: its command, and what that tells the
launcher."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

PACKAGE = ROOT / "api/python"


@pytest.fixture(name="site")
def _site(installed: Path, tmp_path: Path) -> Path:
    """A folder to import from, laid out as pip lays out the wheel."""
    shutil.copytree(PACKAGE / "gemmlab", tmp_path / "site/gemmlab")
    (tmp_path / "site/gemmlab/tree").symlink_to(installed)
    return tmp_path / "site"


def _gemmlab(site: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """As the entry point calls it, where the user stands."""
    stands = site.parent / "here"
    stands.mkdir(exist_ok=True)
    return subprocess.run([sys.executable, "-c", "from gemmlab.suite import main; main()",
                           *arguments], cwd=stands, text=True, capture_output=True, timeout=300,
                          env={"PATH": os.environ["PATH"], "PYTHONPATH": str(site),
                               "HOME": str(site.parent)} | variables, check=False)


def test_the_command_runs_the_suite_inside_with_the_python_that_called_it(site: Path) -> None:
    version = re.search(r"project\(gemmlab VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert version and _gemmlab(site, "--version").stdout == f"gemmlab {version[1]}\n"
    told = _gemmlab(site, "report", PATH="/usr/bin:/bin")
    # no records where the user stands, though the suite inside has some
    assert told.returncode == 2 and "no records under data/results" in told.stderr, told.stderr


def test_an_openmp_runtime_comes_along_where_there_is_none(site: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(site))
    import gemmlab.suite

    inside = gemmlab.suite._INSIDE
    here = {"LD_LIBRARY_PATH": "/mine"}
    monkeypatch.setattr(gemmlab.suite.os, "environ", here)
    assert gemmlab.suite.environment(inside)["LD_LIBRARY_PATH"] == "/mine"
    monkeypatch.setattr(gemmlab.suite.ctypes, "CDLL", _none_there)
    first, second = gemmlab.suite.environment(inside)["LD_LIBRARY_PATH"].split(":")
    assert Path(first, "libgomp.so.1").is_file() and second == "/mine"
    assert gemmlab.suite.environment(ROOT) == here  # a clone is its launcher's to see to


def _none_there(name: str) -> None:
    raise OSError(f"{name}: cannot open shared object file")


def test_the_wheel_depends_on_the_versions_of_requirements_txt(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(PACKAGE))
    from pinned import dynamic_metadata

    monkeypatch.setenv("GEMMLAB_WHEEL", "1")
    entries = dynamic_metadata("dependencies", {})
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert all(re.search(rf"^{re.escape(entry)}( \\)?$", text, re.MULTILINE) for entry in entries)
    names = {entry.partition("==")[0] for entry in entries}
    asked = {line.split()[0] for line in (ROOT / "requirements.in").read_text().splitlines()
             if line[:1].isalpha()}
    assert asked - names == {"pytest", "uv"}


def test_one_description_serves_both_wheels() -> None:
    described = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))
    options = described["tool"]["scikit-build"]
    (whole,) = options["overrides"]
    assert not options["wheel"]["cmake"] and whole["wheel"]["cmake"]
    assert (PACKAGE / whole["cmake"]["source-dir"] / "CMakeLists.txt").is_file()
