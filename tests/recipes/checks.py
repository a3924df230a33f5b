"""What each kind of code block is held to: check(block) gives the faults of it, a line each.

Nothing that a block says is run.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from markdown import ROOT, Block, blocks

sys.path.insert(0, str(ROOT))

from commands.launch.meant import commands

BUILD = Path(os.environ.get("GEMMLAB_BUILD_FOLDER", ""))
PROGRAM = BUILD / "runner/gemmlab"
OF_A_METHOD, OF_AN_OPERATION = (
    "cpu/gemm/serial.cpp",
    "operations/gemm/operation.cpp",
)  # files that are compiled as a block of their kind is
# what a fragment of C may speak of
C_CONTEXT = "float *A, float *B, float *C, int M, int N, int K, void *stream"


def _told(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What a tool says that failed; nothing where it did not."""
    if done.returncode == 0:
        return []
    lines = [
        line for line in (done.stderr + done.stdout).splitlines() if "error" in line.lower()
    ] or [done.stderr or f"exit {done.returncode}"]
    return lines[:3]


def _run(command: list[str], **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False, **more
    )


@cache
def _commands() -> dict[str, list[str]]:
    """Each source's compiler command, in the first of the ways in which it is compiled."""
    found: dict[str, list[str]] = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        file = Path(entry["file"])
        if file.is_relative_to(ROOT):
            found.setdefault(str(file.relative_to(ROOT)), shlex.split(entry["command"]))
    return found


def _flags_of(file: str) -> list[str]:
    """How CMake compiles that file, without what and whither."""
    command = _commands()[file]
    words = command[
        next(
            i
            for i, word in enumerate(command)
            if re.search(r"(c\+\+|g\+\+|clang\+\+)[\d.-]*$", word)
        )
        + 1 :
    ]
    return [
        word
        for word, before in zip(words, ["", *words])
        if word not in ("-c", "-o") and before not in ("-c", "-o")
    ]


