"""What whoever hands in wants of report.pdf: its edition, its head, the discussion and what is
appended.

From the command line, and from the table [report] of gemmlab.toml in the folder of the records or
where the command was given. The command line goes first, then the folder of the records.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from files.reading import InputError
from files.safe import cleaned
from files.toml_file import toml_of

FILE, TABLE = "gemmlab.toml", "report"
EDITIONS = ("handin", "full")
APPENDICES = ("tables", "machine", "commands")
MOST_LINE = 200  # letters of a line of the head
MOST_DISCUSSION = 200_000  # bytes
_LINES = {"title": "the title (default: what the report answers)", "author": "who hands it in",
          "course": "the course", "student_number": "the student number",
          "date": "the date at its head (default: of the measurement)"}


@dataclass(frozen=True)
class Wishes:
    """`discussion` is Markdown, not a file's name; empty text: nothing was wished."""

    edition: str = EDITIONS[0]
    title: str = ""
    author: str = ""
    course: str = ""
    student_number: str = ""
    date: str = ""
    discussion: str = ""
    appendix: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For a bundle, which builds the same report again."""
        return {**vars(self), "appendix": list(self.appendix)}


KEYS = tuple(field.name for field in fields(Wishes))


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every command takes which builds report.pdf."""
    group = parser.add_argument_group("report.pdf", f"each also a key of the table [{TABLE}] in "
                                      f"{FILE}, beside the records or here: author = \"…\", "
                                      "student_number = \"…\", appendix = [\"tables\"]")
    group.add_argument("--edition", choices=EDITIONS, help="six to ten pages to hand in, or all of "
                       f"report.html (default: {EDITIONS[0]})")
    for name, what in _LINES.items():
        group.add_argument(f"--{name.replace('_', '-')}", metavar="TEXT", help=what)
    group.add_argument("--discussion", metavar="FILE.md", help="a Markdown file with your "
                       "discussion; without one, there is room to write on")
    group.add_argument("--appendix", metavar="A,B",
                       help=f"what to append, of {', '.join(APPENDICES)} (default: nothing)")


def _line(where: str, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: '{key}' is {value!r}; a text in quotes is expected")
    if len(value) > MOST_LINE:
        raise InputError(f"{where}: '{key}' has {len(value)} letters; at most {MOST_LINE} are "
                         "allowed")
    return cleaned(value).strip()


def _appendices(where: str, value: Any) -> tuple[str, ...]:
    wanted = [one.strip() for one in value.split(",") if one.strip()] if isinstance(value,
                                                                                    str) else value
    if not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted):
        raise InputError(f"{where}: 'appendix' is {value!r}; a list of names is expected, such as "
                         "[\"tables\", \"machine\"]")
    for one in wanted:
        if one not in APPENDICES:
            raise InputError(f"{where}: 'appendix' names '{one}'; allowed: {', '.join(APPENDICES)}")
    return tuple(one for one in APPENDICES if one in wanted)


def _discussion(where: str, folder: Path, value: Any) -> str:
    """The text of the file, whose name is relative to `folder`."""
    path = folder / _line(where, "discussion", value)
    if not path.is_file():
        raise InputError(f"{where}: 'discussion' names {path}, and there is no such file")
    data = path.read_bytes()
    if len(data) > MOST_DISCUSSION:
        raise InputError(f"{where}: {path} has {len(data):,} bytes; at most {MOST_DISCUSSION:,} "
                         "are allowed")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}: {path} is not UTF-8 text ({error.reason} at byte {error.start})") from error


def _read(where: str, folder: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """The wishes among `given`, each checked. Raises InputError that names place, key, value and
    what is allowed."""
    made: dict[str, Any] = {}
    for key, value in given.items():
        if key not in KEYS:
            raise InputError(f"{where}: unknown key '{key}'; allowed: {', '.join(KEYS)}")
        if key == "appendix":
            made[key] = _appendices(where, value)
        elif key == "discussion":
            made[key] = _discussion(where, folder, value)
        elif key == "edition" and value not in EDITIONS:
            raise InputError(f"{where}: 'edition' is {value!r}; allowed: {', '.join(EDITIONS)}")
        else:
            made[key] = _line(where, key, value)
    return made


def _of_file(folder: Path) -> dict[str, Any]:
    """The table [report] of the folder's gemmlab.toml; nothing where there is no such file."""
    path = folder / FILE
    if not path.is_file():
        return {}
    _, tables = toml_of(path)
    for key in tables:
        if key != TABLE:
            raise InputError(f"{path}: unknown table or key '{key}'; allowed: [{TABLE}]")
    table = tables.get(TABLE, {})
    if not isinstance(table, dict):
        raise InputError(f"{path}: '{TABLE}' is {table!r}; it must be written as [{TABLE}]")
    return _read(f"{path}: [{TABLE}]", folder, table)


def wishes_of(options: argparse.Namespace, records: Path) -> Wishes:
    """What the command line says, else the records' folder's gemmlab.toml, else the one here."""
    given = {key: value for key in KEYS if (value := getattr(options, key)) is not None}
    return replace(Wishes(), **(_of_file(Path()) | _of_file(records) | _read("the command line",
                                                                             Path(), given)))


def wishes_of_json(value: Any) -> Wishes:
    """What as_json made. Raises ValueError where it did not make that."""
    if not isinstance(value, dict) or not isinstance(value.get("discussion", ""), str):
        raise ValueError(f"'report' is {value!r}; expected is an object with the keys "
                         f"{', '.join(KEYS)}")
    try:
        read = _read("'report'", Path(),
                     {key: one for key, one in value.items() if key != "discussion"})
    except InputError as error:
        raise ValueError(str(error)) from error
    return Wishes(**read, discussion=value.get("discussion", ""))
