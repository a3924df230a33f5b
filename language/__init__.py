"""The text of the report in the language in use.

English text in the code is its own key: `say("The GPU wins from {size} on", size=…)`. Its Chinese
is an entry of zh/zh.po, a catalogue of gettext, or of that of the satellite that says it;
`{braces}` name what is filled in and are the same in both. What definitions and programs write in
English has its entries there, too, its numbers as {0}, {1}, …: `"{0} threads"`. What has no
translation is shown in English: `python -m report.untranslated` lists it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("en",
             *sorted(path.stem for path in ROOT.glob("*/*.po") if path.stem == path.parent.name))
BETWEEN_CHINESE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
# That of L2 or FP32 is part of a name; "4096, type int8)" is one, a size with its options.
NUMBER = re.compile(r"(?<![A-Z\d])\d+(?:[.,]\d+)*(?:(?:, [a-z_]+ \w+)+(?=\)))?")
MOST_PART = 45  # letters of a part of a list of names

_current = "en"


@cache
def catalogue(language: str) -> Catalog:
    """The entries of a language that is not English: those of its folder, and each satellite's
    own."""
    whole = Catalog(locale=language)
    for path in sorted(ROOT.glob(f"*/{language}.po")):
        with path.open("rb") as file:
            for entry in read_po(file, locale=language):
                if entry.id:
                    whole[entry.id] = entry
    return whole


@cache
def translations(language: str) -> NullTranslations:
    """What gettext looks texts up in; English is as it stands."""
    if language == LANGUAGES[0]:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, catalogue(language))
    compiled.seek(0)
    return GNUTranslations(compiled)


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


def say(text: str, /, *, context: Any = "", **values: Any) -> str:
    """The English text, or what stands for it (in that context, where there is one), filled in.

    A Chinese text has blanks round names that are Latin; a bracket beside one brings its own, and
    between Chinese letters there is none.
    """
    known = translations(_current)
    found = known.pgettext(context, text) if context else text
    if found == text and text:  # the empty text is gettext's header
        found = known.gettext(text)
    return spaced(found.format(**values))


def spaced(text: str) -> str:
    """A text that was put together, with the blanks that it has in the language in use."""
    if _current != "zh":
        return text
    if text == " ":  # between sentences
        return ""
    return BETWEEN_CHINESE.sub("", text.replace("） ", "）").replace(" （", "（"))


def say_count(count: int, one: str, many: str) -> str:
    """The form that goes with the count, of "{count} point" and "{count} points", filled in."""
    return translations(_current).ngettext(one, many, count).format(count=f"{count:,}")


def recorded(text: str) -> str:
    """What a record or a definition says, in the language in use, where a catalogue knows it."""
    return text if _current == LANGUAGES[0] or not text else _recorded(_current, text)


@lru_cache(maxsize=4096)
def _recorded(language: str, text: str) -> str:
    """By its whole text, else with its numbers taken out, else part by part: "packed, one core"."""
    known = translations(language)
    if (found := known.gettext(text)) != text:
        return found
    numbers = NUMBER.findall(text)
    places = iter(range(len(numbers)))
    form = NUMBER.sub(lambda _: f"{{{next(places)}}}", text)
    if numbers and (found := known.gettext(form)) != form:
        return re.sub(r"\{(\d+)\}", lambda place: numbers[int(place[1])], found)
    for mark in ("; ", ", "):
        parts = text.split(mark)
        if len(parts) > 1 and (mark == "; " or max(map(len, parts)) <= MOST_PART):
            said = [_recorded(language, part) for part in parts]
            if said != parts:
                return say(mark, context="name").join(said)
    return text
