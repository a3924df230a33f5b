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

from .library import NoLibrary, javascript
from .payload import Sets, payload_of
from .presets import presets_of
from .texts import texts

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
