"""The explorer of report.html: every point in the page itself, to choose, compare and download.

The script and its library are plain text and a compressed block of the page; nothing is fetched.
The same records give the same bytes.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from language import say
from records.loading import Results
from records.names.palette import SHADES

from .payload import Sets, payload_of
from .presets import presets_of

_HOLES = ("name", "value", "shown", "every", "lines", "file", "points", "count", "why", "machine",
          "low", "high", "line")
_KEPT = {hole: f"{{{hole}}}" for hole in _HOLES}


def _text(english: str) -> str:
    """The text in the language in use, its braces left for the script."""
    return say(english, **_KEPT)


def texts() -> dict[str, str]:
    """Every text of the script."""
    return {**_axes(), **_notes(), **_pointer()}


def _axes() -> dict[str, str]:
    """What can be chosen, and how axes are named."""
    return {"all": _text("all"), "size": _text("size N (squares)"), "shape": _text("shape"),
            "implementation": _text("implementation"), "parameter": _text("parameter: {name}"),
            "time": _text("time per call"), "speedup": _text("speedup"),
            "share": _text("share of the ceiling"), "energy": _text("energy per call"),
            "efficiency": _text("rate per watt"), "eta": _text("largest error (eta)"),
            "percent": _text("share of the ceiling (%)"),
            "joules": _text("energy per call (J)"), "times": _text("times as fast as {name}"),
            "size_of": _text("size ({name})"), "ideal": _text("ideal"),
            "best_cpu": _text("the best CPU at that size"), "best_fp32": _text("the fastest FP32"),
            "cpu": "CPU", "gpu": "GPU", "scope": _text("scope"), "cache": _text("cache"),
            "distribution": _text("inputs"), "host_memory": _text("host memory"),
            "allocation": _text("allocation"), "module_loading": _text("module loading"),
            "load": _text("burst or sustained"), "group": _text("group"),
            "precision": _text("precision"), "replica": _text("repeated"),
            "handicap": _text("slowed on purpose by"), "host": _text("host"),
            "reference": _text("reference machine"), "own": _text("this machine")}


def _notes() -> dict[str, str]:
    """What stands round the chart."""
    return {"shown": _text("{shown} points in {lines} lines are drawn; the experiment has {every} "
                           "with a number."),
            "hidden": _text("{count} more lines are in the list."),
            "left_out": _text("{count} points have no number that may be shown ({why})."),
            "thinned": _text("Drawn without intervals, as there are many points; the pointer and "
                             "the CSV have them."),
            "medians": _text("A speedup here is the ratio of two medians of the same host; its "
                             "interval is worked out from theirs. The report's tables pair the "
                             "shared rounds, which is narrower."),
            "machines": _text("A ratio here is that of two medians of two machines, measured one "
                              "after the other: its interval holds nothing of what else differs "
                              "between them."),
            "no_peer": _text("{count} points have no counterpart there and are not drawn."),
            "no_intervals": _text("The records hold no interval of this value."),
            "doubtful": _text("{count} shares stand on a ceiling that failed its self-check."),
            "no_interval": _text("no interval"),
            "untrusted": _text("the ceiling failed its self-check"),
            "empty": _text("No point fits this choice."), "no_y": _text("no record has it"),
            "added": _text("Added: {machine} ({points} points)."),
            "known": _text("These records are here already: {machine}."),
            "unread": _text("{file}: neither a report.html with an explorer nor its JSON."),
            "highest": _text("Highest median: {value}."),
            "lowest": _text("Lowest median: {value}."),
            "from_to": _text("{low} to {high}"), "colon": _text(": "),
            "old": _text("This browser cannot unpack the explorer's records (DecompressionStream "
                         "is missing). The figures below show the same records."),
            "failed": _text("The explorer could not start: {why}"),
            "first_rows": _text("The first {shown} of {every}; the CSV has all.")}


def _pointer() -> dict[str, str]:
    """What is said of one point."""
    return {"samples_calls": _text("{count} samples of {value} calls"),
            "samples_one": _text("{count} samples"),
            "threads_used": _text("{count} threads ran"), "chosen": _text("chosen: {value}"),
            "over_point": _text("over {name}: {value}"), "on": _text("on {machine}"),
            "bound": _text("bound by {value}"),
            "bound_compute": _text("arithmetic"), "bound_memory": _text("memory"),
            "bound_transfer": _text("the transfer"),
            "source_nvml counter": _text("the card's energy counter"),
            "source_integrated power": _text("power readings, integrated"),
            "source_rapl package": _text("the processor's energy counter"),
            "clock": _text("{value} MHz"), "watt": _text("{value} W"),
            "measured": _text("measured {value}"),
            "disturbed": _text("other work ran on its cores"),
            "throttled": _text("the card held its clock down"),
            "crowded": _text("more threads than processors"), "remeasured": _text("measured again"),
            "press": _text("Click or press Enter for its samples."),
            "spread": _text("Samples of {line} at {value}"),
            "kept_all": _text("All {count} samples."),
            "kept": _text("{shown} evenly spaced quantiles of {count} samples."),
            "median": _text("median"), "count_axis": _text("samples (of those kept)"),
            "chart": _text("{name}: {lines} lines, {points} points. Arrow keys go from point to "
                           "point, Enter shows the samples.")}


class NoLibrary(Exception):
    """There is no drawing library here; the message says how to get it."""


@cache
def javascript() -> str:
    """A script that puts the function `vegaEmbed` into the window, and nothing else. Raises
    NoLibrary."""
    try:
        from vl_convert import javascript_bundle
    except ImportError as error:
        raise NoLibrary("vl-convert-python") from error
    return f"(() => {{\n{javascript_bundle('window.vegaEmbed = vegaEmbed;')}\n}})();\n"


FOLDER = Path(__file__).parent
SCRIPTS = ("data", "sound", "state", "values", "lines",
           "spec", "chart", "pointer", "spread", "list",
           "download", "page")
MISSING = ("The explorer is left out: the Python package {name} is missing (pip install -r "
           "requirements.txt).")
LEVEL = 6  # of gzip: 9 takes three times as long with 100,000 records, for 1 % less


def packed(text: bytes) -> str:
    """gzip in base64, the same for the same text."""
    return base64.b64encode(gzip.compress(text, compresslevel=LEVEL, mtime=0)).decode("ascii")


@cache
def packed_library() -> str:
    """The drawing library, packed. Raises NoLibrary."""
    return packed(javascript().encode())


@cache
def script() -> Markup:
    """The explorer's own script; nothing of it is visible outside."""
    parts = [(FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    return Markup("(() => {\n\"use strict\";\n" + "\n".join(parts) + "})();\n")


def _settings() -> dict[str, Any]:
    """What the script needs beside the records: texts, and colours of lines that stand for no
    implementation."""
    return {"text": texts(),
            "palette": [[lights[0], darks[0]] for lights, darks in SHADES.values()]}


def explorer_html(results: Results, reference: Results | None = None,
                  library: Callable[[], str] = packed_library, sets: Sets = ()) -> Markup:
    """The explorer as a block of the page, with its records, style, script and library; where the
    library is missing, a sentence that says how to get it. `library` gives it packed, or raises
    NoLibrary. Empty where no point may be shown. `sets`: of payload_of()."""
    payload = payload_of(results, reference, sets)
    if not payload["columns"]["median"]:
        return Markup("")
    try:
        packed_one = library()
    except NoLibrary as missing:
        return Markup("<p>{}</p>").format(say(MISSING, name=str(missing)))
    environment = Environment(loader=FileSystemLoader(FOLDER), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style = Markup((FOLDER / "explorer.css").read_text(encoding="utf-8"))
    return Markup(environment.get_template("explorer.html.j2").render(
        say=say, old=texts()["old"], library=packed_one, script=script(), style=style,
        records=packed(orjson.dumps(payload)), settings=packed(orjson.dumps(_settings())),
        presets=presets_of(results, reference, sets)))
