"""Every link of every Markdown file leads somewhere, and the front door is short."""

from __future__ import annotations

import pytest
from markdown_links import anchors, broken, files, links
from sample_records import ROOT

MOST_LINES = 150
THERE = "# A head, with `code`!\n## Twice\n## Twice\n```\n# In a fence\n```\n"
HEADS = "## `[[table]]` and `[[figure]]`\n## cpu.packed: how?\n### Isolation, and what it cannot\n"


@pytest.mark.parametrize("file", files(ROOT), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(file):
    assert broken(file, ROOT.resolve()) == []


def test_the_readme_is_for_the_first_five_minutes():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize(("link", "is_broken"), [
    ("[a](there.md)", False),
    ("[a](there.md#a-head-with-code)", False),
    ("[a](there.md#twice-1)", False),
    ("[a](#own-head)", False),
    ("![a](folder)", False),
    ("`[a](gone.md)`", False),
    ("```\n[a](gone.md)\n```", False),
    ("[a](https://example.org/gone)", False),
    ("[a](gone.md)", True),
    ("![a](gone.png)", True),
    ("[a](there.md#no-such-head)", True),
    ("[a](there.md#twice-2)", True),
    ("[a](there.md#in-a-fence)", True),
    ("[a](#no-such-head)", True),
    ("[a](../outside.md)", True)])
def test_a_link_to_what_is_not_there_is_found(tmp_path, link, is_broken):
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "outside.md").write_text("", encoding="utf-8")
    (root / "there.md").write_text(THERE, encoding="utf-8")
    file = root / "file.md"
    file.write_text(f"# Own head\n\n{link}\n", encoding="utf-8")
    assert bool(broken(file, root)) == is_broken


def test_a_heading_gets_the_anchor_that_github_gives_it(tmp_path):
    file = tmp_path / "file.md"
    file.write_text(HEADS, encoding="utf-8")
    assert anchors(file) == {"table-and-figure", "cpupacked-how", "isolation-and-what-it-cannot"}


def test_links_are_found_with_titles_and_brackets():
    assert links('[a](b.md "c") ![d](e_(f).svg) [g](<h.md>)') == ["b.md", "e_(f).svg", "h.md"]
