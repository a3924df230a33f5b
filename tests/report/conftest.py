"""Reports of the committed records, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_records import DATA, MACHINES

import plots
from report.__main__ import main


@pytest.fixture(autouse=True, scope="session")
def _quick_forms(quick_forms):
    """In all tests of this folder."""


@pytest.fixture(scope="session")
def reports(tmp_path_factory) -> Path:
    """MACHINE/report of each committed folder of records, as `gemmlab report --no-pdf` makes it,
    its figures as SVG alone."""
    made = tmp_path_factory.mktemp("reports")
    with plots.only(("svg",)):
        for machine in MACHINES:
            assert main(["build", str(machine), "--no-pdf", "--output",
                         str(made / machine.name / "report")]) == 0
    return made


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """The report of a machine without a GPU, beside one that has one, in every form and format."""
    folder = tmp_path_factory.mktemp("built")
    assert main(["build", str(DATA / "laptop"), "--output", str(folder), "--reference",
                 str(DATA / "workstation")]) == 0
    return folder
