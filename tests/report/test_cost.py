"""What a report does as often as there are points, and no oftener. How long it takes:
tests/benchmarks/report_cost.py."""

import sys

import pytest
from sample_records import ROOT

from plots.drawing.drawn import Drawn
from records.cases import ratios
from report.__main__ import main

sys.path.insert(0, str(ROOT / "tests" / "benchmarks"))
from report_cost import LABELS, write_records

MOST_RATIOS = 3  # per point: of its table, and of two rankings; findings look at a few points


@pytest.fixture(name="ratios_of")
def _ratios_of(tmp_path, monkeypatch):
    """How many ratios of shared rounds the report of so many records forms, in one process."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    monkeypatch.setattr("plots.draw",
                        lambda view, folder, stem: Drawn(stem, view.title, "", "not drawn"))
    monkeypatch.setattr("report.pages.html.FORMS", ())

    def count(records):
        formed, pair = [], ratios.paired
        folder = tmp_path / str(records)
        folder.mkdir()
        write_records(folder, records, 1)
        with monkeypatch.context() as patch:
            patch.setattr(ratios, "paired", lambda *both: formed.append(both) or pair(*both))
            assert main(["build", str(folder), "--reference", str(folder), "--no-pdf"]) == 0
        return len(formed)

    return count


def test_ratios_grow_as_points_do(ratios_of):
    few, many = ratios_of(5 * LABELS), ratios_of(20 * LABELS)
    assert 0 < many - few <= MOST_RATIOS * 15 * LABELS
