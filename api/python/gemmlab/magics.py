"""`%%submit`: the cell's kernel judged, its page in the output. `%experiment FILE`: measured, its
figures in the output. `%report FOLDER`: the report of records, in the output."""

from __future__ import annotations

import html
import json
import re
import shlex
import tempfile
import time
from pathlib import Path

from IPython.core.magic import Magics as Base
from IPython.core.magic import cell_magic, line_magic, magics_class
from IPython.display import HTML, SVG, display

from . import frames, suite

_JUDGED = (0, 1, 4)  # correct, not correct, judged while the machine was busy
_RAN = (0, 1)
_CONSENT = "--without-isolation"
_PAGE_HEIGHT = 640
_BETWEEN_S = 0.3


class _Line:
    """One line of output that changes in place, a few times a second at most."""

    def __init__(self) -> None:
        self._handle = None
        self._shown = ("", 0.0)

    def __call__(self, text: str, last: bool = False) -> None:
        before, when = self._shown
        if not last and (text == before or time.monotonic() - when < _BETWEEN_S):
            return
        self._shown = (text, time.monotonic())
        shown = HTML(f'<pre style="white-space:pre-wrap">{html.escape(text)}</pre>')
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)


def _file_name(cell: str, words: list[str]) -> tuple[str, list[str]]:
    """(what the cell's file is called, the other words): as named first, else by what the cell
    says."""
    if words and re.fullmatch(r"[\w.-]+\.(cpp|cc|cxx|cu)", words[0]):
        return words[0], words[1:]
    return "cell.cu" if "__global__" in cell else "cell.cpp", words


def show_page(path: Path) -> None:
    """A page of the suite's in a frame of its own, apart from the notebook's styles."""
    text = html.escape(path.read_text(encoding="utf-8"), quote=True)
    style = f"width:100%;height:{_PAGE_HEIGHT}px;border:1px solid #ccc"
    display({"text/html": f'<iframe sandbox="allow-same-origin" style="{style}" '
             f'srcdoc="{text}"></iframe>',
             "text/plain": path.with_suffix(".md").read_text(encoding="utf-8")}, raw=True)


def _judge(arguments: list[str], said: _Line) -> None:
    """Where bubblewrap does not work, as in most containers, without it: whoever runs the cell
    wrote it."""
    try:
        suite.run(["submit", *arguments], said, _JUDGED)
    except suite.GemmlabError as refused:
        if _CONSENT not in str(refused) or _CONSENT in arguments:
            raise
        suite.run(["submit", *arguments, _CONSENT], said, _JUDGED)


@magics_class
class Magics(Base):
    """%%submit, %experiment and %report."""

    @cell_magic
    def submit(self, line: str, cell: str) -> None:
        """%%submit [NAME.cu|NAME.cpp] [options of gemmlab submit]

        Judges the cell; its verdict is `verdict` afterwards, a dictionary as verdict.json."""
        name, options = _file_name(cell, shlex.split(line))
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / name
            file.write_text(cell, encoding="utf-8")
            said = _Line()
            _judge([str(file), "--output", f"{scratch}/judged", *options], said)
            (found,) = Path(scratch, "judged").glob("*/verdict.json")
            verdict = json.loads(found.read_text(encoding="utf-8"))
            said(f"{verdict['submission']}: {verdict['verdict']}. {verdict['summary']}", last=True)
            show_page(found.parent / "page.html")
        self.shell.user_ns["verdict"] = verdict

    @line_magic
    def experiment(self, line: str):
        """%experiment FILE [--output FOLDER] [options of gemmlab run]

        Measures what is not yet recorded, shows the figures of FILE, and gives its records as a
        frame."""
        words = shlex.split(line)
        if not words or words[0].startswith("-"):
            raise suite.GemmlabError("%experiment wants a definition: %experiment FILE.toml, or a "
                                     "name that gemmlab list shows")
        output = words[words.index("--output") + 1] if "--output" in words[:-1] else "records"
        options = words[1:] if "--output" in words else [*words[1:], "--output", output]
        name = Path(words[0]).stem
        said = _Line()
        suite.run(["run", words[0], *options, "--no-report"], said, _RAN)
        records = Path(output) / f"{name}.jsonl"
        with tempfile.TemporaryDirectory() as scratch:
            suite.run(["report", output, "--experiments", name, "--no-pdf", "--output", scratch],
                      said)
            figures = sorted(Path(scratch, "figures").glob(f"{name}-*.svg"))
            for figure in figures:
                if not figure.stem.endswith("-phone"):
                    display(SVG(data=figure.read_text(encoding="utf-8")))
        said(f"{records}: {len(records.read_text(encoding='utf-8').splitlines())} lines", last=True)
        return frames.records(records)

    @line_magic
    def report(self, line: str) -> None:
        """%report FOLDER [options of gemmlab report]

        Shows the report that the records in FOLDER make."""
        words = shlex.split(line)
        if not words or words[0].startswith("-"):
            raise suite.GemmlabError("%report wants the folder of the records: %report FOLDER")
        with tempfile.TemporaryDirectory() as scratch:
            said = _Line()
            suite.run(["report", *words, "--no-pdf", "--output", scratch], said)
            said(f"{words[0]}: the report", last=True)
            show_page(Path(scratch, "report.html"))
