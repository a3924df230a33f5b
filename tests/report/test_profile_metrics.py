"""The judge of submissions counts in C++ what `profile` counts in Python: its table is held to ours."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import needs

from analysis.counters.metrics import METRICS, TIME

JUDGE = Path(__file__).resolve().parents[2] / "submissions" / "judge" / "explaining" / "counters.cpp"
WAYS = {"How::kSum": "sum", "How::kShare": "share", "How::kRatio": "ratio"}


def judges_rows(source: str) -> list[tuple[str, str, str, tuple[str, ...], str]]:
    """`Wanted` of counters.cpp: name, unit, how, ncu's names, what a ratio is over."""
    words = dict(re.findall(r'(?:const std::string|constexpr const char\*) (\w+) = "([^"]*)";', source))
    words |= {new: words[old] for new, old in re.findall(r"const std::string (\w+) = (\w+);", source)}
    table = re.search(r"static const std::vector<Wanted> all = \{(.*?)\n  \};", source, re.DOTALL)
    assert table is not None, f"{JUDGE.name} has no table of what is wanted"

    def text(terms: str) -> str:
        return "".join(term[1:-1] if term[0] == '"' else words[term] for term in re.split(r"\s*\+\s*", terms.strip()))

    rows = re.findall(r"\{([^{}]+),\s*([^{}]+),\s*(How::\w+),\s*\{([^{}]*)\},\s*([^{}]+)\}", table[1])
    assert len(rows) == table[1].count("How::"), "a row is written otherwise than this test reads it"
    return [(text(name), text(unit), WAYS[how], tuple(text(one) for one in names.split(",")), text(over))
            for name, unit, how, names, over in rows]


def test_the_judge_counts_as_profile_does() -> None:
    needs("submissions")
    source = JUDGE.read_text(encoding="utf-8")
    ours = {metric.name: (metric.name, metric.unit, metric.how, metric.names, metric.over) for metric in METRICS}
    for row in judges_rows(source):
        assert row == ours.get(row[0]), row[0]
    assert f'kTime = "{TIME}"' in source
