"""A copy of the tree with the recipes of README.md and docs/operations.md put into it as printed, and its build.

Objects of the build at hand are taken where nothing that they are made of differs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from json import loads
from pathlib import Path

from checks import BUILD
from markdown import ROOT, blocks_in

README = "README.md"
OPERATIONS = "docs/operations.md"
SHARED = Path("data/results")  # 40 MB that nothing here writes to
LEFT_OUT = {ROOT / "build", ROOT / SHARED}
REUSE = """#!/bin/sh
# COMPILER ARGUMENT...: copies the object where the build at hand has the same, else compiles
out= dep= last=
for word; do
  case $last in -o) out=$word ;; -MF) dep=$word ;; esac
  last=$word
done
if grep -qxF -- "$out" "{same}" && cp -- "{build}/$out" "$out"; then
  printf '%s:\\n' "$out" >"$dep"
else
  exec "$@"
fi
"""


def called(*command: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """`more`: environment variables."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | more,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def must(*command: str | Path, cwd: Path, **more: str) -> str:
    """What it printed. Raises AssertionError where it failed."""
    done = called(*command, cwd=cwd, **more)
    assert done.returncode == 0, (
        f"{shlex.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    )
    return done.stdout


def copy_tree(to: Path) -> None:
    """All but what is made, and hidden files; the results are linked to."""

    def unwanted(folder: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name.startswith(".") or name == "__pycache__" or Path(folder) / name in LEFT_OUT
        }

    shutil.copytree(ROOT, to, ignore=unwanted, symlinks=True)
    (to / SHARED).symlink_to(ROOT / SHARED)


def put_file(tree: Path, path: str, changes: dict[str, str] | None = None) -> None:
    """Writes the block of the tree's README.md that is that file, and adds its line where it says.

    `changes`: other words, each of which the block must have; in the file's name, too.
    """
    readme = (tree / README).read_text(encoding="utf-8")
    texts = [block.text for block in blocks_in(tree / README, readme) if block.path == path]
    lists = [
        found
        for found in re.findall(rf"`{Path(path).stem}` in `([\w/.]+)`", readme)
        if Path(found).parent == Path(path).parent
    ]
    assert len(texts) == 1 and len(lists) == 1, (
        f"{README} has no one block for {path}, or not one line for it"
    )
    text, file = texts[0], path
    for old, new in (changes or {}).items():
        assert old in text, f"{path} of {README} has no {old}"
        text, file = text.replace(old, new), file.replace(old, new)
    (tree / file).write_text(text, encoding="utf-8")
    head, _, rows = (tree / lists[0]).read_text(encoding="utf-8").partition("\n\n")
    (tree / lists[0]).write_text(f"{head}\n\n{Path(file).stem}\n{rows}", encoding="utf-8")


def commands_under(tree: Path, page: str, heading: str) -> tuple[list[str], list[str]]:
    """(what prepares, what calls ./gemmlab) of the shell block under a heading of a page."""
    section = re.search(
        rf"^## {heading}\n(.*?)(?=^## |\Z)",
        (tree / page).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert section, f"{page} has no ## {heading}"
    shell = [block.text for block in blocks_in(tree / page, section[1]) if block.info == "sh"]
    assert len(shell) == 1, f"## {heading} has not one block of shell"
    lines = shell[0].splitlines()
    return [line for line in lines if "./gemmlab" not in line], [
        line for line in lines if "./gemmlab" in line
    ]


def _cached(name: str) -> str:
    """What CMake keeps under that name for the build at hand."""
    found = re.search(
        rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    return found[1] if found else ""


def _outputs(build: Path) -> dict[str, str]:
    """Each object's command, by its path below the build folder."""
    made = {}
    for entry in loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        made[words[words.index("-o") + 1]] = entry["command"]
    return made


def _dependencies() -> dict[str, list[str]]:
    """What each object of the build at hand was made of, as Ninja knows it."""
    made: dict[str, list[str]] = {}
    for part in must("ninja", "-t", "deps", cwd=BUILD).split("\n\n"):
        head, *rest = part.splitlines() or [""]
        if head.endswith("(VALID)"):
            made[head.partition(":")[0]] = [line.strip() for line in rest]
    return made


class _Pair:
    """The tree at hand and the scratch one: do both have the same at a place?"""

    def __init__(self, build: Path) -> None:
        self._build, self._known = build, dict[Path, bool]()

    def moved(self, text: str) -> str:
        """As it would read in the scratch tree."""
        return text.replace(str(BUILD), str(self._build)).replace(
            str(ROOT), str(self._build.parents[1])
        )

    def same(self, path: Path, since: float) -> bool:
        """Also that it has not changed since the object was made."""
        if not path.is_relative_to(ROOT) and not path.is_relative_to(BUILD):
            return True
        if path not in self._known:
            other = Path(self.moved(str(path)))
            self._known[path] = (
                path.is_file()
                and other.is_file()
                and self.moved(path.read_text("utf-8", "replace"))
                == other.read_text("utf-8", "replace")
            )
        return self._known[path] and path.stat().st_mtime <= since


def _reusable(build: Path) -> Iterable[str]:
    """Objects that would come out alike: nothing that they are made of differs.

    Their commands are the same, too, and tell no path to the code.
    """
    pair, ours, theirs = _Pair(build), _outputs(build), _outputs(BUILD)
    for output, files in _dependencies().items():
        made = BUILD / output
        told = any(
            str(ROOT) in word
            for word in shlex.split(theirs.get(output, ""))
            if word.startswith("-D")
        )
        if (
            output in ours
            and made.is_file()
            and not told
            and pair.moved(theirs.get(output, "")) == ours[output]
        ):
            since = made.stat().st_mtime
            if all(pair.same(Path(os.path.normpath(BUILD / file)), since) for file in files):
                yield output


def build(tree: Path, *targets: str) -> Path:
    """The build folder, with these targets built."""
    folder, tools = tree / "build/cpu", tree / "build/reuse"
    tools.mkdir(parents=True)
    launcher, same = tools / "reuse.sh", tools / "same.txt"
    launcher.write_text(REUSE.format(same=same, build=BUILD), encoding="utf-8")
    launcher.chmod(0o755)
    same.write_text("", encoding="utf-8")
    kept = [
        f"-D{name}={_cached(name)}"
        for name in ("CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_BUILD_TYPE")
    ]
    must("cmake", "--preset", "cpu", *kept, f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}", cwd=tree)
    made = [
        line.partition(":")[0]
        for line in must("ninja", "-t", "targets", "all", cwd=folder).splitlines()
    ]
    must(
        "ninja",
        "gemmlab_build_facts",
        *(one for one in made if "/mirror/" in one and one.endswith((".h", ".cpp", ".cu"))),
        cwd=folder,
    )
    if _cached("CMAKE_GENERATOR") == "Ninja":
        same.write_text("".join(f"{one}\n" for one in _reusable(folder)), encoding="utf-8")
    must("ninja", *targets, cwd=folder)
    return folder
