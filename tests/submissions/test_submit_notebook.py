"""The notebook of the lab, executed as its readers do: every cell runs, and judges and measures
what its text says."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from judged import ROOT

PACKAGE = ROOT / "api" / "python"
MISSING = "{} is missing: pip install -r api/python/requirements-test.txt"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> list:
    """Its code cells, with their outputs."""
    for module in ("nbclient", "nbformat", "ipykernel", "pandas"):
        pytest.importorskip(module, reason=MISSING.format(module))
    import nbclient
    import nbformat

    folder = tmp_path_factory.mktemp("lab")
    build = Path(os.environ["GEMMLAB_JUDGE"]).resolve().parents[1]
    os.environ |= {"CUDA_VISIBLE_DEVICES": "", "GEMMLAB_BUILD": str(build),
                   "GEMMLAB_HOME": str(ROOT), "PYTHONPATH": str(PACKAGE),
                   "IPYTHONDIR": str(folder / "ipython"), "JUPYTER_PLATFORM_DIRS": "1"}
    notebook = nbformat.read(PACKAGE / "lab.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                            resources={"metadata": {"path": str(folder)}}).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell, kind: str) -> str:
    """All outputs of a cell in that form."""
    return "\n".join(output["data"].get(kind, "") for output in cell.outputs if "data" in output)


def test_the_notebook_holds_no_outputs_and_is_valid() -> None:
    nbformat = pytest.importorskip("nbformat", reason=MISSING.format("nbformat"))
    notebook = nbformat.read(PACKAGE / "lab.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells
                if cell.cell_type == "code" and (cell.outputs or cell.execution_count)]


def test_the_first_cell_says_which_gpu_is_here_and_what_does_not_fit(executed: list) -> None:
    printed = "".join(output.get("text", "") for output in executed[0].outputs)
    assert re.search("^(no GPU is here|.*compute capability )", printed)


def test_loops_are_judged_and_their_page_is_in_the_output(executed: list) -> None:
    for cell in (executed[1], executed[3]):
        assert ("loops.cpp: correct" in shown(cell, "text/html")
                and "<iframe" in shown(cell, "text/html"))
        assert "loops.cpp" in shown(cell, "text/plain")
    assert shown(executed[2], "text/plain") == "'correct'"


def test_an_experiment_shows_its_figure_and_gives_a_frame(executed: list) -> None:
    assert "<svg" in shown(executed[4], "image/svg+xml")
    frame = shown(executed[5], "text/plain")
    assert all(label in frame for label in ("ijk", "ikj", "blocked", "256"))


def test_the_report_of_the_records_is_in_the_output(executed: list) -> None:
    assert "<iframe" in shown(executed[6], "text/html")
    assert "The order of the loops" in shown(executed[6], "text/plain")


def test_a_race_is_found_at_its_line_and_the_mended_kernel_gets_full_marks(executed: list) -> None:
    assert "incorrect" in shown(executed[7], "text/html")
    assert ("Race on tile_a" in shown(executed[8], "text/plain")
            and "line 8" in shown(executed[8], "text/plain"))
    assert ("('correct'" in shown(executed[10], "text/plain")
            and "'points': 40" in shown(executed[10], "text/plain"))


def test_records_of_the_reference_machine_are_a_frame(executed: list) -> None:
    assert "gflop_per_s" in shown(executed[11], "text/plain")


def test_pip_installs_the_package_and_leaves_nothing_in_the_tree(tmp_path: Path) -> None:
    import subprocess
    import sys

    pytest.importorskip("scikit_build_core", reason=MISSING.format("scikit_build_core"))
    copy = tmp_path / "suite" / "api" / "python"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("gemmlab", "CMakeLists.txt"):
        shutil.copy(ROOT / file, tmp_path / "suite" / file)
    before = sorted(copy.rglob("*"))
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps",
                    "--no-build-isolation", "--no-index", "--target", tmp_path / "site", copy],
                   check=True, capture_output=True, timeout=300)
    assert sorted(copy.rglob("*")) == before
    found = subprocess.run([sys.executable, "-c", "import gemmlab; print(gemmlab.home())"],
                           cwd="/", text=True, capture_output=True,
                           env={"PYTHONPATH": str(tmp_path / "site"), "PATH": os.environ["PATH"]},
                           check=True)
    assert found.stdout.strip() == str(tmp_path / "suite")
