"""similar.html: the pairs that are alike, and a page for each with both files side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from files import output, safe
from submissions.pages.page import environments

from .pairs import Pair
from .winnowing import Run, Source

FILE, FOLDER = "similar.html", "similar"
_COLOURS = 6


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    stretch: int  # of the shared ones, from 1; 0: of none
    first: bool  # of its stretch


def _lines(source: Source, runs: list[tuple[int, int, int]]) -> list[Line]:
    """(stretch, first token, length) as lines; where two share a line, the first one names it."""
    stretches: dict[int, int] = {}
    for stretch, begin, length in runs:
        tokens = source.tokens[begin:begin + length]
        for number in range(tokens[0].line, tokens[-1].line + 1):
            stretches.setdefault(number, stretch)
    made, before = [], set()
    for number, text in enumerate(source.text.split("\n"), 1):
        stretch = stretches.get(number, 0)
        spread = text.expandtabs(4)
        indent = " " * (len(spread) - len(spread.lstrip(" ")))
        made.append(Line(number, indent + safe.visible(spread.strip()), stretch,
                         bool(stretch) and stretch not in before))
        before.add(stretch)
    return made


def _numbered(runs: tuple[Run, ...]) -> tuple[list[tuple[int, int, int]],
                                              list[tuple[int, int, int]]]:
    return ([(number, run.one, run.length) for number, run in enumerate(runs, 1)],
            [(number, run.other, run.length) for number, run in enumerate(runs, 1)])


def write(folder: Path, pairs: list[Pair], compared: int, earlier: int) -> Path:
    """folder/similar.html and, of each pair, folder/similar/NUMBER.html; those of an earlier call
    are taken away."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    for old in (folder / FOLDER).glob("*.html"):
        old.unlink()
    html = environments()[0]
    names = [(safe.visible(pair.one.name), safe.visible(pair.other.name)) for pair in pairs]
    for number, (pair, (one, other)) in enumerate(zip(pairs, names), 1):
        ones, others = _numbered(pair.runs)
        text = html.get_template("similar_pair.html.j2").render(
            one=one, other=other, share=pair.share, earlier=pair.earlier, colours=_COLOURS,
            tokens=sum(run.length for run in pair.runs), stretches=len(pair.runs),
            columns=[(one, _lines(pair.one, ones), "a"), (other, _lines(pair.other, others), "b")])
        output.write_text(folder / FOLDER / f"{number}.html", text)
    text = html.get_template("similar.html.j2").render(
        rows=[(number, one, other, pair.share, pair.earlier, len(pair.runs))
              for number, (pair, (one, other)) in enumerate(zip(pairs, names), 1)],
        compared=compared, earlier=earlier, folder=FOLDER)
    output.write_text(folder / FILE, text)
    return folder / FILE
