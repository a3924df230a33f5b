"""The page of one kernel: finding, predicted time, source by cost, access patterns, barriers,
advice. One file, no script."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from emulator.counts.work import GLOBAL, SHARED, Site
from emulator.model.explanation import ARITHMETIC, Explanation, line_shares
from language import say
from records.names.numbers import DASH, duration, percent, plain
from report.pages.html import stylesheet

from . import drawing
from .advice import Advice, advice_of, limit_name, per_request
from .findings import finding, summary, unit_name
from .neighbours import Neighbours, heads

TEMPLATES = Path(__file__).parent / "templates"
# lines of the source shown before the first and after the last that accesses memory, and beside a
# gap
AROUND = 3
LONGEST_GAP = 12  # lines without an access, of which more are left out
MOST_SOURCE = 400
MOST_DRAWN = 4
LEAST_SHARE = 0.005
UNNAMED = "kernel"  # what stands for the name of a kernel that was launched through a pointer


@dataclass(frozen=True)
class SourceLine:
    number: int  # 0: lines are left out here
    text: str
    share: float
    share_text: str
    facts: tuple[str, ...]  # requests, sectors per request, passes per request
    advice: tuple[Advice, ...]


@dataclass(frozen=True)
class Pattern:
    title: str
    svg: Markup


@cache
def _environment() -> Environment:
    made = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined,
                       autoescape=True, trim_blocks=True, lstrip_blocks=True,
                       keep_trailing_newline=True)
    made.globals |= {"style": stylesheet(TEMPLATES / "explain.css"), "say": say}
    return made


def _against(amount: float, least: float, site: Site) -> str:
    """"32 (4)": per request, and the least that would do."""
    return f"{per_request(amount, site)} ({per_request(least, site)})"


def site_facts(site: Site) -> tuple[str, str, str, str]:
    """What a row says of a site: what it does, requests, sectors and passes per request, each with
    the least."""
    what = f"{site.array or site.space} {site.operation}"
    sectors = _against(site.sectors, site.least_sectors, site) if site.space == GLOBAL else DASH
    passes = (_against(site.wavefronts, site.least_wavefronts, site)
              if site.space == SHARED else DASH)
    return what, plain(site.requests, 0), sectors, passes


@dataclass(frozen=True)
class Source:
    """A file's lines by cost. `share`: of the predicted time."""

    file: str
    share: float
    lines: list[SourceLine]


def _source_lines(explanation: Explanation, source: str, advice: list[Advice],
                  file: str = "") -> list[SourceLine]:
    """The part of the file that holds the accesses; a line's sites one below the other. `file`: as
    the sites have it."""
    shares = line_shares(explanation.work, explanation.prediction, explanation.card)
    sites = [site for site in explanation.work.sites if site.file == file and site.line]
    found = sorted({site.line for site in sites})
    if not found or not source:
        return []
    lines = source.splitlines()
    first = max(1, found[0] - AROUND)
    last = min(len(lines), found[-1] + AROUND, found[0] - AROUND + MOST_SOURCE)
    gaps = [range(one + AROUND + 1, other - AROUND) for one, other in itertools.pairwise(found)
            if other - one > LONGEST_GAP]
    made = []
    for number in range(first, last + 1):
        if any(number in gap for gap in gaps):
            if any(number == gap.start for gap in gaps):
                made.append(SourceLine(0, "…", 0.0, "", ("", "", "", ""), ()))
            continue
        here = [site for site in sites if site.line == number]
        share = shares.get((file, number), 0.0)
        facts = tuple("\n".join(column) for column in zip(*map(site_facts, here))) if here else \
            ("", "", "", "")
        told = tuple(one for one in advice if (one.file, one.line) == (file, number))
        made.append(SourceLine(number, lines[number - 1], share,
                               percent(share) if share >= LEAST_SHARE else "", facts, told))
    return made


def _sources(explanation: Explanation, texts: dict[str, str], advice: list[Advice],
             own: str) -> list[Source]:
    """Those of the files that hold accesses, the costliest first; what sites call "" is `own`."""
    shares = line_shares(explanation.work, explanation.prediction, explanation.card)
    made = [Source(file.rsplit("/", 1)[-1] or own, sum(
        share for (of, line), share in shares.items() if of == file and line),
        _source_lines(explanation, text, advice, file)) for file, text in texts.items()]
    return sorted((one for one in made if one.lines), key=lambda one: -one.share)


def _elsewhere(explanation: Explanation,
               texts: dict[str, str]) -> list[tuple[str, str, tuple[str, str, str, str]]]:
    """(place, share, facts) of accesses in files that are not shown, such as headers."""
    shares = line_shares(explanation.work, explanation.prediction, explanation.card)
    return [(f"{site.file.rsplit('/', 1)[-1]}:{site.line}",
             percent(shares.get((site.file, site.line), 0.0)), site_facts(site))
            for site in explanation.work.sites if site.file and site.file not in texts]


def _pattern_title(site: Site) -> str:
    shared = site.space == SHARED
    amount, least = (site.wavefronts, site.least_wavefronts) if shared else (site.sectors,
                                                                             site.least_sectors)
    what = {"place": f"{site.file.rsplit('/', 1)[-1]}:{site.line}"
            if site.file else say("line {line}", line=site.line),
            "array": site.array, "operation": site.operation}
    per, would = per_request(amount, site), per_request(least, site)
    if per == would:
        return say("{place}, {array} {operation}: passes over the banks per request: {passes}, as "
                   "few as can be", passes=per,
                   **what) if shared else say("{place}, {array} {operation}: sectors per request: "
                                              "{sectors}, as few as can be", sectors=per, **what)
    return say("{place}, {array} {operation}: {passes} passes over the banks per request; {least} "
               "would do", passes=per, least=would, **what) if shared else say(
                   "{place}, {array} {operation}: {sectors} sectors per request; {least} would do",
                   sectors=per, least=would, **what)


