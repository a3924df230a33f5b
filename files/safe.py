"""Texts that somebody else wrote (a file's name, a compiler's message), made harmless where they
are shown."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

# with one of these a spreadsheet's formula begins, and with what it reads as one, such as "＝"
FORMULA = ("=", "+", "-", "@")
MOST_LETTERS = 2000  # of a text; what a compiler wrote may be long
MOST_DEPTH = 32
MOST_NAME_BYTES = 120  # file systems take 255, and a name gets more parts
MOST_RECORD_NAME_BYTES = 200
_NOT_IN_NAMES = set('/\\:*?"<>|')  # what leads elsewhere, or cannot be written, on some system

# Characters that change how others are shown, or break a line: shown by their number instead.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Control characters but for a line's end and a tab, what turns the direction of writing, and halves
# of pairs.
_OBEYED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n"
    ")")
_MARKDOWN = re.compile(r"([\\`*_\[\]|~$!#@^])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LIST_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)](?:\s|$)))")


def visible(text: str) -> str:
    """One line, without anything that hides or reorders what stands beside it: "a\\u202eb" becomes
    "a\\\\u202eb"."""
    text = re.sub(r"[\t\n\r\f\v ]+", " ", text)
    return "".join(f"\\u{ord(letter):04x}" if unicodedata.category(letter) in _HIDDEN else letter
                   for letter in text)


def harmless(text: str) -> str:
    """What may go to a terminal as it stands: lines, without what a terminal obeys. Within JSON it
    means the same as before."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown(text: str) -> str:
    """A text of a record as everything shows it: visible, and cut where it is longer than anyone
    reads."""
    if len(text) > MOST_LETTERS:
        text = text[:MOST_LETTERS - 1] + "…"
    return text if text.isprintable() else visible(text)


def shortened(text: str, most: int) -> str:
    """At most `most` letters of it, the last of them "…" where any is missing."""
    return text if len(text) <= most else text[:most - 1].rstrip() + "…"


def cleaned(value: Any, text: Callable[[str], str] = visible, depth: int = MOST_DEPTH) -> Any:
    """The same JSON value with every text in it, keys too, as `text` makes it. Raises ValueError
    where it is nested too deeply."""
    if isinstance(value, str):
        return text(value)
    if not isinstance(value, (list, dict)):
        return value
    if depth == 0:
        raise ValueError(f"lists or objects within one another, more than {MOST_DEPTH} deep")
    if isinstance(value, list):
        return [cleaned(one, text, depth - 1) for one in value]
    return {text(key): cleaned(one, text, depth - 1) for key, one in value.items()}


def file_name(text: str) -> str:
    """A name that stays in its folder, whatever a record says: letters, digits, "_" and "-". What
    had to be changed or cut bears its digest, so that two texts never share a name."""
    name = "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in text)
    if name == text and 0 < len(name.encode()) <= MOST_NAME_BYTES:
        return name
    kept = name.encode()[:MOST_NAME_BYTES].decode(errors="ignore")
    return f"{kept}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def is_file_name(name: str) -> bool:
    """Whether it is the name of one file or folder, inside the folder that it is put into, on every
    system."""
    return (bool(name.strip()) and not name.endswith((".", " ")) and name.isprintable()
            and not _NOT_IN_NAMES & set(name) and len(name.encode()) <= MOST_RECORD_NAME_BYTES)


def record_name(text: str) -> str:
    """The name of a file of records, whose experiment a record names: its own where that is one,
    since such a file is there already; else as file_name() makes it."""
    return text if is_file_name(text) else file_name(text)


def real_path(path: Path) -> Path:
    """Where it leads. A link that leads to itself stays what it is, and is told by whoever opens
    it; Path.resolve() raises."""
    return Path(os.path.realpath(path))


def markdown(text: Any) -> str:
    """`text` so that Markdown shows it letter by letter, in a paragraph, a list or a table: no
    HTML, links or marks."""
    shown = _MARKDOWN.sub(r"\\\1", visible(str(text))).translate(_ENTITIES)
    # some readers make a link of a bare address
    shown = shown.replace("://", "\\://").replace("www.", "www\\.")
    return _LIST_START.sub(lambda found: found[1] + (f"\\{found[2]}" if not found[2].isdigit()
                                                     else f"{found[2]}\\"), shown)


def without_markup(text: str) -> str:
    """A sentence of the report's own with names from records in it, for Markdown: no HTML and no
    link comes of it."""
    return text.replace("<", "&lt;").replace("](", "]\\(")


def in_markdown_cell(text: str) -> str:
    """The same in a table's cell or title: one line, without a bar that would end the cell."""
    return without_markup(text).replace("|", "\\|").replace("\n", " ")


def for_csv(text: str) -> str:
    """A text that a spreadsheet would run as a formula gets an apostrophe before it: blanks before
    it do not help."""
    return f"'{text}" if unicodedata.normalize("NFKC", text.lstrip()[:1]) in FORMULA else text
