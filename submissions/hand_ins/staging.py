"""Which files the judge gets: those handed in as they are, or, of an assignment or a Moodle
download, copies of them in the folders of their verdicts: OUTPUT/ada.cu/ada.cu is what was
judged."""

from __future__ import annotations

from pathlib import Path

from . import hand_in, homework, moodle
from .schema import ENDINGS, Assignment


def _text(assignment: Assignment | None, one: moodle.HandedIn) -> tuple[str, str]:
    """(the text that is judged, the ending of its file)."""
    ending = assignment.ending if assignment else ".cpp" if one.file is None else one.file.suffix
    if one.file is None:
        return hand_in.error_line(1, one.missing), ending
    if assignment and one.file.suffix not in ENDINGS[assignment.device]:
        return hand_in.error_line(1, f"this assignment is handed in as {assignment.file}, not as a "
                                  f"{one.file.suffix}"), ending
    source, why = hand_in.read(one.file)
    if why:
        return hand_in.error_line(1, why), ending
    return (hand_in.full_text(assignment, source) if assignment else source), ending


def files_to_judge(paths: list[Path], assignment: Assignment | None, output: Path) -> list[Path]:
    """Raises InputError for a folder without hand-ins, and for two of one name."""
    downloads = [path for path in paths if moodle.is_download(path)]
    files = (homework.files_of([path for path in paths if path not in downloads])
             if len(downloads) < len(paths) else [])
    students = [one for path in downloads
                for one in moodle.handed_in(path, assignment.file if assignment else "")]
    if assignment is None and not students:
        return files
    if assignment is not None:
        students += [moodle.HandedIn(file.stem, file) for file in files]
        files = []
    for one in students:
        text, ending = _text(assignment, one)
        folder = output / f"{one.student}{ending}"
        folder.mkdir(parents=True, exist_ok=True)
        files.append(folder / folder.name)
        files[-1].write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    return homework.of_different_names(files)
