"""Rules on what today's tree would define or measure otherwise. They speak of experiments that
stale.py has judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from language import say
from records.cases.experiment import Results
from report.machine.stale import TEXT, again_text, definition_text

from .finding import Finding, note


def definition_changed(results: Results) -> Iterator[Finding]:
    """The records answer what an earlier definition asked."""
    for one in results.experiments:
        if one.stale and one.stale.changed and one.stale.changed != (TEXT,):
            yield replace(note("definition-changed", definition_text(one.stale), say(
                "./gemmlab run with its name measures what the new definition asks for.")),
                experiment=one.name)


def sources_changed(results: Results) -> Iterator[Finding]:
    """Points were measured by other sources than the tree's."""
    for one in results.experiments:
        if one.stale and one.stale.again:
            yield replace(note("sources-changed", again_text(one.stale), say(
                "./gemmlab run with its name measures them again; until then their numbers are "
                "those of the commit that the report names.")), experiment=one.name)


RULES = (definition_changed, sources_changed)
