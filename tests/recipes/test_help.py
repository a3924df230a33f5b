"""docs/help, and each satellite's help, hold what a command says of its options, for a launcher that
has built nothing yet.

Written anew by: GEMMLAB_BUILD_FOLDER=build/cpu python tests/recipes/test_help.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from checks import PROGRAM, launcher_commands
from markdown import ROOT

from commands.launch.starts import starts
from commands.satellites import satellites

OF_THE_LAUNCHER = {"test", "library"}  # it reads their arguments itself, or hands them to ctest
PARTS = {("assignment", part) for part in ("new", "check", "pack")}


def asked(command: str, *part: str) -> list[str]:
    """How the command is asked past the launcher."""
    module = starts()[command].module
    return [sys.executable, "-m", *module, *part] if module else [str(PROGRAM), command]


def said(*words: str) -> str:
    done = subprocess.run([*asked(*words), "--help"], cwd=ROOT,
                          capture_output=True, text=True, timeout=300, check=True,
                          env=os.environ | {"GEMMLAB_ROOT": str(ROOT), "COLUMNS": "100"})
    return done.stdout.replace(str(PROGRAM), "gemmlab")


def folder_of(command: str) -> Path:
    """Where its help lies: with the satellite that offers it."""
    return ROOT / next((name for name, one in satellites().items()
                        if command in one.commands or command in one.starts), "docs") / "help"


def text_of(*words: str) -> Path:
    return folder_of(words[0]) / f"{'-'.join(words)}.txt"


def all_words() -> list[tuple[str, ...]]:
    return sorted({(command,) for command in launcher_commands() - OF_THE_LAUNCHER} | PARTS)


@pytest.mark.parametrize("words", all_words(), ids=" ".join)
def test_the_text_is_what_the_command_says(words):
    if not starts()[words[0]].module and not PROGRAM.is_file():
        pytest.skip("GEMMLAB_BUILD_FOLDER names no build: ctest -R python.recipes does")
    # versions of Python break their lines differently
    assert (text_of(*words).read_text(encoding="utf-8").split()
            == said(*words).split()), "written anew by: see the top of this file"


def test_there_is_a_text_for_each_command_and_no_other():
    assert {path for path in ROOT.glob("*/help/*") if path.name != "usage.txt"} == {
        *(text_of(*words) for words in all_words()), *map(text_of, OF_THE_LAUNCHER)}


@pytest.mark.skipif(not PROGRAM.is_file(), reason="GEMMLAB_BUILD_FOLDER names no build")
def test_what_the_launcher_hands_to_no_module_is_what_the_program_describes():
    done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True,
                          timeout=300, check=True)
    described = re.findall(r"^  ([\w-]+)", done.stdout.partition("Subcommands:")[2], re.MULTILINE)
    modules = {command for command, start in starts().items() if start.module}
    assert set(described) == launcher_commands() - modules - OF_THE_LAUNCHER


@pytest.mark.parametrize("words", all_words(), ids=" ".join)
def test_the_launcher_shows_it_without_a_build(words):
    done = subprocess.run([ROOT / "gemmlab", *words, "--help"], capture_output=True, text=True,
                          timeout=60, check=False, env=os.environ | {"GEMMLAB_BUILD": "/nowhere"})
    assert (done.returncode, done.stdout) == (0, text_of(*words).read_text(encoding="utf-8"))


if __name__ == "__main__":
    for one in all_words():
        text_of(*one).write_text(said(*one), encoding="utf-8")
