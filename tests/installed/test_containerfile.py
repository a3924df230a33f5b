"""The Containerfile names what the tree has: an image is built by `tests/installed/in_container`."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import BUILD, ROOT

TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")


def test_it_builds_and_installs_what_there_is(installed: Path) -> None:
    ninja = (BUILD / "build.ninja").read_text(encoding="utf-8")
    (targets,) = re.findall(r"--target (.*) \\", TEXT)
    for target in targets.split():
        assert re.search(rf"^build {target}: phony", ninja, re.MULTILINE) or \
            f"cmake_object_order_depends_target_{target}:" in ninja, target
    for file in re.findall(r"/opt/gemmlab/(?!\.venv)([\w.]+)(?=[\s\"])", TEXT):
        assert (installed / file).exists(), file


def test_its_packages_are_those_of_the_list() -> None:
    listed = set(re.findall(r"^\??([\w.+|-]+)", (ROOT / "packages.txt").read_text(), re.MULTILINE))
    listed |= {name for entry in listed for name in entry.split("|")}
    last = TEXT[TEXT.rindex("FROM "):]
    (packages,) = re.findall(r"--no-install-recommends (.*?) &&", last.replace("\\\n", ""),
                             re.DOTALL)
    only_run = {"ca-certificates", "libhwloc15"}  # of pip, and what libhwloc-dev brings
    assert set(packages.split()) - listed == only_run
