"""The tasks of a sweep by Slurm in the report: how each ended, and which shared its node."""

from __future__ import annotations

from pathlib import Path

from analysis.tables.tables import Cell, Row, Table, sentences
from files.safe import shown
from language import say
from records.names.numbers import DASH, joined
from report.pages.document import Block

from .outcomes import Outcome, read_outcomes

_SOURCES = {"sacct": "Slurm's accounts (sacct)",
            "scontrol": "the controller (scontrol), since there are no accounts",
            "notes": "the tasks' own notes, since Slurm remembers nothing of them"}


def _shared(one: Outcome) -> bool:
    """Could others use the rest of its node's cores?"""
    return one.cores.isdigit() and one.node_cores.isdigit() and int(one.cores) < int(one.node_cores)


def _caption(tasks: list[Outcome]) -> str:
    sources = [say(text) for name, text in _SOURCES.items()
               if any(one.source == name for one in tasks)]
    return say("How the tasks ended, by {sources}.", sources=joined(sources))


def _said(tasks: list[Outcome]) -> list[str]:
    """What a reader must know before trusting the numbers; empty where all is well."""
    bad = [str(one.task) for one in tasks if one.state != "COMPLETED"]
    shared = [str(one.task) for one in tasks if _shared(one)]
    said = []
    if bad:
        said.append(say("Tasks that did not end well: {tasks}. What they measured before is here.",
                        tasks=joined(bad)))
    if shared:
        said.append(say("Tasks that had a part of their node's cores: {tasks}. What else ran there "
                        "is in their CPU times.", tasks=joined(shared)))
    return said


def slurm_block(folder: Path) -> Block:
    """A row per task, from slurm.csv beside the records; without a table where there is none."""
    tasks = read_outcomes(folder)
    if not tasks:
        return Block("slurm")
    table = Table("slurm", say("Tasks on the cluster"), sentences(_caption(tasks)), tuple(map(
        say, ("job", "task", "state", "exit code", "node", "cores"))), (say("restarts"),))
    for one in tasks:
        cores = say("{cores} of {all}", cores=one.cores, all=one.node_cores) if one.cores else DASH
        heads = (one.job, str(one.task), one.state, one.exit_code, one.node, cores)
        count = int(one.restarts) if one.restarts.isdigit() else None
        table.rows.append(Row(tuple(shown(head) or DASH for head in heads),
                              (Cell(DASH if count is None else str(count), count),)))
    return Block("slurm", say("Tasks on the cluster"), _said(tasks), tables=[("slurm", table)])
