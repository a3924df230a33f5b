"""The house in C++: includes go one way, a folder holds what one can keep in mind, and a header
says what it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sample_records import ROOT
from test_imports import circles

from commands.satellites import satellites

MOST = 20  # units in a folder: a header and the source of its name are one
# What may include what, besides itself. Satellites may include the suite.
SUITE: dict[str, tuple[str, ...]] = {
    "core": (),
    "operations": ("core",),
    "cpu": ("core", "operations"),
    "gpu": ("core", "operations"),
    "runner": ("core", "operations", "cpu", "gpu"),
}
SATELLITES = tuple(satellites())
NOT_OURS_TO_NAME = {"emulator/include"}  # headers that CUDA has
HANDED_IN = ("submissions/assignments/", "submissions/examples/")


def sources(root: Path) -> Iterator[tuple[str, str]]:
    """(path, text) of the product's C++ and CUDA."""
    for top in (*SUITE, *SATELLITES):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in (".h", ".cpp", ".cu") and not name.startswith(HANDED_IN):
                yield name, path.read_text(encoding="utf-8")


def folder_of(name: str) -> str:
    return name.rpartition("/")[0]


def without_opening(root: Path) -> list[str]:
    """The headers that do not begin with a comment, before or right behind `#pragma once`."""
    return [
        name
        for name, text in sources(root)
        if name.endswith(".h") and not re.match(r"(#pragma once\s+)?/[/*]", text)
    ]


def overfull(root: Path) -> dict[str, int]:
    """folder -> its units, where they are too many; but for implementations, one file each."""
    units: dict[str, set[str]] = {}
    for name, _ in sources(root):
        units.setdefault(folder_of(name), set()).add(Path(name).stem)
    return {
        folder: len(left)
        for folder, held in units.items()
        if folder not in NOT_OURS_TO_NAME and len(left := held - rows(root / folder)) > MOST
    }


def rows(folder: Path) -> set[str]:
    """The files, without ending, that the list of an operation's implementations names."""
    text = ((folder / "rows.txt").read_text(encoding="utf-8")
            if (folder / "rows.txt").is_file() else "")
    return set(re.findall(r"^\w+|(?<= file=)\w+", text, re.MULTILINE))


def includes(root: Path) -> Iterator[tuple[str, str]]:
    """(file, file that it includes), of those that lie in the tree."""
    for name, text in sources(root):
        for other in re.findall(r'^#include "([^"]+/[^"]+)"', text, re.MULTILINE):
            yield name, other


def forbidden(root: Path) -> list[tuple[str, str]]:
    """Includes against the direction; of tests, in any file."""
    found = []
    for name, other in includes(root):
        here, there = name.split("/")[0], other.split("/")[0]
        if there == "tests" or (
            here in SUITE
            and there in (*SUITE, *SATELLITES)
            and there != here
            and there not in SUITE[here]
        ):
            found.append((name, other))
    return found


def between_rooms(root: Path, top: str) -> dict[str, set[str]]:
    """room of `top` -> the rooms that its files include from. What lies in `top` is everybody's."""
    found: dict[str, set[str]] = {}
    for name, other in includes(root):
        if name.startswith(f"{top}/") and other.startswith(f"{top}/"):
            here, there = (path[len(top) + 1 :].partition("/") for path in (name, other))
            if here[1] and there[1]:
                found.setdefault(here[0], set())
                found.setdefault(there[0], set())
                if here[0] != there[0]:
                    found[here[0]].add(there[0])
    return found


def test_every_header_says_what_it_is_for():
    assert without_opening(ROOT) == []


def test_no_folder_holds_more_units_than_one_keeps_in_mind():
    assert overfull(ROOT) == {}


def test_includes_go_one_way():
    assert forbidden(ROOT) == []


def test_no_rooms_include_from_one_another():
    for top in ("core", "runner", "submissions/judge"):
        assert circles(between_rooms(ROOT, top)) == [], top


def test_what_is_planted_is_found(tmp_path):
    for name, text in {
        "core/a/one.h": '#pragma once\n\n#include "core/b/two.h"\n',
        "core/b/two.h": '// Two.\n#include "core/a/one.h"\n',
        "core/shared.h": '#pragma once\n\n// Shared.\n#include "core/a/one.h"\n',
        "core/b/low.cpp": '#include "cpu/table.h"\n',
        "cpu/table.h": "#pragma once\n// Rows.\n",
        "gpu/test.cu": '#include "tests/gpu/test.h"\n',
        **{f"cpu/gemm/part_{number}.h": "// A part.\n" for number in range(MOST + 1)},
        **{f"gpu/gemm/row_{number}.cu": "// A row.\n" for number in range(MOST + 1)},
        "gpu/gemm/rows.txt": "".join(f"row_{number}\n" for number in range(MOST + 1)),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert without_opening(tmp_path) == ["core/a/one.h"]
    assert overfull(tmp_path) == {"cpu/gemm": MOST + 1}
    assert forbidden(tmp_path) == [
        ("core/b/low.cpp", "cpu/table.h"),
        ("gpu/test.cu", "tests/gpu/test.h"),
    ]
    assert circles(between_rooms(tmp_path, "core")) == [["a", "b"]]
