"""English that is left on a Chinese page although there is Chinese for it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from conftest import ROOT

from language import RECORDS, own_catalogue, translations

LEAST_WORDS = 4  # fewer may be a name, or stand in a text that has no Chinese


def _pairs() -> Iterator[tuple[str, str]]:
    """Every text with the Chinese that there is today."""
    english, chinese = own_catalogue("en"), own_catalogue("zh")
    for key in english.keys() & chinese.keys() - {RECORDS}:
        both = (english[key], chinese[key])
        yield from zip(*both) if isinstance(both[0], list) else [both]
    yield from translations("zh").items()
    yield from chinese[RECORDS].items()
    for path in sorted((ROOT / "language/zh" / RECORDS).glob("*.toml")):
        yield from tomllib.loads(path.read_text(encoding="utf-8")).items()


def _own_words(text: str) -> str:
    """Its longest stretch between braces."""
    return max(re.split(r"\{\w+\}", text), key=len).strip(" .:;,()")


def english_in(page: str) -> set[str]:
    """The texts of which a Chinese page in Markdown has the English words, but in code."""
    page = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", page, flags=re.DOTALL)
    return {
        text
        for text, own in _pairs()
        if len(re.findall("[A-Za-z]{2,}", words := _own_words(text))) >= LEAST_WORDS
        and words not in own
        and words in page
    }
