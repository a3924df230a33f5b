"""Moodle's "download all submissions", unpacked: a folder per student, "Ada
Lovelace_12345_assignsubmission_file_", in which the files of all students have the same names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from .homework import ENDINGS

# Name, participant's number, and what Moodle adds; "onlinetext" holds no file.
_FOLDER = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_file_?", re.DOTALL)


@dataclass(frozen=True)
class HandedIn:
    student: str  # "Ada Lovelace_12345", or the file's name without its ending
    file: Path | None
    missing: str = ""  # why there is no file


def participant(student: str) -> tuple[str, str]:
    """("Ada Lovelace", "12345"); no number where the name is none of Moodle's."""
    name, _, number = student.rpartition("_")
    return (name, number) if name and number.isdigit() else (student, "")


def is_download(path: Path) -> bool:
    return path.is_dir() and any(_FOLDER.fullmatch(one.name) for one in path.iterdir()
                                 if one.is_dir() or one.is_symlink())


def _one_line(name: str) -> str:
    """A name that is no line of text in letters, with its digest, so that no two become one."""
    if name.isprintable():
        return name
    letters = "".join(letter if letter.isprintable() else " " for letter in name)
    return f"{letters.strip()} {sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


def handed_in(folder: Path, wanted: str) -> list[HandedIn]:
    """Each student's file: the one that is called `wanted` where there are several. What is no
    plain folder of Moodle's is left out, with the reason."""
    made = []
    for one in sorted(folder.iterdir()):
        found = _FOLDER.fullmatch(one.name)
        if not found or not (one.is_dir() or one.is_symlink()):
            continue
        student = f"{_one_line(found['name'])}_{found['number']}"
        if one.is_symlink():
            made.append(HandedIn(student, None,
                                 "left out: the folder is a link, which is not followed"))
            continue
        if not one.name.isprintable():
            made.append(HandedIn(student, None, "left out: the folder's name is no line of text"))
            continue
        files = sorted(file for file in one.rglob("*")
                       if file.suffix in ENDINGS and not file.is_symlink() and file.is_file())
        exact = [file for file in files if file.name == wanted]
        if len(files) == 1 or len(exact) == 1:
            made.append(HandedIn(student, exact[0] if exact else files[0]))
        elif files:
            made.append(HandedIn(student, None, "several files were handed in: "
                                 f"{', '.join(file.name for file in files)[:200]}"))
        else:
            made.append(HandedIn(student, None, "no .cpp or .cu file was handed in"))
    return made
