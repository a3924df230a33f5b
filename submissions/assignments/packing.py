"""The zips of an assignment: for students, and for whatever grades them."""

from __future__ import annotations

import zipfile
from pathlib import Path

from emulator.model.ladder import MEASURED
from files.output import new_file
from files.reading import InputError
from files.tree import ROOT, packages
from submissions.hand_ins.schema import FILE, Assignment

TEMPLATES = ROOT / "submissions" / "templates"
# What builds the judge and makes the pages. Of data/results only what predictions are held against;
# tests and builds stay away.
_PROGRAM = ("LICENSE", "CMakeLists.txt", "CMakePresets.json", "gemmlab", "packages.txt",
            "requirements.txt", "requirements-build.txt", "cmake", "core", "cpu", "data",
            "experiments", "gpu", "operations", "runner", *(folder.name for folder in packages()))
_LEFT_OUT = {"__pycache__", "results"}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files make the same zip

_README = """# {title}

{text}

{how}

    ./gemmlab submit HERE/{file} --assignment HERE/{toml}
"""
_HOW = {"en": "Hand in one file, `{file}`: begin with the one here. To try it first, in the folder "
        "of gemmlab, where HERE is this folder:",
        "zh": "提交一个文件 `{file}`，可从这里附带的文件开始。提交前可以先自己试一试：在 gemmlab "
        "的文件夹中运行（HERE 为本文件夹）："}


def _add(packed: zipfile.ZipFile, name: str, content: bytes, executable: bool = False) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.external_attr = (0o755 if executable else 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    packed.writestr(entry, content)


def _add_tree(packed: zipfile.ZipFile, path: Path, name: str) -> None:
    if path.name in _LEFT_OUT or path.is_symlink():
        return
    if path.is_dir():
        for one in sorted(path.iterdir()):
            _add_tree(packed, one, f"{name}/{one.name}")
    else:
        _add(packed, name, path.read_bytes(), bool(path.stat().st_mode & 0o100))


def _toml(assignment: Assignment) -> bytes:
    """The TOML with skeleton and solution beside it."""
    text = assignment.path.read_text(encoding="utf-8")
    for key in ("skeleton", "solution"):
        text = text.replace(f'"{getattr(assignment, key)}"', f'"{key}{assignment.ending}"')
    return text.encode()


def _for_students(assignment: Assignment, packed: zipfile.ZipFile) -> None:
    """Task, skeleton, and the rule; `solution` is the skeleton again, so that the TOML can be
    read."""
    for language, suffix in (("en", ""), ("zh", ".zh")):
        text = _README.format(title=getattr(assignment.title, language),
                              text=getattr(assignment.text, language).strip(), how=_HOW[language]
                              .format(file=assignment.file), file=assignment.file, toml=FILE)
        _add(packed, f"README{suffix}.md", text.encode())
    skeleton = (assignment.folder / assignment.skeleton).read_bytes()
    _add(packed, assignment.file, skeleton)
    _add(packed, f"skeleton{assignment.ending}", skeleton)
    _add(packed, FILE,
         _toml(assignment).replace(f'solution = "solution{assignment.ending}"'.encode(),
                                   f'solution = "skeleton{assignment.ending}"'.encode()))


def _for_graders(assignment: Assignment, packed: zipfile.ZipFile) -> None:
    """As it stands Gradescope's autograder.zip and a Classroom 50 bundle; the Containerfile builds
    from it."""
    for file in ("gradescope/setup.sh", "gradescope/run_autograder", "classroom50/autograder.py",
                 "container/Containerfile", "github/grade.yml"):
        _add(packed, Path(file).name, (TEMPLATES / file).read_bytes(),
             executable=not file.endswith(("Containerfile", ".yml")))
    _add(packed, f"assignment/{FILE}", _toml(assignment))
    for key in ("skeleton", "solution"):
        _add(packed, f"assignment/{key}{assignment.ending}",
             (assignment.folder / getattr(assignment, key)).read_bytes())
    for name in _PROGRAM:
        _add_tree(packed, ROOT / name, f"gemmlab/{name}")
    _add(packed, f"gemmlab/{MEASURED.relative_to(ROOT)}", MEASURED.read_bytes())


def pack(assignment: Assignment, output: Path) -> list[Path]:
    """NAME-students.zip and NAME-grader.zip in `output`."""
    if not (ROOT / "CMakeLists.txt").is_file():
        raise InputError(f"{ROOT}: no sources to pack")
    output.mkdir(parents=True, exist_ok=True)
    made = []
    for audience, fill in (("students", _for_students), ("grader", _for_graders)):
        file = output / f"{assignment.name}-{audience}.zip"
        with new_file(file) as whole, zipfile.ZipFile(whole, "w") as packed:
            fill(assignment, packed)
        made.append(file)
    return made
