"""The answer in a terminal: three lines."""

from __future__ import annotations

from analysis.answer.crossings import Crossing
from analysis.answer.energy import cpu_unreadable
from analysis.answer.headline import Headline
from analysis.answer.names import count_of, faster, name, rounded, side, sizes_text
from analysis.answer.over_hosts import over_hosts, told_together
from analysis.answer.points import END_TO_END, KERNEL
from analysis.tables.widths import text_width
from files.safe import shortened
from language import current, say
from records.names.numbers import capital, plain
from records.schema.operations import shape_text

WIDTH = 100
PLAIN = {"×": "x", "≥": ">=", "–": "-", "µ": "u", "→": "->", "…": "..."}


def _plain(text: str) -> str:
    """At most WIDTH columns; English in ASCII, whatever the terminal's encoding."""
    if current() == "en":
        for letter, instead in PLAIN.items():
            text = text.replace(letter, instead)
        text = text.encode("ascii", "replace").decode("ascii")
        return text if len(text) <= WIDTH else text[:WIDTH - 3].rstrip() + "..."
    while text_width(text) > WIDTH:
        text = shortened(text, len(text) - 1)
    return text


def _who(one: Headline, with_loops: bool = True) -> str:
    match = one.best.get(KERNEL) or next(iter(one.best.values()))
    match, span = told_together(match, one.contest), over_hosts(match, one.contest)
    cores = count_of(match.cpu)
    compared = (say("{span} times as fast as the best on {cores}, by host", span=span, cores=cores)
                if span
                else faster(match.ratio, say("{name}, {cores}", name=name(match.cpu), cores=cores)))
    text = say("N = {shape}: {gpu} on the GPU is {compared}", shape=shape_text(*one.shape),
               gpu=name(match.gpu), compared=compared)
    loops = one.plain if with_loops and match.won else None
    return text + (say("; {gpu} {times} times {cpu}", gpu=name(loops.gpu),
                       times=rounded(loops.ratio.value), cpu=name(loops.cpu)) if loops
                   and loops.shape == one.shape else "")


def _from(found: Crossing | None) -> str:
    if found is None:
        return say("not measured")
    own = found.own
    if found.later:
        return say("N = {size}", size=found.sizes)
    if own.size is not None:
        return say("N = {size}", size=sizes_text(own.size))
    if own.always:
        return say("every size from {size}", size=own.sizes[0])
    return say("never to {size}", size=own.sizes[-1])


def _pays(one: Headline) -> str:
    kernel = say("The GPU wins from: kernel {kernel}", kernel=_from(one.crossings.get(KERNEL)))
    moved = [say("{size} ({memory})", size=_from(one.crossings[way]), memory=say(way))
             for way in END_TO_END if way in one.crossings]
    return kernel + say("; with transfers {sizes}",
                        sizes=say(", ").join(moved)) if moved else kernel


def _energy(one: Headline) -> str:
    gpu, cpu = one.thriftiest("gpu"), one.thriftiest("cpu")
    if gpu is None:
        return say("Energy was not read in these records: run {command}",
                   command="./gemmlab run cpu_vs_gpu")
    beside = say(
        "CPU {joules} J ({name})", joules=plain(cpu.joules), name=side(cpu.case)) if cpu else say(
            "the CPU's {why}", why=cpu_unreadable(one.contest.run, one.contest.cases, short=True))
    return say("Energy at {shape}: card {joules} J ({name}); {cpu}",
               shape=shape_text(*gpu.case.shape), joules=plain(gpu.joules),
               name=name(gpu.case), cpu=beside)


def lines_of(one: Headline | None, own: str = "", mark: str = "",
             more: str = "") -> tuple[str, ...]:
    """Three lines of at most WIDTH columns: with this machine's CPU first where the rest is
    another's, which `mark` names. `own` and `more`: what stands first where CPU and GPU were not
    compared."""
    if one is None:
        found = [own or say("No CPU and GPU point of one host at the same shape, so no comparison"),
                 more, say("Measure both: {command}" if not own else "CPU and GPU were not "
                           "measured at the same shape: {command}",
                           command="./gemmlab run cpu_vs_gpu")]
    elif mark:
        found = [own or say("No number of a GPU was measured here"),
                 say("{mark}: {text}", mark=mark, text=_who(one, with_loops=False)), _pays(one)]
    else:
        found = [_who(one), _pays(one), _energy(one)]
    return tuple(_plain(capital(line)) for line in found if line)
