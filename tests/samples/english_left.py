"""English that is left on a Chinese page although there is Chinese for it."""

from __future__ import annotations

import re

from report.untranslated import entries

LEAST_WORDS = 4  # fewer may be a name, or stand in a text that has no Chinese


def _own_words(text: str) -> str:
    """Its longest stretch between braces."""
    return max(re.split(r"\{\w+\}", text), key=len).strip(" .:;,()")


def english_in(page: str) -> set[str]:
    """The texts of which a Chinese page in Markdown has the English words, but in code."""
    page = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", page, flags=re.DOTALL)
    return {
        text
        for text, own in entries("zh").items()
        if len(re.findall("[A-Za-z]{2,}", words := _own_words(text))) >= LEAST_WORDS
        and words not in own
        and words in page
    }
