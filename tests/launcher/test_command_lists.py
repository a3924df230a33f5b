"""The lists of commands agree: the launcher's, Python's, docs/commands.md's;
tests/recipes/test_help.py asks the program for its own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from commands.launch.meant import commands as launchers  # noqa: E402
from commands.launch.starts import starts  # noqa: E402
from report.__main__ import COMMANDS  # noqa: E402


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pythons() -> set[str]:
    """Those that the launcher hands to Python."""
    return {name for name, start in starts().items() if start.module}


def test_every_command_of_python_has_its_module():
    known = {title.removeprefix("gemmlab ") for title, _ in COMMANDS.values()}
    submissions = {"submit", "assignment"}  # the judge is a program of its own: submissions/
    assert pythons() - submissions == known - submissions


def test_no_two_have_one_place_in_the_usage():
    lines = [line for path in ROOT.glob("*/help/usage.txt")
             for line in path.read_text(encoding="utf-8").splitlines() if line[3:6] == "   "]
    assert len({line[:3] for line in lines}) == len(lines) == len(launchers())


def test_the_documentation_tells_each():
    table = text("docs/commands.md").split("\n## ")[0]
    assert [name for name in launchers() if not re.search(rf"[|;] `{name}` ", table)] == []