def _compiled(text: str, suffix: str, compiler: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"block{suffix}"
        file.write_text(text, encoding="utf-8")
        return _told(_run([*compiler, str(file)]))


def check_cpp(block: Block) -> list[str]:
    """Compiled as the project's own files of its kind are; what is handed in alone, as C++20."""
    flags = ["-std=c++20", "-Wall"]
    if '#include "' in block.text:
        flags = _flags_of(
            OF_A_METHOD if "GEMMLAB_KERNEL_NAMESPACE" in block.text else OF_AN_OPERATION
        )
    return _compiled(block.text, ".cpp", ["g++", *flags, "-fsyntax-only", "-Werror"])


def check_cuda(block: Block) -> list[str]:
    """Compiled for the emulator, and by nvcc where there is one."""
    mirror = BUILD / "emulator/rows/mirror"
    with tempfile.TemporaryDirectory() as folder:
        file, rewritten = Path(folder) / "block.cu", Path(folder) / "rewritten.cpp"
        file.write_text(block.text, encoding="utf-8")
        faults = _told(
            _run(
                [
                    str(BUILD / "emulator/rewrite/gemmlab-rewrite-cuda"),
                    str(file),
                    str(rewritten),
                ]
            )
        )
        if not faults:
            faults = _told(
                _run(
                    [
                        "g++",
                        "-std=c++17",
                        "-fsyntax-only",
                        "-w",
                        f"-I{mirror}",
                        f"-I{ROOT}/emulator/include",
                        f"-I{ROOT}",
                        str(rewritten),
                    ]
                )
            )
        if not faults and shutil.which("nvcc"):
            faults = _told(
                _run(
                    [
                        "nvcc",
                        "-std=c++17",
                        "-cuda",
                        "--diag-suppress=997",
                        f"-I{ROOT}",
                        "-o",
                        os.devnull,
                        str(file),
                    ]
                )
            )
        return faults


def check_c(block: Block) -> list[str]:
    """A fragment stands in a function whose arguments are those of a product."""
    includes: list[str] = []
    body: list[str] = []
    for line in block.text.splitlines():
        (includes if line.startswith("#include") else body).append(line)
    text = "\n".join(
        ['#include "api/gemmlab.h"', *includes, f"void fragment({C_CONTEXT}) {{", *body, "}"]
    )
    return _compiled(
        text,
        ".c",
        ["gcc", "-std=c11", "-fsyntax-only", f"-I{ROOT}", f"-I{ROOT}/api", f"-I{BUILD}/api"],
    )


def check_toml(block: Block) -> list[str]:
    """Parsed; a definition is planned by the program."""
    try:
        read = tomllib.loads(block.text)
    except tomllib.TOMLDecodeError as error:
        return [str(error)]
    if "group" not in read:
        return []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "block.toml"
        file.write_text(block.text, encoding="utf-8")
        return _told(
            _run(
                [str(PROGRAM), "run", str(file), "--dry-run"],
                env=os.environ | {"GEMMLAB_ROOT": str(ROOT)},
            )
        )


def check_json(block: Block) -> list[str]:
    try:
        json.loads(block.text)
    except ValueError as error:
        return [str(error)]
    return []


def check_python(block: Block) -> list[str]:
    """Parsed; a notebook's magics stand for nothing."""
    try:
        ast.parse(re.sub(r"^%.*$", "pass", block.text, flags=re.MULTILINE))
    except SyntaxError as error:
        return [str(error)]
    return []


def check_cmake(block: Block) -> list[str]:
    """Parsed behind a condition that does not hold."""
    return _compiled(f"if(FALSE)\n{block.text}\nendif()\n", ".cmake", ["cmake", "-P"])


@cache
def launcher_commands() -> frozenset[str]:
    return frozenset(commands())


@cache
def _help_of(command: str) -> str:
    """As `./gemmlab COMMAND --help` prints it: test_help.py holds the texts to the commands."""
    return next(ROOT.glob(f"*/help/{command}.txt")).read_text(encoding="utf-8")


@cache
def _of_recipes() -> frozenset[str]:
    """The names of what recipes make: "mine", "my_operation"."""
    text = "\n".join(block.text for block in blocks())
    return frozenset(
        re.findall(r'\.id = "[cg]pu\.(\w+)"', text) + re.findall(r"\$folder/(\w+);", text)
    )


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    """(ids, parameters) of all implementations."""
    listed = json.loads(
        _run([str(PROGRAM), "list", "--json"], env=os.environ | {"GEMMLAB_ROOT": str(ROOT)}).stdout
    )["implementations"]
    rows = {
        f"{path.parts[-3]}.{name}"
        for path in ROOT.glob("?pu/*/rows.txt")
        for name in re.findall(r"^(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    return frozenset({one["id"] for one in listed} | rows), frozenset(
        spec["name"] for one in listed for spec in one["parameters"]
    )


def _faults_of_command(words: list[str]) -> list[str]:
    """Of what follows `./gemmlab`."""
    if not words:
        return []
    if words[0].startswith("-"):
        return (
            []
            if words[0] in ("--help", "--version")
            else [f"gemmlab {words[0]}: there is no such option"]
        )
    command, *arguments = words
    if command not in launcher_commands():
        return [f"there is no command '{command}'"]
    if command == "test":  # the rest is ctest's
        return []
    faults = []
    for word in arguments:
        name = word.partition("=")[0]
        if (
            word.startswith("--")
            and not re.search(rf"(?<![\w-]){name}(?![\w-])", _help_of(command))
            and (command != "explain" or name[2:] not in _known()[1])
        ):
            faults.append(f"{command} has no option {name}")
        if (
            re.fullmatch(r"[cg]pu\.\w+", word)
            and word not in _known()[0]
            and word[4:] not in _of_recipes()
        ):
            faults.append(f"there is no implementation {word}")
        if (
            command == "run"
            and re.fullmatch(r"[a-z]\w*", word)
            and not words[words.index(word) - 1].startswith("--")
            and word not in _of_recipes()
            and not (ROOT / f"experiments/{word}.toml").is_file()
        ):
            faults.append(f"there is no experiment {word}")
    return faults


def check_sh(block: Block) -> list[str]:
    """Bash can read it, and each command of the launcher has the options that it is given."""
    faults = _told(_run(["bash", "-n"], input=block.text))
    for line in re.sub(r"\\\n", " ", block.text).splitlines() if not faults else ():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, "#"
        words: list[str] | None = None
        for word in [*lexer, ";"]:
            if set(word) <= set(";&|<>()"):
                faults += _faults_of_command(words) if words is not None else []
                words = None
            elif word == "./gemmlab":
                words = []
            elif words is not None and word != "…":
                words.append(word)
    return faults


CHECKS: dict[str, Callable[[Block], list[str]]] = {
    "c": check_c,
    "cmake": check_cmake,
    "cpp": check_cpp,
    "cuda": check_cuda,
    "json": check_json,
    "python": check_python,
    "sh": check_sh,
    "toml": check_toml,
}
UNCHECKED = {"text"}  # output, and pictures


def check(block: Block) -> list[str]:
    """The faults of a block."""
    if block.info in UNCHECKED:
        return []
    if block.info not in CHECKS:
        return [
            f"'{block.info}' behind ``` is not a language; allowed: "
            + ", ".join(sorted([*CHECKS, *UNCHECKED]))
        ]
    return CHECKS[block.info](block)
