"""The memory hierarchy of this machine: size, latency and bandwidth of each level, CPU and GPU side
by side."""

from __future__ import annotations

from analysis.memory.hierarchy import ARITHMETIC, latency_levels
from analysis.memory.hierarchy_tables import hierarchy_finding, hierarchy_table
from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from language import say
from records.names.numbers import capital, joined, plain
from records.view import View


def _barrier_text(view: View) -> str:
    """"a barrier 1,543 ns on the CPU with 16 threads and 39.5 ns on the GPU with 1024 threads";
    empty where none was measured."""
    told = []
    for device in ("cpu", "gpu"):
        own = [case for case in view.shown if case.operation == "barrier" and case.device == device
               and not case.copy]
        if own:
            most = max(own, key=lambda case: case.dims["threads"])
            told.append(say("{time} ns on the {device} with {threads} threads",
                            time=plain(most.rate), device=device.upper(),
                            threads=most.dims["threads"]))
    return say("a barrier {parts}", parts=joined(told)) if told else ""


def hierarchy_head(section: Section) -> Head | None:
    """What a load from memory costs, against one from the nearest cache; and a step of arithmetic,
    and a barrier."""
    view = section.view
    finding = hierarchy_finding(view)
    steps = [say("{time} ns on the {device}", time=plain(levels[ARITHMETIC].case.rate),
                 device=device.upper()) for device in ("cpu", "gpu")
             if ARITHMETIC in (levels := latency_levels(view, device))]
    costs = [say("a dependent multiply-add takes {parts}", parts=joined(steps))] if steps else []
    costs += [text] if (text := _barrier_text(view)) else []
    sentence = say("; ").join(costs)
    return Head(finding, (capital(sentence) + say("."),) if sentence else ()) if finding else None


KIND = TableKind(title="The memory hierarchy of this machine",
                 about="size, latency and bandwidth of each level of the memory hierarchy, CPU and "
                 "GPU side by side",
                 table=hierarchy_table,
                 heads=(hierarchy_head,),
                 before=2)
