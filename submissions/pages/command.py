"""Pages and ranking from verdict.json alone; the last step of `gemmlab submit`."""

from __future__ import annotations

from pathlib import Path

from commands import progress
from files import safe
from files.reading import InputError
from records.names.numbers import counted
from submissions.verdicts.grading import Grading
from submissions.verdicts.marks import mark_of
from submissions.verdicts.verdict import FILE, load

from . import ranking as ranking_pages
from .page import write_pages


def _folders(folder: Path, ranking: bool) -> list[Path]:
    """The submissions' folders, in the order of their names."""
    if (folder / FILE).is_file():
        if ranking:
            raise InputError(f"{folder}: one submission's folder; --ranking wants one that holds "
                             "many")
        return [folder]
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; allowed: a folder that holds {FILE}, or "
                         "folders that hold one each")
    found = sorted(file.parent for file in folder.glob(f"*/{FILE}"))
    if not found:
        raise InputError(f"{folder}: no {FILE} in it or in a folder of it; judge first with "
                         "`gemmlab submit`")
    return found


def write_all(folder: Path, grading: Grading | None = None, ranking: bool = False) -> None:
    """The page of each submission in `folder`, with its mark where there is a grading, and the
    ranking over all of them; prints where they are. Raises InputError where a verdict cannot be
    read."""
    folders = _folders(folder, ranking)
    verdicts = [load(one) for one in folders]
    judged = [(verdict, mark_of(verdict, grading) if grading else None) for verdict in verdicts]
    with progress.shown("gemmlab submit"):
        progress.now(f"pages of {counted(len(judged), 'submission')}")
        write_pages(judged)
    if ranking:
        ranking_pages.write(judged, folder)
        print(safe.shown(f"Ranking: {folder / 'ranking.html'}"))
    pages = folders[0] if len(folders) == 1 else folder / "*"
    print(safe.shown(f"{'Page' if len(folders) == 1 else 'Pages'}: {pages / 'page.html'}"))
