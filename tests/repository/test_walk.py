"""The walk of CONTRIBUTING, from a line of TOML to a point of a figure: each of its files is there, and
an include or an import ties it to one before it."""

from __future__ import annotations

import re
from pathlib import Path

from sample_records import ROOT
from test_imports import graph_of, paths_of
from test_includes import includes

BEGINS = {"runner/commands/command_run.cpp", "report/command.py"}  # of the program, of the report


def walk(text: str) -> list[str]:
    """Its files in their order; a name without a folder lies in that of the file before it, one
    with a folder there, in the folder above, or at the root."""
    found = []
    for row in text.partition("**A sample's way**")[2].partition("\n## ")[0].splitlines():
        folder = Path()
        for name in re.findall(r"`([\w/]+\.(?:cpp|py))`", row):
            path = next((path for path in (folder / name, folder.parent / name, Path(name))
                         if (ROOT / path).is_file()), Path(name))
            folder = path.parent
            found.append(path.as_posix())
    return found


def ties() -> set[tuple[str, str]]:
    """Pairs of files of which one includes or imports the other. A back end is asked by way of its
    folder's table.h."""
    def unit(name: str) -> str:
        return re.sub(r"\.h$", ".cpp", re.sub(r"^([cg]pu)/table\.h$", r"\1/backend.h", name))

    found = {(unit(name), unit(other)) for name, other in includes(ROOT)}
    names = {module: path.relative_to(ROOT).as_posix() for module, path in paths_of(ROOT).items()}
    found |= {(names[module], names[other]) for module, others in graph_of(ROOT).items()
              for other in others if other in names}
    return found | {(other, one) for one, other in found}


def loose(files: list[str]) -> list[str]:
    """Those that are not there, or that nothing ties to one before them."""
    tied = ties()
    return [file for at, file in enumerate(files) if not (ROOT / file).is_file()
            or (file not in BEGINS and not any((file, other) in tied for other in files[:at]))]


def test_every_file_of_the_walk_is_there_and_tied_to_one_before_it():
    files = walk((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert set(files) > BEGINS and loose(files) == []


def test_a_file_that_is_gone_or_stands_apart_is_found():
    assert loose(["report/command.py", "records/gone.py", "records/loading.py", "core/statistics.cpp",
                  "cases/case.py"]) == ["records/gone.py", "core/statistics.cpp", "cases/case.py"]
