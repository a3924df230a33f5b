"""All text of the report, and the one function that looks a text up.

New text is its own key: `say("The GPU wins from {size} on", size=…)` is English as it stands, and its Chinese is the line
`"The GPU wins from {size} on" = "…"` of a file in `zh/`. Older text has keys `table.name` in
en.toml and zh.toml. `{braces}` name what is filled in and are the same in both languages.
`[records]` of zh.toml has what definitions and programs write in English, with the words that stand
in for it; zh/records/ has the same for what has values in it,
`"predicted to take {time} a call, …" = "…"`. What has no translation is shown in English:
`python -m report.untranslated` lists it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh")
RECORDS = "records"
BETWEEN_CHINESE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
NUMBER = r"\d[\d.,]*"
MOST_PART = 40  # letters of a part of a list of names

_current = "en"


@cache
def catalogue(language: str) -> dict[str, Any]:
    """key -> text, in English where the language lacks it."""
    return own_catalogue(LANGUAGES[0]) | own_catalogue(language)


@cache
def own_catalogue(language: str) -> dict[str, Any]:
    """key -> text, or [one, many] where a count decides; the table [records] as it stands."""
    tables = tomllib.loads((Path(__file__).parent / f"{language}.toml").read_text(encoding="utf-8"))
    flat = {f"{name}.{key}": text for name, table in tables.items() if name != RECORDS for key, text in table.items()}
    return flat | {RECORDS: tables.get(RECORDS, {})}


@cache
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
    return spaced(_text(key).format(**values))


def spaced(text: str) -> str:
    """A text that was put together, with the blanks that it has in the language in use."""
    return BETWEEN_CHINESE.sub("", text.replace("） ", "）").replace(" （", "（")) if _current == "zh" else text


def say_or(table: str, name: str, otherwise: str = "") -> str:
    """The text of `table.name`, where a record chose the name; `otherwise` where there is none."""
    return catalogue(_current).get(f"{table}.{name}", otherwise)


def many(count: int, thing: str) -> str:
    """"1 point", "3 points"; `thing` is a key of [count]. Empty where the catalogue does not count such things."""
    forms = catalogue(_current).get(f"count.{thing.replace(' ', '_')}")
    return forms[count != 1].format(count=f"{count:,}") if forms else ""


def recorded(text: str) -> str:
    """What a record or a definition says, in the language in use; as it stands where no catalogue knows it."""
    return text if _current == LANGUAGES[0] else _recorded(_current, text)


@lru_cache(maxsize=4096)
def _recorded(language: str, text: str) -> str:
    """By its whole text, else by a pattern, else part by part where it is a list of names such as "packed, one core"."""
    known = catalogue(language)[RECORDS] | translations(language)
    if text in known:
        return known[text]
    for pattern, form in patterns(language):
        if found := pattern.fullmatch(text):
            return form.format(**{name: _recorded(language, value) for name, value in found.groupdict().items()})
    parts = text.split(", ")
    if len(parts) == 1 or max(map(len, parts)) > MOST_PART:
        return text
    said = [_recorded(language, part) for part in parts]
    return known.get(", ", ", ").join(said) if said != parts else text


@cache
def patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What records say with values in it, as files in <language>/records/ have it: "{n} threads" = "…". The one with the most
    letters of its own goes first. A hole of one letter takes a number only; other values are put into the language, too."""
    forms: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / language / RECORDS).glob("*.toml")):
        forms |= tomllib.loads(path.read_text(encoding="utf-8"))
    made = []
    for text, form in forms.items():
        parts = re.split(r"\{(\w+)\}", text)
        made.append((sum(map(len, parts[::2])), re.compile("".join(
            f"(?P<{part}>{NUMBER if len(part) == 1 else '.+?'})" if place % 2 else re.escape(part)
            for place, part in enumerate(parts))), form))
    return tuple((pattern, form) for _, pattern, form in sorted(made, key=lambda one: -one[0]))