def _patterns(explanation: Explanation) -> list[Pattern]:
    """Drawings of the costliest sites that have an example."""
    shares = line_shares(explanation.work, explanation.prediction, explanation.card)
    drawable = [site for site in explanation.work.sites
                if site.example and site.space in (GLOBAL, SHARED)]
    drawable.sort(key=lambda site: (-shares.get((site.file, site.line), 0.0), -site.requests))
    return [Pattern(_pattern_title(site), drawing.banks_drawn(site) if site.space == SHARED
                    else drawing.addresses_drawn(site)) for site in drawable[:MOST_DRAWN]]


def _words() -> list[tuple[str, str]]:
    return [(say("request"), say(
        "one load or store instruction of a warp, whose 32 lanes each have an address")),
        (say("sector"), say("32 bytes in a row, the least that L2 and memory deliver: 32 lanes of "
                            "4 bytes next to each other need 4")),
        (say("pass over the banks"),
         say("shared memory has 32 banks of 4 bytes, each of which delivers one word per pass: "
             "lanes that want different words of one bank wait for each other (a bank conflict)")),
        (say("occupancy"),
         say("the share of the threads that an SM could hold that are there at once")),
        (say("wave"), say("as many blocks as all SMs hold at once")),
        (say("waiting"),
         say("what one block after the other takes in a place of an SM: memory, barriers and its "
             "own work, which other blocks hide only where there are enough of them"))]


def _facts(explanation: Explanation) -> list[tuple[str, str]]:
    work, prediction, card = explanation.work, explanation.prediction, explanation.card
    held = prediction.held
    source = say("as the compiler says") if work.registers else say("guessed: no compiler said")
    said_by = say("as nvcc compiled it") if work.compiled else say("estimated from its accesses")
    return [
        (say("card"), f"{card.name}, {plain(card.clock_mhz, 0)} MHz"),
        *([(say("kernel"), work.kernel)] if work.kernel != UNNAMED else []),
        (say("grid"), say("{blocks} blocks of {threads} threads",
                          blocks=f"{work.blocks:,}", threads=work.threads)),
        (say("registers per thread"), f"{work.registers_or_guess} ({source})"),
        (say("shared memory per block"), f"{work.shared_bytes:,} B"),
        (say("blocks per SM"),
         say("{blocks}, limited by {limit}; occupancy {occupancy}", blocks=held.blocks,
             limit=limit_name(held.limit), occupancy=percent(held.occupancy))),
        (say("waves of blocks"), plain(prediction.waves, 2)),
        (say("instructions per multiply-add"), f"{plain(work.instructions / work.multiply_adds)} "
         f"({said_by})" if work.multiply_adds else DASH)]


def page(explanation: Explanation, name: str, source: str,
         neighbours: Neighbours = Neighbours(""), file: str = "",
         measured: str = "", measured_s: float | None = None,
         headers: dict[str, str] | None = None) -> str:
    """The whole HTML file. `source`: the text of `file`; `headers`: texts of other files, as the
    sites name them. `neighbours`: the rungs that it stands between. `measured`: the sentence beside
    the prediction; `measured_s`: its time, where that is of the same shape."""
    prediction = explanation.prediction
    advice = advice_of(explanation)
    times = [(unit_name(unit), seconds) for unit, seconds in prediction.parts.items()]
    shares = line_shares(explanation.work, prediction, explanation.card)
    timeline = explanation.work.timeline
    texts = {"": source, **(headers or {})}
    return _environment().get_template("explain.html.j2").render(
        name=name, title=finding(explanation, name), summary=summary(explanation), advice=advice,
        bars=drawing.bars(times, prediction.seconds, unit_name(prediction.binding),
                          say("predicted time by unit"), measured_s),
        sources=_sources(explanation, texts, advice, file), percent=percent,
        elsewhere=_elsewhere(explanation, texts), patterns=_patterns(explanation),
        timeline=drawing.timeline_drawn(timeline)
        if any(len(stretches) > 1 for _, stretches in timeline) else None,
        facts=_facts(explanation), rest=percent(shares[ARITHMETIC]), neighbours=neighbours,
        heads=heads(), words=_words(), file=file, measured=measured,
        missing=bool(file and not source),
        launches=[(work.kernel, duration(one.seconds))
                  for work, one in zip(explanation.works, explanation.predictions)])


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def write_page(explanation: Explanation, name: str, source: Path, to: Path,
               neighbours: Neighbours = Neighbours(""), measured: str = "",
               measured_s: float | None = None, root: Path | None = None) -> None:
    """`root`: the folder below which the sites name their other files; None where these are not to
    be shown."""
    others = sorted({site.file for site in explanation.work.sites if site.file})
    headers = {file: text for file in others if root and (text := _text(root / file))}
    to.parent.mkdir(parents=True, exist_ok=True)
    made = page(explanation, name, _text(source), neighbours, source.name, measured, measured_s,
                headers)
    to.write_text(made, encoding="utf-8", newline="\n")
