"""Reads an assignment: the table [assignment] of a rule's file. README.md explains every key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from files.reading import InputError
from files.safe import shortened, visible
from files.toml_file import toml_of

FILE = "assignment.toml"
ENDINGS = {"cpu": (".cpp", ".cc", ".cxx"), "gpu": (".cu",)}
_MOST_BYTES = 1 << 20

Side = Annotated[int, Meta(ge=1, le=1024)]
Words = tuple[Annotated[str, Meta(min_length=1)], ...]
Text = Annotated[str, Meta(min_length=1)]


class Languages(Struct, frozen=True, forbid_unknown_fields=True):
    en: Text
    zh: Text


class Loads(Struct, frozen=True, forbid_unknown_fields=True):
    """What a tile saves, counted by emulation."""

    # floats that threads load from global memory per multiplication
    at_most: Annotated[float, Meta(gt=0)]
    points: Annotated[float, Meta(gt=0)]  # for no more than that


class Assignment(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,60}$")]
    device: Literal["cpu", "gpu"]
    hand_in: Literal["file", "function", "body"]
    file: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}$")]
    skeleton: Text
    solution: Text
    title: Languages
    text: Languages
    function: Annotated[str, Meta(pattern=r"^[A-Za-z_]\w{0,60}$")] = "multiply"
    block: tuple[Side, Side] | None = None
    tile: tuple[Side, Side] | None = None
    allowed_functions: Words | None = None
    allowed_headers: Words | None = None
    forbidden_words: Words = ()
    required_words: Words = ()
    loads: Loads | None = None
    path: Path = Path()  # of the TOML itself

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def ending(self) -> str:
        return Path(self.file).suffix


_WORD_LIST = 'a list such as ["__syncthreads", "fmaf"]'
_ALLOWED = {
    "name": "1 to 60 letters, digits, - and _",
    "device": "cpu, gpu",
    "hand_in": "file (all of it, with solve), function (the judge adds solve), body (what stands "
    "in solve; CPU only)", "file": "a file's name that ends in .cpp (CPU) or .cu (GPU)",
    "skeleton": "a file, as seen from the assignment's folder",
    "solution": "a file, as seen from the assignment's folder",
    "title": "a table with the texts en and zh", "text": "a table with the texts en and zh",
    "title.en": "a text", "title.zh": "a text", "text.en": "a text", "text.zh": "a text",
    "function": "a name of C++",
    "block": "two whole numbers from 1 to 1024, threads in x and y: [16, 16]",
    "tile": "two whole numbers from 1 to 1024, columns and rows of C per block: [64, 64]",
    "allowed_functions": _WORD_LIST, "forbidden_words": _WORD_LIST, "required_words": _WORD_LIST,
    "allowed_headers": 'a list such as ["cmath"]', "loads": "a table with the numbers at_most and "
    "points", "loads.at_most": "a number above 0", "loads.points": "a number above 0",
}


# What rules/default.toml says of solve.
_USUAL = {"type": "float32", "result": "float32", "inner": "N", "alpha_beta": False}


class _Reader:
    """One file's table, for messages that name file, line, key, value and what is allowed."""

    def __init__(self, file: Path, text: str, table: dict[str, Any]) -> None:
        self._file, self._text, self._table = file, text, table

    def _line(self, key: str) -> str:
        """":12", where the key's own line can be found."""
        begin = re.search(r"^\[assignment", self._text, re.MULTILINE)
        wanted = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=|^\[assignment\.{re.escape(key)}\]",
                            re.MULTILINE)
        found = wanted.search(self._text, begin.start() if begin else 0)
        return f":{self._text.count(chr(10), 0, found.end()) + 1}" if found else ""

    def refused(self, key: str, reason: str = "") -> InputError:
        value: Any = self._table
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        stands = "is missing" if value is None else f"is {shortened(visible(repr(value)), 80)}"
        line = "" if value is None else self._line(key.rpartition(".")[2])
        return InputError(
            f"{self._file}{line}: assignment: '{key}' {stands}{f', {reason}' if reason else ''}; "
            f"allowed: {_ALLOWED.get(key, 'another value')}")

    def converted(self) -> Assignment:
        if "path" in self._table:
            raise self._unknown("path")
        try:
            return msgspec.convert(self._table | {"path": str(self._file)}, Assignment,
                                   dec_hook=lambda kind, value: kind(value))
        except msgspec.ValidationError as error:
            message, _, at = str(error).partition(" - at `$")
            path = re.sub(r"\[[^\]]*\]", "", at.strip("`.").replace("[...]", ""))
            if unknown := re.search(r"unknown field `(.*)`", message):
                raise self._unknown(".".join(filter(None, (path, unknown[1])))) from error
            missing = re.search(r"missing required field `(.*)`", message)
            raise self.refused(".".join(filter(None,
                                               (path, missing[1] if missing else "")))) from error

    def _unknown(self, key: str) -> InputError:
        return InputError(
            f"{self._file}{self._line(key.rpartition('.')[2])}: assignment: there is no key "
            f"'{visible(key)}'; allowed: "
            f"{', '.join(name for name in Assignment.__struct_fields__ if name != 'path')}")


def _agree(reader: _Reader, made: Assignment, rule: dict[str, Any]) -> None:
    """What no key can say by itself."""
    unusual = [key for key, usual in _USUAL.items() if rule.get(key, usual) != usual]
    if made.hand_in != "file" and unusual:
        raise reader.refused("hand_in", f"but the judge adds the usual solve, and '{unusual[0]}' "
                             "asks for another")
    if made.ending not in ENDINGS[made.device]:
        raise reader.refused("file", f"which is not of the device {made.device}")
    for key in ("skeleton", "solution"):
        file = made.folder / getattr(made, key)
        if file.suffix != made.ending or not file.is_file():
            raise reader.refused(key, f"where no file is that ends in {made.ending}")
    if made.hand_in == "body" and made.device == "gpu":
        raise reader.refused("hand_in", "but a GPU's hand-in is a function or a file")
    launched = made.device == "gpu" and made.hand_in == "function"
    if launched != (made.block is not None):
        raise reader.refused("block", "needed where a __global__ function alone is handed in, and "
                             "only there")
    if made.tile is not None and not launched:
        raise reader.refused("tile", "which goes with 'block'")
    if made.block and made.block[0] * made.block[1] > 1024:
        raise reader.refused("block", "more than 1024 threads")
    if made.loads and {"type", "result"} & set(unusual):
        raise reader.refused("loads", "which counts floats, while 'type' is another")
    if made.loads and made.device == "cpu":
        raise reader.refused("loads", "which only GPU kernels are counted for")


def read(path: Path) -> Assignment:
    """The assignment in a file, or in a folder's assignment.toml. Raises InputError: file, line,
    key, value, what is allowed."""
    file = path / FILE if path.is_dir() else path
    if not file.is_file() or file.stat().st_size > _MOST_BYTES:
        wrong = "it is larger than 1 MiB" if file.is_file() else "there is no such file"
        raise InputError(f"{file}: {wrong}; allowed: an assignment's TOML, or the folder that "
                         f"holds its {FILE}")
    text, tables = toml_of(file)
    table = tables.get("assignment")
    if not isinstance(table, dict):
        raise InputError(f"{file}: no table [assignment]; submissions/assignments/README.md says "
                         "what stands in it")
    reader = _Reader(file, text, table)
    made = reader.converted()
    _agree(reader, made, tables)
    return made
