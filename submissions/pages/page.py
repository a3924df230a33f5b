"""A submission's page, as HTML with the figure in it and as Markdown with the figure beside it."""

from __future__ import annotations

import os
import re
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from commands.children import MOST_WORKERS
from files import safe
from files.output import write_text
from records.names.numbers import DASH, counted, percent, plain
from report.pages import html as report_pages
from report.pages import markup
from report.pages.table_text import markdown as table_markdown
from submissions.verdicts.marks import Mark
from submissions.verdicts.steps import points_text
from submissions.verdicts.verdict import ORDER, VERDICTS, Verdict, ladder_of, order_text, shape_of

from . import figure, speed, verdict_text
from .chart import FORMATS

FIGURE = "performance"
FIRST_FAILURES = 5  # shown at once; the others fold away
MOST_SHAPES = 12  # wrong ones that are named in a sentence
_CODE = re.compile(r"(`[\w #.=-]+`)")  # nothing that a page could take for markup or an address
_TEMPLATES = Path(__file__).parent / "templates"
_RESOURCES = (("registers", "registers"), ("spill_bytes", "spilled (B)"),
              ("shared_bytes", "shared (B)"), ("stack_bytes", "stack (B)"),
              ("threads", "threads"), ("blocks_per_sm", "blocks per SM"),
              # key, head; registers and stack per thread, shared memory and threads per block
              ("occupancy", "occupancy"))


def prose(text: Any) -> str:
    """A sentence of the judge's for Markdown: as safe.markdown(), with `plain words` between
    backticks kept as code."""
    return "".join(part if place % 2 else safe.markdown(part)
                   for place, part in enumerate(_CODE.split(safe.visible(str(text)))))


def prose_html(text: Any) -> Markup:
    """The same for HTML."""
    return Markup("").join(Markup("<code>{}</code>").format(part[1:-1]) if place % 2 else part
                           for place, part in enumerate(_CODE.split(str(text))))


