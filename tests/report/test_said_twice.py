"""A number that stands twice is the same number: headline, large numbers, titles, sentences and
tables, on every page."""

from __future__ import annotations

import csv
import gzip
import re

import make_versus
import pytest
from said_twice import RULES, differing, met, truth_of
from sample_records import DATA, ROOT
from test_paper import needs_weasyprint

from records.loading import find_files, load
from report.__main__ import main

FOLDER = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
# as `./gemmlab run quick` recorded it on two cores of an AMD EPYC without a GPU
ALONE = DATA / "quick_cpu.jsonl.gz"
OF_ALONE = {"threads", "threads, number", "threads, title", "rate", "over plain loops",
            "over plain loops, number"}  # rules of what such a machine's page says
OF_ONE_HOST = {"number, kernel", "number, transfers"}
SHOWN = "cpu_vs_gpu,block_size,gpu_ladder,thread_scaling"


@pytest.fixture(scope="module", name="truth")
def _truth():
    return truth_of(load(FOLDER, find_files(FOLDER)))


def _page_of(folder):
    """What the tables of a folder's records say, and its page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("report.pages.html.FORMS", ("html", "md"))
        patch.setattr("plots.FORMATS", ("svg",))
        assert main(["build", str(folder), "--output", str(folder)]) == 0
    return truth_of(load(folder, find_files(folder))), "".join(
        (folder / name).read_text(encoding="utf-8") for name in ("report.html", "report.md"))


@pytest.fixture(scope="module", name="alone")
def _alone(tmp_path_factory):
    """A machine without a GPU."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "quick.jsonl").write_bytes(gzip.decompress(ALONE.read_bytes()))
    return _page_of(folder)


@pytest.fixture(scope="module", name="one_host")
def _one_host(tmp_path_factory):
    """One host alone, so that its first numbers are no ranges."""
    return _page_of(make_versus.write(tmp_path_factory.mktemp("one_host")))


@pytest.fixture(scope="module", name="built")
def _built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("report.pages.html.FORMS", ("html", "md", "tex", "pdf"))
        assert main(["build", str(FOLDER), "--output", str(folder), "--experiments", SHOWN]) == 0
    return folder


def _pdf_text(path):
    from pypdf import PdfReader

    return " ".join(page.extract_text() for page in PdfReader(path).pages)


@pytest.mark.parametrize("name", ["report.html", "report.md",
                                  pytest.param("report.pdf", marks=needs_weasyprint)])
def test_every_page_says_what_the_tables_say(built, truth, name):
    path = built / name
    text = _pdf_text(path) if name.endswith(".pdf") else path.read_text(encoding="utf-8")
    assert differing(text, truth) == []
    assert met(text, truth) >= {"sentence", "plain", "from", "block",
                                "step"}, "it looked at something"


def test_a_machine_without_a_gpu_says_what_its_tables_say(alone):
    truth, text = alone
    assert differing(text, truth) == []
    assert met(text, truth) >= OF_ALONE


def test_a_machine_of_one_host_says_what_its_tables_say(one_host):
    truth, text = one_host
    assert differing(text, truth) == [] and met(text, truth) >= OF_ONE_HOST


def test_the_readme_says_what_the_tables_say(truth):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert differing(text, truth) == [] and {"sentence", "from"} <= met(text, truth)


def test_a_rung_has_one_factor_wherever_it_is_told(built, truth):
    """In the table of all rungs as in that of those that are faster than all before them."""
    with (built / "tables" / "gpu_ladder-ladder_steps.csv").open(encoding="utf-8",
                                                                 newline="") as lines:
        told = {row["Rung"]: float(row["value"]) for row in csv.DictReader(lines)
                if row["unit"] == "times" and row["value"]}
    own = {rung: value for (table, rung, column), value in truth.cells.items()
           if table == "steps-gpu" and column == "times the rung before" and rung in told}
    assert (len(own) >= 5
            and all(told[rung] == pytest.approx(value, rel=1e-6) for rung, value in own.items()))


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_planted_difference_is_found(built, truth, alone, one_host, rule):
    text = ((built / "report.html").read_text(encoding="utf-8")
            + (built / "report.md").read_text(encoding="utf-8"))
    if rule in OF_ALONE | OF_ONE_HOST:
        truth, text = alone if rule in OF_ALONE else one_host
    pattern, numbers = RULES[rule]
    plain = re.sub(r"\s+", " ", text.replace("&#39;", "'").replace("**", ""))
    found = re.search(pattern, plain)
    assert found, "the pages say nothing of the kind"
    for name in numbers:
        begin, end = found.span(name)
        planted = plain[:begin] + f"{2 * float(found[name].replace(',', '')):g}" + plain[end:]
        assert [line for line in differing(planted, truth) if line.startswith(f"{rule}:")]
