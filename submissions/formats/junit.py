"""junit.xml over all submissions: a test suite each, a test case for each part of the mark."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

from files.output import new_file
from submissions.verdicts.grading import Grading

from .rows import Outcome, outcomes, points_text


def _suite(parent: Xml.Element, outcome: Outcome) -> None:
    rows = outcome.rows
    suite = Xml.SubElement(parent, "testsuite", name=outcome.verdict.submission,
                           tests=str(len(rows)), errors="0",
                           failures=str(sum(not row.passed for row in rows)))
    facts = Xml.SubElement(suite, "properties")
    for name, value in (("verdict", outcome.verdict.verdict), (
            "mark", "withheld" if outcome.mark.withheld else points_text(outcome.mark.value)),
            ("most", points_text(outcome.mark.most))):
        Xml.SubElement(facts, "property", name=name, value=value)
    for row in rows:
        case = Xml.SubElement(suite, "testcase", classname=f"gemmlab.{outcome.verdict.device}",
                              name=row.name)
        if not row.passed:
            of = "" if row.of is None else f" of {points_text(row.of)}"
            Xml.SubElement(case, "failure",
                           message=f"{points_text(row.points)}{of} points").text = row.text


def write(output: Path, folders: list[Path], grading: Grading | None) -> None:
    root = Xml.Element("testsuites", name="gemmlab")
    for outcome in outcomes(folders, grading):
        _suite(root, outcome)
    file = output / "junit.xml"
    with new_file(file, any_there=True) as whole:
        Xml.ElementTree(root).write(whole, encoding="utf-8", xml_declaration=True)
    print(f"Result: {file}")
