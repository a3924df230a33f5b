"""What stands beside the results: why they are so, what threatens them, and how to repeat them."""

from __future__ import annotations

import shlex

from analysis.compared.side_by_side_table import side_by_side_table
from analysis.tables.costs import ceilings_table, clocks_table, disturbed_text, spent_text
from analysis.tables.tables import Cell, Notes, Row, Table, sentences
from commands.satellites import offered
from language import say
from records.cases.experiment import Experiment, Results
from records.cases.hosts import host_of, hosts_of
from records.cases.where import host_text, short_host
from records.names.numbers import DASH
from records.noise import noise_text
from records.shared_rounds import unlike_text
from records.view import View, by_host

from .doctor import NOTE, Finding
from .findings.standing import ties_text
from .machine.machine_facts import dates
from .pages.document import Block, Chapter, Part

# Of the run that was recorded: whoever repeats it wants the report, and has a folder of their own.
OWN_ARGUMENTS = ("--no-report",)
OWN_OPTIONS = ("--output", "--shard")
DIGITS = 16  # of a hash in a table; the records have all


def why(blocks: list[Block], parts: dict[str, list[Part]]) -> Chapter:
    """The roofs, counters and resources of each experiment, with what the counters say."""
    for block in blocks:
        of = block.name.removesuffix("-why")
        for part in parts[of]:
            block.sentences += [*filter(None, [part.opening]), *part.why] if part.why else []
    return Chapter("why", say("Why"), [say("The roofs that the machine sets, what each kernel "
                                           "occupies and what the hardware counted, experiment by "
                                           "experiment.")], blocks)


def kept(every: list[Chapter]) -> list[Chapter]:
    """Without blocks that neither say nor show anything, and without chapters that have no
    other."""
    for chapter in every:
        chapter.blocks = [block for block in chapter.blocks
                          if block.sentences or block.tables or block.figures or block.commands]
    return [chapter for chapter in every if chapter.blocks]


def _noise(results: Results, titles: dict[str, str]) -> Block:
    said = [(one.name, text) for one in results.experiments
            for text in (noise_text(one), disturbed_text(one.cases), unlike_text(one)) if text]
    return Block("noise-floor", say("Noise"),
                 [titles[name] + say(": ") + text for name, text in said])


def _ties(results: Results, titles: dict[str, str]) -> Block:
    said: list[tuple[str, str]] = []
    for one in results.experiments:
        hosts = by_host(View(one.name, "", "", tuple(one.cases), one.run), one.runs)
        said += [(titles[one.name] + (say(", ") + host_text(view.host) if len(hosts) > 1 else ""),
                  ties_text(view))
                 for view in hosts]
    return Block("ties", say("Ties"), [name + say(": ") + text for name, text in said if text])


def _left_out(experiment: Experiment, title: str) -> Block:
    """Every point without a number, and why."""
    whole = View(experiment.name, "", title, tuple(experiment.cases), experiment.run)
    notes = Notes(whole)
    for case in whole.left_out:
        notes.number(case)
    return Block(f"{experiment.name}-left-out", "", notes.texts(), folded=title + say(": ")
                 + whole.left_out_text())


def _finding(finding: Finding) -> str:
    kind = say("Note" if finding.severity == NOTE else "Problem")
    where = say(" in {experiment}", experiment=finding.experiment) if finding.experiment else ""
    return f"{kind}{where}{say(': ')}{sentences(finding.text, finding.advice)}"


def threats(results: Results, titles: dict[str, str], found: list[Finding],
            warnings: list[str]) -> Chapter:
    """Noise, clocks, ties, skipped points, what the doctor finds, and warnings."""
    clocks = clocks_table(results.runs)
    # one host's stand before the results
    ceilings = ceilings_table(results.runs) if len(hosts_of(results.runs)) > 1 else None
    left = [block for one in results.experiments
            if (block := _left_out(one, titles[one.name])).sentences]
    if left:
        left[0].title = say("Points left out, and why")
    apart, told = side_by_side_table(results)
    blocks = [_noise(results, titles),
              Block("side-by-side", say("Hosts side by side"), told,
                    tables=[("side_by_side", apart)] if apart else []),
              Block("hosts-ceilings", say("Measured ceilings"), tables=[("ceilings", ceilings)]
                    if ceilings else []),
              Block("clocks", say("Clocks and launches"), tables=[("costs", clocks)] if clocks
                    else []),
              _ties(results, titles), *left,
              Block("findings", say("Findings"), [_finding(one) for one in found]),
              Block("warnings", say("Warnings"), warnings)]
    return Chapter("threats", say("Threats to validity"), [say(
        "What could make a number of this report mislead, as far as the records show it: noise, "
        "clocks, ties, points left out, and what the doctor finds.")], blocks)


def command_of(run: dict) -> str:
    """What measures that run again, wherever its records go; a dash where it does not say."""
    given = [str(one) for one in run.get("arguments") or ()]
    arguments = [one for before, one in zip(["", *given], given) if one not in OWN_ARGUMENTS
                 and before not in OWN_OPTIONS and one.partition("=")[0] not in OWN_OPTIONS]
    return f"./gemmlab {shlex.join(arguments)}" if arguments else DASH


def _commit(run: dict) -> str:
    program = run.get("program") or {}
    return str(program.get("commit") or DASH)[:12] + ("+" if program.get("dirty") else "")


def _commands(results: Results) -> list[str]:
    """What measures all of it again, commit by commit, and builds this report."""
    lines: list[str] = []
    commit = ""
    for run in results.runs:
        own = str((run.get("program") or {}).get("commit") or "")
        if own and own != commit:
            lines.append(f"git checkout {own}")
            commit = own
        if (command := command_of(run)) != DASH:
            lines.append(command)
    folder = shlex.quote(results.folder.resolve().name)
    return [*dict.fromkeys(lines), f"./gemmlab report data/results/{folder}"]


def _runs_table(results: Results) -> Table:
    """A row per run: its command, commit and hashes."""
    counts: dict[str, int] = {}
    for one in results.experiments:
        for case in one.cases:
            counts[case.run_id] = counts.get(case.run_id, 0) + 1
    table = Table("runs", say("The runs behind this report"), say(
        "Each run with the definition and the sources that it was made from, by the first "
        "{digits} digits of their SHA-256; a + behind a commit: the sources had changes beside it.",
        digits=DIGITS),
                  (say("Measured"), say("Host"), say("Command"), say("Commit"), say("Definition"),
                   say("Sources")),
                  (say("points"),))
    for run in results.runs:
        points = counts.get(str(run.get("run_id")), 0)
        source = (run.get("program") or {}).get("source_sha256")
        hashes = (str(digest or DASH)[:DIGITS] for digest in (run.get("definition_sha256"), source))
        heads = (dates([run]), short_host(host_of(run)) or DASH, command_of(run),
                 _commit(run), *hashes)
        table.rows.append(Row(heads, (Cell(str(points), points),)))
    return table


def repeat(results: Results, titles: dict[str, str]) -> Chapter:
    """How to measure again, and what that costs."""
    spent = [titles[one.name] + say(": ") + text for one in results.experiments
             if (text := spent_text(one))]
    tables = [("runs", _runs_table(results))] if results.runs else []
    others = [block(results.folder) for block in offered("repeat").values()]
    blocks = [Block("commands", commands=_commands(results), tables=tables), *others]
    if spent:
        blocks.append(Block("spent", say("Where the time went"), spent))
    return Chapter("repeat", say("How to repeat it"), [say(
        "These commands measure all of it again, from the commits that were measured, and build "
        "this report. Records that are complete are not measured twice: --fresh does so.")],
                   blocks)
