"""What the course tells with a number, for `python -m report.basis`."""

from __future__ import annotations

from collections.abc import Iterator

from records.cases.case import Case
from records.cases.experiment import Results

from .chapter import chapters
from .measures import Measures, Missing, numbers_of


def sentences(results: Results) -> Iterator[tuple[str, str, tuple[Case, ...]]]:
    """Each number of a chapter that these records hold: where it stands, what it says, the points
    that the chapter names for it."""
    for chapter in chapters():
        try:
            measures = Measures(results, chapter)
            numbers = numbers_of(measures, chapter)
        except Missing:
            continue
        for name, text in numbers.items():
            points = [measures.cases[word] for word in chapter.numbers[name].split()[1:]
                      if word in measures.cases]
            yield f"course, {chapter.name}", f"{name}: {text}", tuple(points)
