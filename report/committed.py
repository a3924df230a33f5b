"""What the tree holds of its own reports: `python -m report.committed` names what is no longer what
the records give; `--write` makes all of it anew.

Of each folder of data/results that has a report/: report.md and its drawings; of the reference
machine report.html, report.pdf and the first part of README.md, too. All but the PDF, which depends
on the system's fonts, is the same bytes wherever the pinned packages are.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import plots
from files.tree import ROOT
from records.loading import find_files, load
from records.reference import DATA, load_reference, reference_folder

from . import readme
from .build import build
from .pages.html import BESIDE
from .pages.paper import NAME as PDF


def folders() -> list[Path]:
    """Those of data/results whose report is committed."""
    return sorted(path.parent for path in (DATA / "results").glob("*/report"))


def make(folder: Path, made: Path, forms: tuple[str, ...]) -> list[str]:
    """Writes the report of the folder's records into `made`, in these forms ("html", "md", "pdf");
    returns what was left out."""
    reference = reference_folder(DATA)
    results = load(folder, find_files(folder))
    without = {"html", "md", "tex", "pdf"} - set(forms) | {BESIDE}
    with plots.only(("svg", "pdf") if "pdf" in forms else ("svg",)):
        _, left_out = build(results, load_reference(reference, folder), made, without)
    return left_out


def forms_of(folder: Path) -> tuple[str, ...]:
    return ("html", "md") if folder == reference_folder(DATA) else ("md",)


def different(made: Path, committed: Path) -> list[str]:
    """The files that one of the folders lacks, or has otherwise; but for the PDF."""
    def held(folder: Path) -> dict[str, bytes]:
        return {path.relative_to(folder).as_posix(): path.read_bytes()
                for path in folder.rglob("*") if path.is_file() and path.name != PDF}

    ours, theirs = held(made), held(committed)
    return sorted(name for name in ours.keys() | theirs.keys()
                  if ours.get(name) != theirs.get(name))


def write(folder: Path) -> list[str]:
    """Makes the folder's report anew; returns what was left out."""
    committed = folder / "report"
    with TemporaryDirectory() as other:
        made, paper = Path(other) / "report", Path(other) / "paper"
        left_out = make(folder, made, forms_of(folder))
        if "html" in forms_of(folder):
            left_out += make(folder, paper, ("pdf",))
            shutil.copy(paper / PDF, made)
        shutil.rmtree(committed)
        shutil.copytree(made, committed)
    return left_out


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["--write"]:
        left_out = [line for folder in folders() for line in write(folder)]
        print(*left_out, sep="\n", file=sys.stderr)
        return readme.main(arguments) or bool(left_out)
    wrong = []
    for folder in folders():
        with TemporaryDirectory() as made:
            make(folder, Path(made), forms_of(folder))
            wrong += [str((folder / "report" / name).relative_to(ROOT))
                      for name in different(Path(made), folder / "report")]
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
