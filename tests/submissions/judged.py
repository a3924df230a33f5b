"""Runs `gemmlab submit` as its users do, and reads what it leaves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = ROOT / "tests" / "submissions" / "collection"
ATTACKS = ROOT / "tests" / "submissions" / "attacks"
GPU_ATTACKS = ATTACKS / "gpu"
GPU_UNUSUAL = ROOT / "tests" / "submissions" / "unusual_gpu"
EXAMPLES = ROOT / "submissions" / "examples"

# Small shapes, so that timing takes seconds; the rest as the rule that is published.
QUICK_RULE = """
random_shapes = 4
rounds = 6
shape_s = 3
[limits]
call_s = 8
memory_mib = 1024
[cpu]
timed = ["64x64x64", "96x128x160"]
ladder = ["cpu.serial", "cpu.ikj"]
library = ["cpu.openblas", "cpu.eigen"]
[gpu]
timed = ["256x256x256", "256x384x512"]
ladder = ["gpu.naive", "gpu.tiled block=32"]
library = ["gpu.cublas"]
"""


def submit(*arguments: str | Path, cwd: Path | None = None, limit_s: float = 1800,
           consent: tuple[str, ...] | None = None) -> subprocess.CompletedProcess[str]:
    """`gemmlab submit ARGUMENTS` as the launcher starts it, with the program that ctest names in
    GEMMLAB_JUDGE; output and exit status as they are."""
    command = _command(arguments, consent_given() if consent is None else consent)
    return subprocess.run(command, cwd=cwd, env=environment(), text=True, capture_output=True,
                          timeout=limit_s, check=False, errors="replace")


def start(*arguments: str | Path, **variables: str) -> subprocess.Popen[str]:
    """The same, not waited for."""
    # a shell's background jobs ignore SIGINT, and hand that on
    return subprocess.Popen(_command(arguments, consent_given()), env=environment() | variables,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def needs_consent() -> bool:
    """Does bubblewrap not work here?"""
    return bool(consent_given())


@cache
def consent_given() -> tuple[str, ...]:
    """In a container where bubblewrap does not work, the tests' own word that submitted code may
    run all the same."""
    if not os.environ.get("GEMMLAB_JUDGE"):
        return ()
    answer = subprocess.run([os.environ["GEMMLAB_JUDGE"], "facts"],
                            input='{"rule": "", "files": []}\n', text=True, capture_output=True,
                            env=environment(), timeout=300, check=True)
    return ("--without-isolation",) if json.loads(answer.stdout)["not_isolated"] else ()


def _command(arguments: tuple[str | Path, ...], consent: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "submissions", *consent, *map(str, arguments)]


def environment() -> dict[str, str]:
    return dict(os.environ, GEMMLAB_ROOT=str(ROOT), PYTHONPATH=str(ROOT), PYTHONSAFEPATH="1")


def handed_in(files: list[Path], folder: Path) -> Path:
    """Copies of the files as hand-ins, which are one file each: `multiply.h` or `.cuh` is written
    in."""
    folder.mkdir()
    for file in files:
        text = file.read_text(encoding="utf-8")
        for header in ATTACKS.glob("multiply.*"):
            text = text.replace(f'#include "{header.name}"\n', header.read_text(encoding="utf-8"))
        (folder / file.name).write_text(text, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Expected:
    """What the first lines of a file of the collection say of it."""

    verdicts: tuple[str, ...]
    patterns: tuple[str, ...]


def expected(file: Path) -> Expected:
    """`// verdict: a, b` and `// pattern: c, d`."""
    text = file.read_text(encoding="utf-8")

    def field(name: str) -> tuple[str, ...]:
        found = re.search(rf"^// {name}:(.*)$", text, re.MULTILINE)
        assert found, f"{file.name} does not say its {name}"
        return tuple(word.strip() for word in found[1].split(",") if word.strip())

    return Expected(field("verdict"), field("pattern"))


def expected_verdicts(file: Path) -> tuple[str, ...]:
    """`// verdict: a, b` alone."""
    found = re.search(r"^// verdict:(.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{file.name} does not say its verdict"
    return tuple(word.strip() for word in found[1].split(","))


def emulated_verdicts(file: Path) -> tuple[str, ...]:
    """`// emulated: a, b`, or else its verdicts. Skips the test of one that cannot be emulated: `//
    emulated: not: REASON`."""
    found = re.search(r"^// emulated: (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    if found and found[1].startswith("not: "):
        pytest.skip(found[1].removeprefix("not: "))
    return tuple(found[1].split(", ")) if found else expected_verdicts(file)


def least_s(file: Path) -> float:
    """`// least: 0.018`: seconds that each timed call of an attack takes at least; 0 where it does
    not say."""
    found = re.search(r"^// least: (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return float(found[1]) if found else 0


def verdict_of(folder: Path, name: str) -> dict:
    """The verdict.json of one submission."""
    return json.loads((folder / name / "verdict.json").read_text(encoding="utf-8"))


def differences(files: list[Path], folder: Path) -> list[str]:
    """Files whose verdict, or whose first pattern, is none of those that they name."""
    wrong = []
    for file in files:
        want = expected(file)
        got = verdict_of(folder, file.name)
        first = got["failures"][0] if got["failures"] else {}
        patterns = {first.get("pattern"), first.get("over_shapes")}
        # one that cannot be built has no failures: its build says why
        needs_pattern = got["verdict"] not in ("correct", "build-failed")
        if (got["verdict"] not in want.verdicts
                or (needs_pattern and not patterns & set(want.patterns))):
            wrong.append(f"{file.name}: {got['verdict']} {sorted(filter(None, patterns))}, "
                         f"not {want.verdicts} {want.patterns}: {got['summary']}")
    return wrong


def verdict_with_its_cause(folder: Path, said: str, file: Path) -> dict:
    """The verdict on a file that names it, its pattern and its words, as its first lines ask for.
    `said`: what the command printed."""
    assert (folder / file.name / "verdict.json").exists(), said
    verdict = verdict_of(folder, file.name)
    assert verdict["verdict"] in expected_verdicts(file), verdict["summary"]
    text = file.read_text(encoding="utf-8")
    patterns = re.findall(r"^// pattern: (.*)$", text, re.MULTILINE)
    assert [one["pattern"] for one in verdict["failures"]][:1] == patterns, verdict["summary"]
    for words in words_of(file):
        assert words in verdict["summary"]
    return verdict


def words_of(file: Path) -> list[str]:
    """What the file's first lines want to be said of it."""
    return re.findall(r"^// says: (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
