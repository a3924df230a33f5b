#!/usr/bin/env python3
"""Autograder of Classroom 50: put the unpacked NAME-grader.zip at CLASSROOM/autograders/ASSIGNMENT/
of the configuration repository.

Its runner starts this in the student's checkout and reads ./result.json. gemmlab is taken from
GEMMLAB_HOME, from /opt/gemmlab (the image of the Containerfile), or from the folder beside this
file, which is then built first."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
JUDGED = (0, 1, 4)  # 4: the machine was busy while it was timed, which the page says
NOT_HANDED_IN = {".git", ".github"}


def home() -> Path:
    """Where gemmlab is."""
    for place in (os.environ.get("GEMMLAB_HOME"), "/opt/gemmlab", HERE / "gemmlab"):
        if place and (Path(place) / "gemmlab").is_file():
            return Path(place)
    sys.exit("autograder: no gemmlab in GEMMLAB_HOME, /opt/gemmlab or beside this file")


def main() -> int:
    """0 where it could be judged; anything else is an error of the infrastructure, not of the
    student."""
    gemmlab = home()
    environment = dict(os.environ, GEMMLAB_CUDA="OFF")
    if (gemmlab / "build" / "cpu" / "submissions" / "gemmlab-judge").is_file():
        environment.setdefault("GEMMLAB_BUILD", str(gemmlab / "build" / "cpu"))
    with tempfile.TemporaryDirectory() as scratch:
        student = Path(scratch, "in", "student_1_assignsubmission_file_")
        shutil.copytree(Path.cwd(), student, symlinks=True,
                        ignore=lambda _, names: NOT_HANDED_IN & set(names))
        done = subprocess.run(
            ["bash", str(gemmlab / "gemmlab"), "submit", str(student.parent),
             "--assignment", str(HERE / "assignment"), "--output", f"{scratch}/out",
             "--format", "classroom50", "--without-isolation"], env=environment, check=False)
        if done.returncode not in JUDGED:
            return done.returncode
        (judged,) = Path(scratch, "out").glob("*/result.json")
        shutil.copyfile(judged, "result.json")
        shutil.copyfile(judged.parent / "page.md", "release-body.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
