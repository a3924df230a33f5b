"""data/README.md says of each experiment of the reference machine where it was measured."""

import json

import pytest
from sample_records import ROOT

FOLDER = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
# of the sessions that the page tells before its table, the first as a whole
FIRST, SECOND = "87656ae7", "e3bb6716"


def unnamed(page, folder=FOLDER):
    """Experiments of later commits that have no row of the page's table."""
    table = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            run = json.loads(next(lines))
        told = page if run["program"]["commit"].startswith(SECOND) else " ".join(table)
        if not run["program"]["commit"].startswith(FIRST) and f"`{path.stem}`" not in told:
            found.append(path.stem)
    return found


def test_each_later_experiment_has_a_row():
    page = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    assert unnamed(page) == []


@pytest.mark.parametrize("name", ["types_gpu", "matrix_peers", "cpu_vs_gpu"])
def test_one_without_a_row_is_found(name):
    page = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    assert unnamed(page.replace(f"`{name}`", "`else`")) == [name]
