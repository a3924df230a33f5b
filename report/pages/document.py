"""What a report says, in the order in which it says it, whatever form it is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

from analysis.answer.model import Answer
from analysis.tables.tables import Table
from plots.drawing.drawn import Drawn

Stemmed = tuple[str, Table]  # the stem of its files, the table


@dataclass
class Part:
    """What is said of one experiment on one host: at most two sentences, and `more`, which a page
    may fold away."""

    machine: str
    reference: bool
    # whose they are, where that must be said: the reference machine, or which of several hosts
    mark: str
    opening: str  # where and how it was measured
    sentences: list[str]
    why: list[str] = field(default_factory=list)  # what the counters say
    more: list[str] = field(default_factory=list)


@dataclass
class Section:
    """One experiment: what it asked and what came out. `finding` is its answer in a line, which
    heads the section; empty where nothing was found."""

    name: str
    title: str
    question: str
    source: str
    measured: str
    counts: str
    method: str
    parts: list[Part] = field(default_factory=list)
    tables: list[Stemmed] = field(default_factory=list)
    figures: list[Drawn] = field(default_factory=list)
    remark: str = ""
    stale: str = ""  # what of it today's tree would define or measure otherwise
    finding: str = ""


@dataclass
class Block:
    """A part of a chapter, with a heading where `title` is not empty. Where `folded` is not empty,
    it stands over the sentences, which a page may fold away under it."""

    name: str
    title: str = ""
    sentences: list[str] = field(default_factory=list)
    figures: list[Drawn] = field(default_factory=list)
    tables: list[Stemmed] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    folded: str = ""


@dataclass
class Shown:
    """What answers one question of the reader's, with its figures drawn. `more`: the section that
    shows all of it; `reference`: the machine's name where the numbers are the reference machine's;
    `conditions`: how what the sentences say was measured, which is never cut short."""

    name: str
    label: str  # in a word or two
    title: str
    sentences: list[str]
    tables: list[Stemmed]
    figures: list[Drawn]
    more: str = ""
    reference: str = ""
    conditions: str = ""

    @property
    def told(self) -> list[str]:
        """The sentences, and behind them the conditions."""
        return [*self.sentences, *filter(None, [self.conditions])]


@dataclass
class Chapter:
    """What stands beside the results of the experiments. One without blocks is left out."""

    name: str
    title: str
    opening: list[str]
    blocks: list[Block]


@dataclass(frozen=True)
class Packed:
    """The CSV files of tables as a page carries them, and the stems of those that have one."""

    text: str = ""
    stems: frozenset[str] = frozenset()


@dataclass
class Document:
    """The whole report; `made_utc` is the start of the latest run."""

    title: str
    counts: str
    measured: str
    made_utc: str
    machine: list[tuple[str, str]]
    program: list[tuple[str, str]]
    method: list[str]
    method_tables: list[Stemmed]
    sections: list[Section]
    chapters: list[Chapter]
    answer: Answer
    summary: list[Shown] = field(default_factory=list)
    # what threatens the results, in a dozen sentences
    limits: list[str] = field(default_factory=list)
    # by the stem of the one that each stands for on a phone
    phone_figures: dict[str, Drawn] = field(default_factory=dict)
    explorer: Markup = Markup("")  # of the HTML page
    csv: Packed = Packed()  # of the HTML page

    @property
    def borrowed(self) -> list[Shown]:
        """What of the summary is the reference machine's."""
        return [one for one in self.summary if one.reference]

    def _blocks(self) -> Iterator[Shown | Section | Block]:
        yield from self.summary
        yield from self._rest()

    def _rest(self) -> Iterator[Section | Block]:
        yield from self.sections
        for chapter in self.chapters:
            yield from chapter.blocks

    @property
    def tables(self) -> list[Stemmed]:
        """Every table, in the order of the pages."""
        first = [table for one in self.summary for table in one.tables]
        return [*first, *self.method_tables,
                *(table for block in self._rest() for table in block.tables)]

    @property
    def figures(self) -> list[Drawn]:
        """Every figure that could be drawn, in the order of the pages."""
        return [figure for block in self._blocks() for figure in block.figures
                if not figure.problem]

    @property
    def anchors(self) -> set[str]:
        """What a link within the page may lead to."""
        return {"method", "results", *(one.name for one in self.summary),
                *(f"experiment-{section.name}" for section in self.sections),
                *(one.name for one in self.chapters),
                *(f"table-{stem}" for stem, _ in self.tables),
                *(f"figure-{figure.stem}" for figure in self.figures)}

    @property
    def numbers(self) -> dict[str, dict[str, int]]:
        """Which number a table or figure has, by the stem of its files: what the templates ask
        for."""
        return {"table_number": {stem: number for number, (stem, _) in enumerate(self.tables, 1)},
                "figure_number": {figure.stem: number for number, figure in enumerate(self.figures,
                                                                                      1)}}
