"""What stands for a source's implementation here: a row of map.csv."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Ours:
    """A row of map.csv: an implementation of ours, or none (`id` empty) with the reason in `note`."""

    id: str
    parameters: str
    experiments: tuple[str, ...]
    note: str
    note_zh: str = ""

    def note_in(self, language: str) -> str:
        """The note, in English where it has no translation."""
        return self.note_zh or self.note if language == "zh" else self.note


def parameters_of(ours: Ours, own: dict[str, str]) -> dict[str, str]:
    """The row's parameters, with the published row's own `threads` and `block` in place of {threads} and {block}; one that
    has no value is left out."""
    found = {}
    for pair in shlex.split(ours.parameters):
        name, _, value = pair.partition("=")
        value = value.format_map(own)
        if value:
            found[name] = value
    return found
