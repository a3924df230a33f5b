"""LICENSE, CITATION.cff and CMakeLists.txt say the same of version, licence and authors."""

from __future__ import annotations

import re

from conftest import ROOT


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_names_version_licence_and_authors_as_the_other_files_do():
    cited = dict(re.findall(r"^([\w-]+): +(\S.*)$", text("CITATION.cff"), re.MULTILINE))
    assert cited["cff-version"] == "1.2.0" and {"message", "title", "type"} <= cited.keys()
    assert cited["version"] == re.search(r"^project\(gemmlab VERSION (\S+)", text("CMakeLists.txt"), re.MULTILINE)[1]
    assert cited["license"] == "BSD-3-Clause" and text("LICENSE").startswith("BSD 3-Clause License\n")
    assert "\nauthors:\n  - name: The gemmlab authors\n" in text("CITATION.cff") and "Copyright (c) 2026, the gemmlab authors" in text("LICENSE")


def test_the_citation_claims_no_identifier_that_nobody_gave():
    assert "doi" not in text("CITATION.cff").lower()
