"""Licence, citation and CMakeLists.txt say the same; CONTRIBUTING.md knows the stages of CI."""

from __future__ import annotations

import re
import subprocess

from sample_records import ROOT


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_names_version_licence_and_authors_as_the_other_files_do():
    cited = dict(re.findall(r"^([\w-]+): +(\S.*)$", text("CITATION.cff"), re.MULTILINE))
    assert cited["cff-version"] == "1.2.0" and {"message", "title", "type"} <= cited.keys()
    version = re.search(r"^project\(gemmlab VERSION (\S+)", text("CMakeLists.txt"), re.MULTILINE)
    assert cited["version"] == version[1]
    assert cited["license"] == "BSD-3-Clause"
    assert text("LICENSE").startswith("BSD 3-Clause License\n")
    assert "\nauthors:\n  - name: The gemmlab authors\n" in text("CITATION.cff")
    assert "Copyright (c) 2026, the gemmlab authors" in text("LICENSE")


def test_the_citation_claims_no_identifier_that_nobody_gave():
    assert "doi" not in text("CITATION.cff").lower()


def ci(*arguments):
    return subprocess.run(["bash", ROOT / ".ci" / "run", *arguments], text=True,
                          capture_output=True, check=False, timeout=60)


def test_contributing_lists_the_stages_of_ci_by_the_names_that_it_takes():
    table = text("CONTRIBUTING.md").split("| stage |")[1].split("\n\n")[0]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert listed == ci("--list").stdout.split() and "build_and_test" in listed


def test_a_stage_that_ci_does_not_have_is_refused_before_anything_runs():
    refused = ci("formatting", "sanitisers")
    assert refused.returncode == 2 and refused.stdout == ""
    assert "'sanitisers' is not a stage; there are: formatting " in refused.stderr
