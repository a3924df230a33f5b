"""Finds shapes that a text writes in another order than rows, inner, columns."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

Sides = tuple[int, int, int]
# What the one sentence on the order says of the suite's own names.
ELSEWHERE = re.compile(r"\S+ is M = \d+, N = \d+, K = \d+ there\.")
WRITTEN = (re.compile(r"(?<![\d.×x])(\d+)[×x](\d+)[×x](\d+)(?![\d×x])"),
           re.compile(r"\bM ?= ?(\d+), N ?= ?(\d+), K ?= ?(\d+)"))
MATRICES = re.compile(r"A is M×N = (\d+)×(\d+), B is N×K = (\d+)×(\d+), C is M×K = (\d+)×(\d+)")
TEXTS = (".html", ".md", ".json", ".csv", ".xml")


def shapes_in(value: Any) -> set[Sides]:
    """Every {"M", "N", "K"} within a JSON value."""
    if isinstance(value, dict):
        if {"M", "N", "K"} <= value.keys():
            return {(value["M"], value["N"], value["K"])}
        return set().union(*map(shapes_in, value.values()))
    return set().union(*map(shapes_in, value)) if isinstance(value, list) else set()


def strays(text: str, shapes: set[Sides]) -> list[str]:
    """Each shape in the text that is none of `shapes`, as it stands there."""
    text = ELSEWHERE.sub("", text)
    found = [(match[0], tuple(map(int, match.groups())))
             for pattern in WRITTEN for match in pattern.finditer(text)]
    for match in MATRICES.finditer(text):
        a_rows, a_cols, b_rows, b_cols, c_rows, c_cols = map(int, match.groups())
        fit = (a_rows, a_cols, b_cols) == (c_rows, b_rows, c_cols)
        found.append((match[0], (a_rows, a_cols, b_cols) if fit else (0, 0, 0)))
    return [written for written, sides in found if sides not in shapes]


def strays_in_folder(folder: Path) -> list[str]:
    """The same for every text in a folder of verdicts, as "file: shape"; they hold the shapes."""
    verdicts = sorted(folder.rglob("verdict.json"))
    assert verdicts, f"no verdict in {folder}"
    known = {file.parent: shapes_in(json.loads(file.read_bytes())) for file in verdicts}
    everywhere = set().union(*known.values())
    made = []
    for file in sorted(folder.rglob("*")):
        if file.suffix in TEXTS:
            found = strays(file.read_text(encoding="utf-8"), known.get(file.parent, everywhere))
            made += [f"{file.relative_to(folder)}: {written}" for written in found]
    return made
