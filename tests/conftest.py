"""The tree and the samples can be imported, wherever pytest runs."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).parent / "samples")]


@pytest.fixture(name="make")
def _make():
    from sample_records import make_case

    return make_case


@pytest.fixture(scope="session")
def quick_forms():
    """Pages that take seconds are made by the tests that ask for them; what all pages hold is packed
    once, not by a process of each report; no reference machine stands in (standing_in())."""
    from sample_records import standing_in

    from report import explorer

    with suppress(explorer.NoLibrary):
        explorer.packed_library()
    with pytest.MonkeyPatch.context() as patch, standing_in(Path(__file__).parent):  # where none is
        patch.setattr("report.pages.html.FORMS", ("html", "md", "tex"))
        yield
