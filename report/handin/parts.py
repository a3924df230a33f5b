"""The parts of the hand-in in their order: the summary of the report, between what was asked and
what limits it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from files.safe import shortened
from language import say
from report.pages.document import Block, Document, Shown, Stemmed

from .wishes import Wishes

SHOWN = ("speedup", "gflops", "gflops-gpu", "threads", "block-size", "steps-gpu", "steps-cpu",
         "transfers", "energy", "cards", "claims")  # of the summary
UNDRAWN = ("transfers", "energy", "cards")  # for want of room
MOST_LETTERS = 620  # of a part
MOST_APPENDED_ROWS, MOST_APPENDED = 40, 12  # rows of a table, and tables, in the appendix


@dataclass
class Material:
    """What the hand-in is made of."""

    document: Document
    wishes: Wishes


def _cut(texts: Iterable[str]) -> list[str]:
    """The first texts, as far as there is room for whole sentences."""
    told: list[str] = []
    for text in texts:
        left = MOST_LETTERS - sum(map(len, told))
        kept = _whole(text, left)
        if not kept and told:
            break
        told.append(kept or shortened(text, left))
    return told


def _whole(text: str, most: int) -> str:
    """The whole sentences of it that at most so many letters hold; empty where there is none."""
    if len(text) <= most:
        return text
    ends = [found.end() for found in re.finditer(r"[.。](?=\s|$)|。", text[:max(most, 0)])]
    return text[:ends[-1]] if ends else ""


def method() -> list[str]:
    """How it was measured, in half a page."""
    return [say("What is timed: one product C = A·B of single-precision matrices. Scope kernel is "
                "the kernel alone on the card, with its operands there; call adds the launch and "
                "the wait; end to end adds the transfers of A, B and C. A CPU product is timed "
                "from call to return."),
            say("How: every number is the median of samples in interleaved rounds, so that drift "
                "hits all that are compared alike; caches are cold and inputs fresh unless said "
                "otherwise. Brackets hold the 95 % confidence interval by order statistics. "
                "GFLOP/s are 2·m·n·k over the median time, in units of 1e9 per second."),
            say("What counts as faster: ratios are taken round by round. A difference is declared "
                "only where the 99 % interval of the ratio lies wholly outside 1 ± the noise "
                "floor, which pairs of the same code under two labels yield; all else is a "
                "tie, or not resolved where there are too few samples."),
            say("What counts as right: each result was checked against a product in double "
                "precision; one that failed has no number here. Only plain fp32 is ranked: what "
                "splits its operands or computes with less stands apart.")]


def _part(shown: Shown) -> Block:
    """One question of the summary; whose numbers they are where they are another machine's."""
    whose = [say("On the reference machine, {machine}, as this one has no GPU:",
                 machine=shown.reference)] if shown.reference else []
    figures = [figure for figure in shown.figures
               if not figure.problem and shown.name not in UNDRAWN]
    return Block(shown.name, shown.label,
                 [*whose, *_cut(shown.sentences), *filter(None, [shown.conditions])], figures,
                 shown.tables)


def parts(material: Material) -> list[Block]:
    """Question, machine, method, the summary, and limits."""
    question = say("How much faster is the GPU than the CPU at C = A·B, from which size does it "
                   "pay, and what do block size, threads and each step of optimisation buy?")
    document = material.document
    order = {name: place for place, name in enumerate(SHOWN)}
    shown = sorted((one for one in document.summary if one.name in order),
                   key=lambda one: (bool(one.reference), order[one.name]))
    return [Block("question", say("Question"), [question]), Block("machine", say("Machine")),
            Block("method", say("Method"), method()), *map(_part, shown),
            Block("limits", say("Limits and threats to validity"), document.limits)]


def appendices(material: Material) -> list[Block]:
    """What was wished of: the tables of the experiments shown, the machine with its ceilings, and
    the commands."""
    document, made = material.document, []
    for name in material.wishes.appendix:
        if name == "machine":
            made.append(Block("appendix-machine", say("Appendix: machine"),
                              tables=_rows_cut(document.method_tables)))
        elif name == "commands":
            repeat = next((one for one in document.chapters if one.name == "repeat"), None)
            commands = ([line for block in repeat.blocks for line in block.commands]
                        if repeat else [])
            made.append(Block("appendix-commands", say("Appendix: commands"), commands=commands))
        else:
            shown = {one.more for one in document.summary if not one.reference}
            tables = [table for one in document.sections if one.name in shown
                      for table in one.tables]
            made.append(Block("appendix-tables", say("Appendix: tables"), tables=_rows_cut(tables)))
    return made


def _rows_cut(tables: Iterable[Stemmed]) -> list[Stemmed]:
    return [(stem, table.shortened(MOST_APPENDED_ROWS))
            for stem, table in list(tables)[:MOST_APPENDED]]