def fenced(text: str) -> str:
    """`text` as a block of code that nothing in it can end."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{safe.visible(text)}\n{fence}"


@cache
def environments() -> tuple[Environment, Environment]:
    """For HTML, which escapes by itself, and for Markdown, where `md` must be asked for."""
    options: dict[str, Any] = {"loader": FileSystemLoader(_TEMPLATES), "undefined": StrictUndefined,
                               "trim_blocks": True, "lstrip_blocks": True,
                               "keep_trailing_newline": True}
    html, plain_text = Environment(autoescape=True,
                                   **options), Environment(autoescape=False, **options)
    html.globals |= {"style": report_pages.stylesheet(), "cells": markup.cells}
    plain_text.globals |= {"table_markdown": table_markdown, "fenced": fenced}
    plain_text.filters |= {"md": safe.markdown, "prose": prose}
    html.filters["prose"] = prose_html
    for environment in (html, plain_text):
        environment.filters |= {"points": points_text, "look": verdict_text.look_of}
    return html, plain_text


def write_both(folder: Path, template: str, stem: str, **content: Any) -> None:
    """folder/stem.html and folder/stem.md from templates of one name and the same content."""
    for environment, suffix in zip(environments(), ("html", "md")):
        text = environment.get_template(f"{template}.{suffix}.j2").render(**content)
        # what a left-out part leaves behind
        text = re.sub(r"\n{3,}", "\n\n", text) if suffix == "md" else text
        write_text(folder / f"{stem}.{suffix}", text)


def _figure(verdict: Verdict) -> Markup | None:
    """Draws it beside the page; None, and no file of an earlier one, where there is nothing to
    draw."""
    chart = speed.chart(verdict)
    if chart is None:
        for suffix in FORMATS:
            (verdict.folder / f"{FIGURE}.{suffix}").unlink(missing_ok=True)
        return None
    figure.draw(chart, verdict.folder, FIGURE)
    return markup.inline_svg(verdict.folder / f"{FIGURE}.svg", chart.title)


def _resources(verdict: Verdict) -> tuple[list[str], list[list[str]]]:
    """(heads, rows): what the compiler and the driver say of each kernel, with the columns that
    some kernel has."""
    kernels: dict[str, dict] = {}
    for one in verdict.part("build").get("kernels") or []:
        kernels[str(one.get("name"))] = dict(one, shared_bytes=one.get("static_shared_bytes"))
    for one in verdict.resources:
        kernels.setdefault(one["kernel"], {}).update(one)
    columns = [(key, head) for key, head in _RESOURCES
               if any(one.get(key) is not None for one in kernels.values())]
    rows = [[name, *(_resource(key, one.get(key)) for key, _ in columns)]
            for name, one in kernels.items()]
    return ["kernel", *(head for _, head in columns)], rows


def _resource(key: str, value: float | None) -> str:
    if value is None:
        return DASH
    return percent(value) if key == "occupancy" else f"{value:,}"


def _counters(verdict: Verdict) -> list[tuple[str, str]]:
    made = ([("counted at", shape.words)]
            if (shape := shape_of(verdict.raw.get("counters_at"))) else [])
    return made + [(name.replace("_", " "), _counted(one.get("value"), str(one.get("unit") or "")))
                   for name, one in verdict.part("counters").items()]


def _counted(value: object, unit: str) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    if unit == "share":
        return percent(value)
    return (f"{plain(value * 1e-6)} MB" if unit == "byte"
            else f"{plain(value)} {unit}".removesuffix(" count"))


def _checked(verdict: Verdict) -> tuple[list[tuple[str, bool]], str]:
    """Every shape with how it went, and the wrong ones in a sentence."""
    tried = [(shape.short, bool(one.get("right"))) for one in verdict.part("checks").get("list")
             or [] if (shape := shape_of(one.get("shape"))) is not None]
    wrong = [name for name, right in tried if not right]
    if not wrong:
        return tried, ""
    more = f" and {len(wrong) - MOST_SHAPES} more" if len(wrong) > MOST_SHAPES else ""
    where = f"Wrong at {counted(len(wrong), 'shape')} ({ORDER})"
    return tried, f"{where}: {', '.join(wrong[:MOST_SHAPES])}{more}."


def _messages(verdict: Verdict, kind: str) -> list[tuple[str, str]]:
    """(place, text) of what the compiler said."""
    made = []
    for one in verdict.part("build").get("messages") or []:
        if one.get("kind") == kind:
            column = f", column {one['column']}" if one.get("column") else ""
            made.append((f"line {one['line']}{column}" if one.get("line") else "elsewhere",
                         str(one.get("text") or "")))
    return made


def write_pages(judged: list[tuple[Verdict, Mark | None]]) -> None:
    """All pages, side by side on the cores there are: drawing is what takes long. Children are
    forked."""
    workers = min(len(os.sched_getaffinity(0)), len(judged), MOST_WORKERS)
    if workers < 2:
        for verdict, mark in judged:
            write_page(verdict, mark)
        return
    with ProcessPoolExecutor(workers, get_context("fork")) as pool:
        for done in [pool.submit(write_page, verdict, mark) for verdict, mark in judged]:
            done.result()


def write_page(verdict: Verdict, mark: Mark | None) -> None:
    """page.html, page.md and the figure's files, in the submission's folder."""
    css, sign = verdict_text.look_of(verdict.verdict)
    heads, resources = _resources(verdict)
    tried, wrong = _checked(verdict)
    failures = [(verdict_text.failure_title(one), verdict_text.failure_facts(one), one.explanation,
                 one.hint) for one in verdict.failures]
    ceilings = [f"{str(one.get('device', '')).upper()} {one.get('what', '')}: "
                f"{plain(one['value'])} {one.get('unit', '')}" for one in verdict.items("ceilings")
                if one.get("value")]
    write_both(
        verdict.folder, "submission", "page", name=verdict.submission,
        device=verdict.device.upper(), verdict=verdict.verdict, css=css, sign=sign,
        meaning=VERDICTS[verdict.verdict].meaning, summary=str(verdict.raw.get("summary") or ""),
        mark=mark, when=verdict_text.when_text(verdict), failures=failures,
        first_failures=FIRST_FAILURES, order=order_text(verdict.shapes),
        build=verdict.part("build"), explanation=verdict_text.explanation(verdict),
        ladder=ladder_of(verdict.raw), emulated=verdict.emulated,
        findings=[verdict_text.finding_facts(one) for one in verdict.findings],
        errors=_messages(verdict, "error"), warnings=_messages(verdict, "warning"),
        figure=_figure(verdict), figure_stem=FIGURE, own=speed.own_table(verdict),
        everything=speed.all_table(verdict), speed=speed.sentences(verdict),
        beside=[text for text in (verdict_text.first_call_text(verdict),
                                  verdict_text.threads_text(verdict))
                if text and verdict.usable], advice=verdict.items("advice"),
        checked=verdict_text.checked_facts(verdict), repeat=verdict_text.repeat_command(verdict),
        tried=tried, wrong=wrong, resource_heads=heads, resources=resources,
        counters=_counters(verdict), sanitizer=verdict.part("sanitizer").get("findings") or [],
        isolation=verdict.part("isolation"), ceilings=ceilings,
        machine=verdict_text.machine_facts(verdict), notes=verdict.items("notes"))
