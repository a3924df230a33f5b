"""Texts that somebody else wrote (a file's name, a compiler's message), made harmless where they are shown."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from markupsafe import Markup

# Characters that change how others are shown, or break a line: shown by their number instead.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MARKDOWN = re.compile(r"([\\`*_\[\]|~$!#@^])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_CODE = re.compile(r"(`[\w #.=-]+`)")  # nothing that a page could take for markup or an address
_LIST_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)](?:\s|$)))")


def visible(text: str) -> str:
    """One line, without anything that hides or reorders what stands beside it: "a\\u202eb" becomes "a\\\\u202eb"."""
    text = re.sub(r"[\t\n\r\f\v ]+", " ", text)
    return "".join(f"\\u{ord(letter):04x}" if unicodedata.category(letter) in _HIDDEN else letter for letter in text)


def cleaned(value: Any) -> Any:
    """The same JSON value with every text in it made visible; keys too."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [cleaned(one) for one in value]
    if isinstance(value, dict):
        return {visible(key): cleaned(one) for key, one in value.items()}
    return value


def markdown(text: Any) -> str:
    """`text` so that Markdown shows it letter by letter, in a paragraph, a list or a table: no HTML, links or marks."""
    shown = _MARKDOWN.sub(r"\\\1", visible(str(text))).translate(_ENTITIES)
    shown = shown.replace("://", "\\://").replace("www.", "www\\.")  # some readers make a link of a bare address
    return _LIST_START.sub(lambda found: found[1] + (f"\\{found[2]}" if not found[2].isdigit() else f"{found[2]}\\"), shown)


def prose(text: Any) -> str:
    """A sentence of the judge's for Markdown: as markdown(), with `plain words` between backticks kept as code."""
    return "".join(part if place % 2 else markdown(part) for place, part in enumerate(_CODE.split(visible(str(text)))))


def prose_html(text: Any) -> Markup:
    """The same for HTML."""
    return Markup("").join(Markup("<code>{}</code>").format(part[1:-1]) if place % 2 else part
                           for place, part in enumerate(_CODE.split(str(text))))


def fenced(text: str) -> str:
    """`text` as a block of code that nothing in it can end."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{visible(text)}\n{fence}"


def for_csv(text: str) -> str:
    """A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
