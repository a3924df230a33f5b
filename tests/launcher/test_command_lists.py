"""The lists of commands agree: the launcher's, the program's, Python's, docs/commands.md's."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from commands.launch.meant import commands as launchers  # noqa: E402
from commands.launch.starts import starts  # noqa: E402
from report.__main__ import COMMANDS  # noqa: E402

BUILDS = {"test", "library"}  # the launcher's own


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pythons() -> set[str]:
    """Those that the launcher hands to Python."""
    return {name for name, start in starts().items() if start.module}


def programs() -> set[str]:
    """Those that the program describes, but for what only gemmlab itself calls."""
    source = text("runner/program.cpp")
    hidden = set(re.findall(r'(\w+)->group\(""\)', source))
    named = re.findall(r'(?:CLI::App\* (\w+) =\s*)line\.add\(\s*app, "([\w-]+)"', source)
    return {name for variable, name in named if variable not in hidden}


def test_what_is_no_pythons_is_the_programs():
    assert set(launchers()) - pythons() - BUILDS == programs() and programs() >= {"list", "run", "tune"}


def test_every_command_of_python_has_its_module():
    known = {title.removeprefix("gemmlab ") for title, _ in COMMANDS.values()}
    submissions = {"submit", "assignment"}  # the judge is a program of its own: submissions/
    assert pythons() - submissions == known - submissions


def test_the_documentation_tells_each():
    table = text("docs/commands.md").split("\n## ")[0]
    assert [name for name in launchers() if not re.search(rf"[|;] `{name}` ", table)] == []
