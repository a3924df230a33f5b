"""All text of the report, and the one function that looks a text up.

New text is its own key: `say("The GPU wins from {size} on", size=…)` is English as it stands, and its Chinese is the line
`"The GPU wins from {size} on" = "…"` of a file in `zh/`. Older text has keys `table.name` in en.toml and zh.toml, which have
the same keys. `{braces}` name what is filled in and are the same in both languages. `[records]` of zh.toml has what
definitions and programs write in English, with the words that stand in for it.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator

LANGUAGES = ("en", "zh")
RECORDS = "records"
BETWEEN_CHINESE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")

_current = "en"


@lru_cache(maxsize=None)
def catalogue(language: str) -> dict[str, Any]:
    """key -> text, or [one, many] where a count decides; the table [records] as it stands."""
    with (Path(__file__).parent / f"{language}.toml").open("rb") as file:
        tables = tomllib.load(file)
    flat = {f"{name}.{key}": text for name, table in tables.items() if name != RECORDS for key, text in table.items()}
    return flat | {RECORDS: tables.get(RECORDS, {})}


@lru_cache(maxsize=None)
def translations(language: str) -> dict[str, str]:
    """English text -> the text of that language; empty for English, whose text is its own."""
    made: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / language).glob("*.toml")):
        made |= tomllib.loads(path.read_text(encoding="utf-8"))
    return made


def _text(key: str) -> Any:
    """The form of a key or of an English text in the language in use."""
    found = catalogue(_current).get(key)
    return translations(_current).get(key, key) if found is None else found


@contextmanager
def using(language: str) -> Iterator[None]:
    """Everything that is said within is said in that language."""
    global _current
    before, _current = _current, language
    try:
        yield
    finally:
        _current = before


def current() -> str:
    return _current


def say(key: str, /, **values: Any) -> str:
    """The text of that key, or that English text, filled in. A Chinese text has blanks round names that are Latin; a bracket beside
    one brings its own, and between Chinese letters there is none."""
    text = _text(key).format(**values)
    return BETWEEN_CHINESE.sub("", text.replace("） ", "）").replace(" （", "（")) if _current == "zh" else text


def say_or(table: str, name: str, otherwise: str = "") -> str:
    """The text of `table.name`, where a record chose the name; `otherwise` where there is none."""
    return catalogue(_current).get(f"{table}.{name}", otherwise)


def many(count: int, thing: str) -> str:
    """"1 point", "3 points"; `thing` is a key of [count]. Empty where the catalogue does not count such things."""
    forms = catalogue(_current).get(f"count.{thing.replace(' ', '_')}")
    return forms[count != 1].format(count=f"{count:,}") if forms else ""


def recorded(text: str) -> str:
    """What a record says, in the language in use; as it stands where the catalogue does not know it."""
    return catalogue(_current)[RECORDS].get(text, text)
