"""What the published chapters say themselves: the table [published] of the report's catalogues. The claims' own sentences
stand in data/published/claims.toml."""

from __future__ import annotations

from typing import Any

from ..language import LANGUAGES, catalogue

__all__ = ["LANGUAGES", "names", "say"]


def say(key: str, language: str = "en", **values: Any) -> str:
    """The text of that name."""
    return catalogue(language)[f"published.{key}"].format(**values)


def names(key: str, language: str = "en", **values: Any) -> tuple[str, ...]:
    """The text of that name as a list: its parts are separated by "|"."""
    return tuple(say(key, language, **values).split("|"))
